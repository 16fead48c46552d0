"""Indices with quotients and remainders of flat numbers: `i / w`, `i % w`, masks and shifts, taken apart.

`x % w` is `x - w * (x / w)`, so one symbol for the quotient makes such an index affine; what ties the symbol to `x` are
two inequalities. They are those of numbers from 0 on, as indices are: this is for models of what blocks share, not for
what a rewrite rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind

QUOTIENT = "quotient."  # prefix of the symbols that stand for quotients
_MOST = 4  # in one index; each makes sets of points larger
_WIDEST_SHIFT = 31


@dataclass(frozen=True, slots=True)
class Quotient:
    """`name` stands for dividend / divisor; the dividend may have names of other quotients."""

    name: str
    dividend: Expr
    divisor: Expr


@dataclass
class _Parts:
    is_parameter: Callable[[Expr], bool]
    found: dict[tuple[Expr, Expr], Quotient] = field(default_factory=dict)

    def apart(self, value: Expr) -> Expr:
        """The value with symbols for its quotients."""
        if not isinstance(value, Op):
            return value
        args = tuple(map(self.apart, value.args))
        divided = _divided(value.op, args)
        if divided is None:
            return expr.op(value.op, *args)
        dividend, divisor, rest = divided
        fixed = isinstance(divisor, Const) or self.is_parameter(divisor)
        if not fixed or self.is_parameter(dividend):
            return expr.op(value.op, *args)
        name = f"{QUOTIENT}{len(self.found)}"
        one = self.found.setdefault((dividend, divisor), Quotient(name, dividend, divisor))
        by = Sym(one.name, SymKind.LOOP)
        return expr.sub(dividend, expr.mul(divisor, by)) if rest else by


def _divided(name: str, args: tuple[Expr, ...]) -> tuple[Expr, Expr, bool] | None:
    """(dividend, divisor, whether the remainder is meant) of an operator, None for one that divides nothing."""
    if name in ("/", "%") and not (isinstance(args[1], Const) and args[1].value < 1):
        return args[0], args[1], name == "%"
    if name == ">>" and isinstance(args[1], Const) and 0 < args[1].value < _WIDEST_SHIFT:
        return args[0], Const(1 << args[1].value), False
    mask = args[1] if name == "&" else None
    if isinstance(mask, Const) and mask.value > 0 and not mask.value & (mask.value + 1):
        return args[0], Const(mask.value + 1), True
    return None


def taken_apart(
    offset: Expr, is_parameter: Callable[[Expr], bool], names: Mapping[str, Expr]
) -> tuple[Expr, tuple[Quotient, ...]] | None:
    """An offset with symbols for its quotients, and these; None where there is none, or are too many.

    `names`: what symbols of loops stand for.
    """
    parts = _Parts(is_parameter)
    made = parts.apart(expr.substitute(offset, names))
    return (made, tuple(parts.found.values())) if 0 < len(parts.found) <= _MOST else None
