"""The emulator's report as one HTML page with plots that needs nothing else: no scripts, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from gpuopt_driver import __version__
from gpuopt_driver.report.columns import count, percent, size
from gpuopt_driver.report.emulated import EmulatedReport, Launch, Traffic
from gpuopt_driver.report.emulated_text import SUMMARY, facts, requests, sectors, summary_row, works
from gpuopt_driver.report.html import STYLE
from gpuopt_driver.report.plots import STYLE as PLOTS
from gpuopt_driver.report.plots import Bar, Ceiling, Point, bars, curve, roofline
from gpuopt_driver.report.text import shown

_MOST_LAUNCHES = 40  # that are shown with plots; a page with thousands would help nobody
_MOST_ROWS = 30
_LEVELS = (("L1", "l1"), ("L2", "l2"), ("DRAM", "dram"))


def emulated_html(report: EmulatedReport, cwd: str | None = None) -> str:
    """The page."""
    return "\n".join(_page(report, cwd)) + "\n"


def _page(report: EmulatedReport, cwd: str | None) -> Iterator[str]:
    title = f"{report.program or 'program'} on {report.gpu}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<title>{escape(title)}</title>\n<meta name="generator" content="gpuopt {__version__}">'
    yield f"<style>{STYLE}{PLOTS}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>"
    yield f"<p>{len(report.launches)} kernel launches; what the caches would do, by the emulator's model</p>"
    yield f"<table>\n<tr>{''.join(f'<th>{name}</th>' for name in SUMMARY)}</tr>"
    for launch in report.launches:
        first, *rest = summary_row(launch)
        cells = f'<td><a href="#l{launch.index}">{first}</a></td>' + "".join(
            f"<td>{escape(cell)}</td>" for cell in rest
        )
        yield f"<tr>{cells}</tr>"
    yield "</table>"
    yield from _roofline(report)
    chosen = sorted(report.launches, key=lambda launch: -launch.figure("cycles"))[:_MOST_LAUNCHES]
    if len(chosen) < len(report.launches):
        yield f"<p>Below: the {len(chosen)} launches of the most cycles.</p>"
    for launch in sorted(chosen, key=lambda launch: launch.index):
        yield from _launch(launch, report, cwd)
    yield "</body>\n</html>"


def _launch(launch: Launch, report: EmulatedReport, cwd: str | None) -> Iterator[str]:
    yield f'<h2 id="l{launch.index}">launch {launch.index}: {escape(launch.title)}</h2>'
    if launch.place:
        yield f"<p>{escape(shown(launch.place[0], cwd))}:{launch.place[1]}</p>"
    yield f"<ul>{''.join(f'<li>{escape(fact)}</li>' for fact in facts(launch, report))}</ul>"
    if busy := works(launch, report.device.get("sms", 0)):
        rows = [(name, [Bar(part, f"{percent(part)} of the time")]) for name, part in busy]
        yield f"<h3>what is busy</h3>\n{bars(rows, 'what is busy')}"
    for name, items, label in (("line", launch.lines, _of_line), ("array", launch.arrays, _of_array)):
        traffic = [(label(item, cwd), item) for item in items if requests(item)]
        traffic.sort(key=lambda row: -sectors(row[1]))
        if traffic:
            yield f"<h3>traffic per {name}</h3>"
            yield _traffic(traffic[:_MOST_ROWS], report, f"traffic per {name}")
            yield f"<h3>L1 hit rate per {name}</h3>" if any(item.hit_rate is not None for _, item in traffic) else ""
            yield _hit_rates(traffic[:_MOST_ROWS], f"L1 hit rate per {name}")
        if len(traffic) > _MOST_ROWS:
            yield f"<p>and {len(traffic) - _MOST_ROWS} more with less traffic</p>"
    if launch.timeline:
        values, step = launch.timeline.resident_blocks, launch.timeline.interval_cycles
        axes = ("cycles", f"blocks on {launch.timeline.sms or report.device.get('sms', 0):.0f} SMs")
        yield f"<h3>resident blocks</h3>\n{curve(values, step, axes, 'resident blocks over time')}"


def _of_line(item: Traffic, cwd: str | None) -> str:
    place = f"{shown(item.file, cwd)}:{item.line}" if item.file else "?"
    return f"{place} {item.array}".strip()


def _of_array(item: Traffic, cwd: str | None) -> str:
    del cwd
    taken = f" ({size(item.figure('bytes'))})" if item.figure("bytes") else ""
    return f"{item.array or '?'}{taken}"


def _traffic(rows: Sequence[tuple[str, Traffic]], report: EmulatedReport, title: str) -> str:
    """Bytes asked of L1, of L2 and of DRAM, one bar each."""
    moved = [
        (label, sectors(item) * report.sector_bytes, _l2_sectors(item) * report.sector_bytes, _dram(item))
        for label, item in rows
    ]
    most = max((value for _, *values in moved for value in values), default=0) or 1
    return bars(
        [
            (
                label,
                [Bar(value / most, f"{_LEVELS[level][0]} {size(value)}", level) for level, value in enumerate(values)],
            )
            for label, *values in moved
        ],
        title,
    )


def _hit_rates(rows: Sequence[tuple[str, Traffic]], title: str) -> str:
    rates = [(label, item.hit_rate, item) for label, item in rows if item.hit_rate is not None]
    if not rates:
        return ""
    return bars(
        [
            (label, [Bar(rate, f"{percent(rate)} of {count(item.figure('load_sectors'))} sectors")])
            for label, rate, item in rates
        ],
        title,
    )


def _l2_sectors(item: Traffic) -> float:
    return item.figure("l2_read_sectors") + item.figure("l2_write_sectors")


def _dram(item: Traffic) -> float:
    return item.figure("dram_read_bytes") + item.figure("dram_write_bytes")


def _roofline(report: EmulatedReport) -> Iterator[str]:
    """Warp instructions per cycle over those per byte, for each level of memory (Ding and Williams 2019)."""
    points = [point for launch in report.launches for point in _points(launch, report)]
    plot = roofline(
        points,
        list(_ceilings(report)),
        ("warp instructions per byte", "warp instructions per cycle"),
        "instruction roofline",
    )
    if plot:
        yield "<h2>roofline</h2>"
        rings = "A ring per launch and level: the smallest is L1, the largest DRAM."
        yield f"<p>{rings} Dashed: what all SMs can do together.</p>"
        yield plot


def _points(launch: Launch, report: EmulatedReport) -> Iterator[Point]:
    instructions, cycles = launch.figure("warp_instructions"), launch.figure("cycles")
    if not instructions or not cycles:
        return
    l1 = sum(launch.figure(f"l1_{kind}_sectors") for kind in ("load", "store", "atomic"))
    l2 = launch.figure("l2_read_sectors") + launch.figure("l2_write_sectors")
    dram = launch.figure("dram_read_bytes") + launch.figure("dram_write_bytes")
    moved = (l1 * report.sector_bytes, l2 * report.sector_bytes, dram)
    for level, value in enumerate(moved):
        if value:
            text = f"{launch.index}: {launch.kernel}, {_LEVELS[level][0]} {size(value)}"
            yield Point(instructions / value, instructions / cycles, text, level)


def _ceilings(report: EmulatedReport) -> Iterator[Ceiling]:
    device = report.device
    sms, issued = device.get("sms", 0), device.get("warp_instructions_per_cycle", 0)
    if not sms or not issued:
        return
    peak = sms * issued
    yield Ceiling(f"issue, {peak:g} per cycle", peak)
    for series, (name, key) in enumerate(_LEVELS):
        rate = device.get(f"{key}_bytes_per_cycle", 0) * (sms if key == "l1" else 1)
        if rate:
            yield Ceiling(f"{name}, {rate:.0f} B per cycle", peak, rate, series)
