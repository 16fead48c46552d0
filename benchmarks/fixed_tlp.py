"""Best fixed throttling (BFTT, Best-SWL): every (warps per block, blocks) for one program, beside plain and CATT.

    python benchmarks/fixed_tlp.py examples/gesummv.cu --warps 8 --blocks 8 -O3 -arch=sm_90 -- 270336 4096 256 5

The program prints `NAME: kernel MS ms`, as the examples do; their sum is compared. With `--gpuopt-backend=emulator`
among the compiler's arguments all runs on the CPU: times say nothing of a GPU then, results are still checked.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_TIME = re.compile(r"^\w+: \w+ ([\d.]+) ms", re.M)


def settings(warps: int, blocks: int) -> Iterator[tuple[str, str]]:
    """(name, policy text) of every build: plain, the model's own choice, and all fixed ones."""
    yield "plain", "[plugins.catt]\nenabled = false\n"
    yield "catt", "[plugins.catt]\nenabled = true\n"
    for w in divisors(warps):
        for b in range(blocks, 0, -1):
            yield f"({w},{b})", f"[plugins.catt]\nfixed_tlp = [{w}, {b}]\n"


def divisors(warps: int) -> list[int]:
    """The warps per block that a block can be divided into by powers of two, all of them first."""
    found = [warps]
    while found[-1] % 2 == 0:
        found.append(found[-1] // 2)
    return found


def measure(
    source: Path, policy: str, compiler: Sequence[str], arguments: Sequence[str], scratch: Path
) -> float | None:
    """Milliseconds of all kernels of the program under a policy, None where it fails."""
    rules, program = scratch / "toolchain.toml", scratch / "program"
    rules.write_text(policy)
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", f"--gpuopt-policy={rules}"]
    subprocess.run([*driver, *compiler, "-o", str(program), str(source)], check=True)
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    times = [float(ms) for ms in _TIME.findall(done.stdout)]
    return sum(times) if done.returncode == 0 and times else None


def main() -> int:
    """Build, run and print, best fixed one last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--warps", type=int, default=8, help="warps of a block")
    parser.add_argument("--blocks", type=int, default=8, help="resident blocks of an SM")
    own = sys.argv[1:]
    split = own.index("--") if "--" in own else len(own)
    known, compiler = parser.parse_known_args(own[:split])
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        for name, policy in settings(known.warps, known.blocks):
            ms = measure(known.source, policy, compiler, own[split + 1 :], Path(scratch))
            print(f"{name:8} {'failed' if ms is None else f'{ms:10.3f} ms'}", flush=True)
            if ms is not None:
                times[name] = ms
    fixed = {name: ms for name, ms in times.items() if name.startswith("(")}
    if fixed:
        best = min(fixed, key=lambda name: fixed[name])
        print(f"best fixed TLP: {best} {fixed[best]:.3f} ms")
    return 0 if len(times) == len(list(settings(known.warps, known.blocks))) else 1


if __name__ == "__main__":
    sys.exit(main())
