"""Runs what `--gpu DIR` built, on a machine with a GPU, against plain nvcc's build. Needs Python alone (DIR/run.py).

    python3 DIR/run.py [--output results.jsonl] [--seconds N]
    python3 DIR/run.py --figures FILE.jsonl...

A line of JSON for every program and way to run it: kernels that got a version, what differs. Beside the ways that were
listed when it was built: every arm of each launch, as long as launches have so many, and a run that learns. Status 1 if
anything differs, or nothing was compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

BUFFERS = (("U", 4096), ("V", 4096), ("bins", 64))
TRACE = re.compile(r"^gpuopt: (?:void )?(\w+).*?<<<.*?>>>: (\S+) n=", re.MULTILINE)
LINE = re.compile(r"^(\w+) (\d+) error (\d+) (\d+) U (\w+) V (\w+) bins (\w+)$")
RUN_SECONDS = 120.0


def parsed(line: str) -> tuple[str, int, str] | None:
    """Kernel, launch and the whole of a line of output."""
    found = LINE.match(line)
    return (found[1], int(found[2]), line) if found else None


def differences(before: bytes, after: bytes, lines: tuple[str, ...]) -> dict[tuple[str, int], str]:
    """The first element that differs in two dumps, launch by launch."""
    length = 4 * sum(count for _, count in BUFFERS)
    found = {}
    for launch, place in enumerate(filter(None, map(parsed, lines))):
        old, new = (data[launch * length : (launch + 1) * length] for data in (before, after))
        if old != new:
            at = next((at for at in range(0, min(len(old), len(new)), 4) if old[at : at + 4] != new[at : at + 4]), None)
            found[place[:2]] = (
                "the run ended before" if at is None else _element(at // 4, old[at : at + 4], new[at : at + 4])
            )
    return found


def _element(number: int, old: bytes, new: bytes) -> str:
    buffer, left = BUFFERS[0][0], number
    for name, count in BUFFERS:
        buffer = name
        if left < count:
            break
        left -= count
    values = [int.from_bytes(data, "little") for data in (old, new)]
    return f"{buffer}[{left}] {values[0]:08x} became {values[1]:08x}"


def run(program: Path, environment: dict[str, str], dump: Path) -> tuple[int, tuple[str, ...], str]:
    """Status (124: it did not end), lines and standard error of a run; its buffers go to `dump`."""
    dump.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [str(program), str(dump)],
            env={"GPUOPT_LEARN": "off", **os.environ, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, (), "did not end"
    return done.returncode, tuple(done.stdout.splitlines()), done.stderr


def wrong(plain: tuple[str, ...], lines: tuple[str, ...], first: dict[tuple[str, int], str]) -> list[dict[str, object]]:
    """Launches whose output differs from plain nvcc's; a line of the host's own belongs to the launch behind it."""
    found: list[dict[str, object]] = []
    launches = [parsed(line) for line in plain]
    for number, (before, after) in enumerate(zip(plain, lines, strict=False)):
        place = next(filter(None, launches[number:]), ("host", 0, ""))
        if before != after:
            found.append(
                {
                    "kernel": place[0],
                    "launch": place[1],
                    "nvcc": before,
                    "ours": after,
                    "first": first.get(place[:2], ""),
                }
            )
    return found


def compare(
    directory: Path, entry: dict[str, object], scratch: Path, end: float = float("inf")
) -> Iterator[dict[str, object]]:
    """One program: plain nvcc's build, then every build and run beside it."""
    seed, kernels = entry["seed"], entry["kernels"]
    dumps = scratch / "plain.bin", scratch / "ours.bin"
    status, plain, said = run(directory / str(entry["plain"]), {}, dumps[0])
    launches = [line for line in plain if parsed(line)]
    bad = [line for line in launches if " error 0 0 " not in line][:1]
    if status or not launches or bad:
        yield {"seed": seed, "run": "nvcc", "kernels": kernels, "problem": f"status {status}: {said[-300:]} {bad}"}
        return
    data = dumps[0].read_bytes()

    def one(program: str, name: str, environment: dict[str, str]) -> dict[str, object]:
        status, lines, said = run(directory / program, environment, dumps[1])
        picks = sorted({(kernel, version) for kernel, version in TRACE.findall(said) if version != "original"})
        first = differences(data, dumps[1].read_bytes() if dumps[1].exists() else b"", plain)
        line: dict[str, object] = {
            "seed": seed,
            "program": program,
            "run": name,
            "kernels": kernels,
            "launches": len(launches),
            "taken": picks,
            "differs": wrong(plain, lines, first),
        }
        if status or len(lines) != len(plain):
            line["problem"] = f"status {status} after {len(lines)} of {len(plain)} lines: {said[-300:]}"
        return line

    builds: list[dict[str, object]] = entry["builds"]  # type: ignore[assignment]
    for build in builds:
        program = str(build["program"])
        runs: list[dict[str, object]] = build["runs"]  # type: ignore[assignment]
        for way in runs:
            yield one(program, str(way["name"]), dict(way["environment"]))  # type: ignore[call-overload]
        for arm in range(1, int(str(build.get("arms", 0)))):
            if time.monotonic() > end:
                yield {"seed": seed, "run": f"arm {arm}", "kernels": kernels, "problem": "no time was left for it"}
                return
            line = one(program, f"arm {arm}", {"GPUOPT_DISPATCH": f"arm:{arm}"})
            if not line["taken"]:
                break  # no launch has so many
            yield line
        if build.get("arms"):
            choices = tempfile.mkdtemp(dir=scratch)
            learning = {"GPUOPT_DISPATCH": "trace", "GPUOPT_LEARN": "on", "GPUOPT_CHOICES": f"{choices}/"}
            yield one(program, "learning", learning)


