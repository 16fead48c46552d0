"""Whether the versions that plugins make of a suite's kernels compute what the originals do, program by program.

    python benchmarks/suite_versions.py DIR... --policy FILE [--recipes FILE] [--only PATTERNS] [--json FILE]
        [-- NVCC-ARGUMENTS]

Every program (recipes as for emulator_coverage.py) is built once for the emulator, with FILE: a policy that has all
plugins apply what they may. It runs with its originals, with the versions of one plugin at a time, and with what its
guards choose; its output and the files that it writes must be the same every time, and its own check must accept them.
Lines that name times or rates are compared without their figures, and so are lines that vary between two runs of the
originals.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from emulator_coverage import Outcome, Program, build, check, discover, expanded

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TIMED = re.compile(
    r"time|sec\b|seconds|\bm?s\b|msec|[GM]B/s|flops|bandwidth|throughput|elapsed|clock|rate|perf|cycles|version|speed|total:"
    r"|pixels|[:.] *\d+\.\d+ *(s|ms)\b|\bpid\b|0x[0-9a-f]{6,}|runtime|latency",
    re.IGNORECASE,
)
FIGURE = re.compile(r"0x[0-9a-fA-F]+|[-+]?\d[\d.]*(e[-+]?\d+)?", re.IGNORECASE)
CHOSEN = re.compile(r"gpuopt: ([^\n]*)<<<[^\n]*>>>: ([\w+]+) n=[^\n]*\n")  # anywhere: standard error is not buffered
OURS = ("program", "program.json", "program-output.txt")


@dataclass
class Compared:
    """One program: how its originals fared, what was applied, and what each run with versions gave."""

    suite: str
    program: str
    state: str = ""
    note: str = ""
    seconds: float = 0.0
    kernels: int = 0
    decisions: dict[str, dict[str, int]] = field(default_factory=dict)  # plugin, decision or code: how many
    silent: list[str] = field(default_factory=list)  # kernels and plugins without a finding
    launches: dict[str, dict[str, int]] = field(default_factory=dict)  # run, version: launch configurations
    differs: dict[str, str] = field(default_factory=dict)  # run: what is different
    unsteady: list[str] = field(default_factory=list)  # lines and files that vary without any version
    problems: list[str] = field(default_factory=list)


def printed(text: str) -> list[str]:
    """An output's lines without gpuopt's own, and without figures where a line names times."""
    lines = [line for line in CHOSEN.sub("", text).splitlines() if not line.startswith("gpuopt: ")]
    return [" ".join(FIGURE.sub("#", line).split()) if TIMED.search(line) else line for line in lines]


def varying(one: Sequence[str], other: Sequence[str]) -> set[str]:
    """The lines, without figures, that two runs of the same kernels print differently."""
    return {FIGURE.sub("#", text) for pair in zip(one, other, strict=False) if pair[0] != pair[1] for text in pair}


def steady(lines: Sequence[str], unsteady: set[str]) -> list[str]:
    """Lines without the figures of those that vary from run to run."""
    return [bare if (bare := FIGURE.sub("#", text)) in unsteady else text for text in lines]


def made(work: Path) -> dict[str, str]:
    """Digests of the files that lie in a program's directory beside those of this script."""
    files = (path for path in sorted(work.rglob("*")) if path.is_file() and not path.is_symlink())
    return {
        str(path.relative_to(work)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name not in OURS and not path.name.endswith("-report.json")
    }


def decided(report: Path, result: Compared) -> None:
    """The decisions of a build's report."""
    data: Mapping[str, Any] = json.loads(report.read_text())
    for unit in data["units"]:
        said = [
            item for item in unit["decisions"] if item["code"] not in ("GPUOPT010", "GPUOPT011")
        ]  # of launches, not of kernels
        found = {(item["plugin"], item["kernel"]) for item in said}
        names = {item["name"] if "name" in item else item["kernel"] for item in unit["kernels"]}
        result.kernels += len(names)
        plugins = {plugin for plugin, _ in found}
        result.silent += [
            f"{plugin} {name}" for plugin in sorted(plugins) for name in sorted(names) if (plugin, name) not in found
        ]
        for item in said:
            counts = result.decisions.setdefault(item["plugin"], {})
            key = item["decision"] if item["decision"] == "applied" else item["code"]
            counts[key] = counts.get(key, 0) + 1
        result.problems += [item["message"][:300] for item in unit["problems"]]


def runs(program: Program, work: Path, seconds: float, result: Compared) -> None:
    """Run the originals and every plugin's versions, and compare."""
    plugins = sorted(name for name, counts in result.decisions.items() if counts.get("applied"))
    reference: tuple[list[str], dict[str, str]] | None = None
    unsteady: set[str] | None = None
    for run in ("original", *(f"only:{name}" for name in plugins), *(["trace"] if len(plugins) > 1 else [])):
        os.environ["GPUOPT_DISPATCH"] = run
        outcome = Outcome(result.suite, result.program)
        check(program, work, seconds, outcome)
        text = (work / "program-output.txt").read_text()
        chosen = Counter(match.group(2) for match in CHOSEN.finditer(text))
        result.seconds += outcome.run_seconds
        if run == "original":
            result.state, result.note = outcome.state, outcome.note
            reference = printed(text), made(work)
            if outcome.note.startswith("still running"):
                return
            continue
        result.launches[run] = dict(chosen)
        assert reference is not None
        now = printed(text), made(work)
        if now != reference and unsteady is None:
            os.environ["GPUOPT_DISPATCH"] = "original"
            check(program, work, seconds, Outcome(result.suite, result.program))
            again = printed((work / "program-output.txt").read_text()), made(work)
            unsteady = varying(reference[0], again[0])
            result.unsteady = sorted(unsteady)[:5] + [
                name for name in again[1] if again[1][name] != reference[1].get(name)
            ]
        if unsteady is not None:
            now = steady(now[0], unsteady), {name: sum_ for name, sum_ in now[1].items() if name not in result.unsteady}
            reference = (
                steady(reference[0], unsteady),
                {k: v for k, v in reference[1].items() if k not in result.unsteady},
            )
        if outcome.state != result.state:
            result.differs[run] = f"{outcome.state}: {outcome.note}"
        elif now[0] != reference[0]:
            pairs = [(old, new) for old, new in zip(reference[0], now[0], strict=False) if old != new]
            result.differs[run] = f"prints {pairs[0] if pairs else (len(reference[0]), len(now[0]))}"[:300]
        elif now[1] != reference[1]:
            files = {name for name in {*now[1], *reference[1]} if now[1].get(name) != reference[1].get(name)}
            result.differs[run] = f"writes {sorted(files)}"[:300]


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", type=Path)
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--recipes", type=Path)
    parser.add_argument("--only", default="", help="programs whose path matches one of these patterns")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--work", type=Path, default=Path("suite-versions"))
    parser.add_argument("--json", type=Path)
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    recipes = tomllib.loads(options.recipes.read_text()) if options.recipes else {}
    results: list[Compared] = []
    wanted: Sequence[str] = options.only.split() or [""]
    for suite in options.suites:
        for program in discover(suite.resolve(), recipes):
            if not any(re.search(word, program.name) for word in wanted):
                continue
            result = Compared(suite.name, program.name)
            results.append(result)
            work = options.work.resolve() / suite.name / program.name.replace("/", "_")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            report = work / "program-report.json"
            given = [f"--gpuopt-policy={options.policy.resolve()}", f"--gpuopt-report={report}"]
            given += [expanded(word, program) for word in words[split + 1 :]]
            outcome = Outcome(suite.name, program.name)
            if "skip" in program.recipe:
                result.state, result.note = "skipped", str(program.recipe["skip"])
            elif build(program, work / "program", given, outcome):
                decided(report, result)
                runs(program, work, options.seconds, result)
            else:
                result.state, result.note = outcome.state, outcome.note
            result.seconds += outcome.build_seconds
            print(line(result), flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(each) for each in results], indent=1))
    return 0 if not any(result.differs or result.silent for result in results) else 1


def line(result: Compared) -> str:
    """One row of the table: state, kernels, what was applied, launches with versions of all launches, differences."""
    counts = {name: decisions.get("applied") for name, decisions in sorted(result.decisions.items())}
    applied = " ".join(f"{name} {count}" for name, count in counts.items() if count)
    ran = []
    for name, taken in result.launches.items():
        versions = sum(count for version, count in taken.items() if version != "original")
        ran.append(f"{name.partition(':')[2] or 'chosen'} {versions}/{sum(taken.values())}")
    wrong = "; ".join(f"{name}: {what}" for name, what in result.differs.items())
    wrong = wrong or ("same" if result.launches else "")
    silent = f"without finding: {result.silent[:3]}" if result.silent else ""
    cells = (result.program, f"{result.state} {result.note}", result.kernels, applied, " ".join(ran), wrong, silent)
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} | {'; '.join(result.problems[:2])} |"


if __name__ == "__main__":
    os.environ.setdefault("GPUOPT_EMU_GPU", "h200")
    os.environ.setdefault("GPUOPT_EMU_MODE", "fast")
    sys.exit(main())
