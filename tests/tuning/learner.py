"""A stand-in for a built program: tries what the choices that it is given leave open, and appends what it measured.

Its arguments say how it behaves: `fail-in=N` ends the N-th run with status 3, `silent` measures nothing, `once` in its
first run alone, `noisy` does not settle, `kill=N` gets signal N, `hold=DIR` waits until two were begun,
`stay=N` does not end from its N-th run on.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

from gpuopt_driver.learning.files import Place, append, records_at
from gpuopt_driver.learning.records import ORIGINAL, Arm, Record, pooled
from gpuopt_driver.learning.rule import standing
from gpuopt_driver.learning.samples import NONE

DIGEST = "0123456789abcdef"
DEVICE = "GPU;1 SMs;driver 1"
GAINS = {"gesummv": {("catt", 1): 0.3, ("catt", 2): 0.1, ("vtb", 3): -0.6}, "axpy": {("catt", 1): -0.1}}


def learned(kernel: str, known: Record | None, numbers: random.Random, *, is_noisy: bool) -> Record:
    """A pair for every arm that is open."""
    is_open = {(v.arm.version, v.arm.id) for v in standing(known).verdicts if not v.dropped} if known else set()
    arms = [Arm(ORIGINAL, 0, "", NONE.plus(numbers.gauss(11.5, 0.02)))]
    for (version, number), gain in GAINS[kernel].items():
        turn = known is None or (version, number) in is_open
        value = numbers.gauss(0.03, 0.08) if is_noisy else numbers.gauss(gain, 0.02)
        arms.append(Arm(version, number, f"n={number}", NONE.plus(value) if turn else NONE))
    key = f"{sorted(GAINS).index(kernel):016x}"
    return Record(DIGEST, kernel, DEVICE, "grid 1,1,1", key, int(time.time()), 8, 10, 20, tuple(arms))


def main(argv: list[str]) -> int:
    options = dict(word.partition("=")[::2] for word in argv)
    log = Path(os.environ["LEARNER_LOG"])
    with log.open("a") as file:
        names = ("GPUOPT_LEARN", "GPUOPT_LEARN_BUDGET", "GPUOPT_EMU_MODE", "CUDA_VISIBLE_DEVICES")
        file.write(" ".join(os.environ.get(name, "-") for name in names) + "\n")
    runs = len(log.read_text().splitlines())
    print(f"line for the terminal {runs}")
    if "hold" in options:
        here = Path(options["hold"])
        (here / str(os.getpid())).touch()
        while len(list(here.iterdir())) < 2:
            time.sleep(0.01)
    if runs >= int(options.get("stay", runs + 1)):
        time.sleep(60)
    if "kill" in options:
        os.kill(os.getpid(), int(options["kill"]))
    where = Place(Path(os.environ["GPUOPT_CHOICES"]), "")
    known = {record.kernel: record for record in pooled(records_at(where, os.environ).records)}
    numbers = random.Random(runs)
    if "silent" not in options and not ("once" in options and runs > 1):
        made = [learned(kernel, known.get(kernel), numbers, is_noisy="noisy" in options) for kernel in GAINS]
        append(where, made, os.environ)
    if options.get("fail-in") == str(runs):
        print("what went wrong", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
