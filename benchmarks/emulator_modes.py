"""How much slower check mode is than fast mode in programs nobody here wrote: CPU time inside of their kernels.

    python benchmarks/emulator_modes.py DIR... [--recipes FILE] [--only TEXT]... [--rounds 3] [-- NVCC-ARGUMENTS]

Programs are found, built and run as by emulator_coverage.py, with its recipes. Each runs in both modes, one OS thread,
GPUOPT_EMU_TIMES says what its launches take; the least of all rounds counts for each kernel. A program's ratio is that
of the sums over its kernels. Plugins patch nothing (--gpuopt-off).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from emulator_coverage import Outcome, Program, build, discover, expanded, limited

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def seconds_of(program: Program, work: Path, mode: str, limit: float) -> dict[str, float] | None:
    """Seconds by kernel of one run; None where it did not end well."""
    times = work / "times.txt"
    times.unlink(missing_ok=True)
    arguments = [expanded(word, program) for word in program.recipe.get("arguments", ())]
    settings = {"GPUOPT_EMU_MODE": mode, "GPUOPT_EMU_THREADS": "1", "GPUOPT_EMU_TIMES": str(times)}
    try:
        done = subprocess.run(
            [str(work / "program"), *arguments], cwd=work, env={**os.environ, **settings}, timeout=limit, check=False,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0 or not times.exists():
        return None
    rows = (line.split("\t") for line in times.read_text().splitlines())
    return {name: float(seconds) for name, _, seconds in rows}


def measure(program: Program, work: Path, rounds: int, limit: float) -> dict[str, tuple[float, float]] | str:
    """Seconds in both modes by kernel, or what went wrong."""
    if (program.directory / "data").is_dir() and not (work / "data").exists():
        (work / "data").symlink_to(program.directory / "data")
    if "inputs" in program.recipe:
        limited(["sh", "-c", expanded(program.recipe["inputs"], program)], work, 300)
    best: dict[str, dict[str, float]] = {"fast": {}, "check": {}}
    for _ in range(rounds):
        for mode, found in best.items():
            seconds = seconds_of(program, work, mode, limit)
            if seconds is None:
                return f"{mode} mode does not end"
            for name, one in seconds.items():
                found[name] = min(one, found.get(name, one))
    return {name: (one, best["check"].get(name, 0.0)) for name, one in best["fast"].items()}


def main() -> None:
    """Measure and print a table, kernel by kernel and program by program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", type=Path)
    parser.add_argument("--recipes", type=Path)
    parser.add_argument("--only", action="append", default=[], help="programs whose path contains this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one run")
    parser.add_argument("--work", type=Path, default=Path("emulator-modes"))
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    recipes = tomllib.loads(options.recipes.read_text()) if options.recipes else {}
    print("| program | kernel | fast, ms | check, ms | ratio |\n|---|---|---|---|---|")
    ratios: list[float] = []
    for suite in options.suites:
        for program in discover(suite.resolve(), recipes):
            if options.only and not any(text in program.name for text in options.only):
                continue
            work = options.work.resolve() / suite.name / program.name.replace("/", "_")
            work.mkdir(parents=True, exist_ok=True)
            outcome = Outcome(suite.name, program.name)
            if "skip" in program.recipe or not build(
                program, work / "program", ["--gpuopt-off", *words[split + 1 :]], outcome
            ):
                print(f"| {program.name} | not built: {outcome.note} | | | |", flush=True)
                continue
            found = measure(program, work, options.rounds, options.seconds)
            if isinstance(found, str):
                print(f"| {program.name} | {found} | | | |", flush=True)
                continue
            rows = [*found.items(), ("all", tuple(map(sum, zip(*found.values(), strict=True))))] if found else []
            for name, (fast, check) in rows:
                ratio = check / max(fast, 1e-9)
                print(
                    f"| {program.name} | {name.split('(')[0]} | {1e3 * fast:.2f} | {1e3 * check:.2f} | {ratio:.1f} |",
                    flush=True,
                )
            if rows:
                ratios.append(ratio)
    if ratios:
        within = sum(ratio <= 15 for ratio in ratios)
        print(f"\n{within} of {len(ratios)} programs at most 15 times, median {sorted(ratios)[len(ratios) // 2]:.1f}")


if __name__ == "__main__":
    os.environ.setdefault("GPUOPT_EMU_GPU", "h200")
    main()
