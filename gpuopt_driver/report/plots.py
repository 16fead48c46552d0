"""Plots as inline SVG that need nothing from outside: bars, curves, a roofline and a scatter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from gpuopt_driver.dataclass import dataclass

STYLE = """
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif }
svg text { fill: var(--ink) } svg .axis { stroke: var(--faint) }
svg .s0 { fill: var(--c0) } svg .s1 { fill: var(--c1) } svg .s2 { fill: var(--c2) }
svg circle.s0, svg circle.s1, svg circle.s2 { fill: transparent; stroke-width: 2 }
svg circle.s0 { stroke: var(--c0) } svg circle.s1 { stroke: var(--c1) } svg circle.s2 { stroke: var(--c2) }
svg path.s0, svg path.s1, svg path.s2 { fill: none; stroke-width: 1.5 }
svg path.s0 { stroke: var(--c0) } svg path.s1 { stroke: var(--c1) } svg path.s2 { stroke: var(--c2) }
svg .ceiling { stroke: var(--ink); stroke-dasharray: 4 3 }
svg .ceiling.s0 { stroke: var(--c0) } svg .ceiling.s1 { stroke: var(--c1) } svg .ceiling.s2 { stroke: var(--c2) }
:root { --ink: #1b1f24; --faint: #c4ccd4; --c0: #2f6fbe; --c1: #c2571a; --c2: #3a8a4d }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #414953; --c0: #6aa5f0; --c1: #ee9257; --c2: #70c486 }
}
"""
_BAR, _LABELS, _WIDTH = 20, 330, 900  # pixels
_CHARACTER = 7.5  # pixels of a wide one
_RING = 4  # pixels of the radius of the first series; the others are drawn around it


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a row: its length as part of the longest one, and what to write behind it."""

    part: float
    text: str
    series: int = 0


def bars(rows: Sequence[tuple[str, Sequence[Bar]]], title: str) -> str:
    """Horizontal bars, one group per labelled row; lengths are 0 to 1."""
    height = sum(_BAR * len(group) + 6 for _, group in rows) + 4
    longest = max((len(bar.text) for _, group in rows for bar in group), default=0)
    room = _WIDTH - _LABELS - 12 - _CHARACTER * longest
    made: list[str] = []
    at = 4
    for label, group in rows:
        made.append(f'<text x="{_LABELS - 8}" y="{at + 14}" text-anchor="end">{_short(label)}</text>')
        for bar in group:
            width = max(bar.part, 0) * room
            made.append(
                f'<rect class="s{bar.series}" x="{_LABELS}" y="{at + 2}" width="{width:.1f}" height="{_BAR - 4}"/>'
            )
            made.append(f'<text x="{_LABELS + width + 6:.1f}" y="{at + 14}">{escape(bar.text)}</text>')
            at += _BAR
        at += 6
    return _svg(_WIDTH, height, title, made)


def curve(values: Sequence[float], step: float, axes: tuple[str, str], title: str) -> str:
    """Values at equal steps as a stepped line, both axes from 0."""
    plot = _Plot((0, step * max(len(values), 1)), (0, max(values, default=1) or 1))
    path = ""
    for number, value in enumerate(values):
        x0, x1, y = plot.x(number * step), plot.x((number + 1) * step), plot.y(value)
        path += f"{'L' if path else 'M'}{x0:.1f} {y:.1f} L{x1:.1f} {y:.1f} "
    return _svg(plot.width, plot.height, title, [*plot.axes(*axes), f'<path class="s0" d="{path}"/>'])


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a scatter or roofline plot, with what a pointer over it says."""

    x: float
    y: float
    text: str
    series: int = 0


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A line that no point should be above: at most `flat`, and at most `slope` per unit of x (0: flat only)."""

    name: str
    flat: float
    slope: float = 0.0
    series: int | None = None  # of the points that it holds for


def roofline(points: Sequence[Point], ceilings: Sequence[Ceiling], axes: tuple[str, str], title: str) -> str:
    """Points below their ceilings, both axes logarithmic (Williams et al. 2009)."""
    shown = [point for point in points if point.x > 0 and point.y > 0]
    ys = [*(point.y for point in shown), *(ceiling.flat for ceiling in ceilings)]
    knees = [ceiling.flat / ceiling.slope for ceiling in ceilings if ceiling.slope]
    if not shown or not ys:
        return ""
    plot = _Plot(_around([*(point.x for point in shown), *knees]), _around(ys), logarithmic=True)
    made = list(plot.axes(*axes))
    for number, ceiling in enumerate(ceilings):
        colour = "" if ceiling.series is None else f" s{ceiling.series}"
        made.append(f'<path class="ceiling{colour}" fill="none" d="{_outline(ceiling, plot)}"/>')
        place = f'x="{70 + number * (plot.width - 90) / len(ceilings):.0f}" y="{plot.height + 14}"'
        made.append(f'<text class="{colour.strip()}" {place}>{escape(ceiling.name)}</text>')
    made += plot.points(shown)
    return _svg(plot.width, plot.height + 20, title, made)


