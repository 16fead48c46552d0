"""Compiled expressions against `evaluate`."""

from __future__ import annotations

import random

from gpuopt_driver.frontend.compiled import values_of
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, evaluate

X, Y = (Sym(f"threadIdx.{axis}", SymKind.THREAD) for axis in "xy")
OPERATORS = ("+", "*", "/", "%", "<<", ">>", "&", "|", "^", "min", "max", "<", "<=", ">", ">=", "==", "!=")


def any_expression(pick: random.Random, depth: int) -> Expr:
    """A tree of any operators, also such as fold."""
    if depth == 0 or pick.random() < 0.1:
        return pick.choice((X, Y, Const(pick.randrange(-9, 40))))
    kind = pick.random()
    parts = [any_expression(pick, depth - 1) for _ in range(3)]
    if kind < 0.1:
        return Op("?:", tuple(parts))
    if kind < 0.2:
        return Op(pick.choice(("~", "!")), (parts[0],))
    return Op(pick.choice(OPERATORS), tuple(parts[:2]))


def test_the_same_values_as_evaluate() -> None:
    pick = random.Random(7)
    points = [(x, y) for x in (0, 1, 31, 200) for y in (0, 3)]
    undefined = 0
    for _ in range(400):
        expr = any_expression(pick, 4)
        names = (X.name, Y.name)
        expected = tuple(evaluate(expr, dict(zip(names, point, strict=True))) for point in points)
        assert values_of(expr, names, points) == expected
        undefined += None in expected
    assert undefined > 10


def test_logic() -> None:
    both, either = (Op(name, (X, Y)) for name in ("&&", "||"))
    points = [(0, 0), (0, 5), (5, 0), (5, 5)]
    assert values_of(both, (X.name, Y.name), points) == (0, 0, 0, 1)
    assert values_of(either, (X.name, Y.name), points) == (0, 1, 1, 1)


def test_deep_nesting() -> None:
    deep: Expr = X
    for _ in range(150):
        deep = Op("+", (Op("%", (deep, Const(1000))), Const(1)))
    assert values_of(deep, (X.name,), [(0,), (3,)]) == (150, 153)
