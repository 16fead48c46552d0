"""Two reports of the emulator, launch by launch and line by line: what changed, in numbers and percent."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import UsageError
from gpuopt_driver.report.columns import count, table
from gpuopt_driver.report.emulated import EmulatedReport, Launch, Traffic
from gpuopt_driver.report.text import shown

# What is compared, in the order in which it is shown; a report may lack some.
_OF_LAUNCH = (
    *("cycles", "achieved_occupancy", "resident_blocks", "l1_bytes", "registers_per_thread"),
    *("l1_load_requests", "l1_load_sectors", "l1_load_hit_rate", "l1_store_requests", "l1_store_sectors"),
    *("l2_read_sectors", "l2_write_sectors", "l2_hit_rate", "dram_read_bytes", "dram_write_bytes"),
    *("shared_requests", "shared_bank_conflicts", "warp_instructions"),
)
_OF_LINE = (
    *("load_requests", "load_sectors", "load_hit_rate", "store_requests", "store_sectors", "atomic_requests"),
    *("l2_read_sectors", "l2_write_sectors", "dram_read_bytes", "dram_write_bytes", "shared_bank_conflicts"),
)
_TINY = 1e-9  # rates that differ by less are equal


@dataclass(frozen=True, slots=True)
class Change:
    """One figure in both reports; None where one has no such line."""

    name: str
    before: float | None
    after: float | None

    @property
    def is_one(self) -> bool:
        """Whether anything changed."""
        if self.before is None or self.after is None:
            return self.before != self.after
        return abs(self.after - self.before) > _TINY

    @property
    def percent(self) -> float | None:
        """Relative change; of rates the change in percentage points. None where it means nothing."""
        if self.before is None or self.after is None:
            return None
        if self.name.endswith(("rate", "occupancy")):
            return 100 * (self.after - self.before)
        return 100 * (self.after - self.before) / self.before if self.before else None

    def document(self) -> dict[str, Any]:
        """The change as JSON; `points` for rates, `percent` for everything else."""
        unit = "points" if self.name.endswith(("rate", "occupancy")) else "percent"
        changed = None if self.percent is None else round(self.percent, 4)
        return {"before": self.before, "after": self.after, unit: changed}


@dataclass(frozen=True, slots=True)
class LinePair:
    """A source line and array in both reports."""

    file: str
    line: int
    array: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class LaunchPair:
    """The same launch in both reports."""

    before: Launch
    after: Launch
    changes: tuple[Change, ...]
    lines: tuple[LinePair, ...]


def compare(
    before: EmulatedReport, after: EmulatedReport, *, any_gpu: bool = False, any_arguments: bool = False
) -> tuple[LaunchPair, ...]:
    """Every launch with its changes; UsageError where the reports are not of the same work."""
    if before.gpu != after.gpu and not any_gpu:
        raise UsageError(
            f"{before.path} is for {before.gpu}, {after.path} for {after.gpu}; --any-gpu compares them nevertheless"
        )
    if len(before.launches) != len(after.launches):
        raise UsageError(
            f"{before.path} has {len(before.launches)} launches, {after.path} has {len(after.launches)}: "
            "not the same run of the same program"
        )
    if before.arguments != after.arguments and not any_arguments:
        raise UsageError(
            f"{before.path} is of a run with {_said(before.arguments)}, {after.path} with {_said(after.arguments)}: "
            "not the same work; --any-arguments compares them nevertheless"
        )
    for one, other in zip(before.launches, after.launches, strict=True):
        _same_work(before, after, one, other)
    return tuple(_pair(one, other) for one, other in zip(before.launches, after.launches, strict=True))


def _said(arguments: tuple[str, ...]) -> str:
    return f"the arguments {shlex.join(arguments)}" if arguments else "no arguments"


def _same_work(before: EmulatedReport, after: EmulatedReport, one: Launch, other: Launch) -> None:
    """Launches of one kernel over the same grid; a version of a kernel may have another one."""
    versions = one.kernel != one.base or other.kernel != other.base
    if one.base != other.base or not (versions or (one.grid, one.block) == (other.grid, other.block)):
        raise UsageError(
            f"launch {one.index} is {one.title} in {before.path} and {other.title} in {after.path}: not the same work"
        )


def _pair(one: Launch, other: Launch) -> LaunchPair:
    keys = [key for key in _OF_LAUNCH if key in one.figures or key in other.figures]
    changes = tuple(Change(key, one.figures.get(key), other.figures.get(key)) for key in keys)
    before, after = (_by_place(launch.lines) for launch in (one, other))
    places = sorted({*before, *after})
    return LaunchPair(one, other, changes, tuple(_line(place, before, after) for place in places))


_Place = tuple[str, int, str]


def _by_place(items: Iterable[Traffic]) -> dict[_Place, dict[str, float]]:
    """Figures by file, line and array; what shares all of them is added up."""
    made: dict[_Place, dict[str, float]] = {}
    for item in items:
        figures = made.setdefault((item.file, item.line, item.array), {})
        for key in (*_OF_LINE, "load_hits"):
            if key in item.figures and not key.endswith("rate"):
                figures[key] = figures.get(key, 0) + item.figures[key]
    for figures in made.values():
        if figures.get("load_sectors"):
            figures["load_hit_rate"] = figures.get("load_hits", 0) / figures["load_sectors"]
    return made


def _line(
    place: _Place, before: Mapping[_Place, Mapping[str, float]], after: Mapping[_Place, Mapping[str, float]]
) -> LinePair:
    one, other = before.get(place), after.get(place)
    keys = [key for key in _OF_LINE if key in (one or {}) or key in (other or {})]
    changes = (
        Change(key, None if one is None else one.get(key, 0), None if other is None else other.get(key, 0))
        for key in keys
    )
    return LinePair(*place, tuple(changes))


def comparison_document(before: EmulatedReport, after: EmulatedReport, pairs: Sequence[LaunchPair]) -> dict[str, Any]:
    """The comparison as JSON: every figure, changed or not."""
    return {
        "before": {"file": before.path, "gpu": before.gpu, "program": before.program},
        "after": {"file": after.path, "gpu": after.gpu, "program": after.program},
        "launches": [
            {
                "index": pair.before.index,
                "kernel": {"before": pair.before.kernel, "after": pair.after.kernel},
                "figures": {change.name: change.document() for change in pair.changes},
                "lines": [
                    {
                        "file": line.file,
                        "line": line.line,
                        "array": line.array,
                        "figures": {change.name: change.document() for change in line.changes},
                    }
                    for line in pair.lines
                ],
            }
            for pair in pairs
        ],
    }


def comparison_text(
    before: EmulatedReport, after: EmulatedReport, pairs: Sequence[LaunchPair], cwd: str | None = None
) -> Iterator[str]:
    """What changed, launch by launch; a launch without changes is one line."""
    gpus = before.gpu if before.gpu == after.gpu else f"{before.gpu} -> {after.gpu}"
    yield f"{before.path} -> {after.path} on {gpus}: {len(pairs)} launches"
    for pair in pairs:
        names = (
            pair.before.title if pair.before.title == pair.after.title else f"{pair.before.title} -> {pair.after.title}"
        )
        changed = [change for change in pair.changes if change.is_one]
        if not changed and not any(change.is_one for line in pair.lines for change in line.changes):
            yield f"launch {pair.before.index}: {names}: nothing changed"
            continue
        yield ""
        yield f"launch {pair.before.index}: {names}"
        rows = [("", *_row(change)) for change in changed]
        for line in pair.lines:
            place = f"{shown(line.file, cwd)}:{line.line} {line.array}".rstrip() if line.file else line.array or "?"
            rows += [(place, *_row(change)) for change in line.changes if change.is_one]
        yield from (f"  {text}" for text in table(("place", "figure", "before", "after", "change"), rows))


def _row(change: Change) -> tuple[str, str, str, str]:
    rate = change.name.endswith(("rate", "occupancy"))
    before, after = (_shown(value, rate=rate) for value in (change.before, change.after))
    if change.percent is None:
        return change.name, before, after, ""
    return change.name, before, after, f"{change.percent:+.1f} {'points' if rate else '%'}"


def _shown(value: float | None, *, rate: bool) -> str:
    if value is None:
        return "none"
    return f"{100 * value:.1f} %" if rate else count(value)
