"""One meaning of expressions: `evaluate`, both kinds of Python functions, and C++ on this machine."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuopt_driver.frontend.compiled import Undefined, compiled, function_of, values_of
from gpuopt_driver.frontend.expr import BINARY, CONVERSIONS, Const, Expr, Op, Sym, SymKind, evaluate, op, to_cpp

X, Y = (Sym(f"threadIdx.{axis}", SymKind.THREAD) for axis in "xy")
NAMES = (X.name, Y.name)
OPERATORS = ("+", "*", "&", "|", "^", "&&", "||", *BINARY)
NUMBERS = st.integers(-9, 70) | st.sampled_from([1 << 31, (1 << 32) - 1, 1 << 40, -(1 << 63), (1 << 63) - 1])


def trees(depth: int) -> st.SearchStrategy[Expr]:
    """Expressions of any operators, also such as fold."""
    leaves = st.sampled_from([X, Y]) | st.builds(Const, NUMBERS)
    if depth == 0:
        return leaves
    inner = trees(depth - 1)
    return st.one_of(
        leaves,
        st.builds(lambda name, a, b: Op(name, (a, b)), st.sampled_from(OPERATORS), inner, inner),
        st.builds(lambda name, a: Op(name, (a,)), st.sampled_from(["~", "!", *CONVERSIONS]), inner),
        st.builds(lambda a, b, c: Op("?:", (a, b, c)), inner, inner, inner),
    )


def by_name(expr: Expr, values: dict[str, int]) -> int | None:
    try:
        return function_of(expr)(values)
    except (Undefined, KeyError):
        return None


@given(trees(4), st.integers(-40, 1024), st.integers(0, 70))
@settings(max_examples=600, deadline=None)
def test_all_give_the_same_values(expr: Expr, x: int, y: int) -> None:
    values = dict(zip(NAMES, (x, y), strict=True))
    expected = evaluate(expr, values)
    assert values_of(expr, NAMES, [(x, y)]) == (expected,)
    assert by_name(expr, values) == expected
    assert expected is None or -(1 << 63) <= expected < 1 << 63


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (Op("+", (Op("&&", (Const(2), Const(5))), Const(1))), 2),  # a truth value is 0 or 1
        (Op("*", (Op("||", (Const(7), Const(0))), Const(4))), 4),
        (Op("<<", (Const(1), Const(70))), None),
        (Op(">>", (Const(1), Const(64))), None),
        (Op("<<", (Const(1), Const(-1))), None),
        (Op("*", (Const(1 << 40), Const(1 << 40))), None),
        (Op("&", (Op("*", (Const(1 << 40), Const((1 << 40) + 1))), Const(255))), 0),  # the low bits are what they are
        (Op("<", (Op("*", (Const(1 << 40), Const(1 << 40))), Const(0))), None),
        (Op("/", (Const(5), Const(0))), None),
        (Op("/", (Const(-7), Const(2))), -3),
        (Op("%", (Const(-7), Const(2))), -1),
        (Op("&&", (Const(0), Op("/", (Const(1), Const(0))))), 0),  # what is not evaluated does no harm
        (Op("||", (Const(1), Op("/", (Const(1), Const(0))))), 1),
        (Op("?:", (Const(1), Const(3), Op("/", (Const(1), Const(0))))), 3),
        (Op("%", (Op("u32", (Const(-1),)), Const(10))), 5),  # 4294967295 % 10
        (Op("i32", (Const(1 << 31),)), -(1 << 31)),
    ],
)
def test_what_the_two_evaluators_saw_differently(expr: Op, value: int | None) -> None:
    assert evaluate(expr, {}) == value
    assert values_of(expr, (), [()]) == (value,)
    assert by_name(expr, {}) == value
    folded = op(expr.op, *expr.args)
    assert evaluate(folded, {}) == value


def test_a_symbol_without_a_value_matters_only_where_it_is_used() -> None:
    unless = Op("?:", (X, Y, Const(4)))
    assert function_of(unless)({X.name: 0}) == 4
    with pytest.raises(KeyError):
        function_of(unless)({X.name: 1})


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_as_cpp_computes(tmp_path: Path) -> None:
    """Random expressions where they are defined, as `to_cpp` writes them, against a program of g++."""
    pick = random.Random(11)
    exprs = [tree(pick, 4) for _ in range(120)]
    points = [(x, y) for x in (0, 1, 31, 1023) for y in (0, 5)]
    expected = [
        (number, point, value)
        for number, expr in enumerate(exprs)
        for point, value in zip(points, values_of(expr, NAMES, points), strict=True)
        if value is not None
    ]
    lines = []
    for number, (x, y), _value in expected:
        text = to_cpp(exprs[number], lambda symbol: "x" if symbol is X or symbol == X else "y")
        lines.append(f"{{ volatile long long x_ = {x}, y_ = {y}; const long long x = x_, y = y_; show({text}); }}")
    source = tmp_path / "all.cpp"
    show = '#include <cstdio>\nstatic void show(long long v) { std::printf("%lld\\n", v); }\n'
    source.write_text(f"{show}int main() {{\n" + "\n".join(lines) + "\n}\n")
    program = tmp_path / "all"
    subprocess.run(["g++", "-w", "-fwrapv", "-O0", "-o", program, source], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    assert len(said) > 500
    for (number, point, value), one in zip(expected, said, strict=True):
        assert int(one) == value, (to_cpp(exprs[number]), point)


def tree(pick: random.Random, depth: int) -> Expr:
    """A tree whose numbers stay small, and conversions that do something all the same."""
    if depth == 0 or pick.random() < 0.1:
        return pick.choice((X, Y, Const(pick.randrange(-9, 40))))
    kind = pick.random()
    parts = [tree(pick, depth - 1) for _ in range(3)]
    if kind < 0.1:
        return Op("?:", tuple(parts))
    if kind < 0.3:
        return Op(pick.choice(("~", "!", *CONVERSIONS)), (parts[0],))
    name = pick.choice(OPERATORS)
    if name in ("<<", ">>"):
        parts[1] = Const(pick.randrange(12))
    return Op(name, tuple(parts[:2]))


def test_deep_nesting() -> None:
    deep: Expr = X
    for _ in range(150):
        deep = Op("+", (Op("%", (deep, Const(1000))), Const(1)))
    assert values_of(deep, (X.name,), [(0,), (3,)]) == (150, 153)
    assert function_of(deep)({X.name: 3}) == 153
    assert compiled(Op("+", (X, Y)), NAMES)(2, 3) == 5
