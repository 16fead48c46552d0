"""The figures of suite_programs.py's results: geometric means, the best of all arms, gains that were missed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Run = Mapping[str, Any]
PLAIN = ("plain", "plain again")
SHOWN = 10


@dataclass
class Missed:
    """A kernel's gain that the settled run did not have: its part of the program's time says how much it matters."""

    program: str
    kernel: str
    arm: str
    launches: int
    settled: float
    best: float
    part: float  # of the program's time in kernels, that the best arm saves beyond the settled run


@dataclass
class Figures:
    """A program's speed-ups, of time in kernels; 1.0 where its builds are the same."""

    program: str
    again: float = 1.0  # how far two runs of the plain build are apart
    first: float = 1.0
    settled: float = 1.0
    models: float = 1.0
    best: float = 1.0
    arms: int = 0
    same_build: bool = False
    missed: list[Missed] = field(default_factory=list)


def mean(run: Run, kernel: str) -> float | None:
    """Nanoseconds of a kernel's mean launch in a run."""
    launches, total, _ = run["kernels"].get(kernel, (0, 0.0, {}))
    return total / launches if launches and total > 0 else None


def speed_up(before: Run, after: Run) -> float:
    """Time in kernels before and after, of those that both have, with `before`'s number of launches."""
    old = new = 0.0
    for kernel, (launches, total, _) in before["kernels"].items():
        if (now := mean(after, kernel)) is not None and total > 0:
            old += total
            new += now * launches
    return old / new if new else 1.0


def merged(one: Run, other: Run) -> Run:
    """Two runs of the plain build as one, with half of the launches."""
    kernels = {}
    for kernel, (launches, total, versions) in one["kernels"].items():
        more = other["kernels"].get(kernel, (launches, total, versions))
        kernels[kernel] = [(launches + more[0]) / 2, (total + more[1]) / 2, versions]
    return {**one, "kernels": kernels}


def figures(program: str, runs: Mapping[str, Run]) -> Figures | None:
    """What a program's runs say; None where its plain build or its learned one did not run."""
    plain = runs.get("plain")
    if plain is None or plain["problem"]:
        return None
    if "same build" in runs:
        again = runs.get("plain again")
        return Figures(program, speed_up(plain, again) if usable(again) else 1.0, same_build=True)
    settled, again = runs.get("settled"), runs.get("plain again")
    if not usable(settled) or not usable(again):
        return None
    whole = merged(plain, again)
    found = Figures(program, speed_up(plain, again), settled=speed_up(whole, settled))
    for name in ("first", "models"):
        if usable(runs.get(name)):
            setattr(found, name, speed_up(whole, runs[name]))
    candidates = {
        name: run
        for name, run in runs.items()
        if name.startswith(("arm:", "settled", "first", "models")) and usable(run)
    }
    found.arms = sum(name.startswith("arm:") for name in candidates)
    best_time = total = sum(one[1] for one in whole["kernels"].values())
    for kernel, (launches, before, _) in whole["kernels"].items():
        quickest = min((mean(run, kernel) or math.inf for run in (plain, again)), default=math.inf)
        times = {name: time for name, run in candidates.items() if (time := mean(run, kernel)) is not None}
        arm = min(times, key=times.__getitem__, default="")
        if not arm or times[arm] >= quickest:  # within what the plain build itself varies
            continue
        best_time -= before - times[arm] * launches
        now = mean(settled, kernel) or before / launches
        part = (min(now, before / launches) - times[arm]) * launches / total
        one = before / launches
        found.missed.append(Missed(program, kernel, arm, round(launches), one / now, one / times[arm], part))
    found.best = max(total / best_time, found.settled, found.models)
    return found


def usable(run: Run | None) -> bool:
    """Whether a run came to its end with the right output and kernels that were timed."""
    return run is not None and not run["problem"] and not run["differs"] and bool(run.get("kernels"))


def geomean(values: Iterable[float]) -> float:
    """The geometric mean; 1 of none."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0


def by_program(lines: Iterable[Run]) -> dict[str, dict[str, Run]]:
    """Runs by program and name; the last of a name counts."""
    found: dict[str, dict[str, Run]] = {}
    for line in lines:
        found.setdefault(line["program"], {})[line["run"]] = line
    return found


def table(rows: Sequence[Figures]) -> list[str]:
    """A line for each program, the largest gain first."""
    made = [
        "| program | plain again | models | first run | settled | best of all arms | arms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda one: -one.settled):
        cells = [f"{value:.3f}" for value in (row.again, row.models, row.first, row.settled, row.best)]
        made.append(f"| {row.program} | {' | '.join(cells)} | {'same build' if row.same_build else row.arms} |")
    return made


def summary(lines: Sequence[Run]) -> tuple[str, bool]:
    """The figures as text, and whether every output was equal and every run of ours ended well."""
    programs = by_program(lines)
    rows = [found for name, runs in programs.items() if (found := figures(name, runs))]
    made = [*table(rows), ""]
    changed = [row for row in rows if not row.same_build]
    made.append(f"programs tried {len(programs)}, compared {len(rows)}, with versions {len(changed)}")
    for title, name in (
        ("models", "models"),
        ("first run", "first"),
        ("settled", "settled"),
        ("best of all arms", "best"),
        ("plain again", "again"),
    ):
        values = [getattr(row, name) for row in rows]
        told = f"{title}: geometric mean {geomean(values):.4f} of all, "
        told += f"{geomean(getattr(row, name) for row in changed):.4f} of those with versions; "
        counts = [sum(value > 1.05 for value in values), sum(value > 1.2 for value in values)]
        made.append(
            told + f"above 1.05: {counts[0]}, above 1.2: {counts[1]}, under 0.99: {sum(v < 0.99 for v in values)}"
        )
    missed = sorted((one for row in rows for one in row.missed), key=lambda one: -one.part)
    if missed := [one for one in missed[:SHOWN] if one.part > 0]:
        made.append("gains missed (part of the program's time; the kernel's launches, settled and best speed-up, arm):")
    for one in missed:
        told = f"  {one.part:.3f} {one.program} {one.kernel[:60]}: {one.launches} launches, "
        made.append(told + f"{one.settled:.3f}, {one.best:.3f} {one.arm}")
    bad = [line for line in lines if line["differs"] or (line["problem"] and not str(line["run"]).startswith("plain"))]
    for line in bad:
        plain = programs[line["program"]].get("plain", {})
        took = f" (nvcc's build: {plain['seconds']:g} s)" if line["problem"] and not plain.get("problem") else ""
        kind = "perhaps waits for ever" if took and 3 * plain["seconds"] < line["seconds"] else "other output or status"
        made.append(f"{kind}: {line['program']} {line['run']}: {line['differs'] or line['problem']}{took}")
    left = [line for line in lines if line["problem"] and line["run"] in PLAIN]
    made += [f"not compared: {line['program']}: {line['problem']}" for line in left]
    for name, runs in sorted(programs.items()):
        aside, unsteady = runs.get("plain", {}).get("put_aside", []), runs.get("plain again", {}).get("unsteady", [])
        if aside or unsteady:
            made.append(
                f"put aside in {name}: {'; '.join(aside[:3])[:160]}"
                + (f"; varies: {'; '.join(unsteady[:3])[:160]}" if unsteady else "")
            )
    return "\n".join(made), not bad
