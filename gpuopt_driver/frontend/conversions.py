"""Where an expression's type makes another number of its value: conversions in index forms.

Index forms are numbers without limits, which C++ computes with in types that wrap around. Sums, products and bitwise
operators do not care; comparisons, quotients, remainders, shifts to the right and wider types do. There a value that
may lie outside of its type is converted. Sums and products of indices, sizes and parameters are taken to fit, as
they do wherever they are places in memory; what is below zero in an unsigned type, or made with large factors (hashes),
is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuopt_driver.frontend import types
from gpuopt_driver.frontend.expr import CONVERSIONS, Const, Expr, Op
from gpuopt_driver.frontend.kinds import T
from gpuopt_driver.frontend.libclang import Type
from gpuopt_driver.frontend.polynomial import difference, normal

SENSITIVE = frozenset({"/", "%", ">>", "<", "<=", ">", ">=", "==", "!="})  # operators of values, not of their low bits
_LARGE = 1 << 24  # a constant by which products leave their type
_FAR = 16  # bits by which a shift does
_STRICT = {"<": 1, ">": 1, "<=": 0, ">=": 0}
_VALUES = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!", "/", "%", ">>"})  # made of values that fit


def as_typed(expr: Expr, type_: Type) -> Expr:
    """The value that an expression of an integer type has in C++."""
    size, unsigned = types.size_of(type_), types.is_unsigned(type_)
    name = {(4, True): "u32", (4, False): "i32", (8, True): "u64", (8, False): "i64"}.get((size, unsigned))
    if name is None:
        return expr  # smaller ones are converted where they are made, 128 bits hold everything
    if isinstance(expr, Const):
        return Const(CONVERSIONS[name](expr.value))
    made = normal(expr)
    return Op(name, (made,)) if _may_leave(made, size, unsigned=unsigned) else expr


def _may_leave(expr: Expr, size: int, *, unsigned: bool) -> bool:
    """Whether a value may lie outside of a type."""
    if isinstance(expr, Const):
        return (unsigned and expr.value < 0) or (size == 4 and abs(expr.value) >= _LARGE)
    if not isinstance(expr, Op) or expr.op in _VALUES:
        return False
    if expr.op in CONVERSIONS:
        return not (unsigned and expr.op == "u32") and not (size == 8 and not unsigned)
    if expr.op == "&" and any(isinstance(arg, Const) and 0 <= arg.value < 1 << 31 for arg in expr.args):
        return False
    if expr.op == "~":
        return unsigned or _may_leave(expr.args[0], size, unsigned=unsigned)
    if expr.op == "<<" and not (isinstance(expr.args[1], Const) and 0 <= expr.args[1].value < _FAR):
        return True
    parts = expr.args[1:] if expr.op == "?:" else expr.args
    return any(_may_leave(part, size, unsigned=unsigned) for part in parts)


def fits(before: Expr, after: Expr, known: Iterable[Expr | None], low: int, high: int) -> bool:
    """Whether what a constant is added to stays between two numbers, if it was there and these conditions hold."""
    distance = difference(after, before)
    if not isinstance(distance, Const):
        return False
    step, first, last = distance.value, low, high
    for condition in known:
        for limit, is_upper in _limits(condition, before):
            first, last = (first, min(last, limit)) if is_upper else (max(first, limit), last)
    return low <= first + step and last + step <= high


def _limits(condition: Expr | None, value: Expr) -> Iterator[tuple[int, bool]]:
    """The numbers that a value is at most (True) or at least (False) where a condition holds."""
    if not isinstance(condition, Op):
        return
    if condition.op == "&&":
        for part in condition.args:
            yield from _limits(part, value)
    elif condition.op in _STRICT:
        left, right = condition.args
        for one, other, sign in ((left, right, 1), (right, left, -1)):
            limit, beside = normal(other), difference(one, value)
            if isinstance(limit, Const) and isinstance(beside, Const):
                is_upper = (condition.op in ("<", "<=")) == (sign > 0)
                strict = _STRICT[condition.op] * (1 if is_upper else -1)
                yield limit.value - beside.value - strict, is_upper


def narrows(source: Type, target: Type) -> bool:
    """Whether a type of one or two bytes has not all numbers of another type."""
    size, given = types.size_of(target), types.size_of(source)
    if not 0 < size < 4 or source.kind == T.BOOL:
        return False
    signed = types.is_unsigned(target) and not types.is_unsigned(source)
    return size < given or signed or (size == given and types.is_unsigned(source) and not types.is_unsigned(target))
