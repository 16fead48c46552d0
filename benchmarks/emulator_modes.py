"""How much slower check mode is than fast mode in programs nobody here wrote: CPU time inside of their kernels.

    python benchmarks/emulator_modes.py DIR... [--recipes FILE] [--only TEXT]... [--rounds N] [--findings] [-- OPTIONS]

Programs are found, built and run as by emulator_coverage.py, with its recipes. Each runs in both modes, one OS thread,
GPUOPT_EMU_TIMES says what its launches take; the least of all rounds counts for each kernel. A program's ratio is that
of the sums over its kernels. Plugins patch nothing (--gpuopt-off). With --findings, what check mode finds is told, and
whether it is the same without surveys (GPUOPT_EMU_SURVEYS=0).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from emulator_coverage import Outcome, Program, build, discover, expanded, limited

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def ends_well(program: Program, work: Path, settings: dict[str, str], limit: float) -> bool:
    """Run the program on one OS thread."""
    arguments = [expanded(word, program) for word in program.recipe.get("arguments", ())]
    try:
        done = subprocess.run(
            [str(work / "program"), *arguments], cwd=work, env={**os.environ, "GPUOPT_EMU_THREADS": "1", **settings},
            timeout=limit, check=False, stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return done.returncode >= 0


def findings_of(program: Program, work: Path, limit: float) -> str:
    """What check mode finds by kind, and whether it finds the same places without surveys."""
    texts: list[str] = []
    found: list[set[tuple[str, str, str, str]]] = []
    for surveys in "1", "0":
        report = work / "findings.json"
        report.unlink(missing_ok=True)
        settings = {"GPUOPT_EMU_MODE": "check", "GPUOPT_EMU_SURVEYS": surveys, "GPUOPT_EMU_REPORT": str(report)}
        if not ends_well(program, work, settings, limit) or not report.exists():
            return "not known"
        rows = json.loads(report.read_text())["findings"]
        found.append({(row["kind"], str(row["place"]), str(row.get("other")), row["kernel"]) for row in rows})
        kinds = [f"{row['severity']} {row['kind']} ({row['place']})" for row in rows]
        texts.append(", ".join(kinds) or "none")
    same = "the same without surveys" if found[0] == found[1] else f"WITHOUT SURVEYS: {texts[1]}"
    return f"{texts[0]}; {same}"


def seconds_of(program: Program, work: Path, mode: str, limit: float) -> dict[str, float] | None:
    """Seconds by kernel of one run; None where it did not end well."""
    times = work / "times.txt"
    times.unlink(missing_ok=True)
    if (
        not ends_well(program, work, {"GPUOPT_EMU_MODE": mode, "GPUOPT_EMU_TIMES": str(times)}, limit)
        or not times.exists()
    ):
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
    parser.add_argument("--findings", action="store_true", help="compare findings with and without surveys")
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
            if options.findings:
                print(f"| {program.name} | findings: {findings_of(program, work, options.seconds)} | | | |", flush=True)
            if rows:
                ratios.append(ratio)
    if ratios:
        within = sum(ratio <= 15 for ratio in ratios)
        print(f"\n{within} of {len(ratios)} programs at most 15 times, median {sorted(ratios)[len(ratios) // 2]:.1f}")


if __name__ == "__main__":
    os.environ.setdefault("GPUOPT_EMU_GPU", "h200")
    main()
