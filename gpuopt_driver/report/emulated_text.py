"""The emulator's report as text: a line per launch, then what each source line and array asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

from gpuopt_driver.report.columns import count, percent, size, table
from gpuopt_driver.report.emulated import EmulatedReport, Launch, Traffic
from gpuopt_driver.report.text import shown

SUMMARY = ("launch", "kernel", "cycles", "requests", "sectors", "L1 hits", "L2 reads", "L2 hits", "DRAM read", "warps")
_NAMES = {"l1": "L1", "l2": "L2", "dram": "DRAM", "shared": "shared memory", "issue": "the schedulers"}
_OF_AN_SM = ("issue", "l1", "shared", "latency")
_BUSY = 0.6  # of its time: a resource that works less than that bounds nothing
_TRAFFIC = ("requests", "sectors", "per request", "L1 hits", "L2 reads", "DRAM read", "conflicts")


def emulated_text(report: EmulatedReport, cwd: str | None = None) -> str:
    """The whole report."""
    return "\n".join(_lines(report, cwd)) + "\n"


def _lines(report: EmulatedReport, cwd: str | None) -> Iterator[str]:
    launches = len(report.launches)
    yield f"{report.program or 'program'} on {report.gpu}: {launches} launch{'' if launches == 1 else 'es'}, modelled"
    if report.launches:
        yield ""
        yield from table(SUMMARY, (summary_row(launch) for launch in report.launches))
    for launch in report.launches:
        yield ""
        yield from _launch(launch, report, cwd)


def summary_row(launch: Launch) -> tuple[str, ...]:
    """A launch in one row, under `SUMMARY`."""
    return (
        str(launch.index),
        launch.title,
        f"{launch.figure('cycles'):.0f}",
        count(launch.figure("l1_load_requests")),
        count(launch.figure("l1_load_sectors")),
        percent(launch.figure("l1_load_hit_rate")),
        count(launch.figure("l2_read_sectors")),
        percent(launch.figure("l2_hit_rate")),
        size(launch.figure("dram_read_bytes")),
        percent(launch.figure("achieved_occupancy")),
    )


def _launch(launch: Launch, report: EmulatedReport, cwd: str | None) -> Iterator[str]:
    where = f"{shown(launch.place[0], cwd)}:{launch.place[1]}: " if launch.place else ""
    yield f"{where}launch {launch.index}: {launch.title}"
    yield from (f"  {line}" for line in facts(launch, report))
    if launch.lines:
        rows = ((_place(item, cwd), item.array, *_figures(item)) for item in launch.lines)
        yield from (f"  {line}" for line in table(("line", "array", *_TRAFFIC), rows))
    if launch.arrays:
        rows = ((item.array, size(item.figure("bytes")), *_figures(item)) for item in launch.arrays)
        yield from (f"  {line}" for line in table(("array", "size", *_TRAFFIC), rows))
    if launch.timeline:
        yield f"  {_timeline(launch, report)}"


def facts(launch: Launch, report: EmulatedReport) -> Iterator[str]:
    """What bounds the launch, what an SM holds of it, and what sampling left open; one sentence each."""
    sms = report.device.get("sms", 0)
    time = f" ({launch.figure('time_ns') / 1000:.1f} us)" if "time_ns" in launch.figures else ""
    yield f"{launch.figure('cycles'):.0f} cycles{time}{_bound(launch, sms)}"
    of = f" of {percent(launch.figure('theoretical_occupancy'))}" if "theoretical_occupancy" in launch.figures else ""
    yield f"warps active: {percent(launch.figure('achieved_occupancy'))}{of}{_held(launch, sms)}"
    parts = [
        f"{launch.figure('registers_per_thread'):.0f} registers per thread"
        * ("registers_per_thread" in launch.figures),
        _sized(launch, "static_shared_bytes", "shared memory per block"),
        _sized(launch, "dynamic_shared_bytes", "dynamic shared memory per block"),
        _sized(launch, "l1_bytes", "L1"),
    ]
    if any(parts):
        yield ", ".join(filter(None, parts))
    if launch.figure("shared_bank_conflicts"):
        conflicts, requests = launch.figure("shared_bank_conflicts"), launch.figure("shared_requests")
        yield f"bank conflicts: {count(conflicts)} passes more than needed for {count(requests)} requests"
    if launch.sampled and launch.sampled[0] < launch.sampled[1]:
        errors = ", ".join(f"{key} +-{_error(launch, key, value)}" for key, value in (launch.errors or {}).items())
        yield f"sampled: {launch.sampled[0]} of {launch.sampled[1]} blocks{'; ' if errors else ''}{errors}"


def _error(launch: Launch, key: str, value: float) -> str:
    if key.endswith("rate"):
        return f"{100 * value:.2f} points"
    whole = launch.figure(key)
    return f"{100 * value / whole:.2f} %" if whole else f"{value:g}"


def _held(launch: Launch, sms: float) -> str:
    """How many blocks an SM had at once, which may be fewer than it could hold."""
    if "resident_blocks" not in launch.figures:
        return ""
    could, blocks = launch.figure("resident_blocks"), prod(launch.grid)
    if sms and blocks < could * sms:
        return f"; {blocks} block{'' if blocks == 1 else 's'} for {sms:.0f} SMs, each of which could hold {could:.0f}"
    by = f", limited by {launch.occupancy_limiter}" if launch.occupancy_limiter else ""
    return f"; an SM holds {could:.0f} block{'' if could == 1 else 's'}{by}"


def _bound(launch: Launch, sms: float) -> str:
    """The resource that alone would take longest, of the SMs that have blocks, and how busy it was."""
    name, busy = next(iter(works(launch, sms)), ("", 0.0))
    if not name:
        return ""
    if busy < _BUSY:
        return f", bound by latency: the busiest, {name}, works {percent(busy)} of the time"
    return f", bound by {name}, which works {percent(busy)} of the time"


def works(launch: Launch, sms: float) -> list[tuple[str, float]]:
    """Each resource, and for which part of the launch's time it would be busy alone; the busiest first."""
    cycles, used = launch.figure("cycles"), min(prod(launch.grid), sms)
    if not cycles:
        return []
    where = f" of {used:.0f} of {sms:.0f} SMs" if used < sms else ""
    return [
        (f"{_NAMES.get(name, name)}{where if name in _OF_AN_SM else ''}", min(1.0, taken / cycles))
        for name, taken in sorted(launch.limits.items(), key=lambda one: -one[1])
    ]


