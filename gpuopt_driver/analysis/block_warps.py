"""Warps that go first (Liu et al., algorithm 2): what one turn of a loop touches, warp by warp across blocks.

Warps are numbered along the direction in which blocks are mapped (eq. 7 and 8), so a group may hold warps of several
blocks. `block_costs.h` counts, when a kernel is launched, how many of them L1 holds (`warp_forms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gpuopt_driver.analysis.block_forms import BlockForm
from gpuopt_driver.analysis.block_traffic import MAX_FORMS, Touch, is_plain, touched, walk
from gpuopt_driver.analysis.guard_terms import Unwritable, divisors, guard_term
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr


@dataclass(frozen=True, slots=True)
class TurnTouch:
    """A load in one turn of its loops: bytes of an access, and bytes per step along threadIdx and blockIdx x, y, z."""

    bytes: int
    threads: tuple[Expr, Expr, Expr]
    blocks: tuple[Expr, Expr, Expr]


def turn_touches(forms: Iterable[BlockForm]) -> tuple[TurnTouch, ...] | None:
    """The loads in loops, those at equal distances joined; None where there are none, or strides are not known."""
    found: dict[TurnTouch, None] = {}
    for form in forms:
        if not form.is_read or form.is_atomic or not form.turns:
            continue
        strides = [expr.coefficient(form.offset, f"threadIdx.{axis}") for axis in "xyz"]
        one = walk(replace(form, turns=()))
        if one is None or any(stride is None or not is_plain(stride) for stride in strides):
            return None
        x, y, z = (stride or expr.ZERO for stride in strides)
        found[TurnTouch(form.bytes, (x, y, z), one.blocks)] = None
    return tuple(found) if 0 < len(found) <= MAX_FORMS else None


def warp_terms(touches: Iterable[TurnTouch], name: str) -> tuple[str, tuple[str, ...]] | None:
    """Statements that fill the `warp_forms` called `name` (`block_costs.h`), and divisors that must not be 0, in C++.

    None where a stride is not known when the kernel is launched.
    """
    adds: list[str] = []
    zero: set[str] = set()
    try:
        for one in touches:
            parts = (*one.threads, *one.blocks)
            adds.append(f"{name}.add({one.bytes}, {', '.join(guard_term(part, name) for part in parts)});")
            zero.update(f"({guard_term(by, name)})" for part in parts for by in divisors(part))
    except Unwritable:
        return None
    return " ".join(adds), tuple(sorted(zero))


def lines_of_warp(touches: Iterable[TurnTouch], values: Mapping[str, int], line: int) -> int | None:
    """Lines, in bytes, that the first warp touches in one turn (`warp_forms::lines`); None where a stride is not known.

    `values`: the launch's dimensions and parameters by symbol name.
    """
    total = 0
    for one in touches:
        left, steps = 32, []
        for axis, stride in zip("xyz", one.threads, strict=True):
            by = expr.evaluate(stride, values)
            if by is None:
                return None
            part = min(left, values[f"blockDim.{axis}"])
            steps.append((abs(by), part))
            left = -(-left // part)
        total += touched(Touch(one.bytes, 0, tuple(steps), (0, 0, 0)), (1, 1, 1), line)
    return total