def _outline(ceiling: Ceiling, plot: _Plot) -> str:
    """The path of a ceiling: rising up to its knee, then flat."""
    (left, right), bottom = plot.xs, plot.ys[0]
    corners = [(left, ceiling.flat), (right, ceiling.flat)]
    if ceiling.slope:
        knee = ceiling.flat / ceiling.slope
        start = max(left, bottom / ceiling.slope)
        corners = [(start, min(ceiling.flat, ceiling.slope * start))]
        corners += [(knee, ceiling.flat)] if start < knee < right else []
        corners += [(right, min(ceiling.flat, ceiling.slope * right))]
    return "M" + " L".join(f"{plot.x(x):.1f} {plot.y(y):.1f}" for x, y in corners)


def scatter(points: Sequence[Point], axes: tuple[str, str], title: str, *, logarithmic: bool = False) -> str:
    """Points and the diagonal on which both axes agree; the axes have one scale."""
    shown = [point for point in points if not logarithmic or (point.x > 0 and point.y > 0)]
    values = [value for point in shown for value in (point.x, point.y)] or [1.0]
    ends = _around(values) if logarithmic else (0.0, max(values) or 1.0)
    plot = _Plot(ends, ends, width=520, height=480, logarithmic=logarithmic)
    x0, y0, x1, y1 = plot.x(ends[0]), plot.y(ends[0]), plot.x(ends[1]), plot.y(ends[1])
    diagonal = f'<path class="ceiling" d="M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}"/>'
    return _svg(plot.width, plot.height, title, [*plot.axes(*axes), diagonal, *plot.points(shown)])


@dataclass(frozen=True, slots=True)
class _Plot:
    """A frame of axes; `xs` and `ys` are the values at its ends."""

    xs: tuple[float, float]
    ys: tuple[float, float]
    width: int = 760
    height: int = 320
    logarithmic: bool = False

    def x(self, value: float) -> float:
        return 70 + self._part(value, self.xs) * (self.width - 90)

    def y(self, value: float) -> float:
        return self.height - 46 - self._part(value, self.ys) * (self.height - 62)

    def _part(self, value: float, ends: tuple[float, float]) -> float:
        low, high = ends
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return (value - low) / ((high - low) or 1)

    def points(self, points: Sequence[Point]) -> Iterator[str]:
        """Rings, wider by series: none hides another one; those of one series in one place are one ring."""
        texts: dict[tuple[str, int], list[str]] = {}
        for point in points:
            place = f'cx="{self.x(point.x):.1f}" cy="{self.y(point.y):.1f}"'
            texts.setdefault((place, point.series), []).append(point.text)
        for (place, series), several in sorted(texts.items(), key=lambda item: -item[0][1]):  # the widest lie below
            title = escape("\n".join(several))
            yield f'<circle class="s{series}" {place} r="{_RING * (1 + series)}"><title>{title}</title></circle>'

    def axes(self, name_x: str, name_y: str) -> Iterator[str]:
        left, right, top, bottom = 70, self.width - 20, 16, self.height - 46
        yield f'<path class="axis" fill="none" d="M{left} {top} L{left} {bottom} L{right} {bottom}"/>'
        for value in _ticks(self.xs, logarithmic=self.logarithmic):
            x = self.x(value)
            yield f'<path class="axis" d="M{x:.1f} {bottom} l0 5"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>'
        for value in _ticks(self.ys, logarithmic=self.logarithmic):
            y = self.y(value)
            yield f'<path class="axis" d="M{left} {y:.1f} l-5 0"/>'
            yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        yield f'<text x="{(left + right) / 2:.0f}" y="{self.height - 8}" text-anchor="middle">{escape(name_x)}</text>'
        middle = (top + bottom) / 2
        turned = f'transform="rotate(-90 14 {middle:.0f})" text-anchor="middle"'
        yield f'<text x="14" y="{middle:.0f}" {turned}>{escape(name_y)}</text>'


def _ticks(ends: tuple[float, float], *, logarithmic: bool) -> list[float]:
    low, high = ends
    if logarithmic:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        every = max(1, (last - first) // 8)
        return [10.0**power for power in range(first, last + 1, every)]
    step = 10.0 ** math.floor(math.log10((high - low) or 1))
    step = next(step * part for part in (0.1, 0.2, 0.5, 1.0, 2.0) if (high - low) / (step * part) <= 8)
    return [low + step * number for number in range(int((high - low) / step + 1e-9) + 1)]


def _around(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around positive values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _short(label: str) -> str:
    kept = label if len(label) <= 42 else f"...{label[-39:]}"
    return f"<title>{escape(label)}</title>{escape(kept)}" if kept != label else escape(label)


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    return "\n".join((head, f"<title>{escape(title)}</title>", *parts, "</svg>"))


def standalone(svg: str) -> str:
    """A plot as a file of its own."""
    head, _, rest = svg.partition("\n")
    return f"{head}\n<style>{STYLE}</style>\n{rest}\n"
