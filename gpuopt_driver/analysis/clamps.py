"""Indices without their clamps: what they are where no clamp takes hold, which is nearly everywhere.

That is for models of time and of what is shared: nothing about what is read or written may rest on it.
"""

from __future__ import annotations

from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr, Op, SymKind

_INDEX = (SymKind.THREAD, SymKind.BLOCK, SymKind.LOOP)


def unclamped(value: Expr) -> Expr:
    """An index without its clamps: of `min`, `max` and `?:`, the side that tells threads, blocks or iterations apart.

    Conversions are left out, too: they change what is outside of a type's range only.
    """
    if not isinstance(value, Op):
        return value
    args = tuple(map(unclamped, value.args))
    sides = {"min": args, "max": args, "?:": args[1:]}.get(value.op, ())
    moving = [side for side in sides if any(symbol.kind in _INDEX for symbol in expr.symbols(side))]
    if len(moving) == 1:
        return moving[0]
    return args[0] if value.op in expr.CONVERSIONS else expr.op(value.op, *args)