def figures(lines: Iterable[dict[str, object]]) -> tuple[str, int]:
    """What all runs say together, and how many of them went wrong."""
    counted: dict[object, int] = {}
    taken, runs, bad = Counter[str](), 0, 0
    unlike: set[tuple[object, object]] = set()
    for line in lines:
        runs += 1
        counted[line["seed"]] = int(str(line["kernels"]))
        picks: list[tuple[str, str]] = line.get("taken", [])  # type: ignore[assignment]
        taken[str(line["run"]).split()[0]] += len({name for name, _ in picks})
        differs: list[dict[str, object]] = line.get("differs", [])  # type: ignore[assignment]
        unlike |= {(line["seed"], one["kernel"]) for one in differs}
        bad += bool(line.get("problem") or differs)
    said = f"kernels {sum(counted.values())} in {len(counted)} programs, {runs} runs, "
    said += f"with a difference or a problem {bad}\n"
    said += f"kernels that differ: {', '.join(f'{seed} {name}' for seed, name in sorted(unlike, key=str)) or 'none'}\n"
    versions = ", ".join(f"{name} {count}" for name, count in sorted(taken.items()))
    return f"{said}kernels with a version, summed over runs: {versions}", bad if counted else 1


def main() -> int:
    """Run all of the folder that this file lies in."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("results.jsonl"))
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="start no further program or arm after so long"
    )
    parser.add_argument("--figures", nargs="+", type=Path, metavar="FILE", help="only the figures of earlier results")
    options = parser.parse_args()
    if options.figures:
        lines = [json.loads(line) for path in options.figures for line in path.read_text().splitlines()]
        said, bad = figures(lines)
        print(said)
        return 1 if bad else 0
    directory = Path(__file__).resolve().parent
    entries = json.loads((directory / "programs.json").read_text())
    end, made, stopped = time.monotonic() + options.seconds, [], False
    with options.output.open("w") as output, tempfile.TemporaryDirectory() as scratch:
        for entry in entries:
            if time.monotonic() > end:
                print(f"stopped before seed {entry['seed']}")
                stopped = True
                break
            for line in compare(directory, entry, Path(scratch), end):
                made.append(line)
                output.write(json.dumps(line) + "\n")
                output.flush()
                if line.get("problem") or line.get("differs"):
                    print(json.dumps({**line, "taken": len(line.get("taken", ()))})[:700], flush=True)  # type: ignore[arg-type]
    said, bad = figures(made)
    print(said)
    return 1 if bad or stopped else 0


if __name__ == "__main__":
    sys.exit(main())
