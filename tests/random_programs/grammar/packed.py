"""Packed types: float2, float4, uchar4, short2, uint2."""

from __future__ import annotations

from ..tree import Node, statement
from .writer import Form, Scope, Writer


def _at(w: Writer, scope: Scope) -> str:
    j = w.rng.choice(scope.counters) if scope.counters else w.pick("1", "m", "0")
    return w.pick(f"(me + {j}) & 4095", f"me * 4 + ({j} & 3)", "me", f"{j}")


def floats4(w: Writer, scope: Scope) -> Node:
    """Four floats at once."""
    q, to = w.fresh("q"), w.rng.choice(scope.f)
    end = w.pick(
        f"{to} += {q}.x * {q}.y + {q}.z * {q}.w;", f"{to} = {q}.x * alpha - {q}.w;", f"V[me] += {q}.y * {q}.y + 0.5f;"
    )
    return statement(f"{{ const float4 {q} = reinterpret_cast<const float4 *>(F)[{_at(w, scope)}]; {end} }}")


def floats2(w: Writer, scope: Scope) -> Node:
    """Two floats in a loop."""
    q, j, to = w.fresh("q"), w.fresh("j"), w.rng.choice(scope.f)
    return statement(
        f"for (int {j} = 0; {j} < n; {j}++) {{ float2 {q} = ((const float2 *)F)[me * n + {j}]; {to} += {q}.x * {q}.y; }}"
    )


def bytes4(w: Writer, scope: Scope) -> Node:
    """Four bytes, one short vector made by hand."""
    q, to = w.fresh("q"), w.rng.choice(scope.u)
    return statement(w.pick(
        f"{{ uchar4 {q} = reinterpret_cast<const uchar4 *>(A)[{_at(w, scope)}]; {to} += {q}.x * {q}.z + {q}.w; }}",
        f"{{ short2 {q} = make_short2((short)({to} & 255u), 3); {q}.y += {q}.x; {to} += (unsigned)({q}.x * {q}.y); }}",
        f"{{ uint2 {q} = ((const uint2 *)A)[{_at(w, scope)}]; {to} ^= {q}.x - {q}.y; }}",
        f"{{ uint4 {q} = {{{to}, 1u, v0, 2u}}; {q}.z += {q}.x; {to} = {q}.z ^ {q}.y; }}",
    ))  # fmt: skip


INTEGER: dict[str, Form] = {"bytes4": bytes4}
FORMS: dict[str, Form] = {"floats4": floats4, "floats2": floats2}