def _sized(launch: Launch, key: str, what: str) -> str:
    value = launch.figure(key)
    return f"{size(value)} {what}" if value else ""


def _place(item: Traffic, cwd: str | None) -> str:
    return f"{shown(item.file, cwd)}:{item.line}" if item.file else "?"


def requests(item: Traffic) -> float:
    """Requests of all kinds; those to shared memory count there."""
    return sum(item.figure(f"{kind}_requests") for kind in ("load", "store", "atomic"))


def sectors(item: Traffic) -> float:
    """Sectors of all kinds."""
    return sum(item.figure(f"{kind}_sectors") for kind in ("load", "store", "atomic"))


def _figures(item: Traffic) -> tuple[str, ...]:
    asked, moved = requests(item), sectors(item)
    return (
        count(asked),
        count(moved),
        f"{moved / asked:.1f}" if asked and moved else "",
        percent(item.hit_rate),
        count(item.figure("l2_read_sectors")),
        size(item.figure("dram_read_bytes")),
        count(item.figure("shared_bank_conflicts")) if item.figure("shared_bank_conflicts") else "",
    )


def _timeline(launch: Launch, report: EmulatedReport) -> str:
    """Resident blocks over time as one line of marks, by tenths of what there was at most."""
    assert launch.timeline is not None
    values = launch.timeline.resident_blocks
    most = max(values, default=0.0)
    marks = "".join(" .:-=+*#%@"[min(9, int(10 * value / most))] if most else " " for value in _thinned(values, 64))
    cycles = launch.timeline.interval_cycles * len(values)
    sms = launch.timeline.sms or report.device.get("sms", 0)
    on = f" on {sms:.0f} SMs" if sms else ""
    return f"resident blocks, 0 to {most:g}{on}, over {cycles:.0f} cycles: |{marks}|"


def _thinned(values: Sequence[float], most: int) -> list[float]:
    """At most so many values: means of equal parts."""
    if len(values) <= most:
        return list(values)
    bounds = [len(values) * number // most for number in range(most + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in pairwise(bounds)]
