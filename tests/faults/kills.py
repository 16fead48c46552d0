"""Runs that are killed at random points: `python -m tests.faults.kills --count 50` tells what went wrong.

After each, another run makes the same object at once; whatever the killed one has started must end by itself, and must
not change that object.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.support import PATCH, completed, end_group, group_is_gone, make_project, started

# Patched or not, with nvcc beside the analysis or after it.
PLANS: tuple[tuple[dict[str, object], dict[str, str | None]], ...] = (
    ({}, {}),
    (dict(PATCH), {}),
    (dict(PATCH), {"GPUOPT_AHEAD": "0"}),
    ({"raise": "something"}, {"GPUOPT_AHEAD": "0"}),
)
LATER = {"replace": [("a.cu", "*= 2", "*= 4")]}
OBJECT = b"*= 4; }\nEND\n"
LATE_SECONDS = 2.0  # in which the compiler of a killed run would have written


def after_a_kill(root: Path, number: int, chance: random.Random) -> str:
    """What is wrong after one kill, "" if nothing is."""
    plan, extra = PLANS[number % len(PLANS)]
    slow = {**make_project(root, seconds=LATE_SECONDS, empty=True), **extra}
    process = started(root, slow, plan)
    try:
        time.sleep(chance.uniform(0.0, 1.6))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        status, said, made = completed(root, {**make_project(root, empty=True), **extra}, LATER)
        if (status, said) != (0, b"made something\n") or not made.endswith(OBJECT):
            return f"the next run: status {status}, {said!r}, {made[-40:]!r}"
        if not group_is_gone(process.pid):
            return "a process is left"
        time.sleep(0.0 if number % 5 else LATE_SECONDS)
    finally:
        end_group(process.pid)
    if (root / "a.o").read_bytes() != made:
        return f"the object was changed later: {(root / 'a.o').read_bytes()[-40:]!r}"
    return ""


def campaign(root: Path, count: int, seed: int) -> list[str]:
    """One line for each kill that went wrong."""
    chance = random.Random(seed)
    found = ((number, after_a_kill(root, number, chance)) for number in range(count))
    return [f"{number}: {wrong}" for number, wrong in found if wrong]


def main() -> int:
    """Run a campaign; the exit status says whether anything was wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wrong = campaign(Path(scratch), arguments.count, arguments.seed)
    sys.stdout.write("".join(f"{line}\n" for line in wrong) + f"{len(wrong)} of {arguments.count} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
