"""What is the same for all threads of a warp, where rows of a block are whole warps (`blockDim.x % 32 == 0`)."""

from __future__ import annotations

from collections.abc import Collection

from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, sub
from gpuopt_driver.frontend.polynomial import normal

_WARP = 32
_LANES = Sym("threadIdx.x", SymKind.THREAD)
_COUNTS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_UNSIGNED = frozenset({"u32", "u64"})
_WRAPPED = _UNSIGNED | {"i32", "i64"}
_SUMS = _WRAPPED | {"+", "*"}


def same_in_warp(value: Expr | None, known: Collection[str] = ()) -> bool:
    """Whether all threads of a warp have one value here. `known`: symbols that are known to have one."""
    if isinstance(value, Const):
        return True
    if isinstance(value, Sym):
        by_row = value.kind is SymKind.THREAD and value.name in ("threadIdx.y", "threadIdx.z")
        return value.uniform or by_row or value.name in known
    if not isinstance(value, Op):
        return False
    return (
        value.uniform or _by_number(value.op, value.args, known) or all(same_in_warp(one, known) for one in value.args)
    )


def _by_number(name: str, args: tuple[Expr, ...], known: Collection[str]) -> bool:
    """Whether an operation asks only which warp a thread is in: `x / 32`, `x >> 5`, `x < 64`."""
    if len(args) != 2:
        return False
    left, right = args
    if name in ("/", ">>"):
        by = right.value if isinstance(right, Const) else 0
        is_unsigned = isinstance(left, Op) and left.op in _UNSIGNED
        if name == "/" and not (is_unsigned or _is_counted(left)):  # negative numbers are rounded towards zero
            return False
        return _counts_lanes(left, known) and (by >= 5 if name == ">>" else by > 0 and by % _WARP == 0)
    if name in ("<", ">="):
        return _counts_lanes(left, known) and _is_whole(right, known)
    if name in (">", "<="):
        return (_is_whole(left, known) and _counts_lanes(right, known)) or (
            _counts_lanes(left, known) and isinstance(right, Const) and right.value % _WARP == _WARP - 1
        )
    return False


def _is_counted(value: Expr) -> bool:
    """Whether a value is made of counts of threads and blocks alone, so that it is not negative."""
    if isinstance(value, Const):
        return value.value >= 0
    if isinstance(value, Sym):
        return value.name.partition(".")[0] in _COUNTS
    return value.op in _SUMS and all(map(_is_counted, value.args))


def _counts_lanes(value: Expr, known: Collection[str]) -> bool:
    """Whether a value is `threadIdx.x` and a multiple of 32 that the warp shares."""
    while isinstance(value, Op) and value.op in _WRAPPED:
        value = value.args[0]
    return _is_whole(normal(sub(value, _LANES)), known)


def _is_whole(value: Expr, known: Collection[str]) -> bool:
    """Whether a value is a multiple of 32 that the warp shares."""
    if isinstance(value, Const):
        return value.value % _WARP == 0
    if isinstance(value, Sym):
        return value.name == "blockDim.x"
    if value.op in ("+", "-"):
        return all(_is_whole(one, known) for one in value.args)
    if value.op in _WRAPPED:
        return _is_whole(value.args[0], known)
    return value.op == "*" and any(_is_whole(one, known) for one in value.args) and same_in_warp(value, known)
