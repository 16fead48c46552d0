"""Choices for people and programs: a line per launch, every arm of a launch, and both as a JSON document.

docs/choices.schema.json describes the document; `gpuopt choices --schema` prints it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import exp, isfinite
from pathlib import Path
from typing import Any

from gpuopt_driver import __version__
from gpuopt_driver.errors import one_line
from gpuopt_driver.learning.records import Arm, Record
from gpuopt_driver.learning.rule import LEARNING, Gain, Standing, Verdict, standing
from gpuopt_driver.report.columns import table

VERSION = 1  # of the document's form; raised when a reader of the old form would misread the new one
_HEADER = ("kernel", "launch", "device", "leads", "speed-up", "pairs", "state", "lost", "saved")
_ARMS = ("version", "numbers", "speed-up", "pairs", "first launches", "time", "")
_UNITS = (("s", 1e9), ("ms", 1e6), ("us", 1e3))
_MOST = 700.0  # exp() of more is no number


def schema_text() -> str:
    """The JSON schema of the document."""
    return (Path(__file__).parent / "choices.schema.json").read_text(encoding="utf-8")


def document(place: str, records: Sequence[Record], damaged: int) -> dict[str, Any]:
    """The document of pooled records; `place` is where they are kept."""
    launches = [_launch(record) for record in records]
    made = {"version": VERSION, "generator": f"gpuopt {__version__}", "place": place}
    return {**made, "damaged_lines": damaged, "launches": launches}


def _launch(record: Record) -> dict[str, Any]:
    found = standing(record)
    original = record.arms[0]
    arms = [_arm(original, None, found)]
    arms += [_arm(verdict.arm, verdict, found) for verdict in found.verdicts]
    return {
        "kernel": record.kernel,
        "launch": record.launch,
        "device": record.device,
        "digest": record.digest,
        "key": record.key,
        "time": record.time,
        "launches": record.launches,
        "lost_ns": record.lost_ns,
        "saved_ns": record.saved_ns,
        "state": found.state,
        "pairs": _pairs(record),
        "best": next(index for index, arm in enumerate(arms) if arm["is_best"]),
        "arms": arms,
    }


def _arm(arm: Arm, verdict: Verdict | None, found: Standing) -> dict[str, Any]:
    gain = verdict.gain if verdict else Gain()
    is_best = found.leader is verdict
    return {
        "version": arm.version,
        "id": arm.id,
        "numbers": arm.numbers,
        "is_best": is_best,
        "measured": arm.pairs.count,
        "first_launches": arm.firsts.count,
        "mean_ns": _mean_ns(arm) if verdict is None else None,
        "speed_up": _exp(gain.mean) if gain.count else None,
        "speed_up_interval": _interval(gain),
        "dropped": (verdict.dropped or None) if verdict else None,
    }


def _mean_ns(original: Arm) -> float | None:
    """The geometric mean of the original's times."""
    measured = original.pairs if original.pairs.count else original.firsts
    return _exp(measured.mean) if measured.count else None


def _interval(gain: Gain) -> list[float] | None:
    return [_exp(gain.mean - gain.half), _exp(gain.mean + gain.half)] if isfinite(gain.half) else None


def _exp(value: float) -> float:
    return exp(max(-_MOST, min(value, _MOST)))


def _pairs(record: Record) -> int:
    return sum(arm.pairs.count for arm in record.arms[1:])


def list_lines(records: Sequence[Record]) -> list[str]:
    """A line per launch, one with the sums, and one where nothing has been tried of some launches."""
    found = [(record, standing(record)) for record in records]
    rows = [[one_line(cell) for cell in _row(record, one)] for record, one in found]
    untried = sum(bool(one.verdicts) and not any(verdict.gain.count for verdict in one.verdicts) for _, one in found)
    return [*table(_HEADER, rows), summary(records), *([_tell_untried(untried)] if untried else [])]


def _tell_untried(count: int) -> str:
    """Launches that take so long, or are so few, that a program may not try anything (docs/learning.md)."""
    of = f"{count} launch{'es' if count != 1 else ''}"
    return f"of {of} no version was tried: that may cost more than such runs may lose; try: gpuopt tune -- PROGRAM ARGS"


def _row(record: Record, found: Standing) -> tuple[str, ...]:
    leader = found.leader
    best = _named(leader.arm) if leader else record.arms[0].version
    times = nanoseconds(record.lost_ns), nanoseconds(record.saved_ns)
    speed_up = _speed_up(leader.gain) if leader else ""
    names = record.kernel, record.launch, record.device
    return (*names, best, speed_up, str(_pairs(record)), found.state, *times)


def summary(records: Sequence[Record]) -> str:
    """How many launches are in which state, and what trying has cost and brought, in one line."""
    states = Counter(standing(record).state for record in records)
    said = ", ".join(f"{count} {state}" for state, count in sorted(states.items(), reverse=True))
    lost, saved = (
        nanoseconds(sum(several)) for several in zip(*((r.lost_ns, r.saved_ns) for r in records), strict=True)
    )
    return f"{len(records)} launch{'es' if len(records) != 1 else ''}: {said}; lost {lost}, saved {saved}"


def show_lines(record: Record) -> Iterator[str]:
    """A launch with every arm, its figures, and why it is out."""
    found = standing(record)
    yield one_line(f"{record.kernel}: {record.launch}")
    yield one_line(f"  on {record.device}; digest {record.digest}, key {record.key}")
    times = f"lost {nanoseconds(record.lost_ns)}, saved {nanoseconds(record.saved_ns)}"
    yield f"  {found.state}; {record.launches} launches; {times}"
    first = "leads" if found.state == LEARNING else "best"  # what leads may be overtaken
    rows = [_arm_row(record.arms[0], None, first=first if found.leader is None else "")]
    rows += [_arm_row(one.arm, one, first=first if one is found.leader else "") for one in found.verdicts]
    yield from (f"  {line}" for line in table(_ARMS, [[one_line(cell) for cell in row] for row in rows]))


def _arm_row(arm: Arm, verdict: Verdict | None, *, first: str) -> tuple[str, ...]:
    mean = _mean_ns(arm) if verdict is None else None
    if verdict is None:
        speed_up, said = "", first
    else:
        speed_up = _speed_up(verdict.gain)
        said = first or (f"out: {verdict.dropped}" if verdict.dropped else "open")
    time = "" if mean is None else nanoseconds(mean)
    counts = str(arm.pairs.count), str(arm.firsts.count)
    return (arm.version, arm.numbers, speed_up, *counts, time, said)


def _named(arm: Arm) -> str:
    return f"{arm.version} {arm.numbers}".rstrip()


def _speed_up(gain: Gain) -> str:
    """`1.310 (1.284-1.337)`: with its confidence interval, where there is one."""
    if not gain.count:
        return ""
    interval = _interval(gain)
    return f"{_exp(gain.mean):.3f}" + (f" ({interval[0]:.4g}-{interval[1]:.4g})" if interval else "")


def nanoseconds(amount: float) -> str:
    """A time for people."""
    for unit, size in _UNITS:
        if abs(amount) >= size:
            return f"{amount / size:.3g} {unit}" if abs(amount) < 1e3 * size else f"{amount / size:.0f} {unit}"
    return f"{amount:.0f} ns"
