"""The edits of CO-VTB: declarations of shared arrays become references to a virtual block's own memory, or are cut.

`__shared__ float a[24][32];` becomes a type, and `a` a reference to the virtual block's own array of that type; of an
array that is cut, `a[i]` is one of the own rows or one of the common ones. Nothing else of the kernel's text changes.
"""

from __future__ import annotations

import re

from gpuopt_driver.api import Edit, Kernel, SourceFile, aligned

from .columns import registers
from .scheme import Scheme
from .statements import SCOPE

MEMORY = "extern __shared__ uint4 gpuopt_own[]; "


def declarations(kernel: Kernel, source: SourceFile, scheme: Scheme, author: str) -> list[Edit]:
    """The edits of all declarations that hold an array which is divided."""
    division = scheme.division
    if division is None:
        return []
    chosen = {*division.whole, division.cut}
    stmts = dict.fromkeys(one.stmt for one in scheme.declared if one.array.name in chosen)
    places: dict[str, int] = {}
    at = 0
    for one in sorted(scheme.declared, key=lambda one: one.stmt):
        if one.array.name in chosen:
            places[one.array.name] = at
            at += aligned(one.size if one.array.name != division.cut else division.rows * division.row_bytes)
    return [_declaration(kernel, source, scheme, stmt, places, author) for stmt in stmts]


def _declaration(
    kernel: Kernel, source: SourceFile, scheme: Scheme, stmt: int, places: dict[str, int], author: str
) -> Edit:
    span = kernel.stmt(stmt).span
    raw = source.data[span.start : span.end]
    text = raw.decode("utf-8", "surrogateescape")
    names = [one.name for one in kernel.variables if one.stmt == stmt]
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b", f"gpuopt_t_{name}", text, count=1)
    text = text.replace("__shared__", "typedef", 1).rstrip()
    sizes = {one.array.name: one.size for one in scheme.declared}
    held = {one.array.name: one.held for one in scheme.declared}
    made = [text]
    division = scheme.division
    assert division is not None
    for name in names:
        kind = f"gpuopt_t_{name}"
        if name not in places:
            made.append(f"__shared__ {kind} {name};")
            continue
        made.append(f'static_assert(sizeof({kind}) == {sizes[name]}, "");')
        own = f"gpuopt_at.own(gpuopt_own, {division.own_bytes}, {places[name]})"
        if name == division.cut:
            row, rest = f"{SCOPE}::row_of<{kind}>::gpuopt_type", held[name] // division.row_bytes - division.rows
            common = f"__shared__ gpuopt_r_{name} gpuopt_c_{name}[{rest}];"
            if scheme.reused is not None:
                common = f"gpuopt_r_{name} *const gpuopt_c_{name} = reinterpret_cast<gpuopt_r_{name} *>({own});"
            made.append(f"typedef {row} gpuopt_r_{name}; {common}")
            made.append(
                f"const {SCOPE}::divided<gpuopt_r_{name}, {division.rows}> {name} = "
                f"{{ reinterpret_cast<gpuopt_r_{name} *>({own}), gpuopt_c_{name} }};"
            )
            made.extend(registers(division, name, own))
        else:
            made.append(f"{kind} &{name} = *reinterpret_cast<{kind} *>({own});")
    return Edit(source.path, span.start, span.end, " ".join(made).encode("utf-8", "surrogateescape"), author)
