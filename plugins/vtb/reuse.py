"""Own rows that nobody reads any more take the registers' values, so that no turn is left (CO-VTB).

Where registers hold the common rows until the only turn (`columns.py`), and that begins with a loop of which the first
iterations are about own rows (`opening.py`), what these read may be needed no longer: behind them comes a barrier of
the virtual block, and its first own rows are free for what would be common. Where all that a thread touches in an
iteration is on one side of the cut, it is asked once which one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpuopt_driver.api import Access, Kernel, Shape, SourceFile, Space, expr, free_behind, subscripts, takes_sides

from . import crossing
from .columns import is_put_back, put_back
from .leading import side_text
from .opening import Opening
from .scheme import Scheme

_PLAIN = re.compile(r"[\w\s.+\-*/%&|^<>()]+")
# What changes something, is a call, looks through a pointer, or divides by what may be 0.
_DOES_MORE = re.compile(r"\+\+|--|->|\w\s*\(|(?:^|[-+(*/%&|^<>])\s*[*&]|[/%](?!\s*[1-9])")


def reused(kernel: Kernel, source: SourceFile, scheme: Scheme, shapes: Sequence[Shape]) -> Opening | None:
    """The loop between whose iterations the first own rows take the registers' values; None: turns are needed."""
    division, regions = scheme.division, scheme.use.regions
    if division is None or not division.kept or len(regions) != 1 or not is_put_back(kernel, regions, division):
        return None
    opens = scheme.ahead(kernel, source, regions[0]).opens
    if opens is None or not free_behind(kernel, division, opens.stmt, opens.iterations, shapes):
        return None
    if not takes_sides(kernel, division, opens.stmt, opens.iterations, shapes):
        return opens
    return _asks_once(kernel, source, opens, division.rows) or opens


def reused_text(scheme: Scheme, loop: Opening) -> str:
    """The loop in two, with what registers hold in own rows between them."""
    return f"{loop.before} gpuopt_at.sync(); {put_back(scheme.division)} {loop.behind}"


def _asks_once(kernel: Kernel, source: SourceFile, opens: Opening, rows: int) -> Opening | None:
    """The loop with one question for each place of the text that touches the array, in front of an iteration."""
    body = next(kernel.stmt(one) for one in kernel.stmt(opens.stmt).children if kernel.stmt(one).role == "body")
    inside = {inner.id for inner in kernel.descendants(body.id)}
    cut = [one for one in kernel.accesses if one.stmt in inside and one.array.space is Space.SHARED]
    asked: dict[str, str] = {}
    for access in cut:
        place = _at_first(kernel, access, opens.stmt, inside)
        if place is None or asked.setdefault(access.text, place) != place:
            return None

    def row(text: str) -> str:
        name = text[: text.find("[")].rstrip()
        first, *others = subscripts(text, name)
        return f"{name}.gpuopt_rows[({first}) - gpuopt_s{list(asked).index(text)}]" + "".join(
            f"[{one}]" for one in others
        )

    sides = (
        f"const int gpuopt_s{number} = ({place}) < {rows} ? 0 : {rows};" for number, place in enumerate(asked.values())
    )
    texts = f"{' '.join(sides)} {side_text(source, body, cut, row)}"
    return replace(opens, behind=f"{opens.head} {{ {texts} }}", asks=False)


def _at_first(kernel: Kernel, access: Access, stmt: int, inside: set[int]) -> str | None:
    """The first subscript of an access in the first iteration of all loops inside; None: it is no plain expression."""
    groups = subscripts(access.text, access.array.name)
    if not groups or not _PLAIN.fullmatch(groups[0]) or _DOES_MORE.search(groups[0]):
        return None
    text = groups[0]
    for number in access.loops[access.loops.index(stmt) + 1 :]:
        loop = kernel.loop_of(number)
        start = expr.evaluate(loop.start, {}) if loop is not None and loop.start is not None else None
        if loop is None or start is None or not loop.variable:
            return None
        text = re.sub(rf"\b{re.escape(loop.variable)}\b", f"({start})", text)
    if set(re.findall(r"[A-Za-z_]\w*", text)) & _changed(kernel, inside):
        return None
    return text


def _changed(kernel: Kernel, inside: set[int]) -> set[str]:
    """The names of what these statements declare or may change, through references and pointers, too."""
    spans = [(kernel.stmt(one).span.start, kernel.stmt(one).span.end) for one in inside]
    written = crossing.together(kernel, spans).writes
    mine = {one.name for one in kernel.variables if one.stmt in inside or inside.intersection(one.definitions)}
    exposed = {one.name for effect in kernel.effects if (one := effect.place) is not None and one.exposed}
    by_pointer = any(one.space is Space.UNKNOWN or not one.name for one in written)
    return mine | {one.name for one in written} | (exposed if by_pointer else set())
