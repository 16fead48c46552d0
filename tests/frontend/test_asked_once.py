"""What is asked once: it is the same as before, is forgotten with the unit, and is not asked again by others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuopt_driver.frontend import functions, kernels, libclang, translation
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, add, constant, is_uniform, mul, symbols
from gpuopt_driver.frontend.model import ParseLevel

LEAVES = st.builds(Const, st.integers(-3, 3)) | st.builds(
    Sym, st.sampled_from("abc"), st.just(SymKind.UNKNOWN), st.booleans()
)
TREES = st.recursive(LEAVES, lambda inner: st.builds(lambda *args: Op("+", args), inner, inner, inner), max_leaves=12)
TEMPLATES = """
__device__ int twice(int i) { return 2 * i; }
__device__ int more(int i) { return twice(i) + 1; }
template <int N> __global__ void k(int *a) { for (int i = 0; i < N; ++i) a[i] = more(i); }
void f(int *a) { k<1><<<1, 32>>>(a); k<2><<<1, 32>>>(a); k<3><<<1, 32>>>(a); k<4><<<1, 32>>>(a); }
"""


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Counter[str]:
    """How often a function of a module is called from here on."""
    calls: Counter[str] = Counter()
    real: Callable[..., Any] = getattr(module, name)

    def called(*given: Any, **named: Any) -> Any:
        calls[name] += 1
        return real(*given, **named)

    monkeypatch.setattr(module, name, called)
    return calls


def seen(expr: Expr) -> list[Sym]:
    """The symbols of an expression, from left to right."""
    if isinstance(expr, Sym):
        return [expr]
    return [one for arg in expr.args for one in seen(arg)] if isinstance(expr, Op) else []


@given(TREES)
def test_an_expression_knows_whether_it_is_uniform(expr: Expr) -> None:
    assert is_uniform(expr) == all(one.uniform for one in seen(expr))
    assert list(symbols(expr)) == seen(expr)


def test_small_constants_are_made_once_and_are_numbers() -> None:
    assert constant(7) is constant(7)
    assert constant(True).value is True
    assert constant(1).value == 1
    assert type(constant(1).value) is int
    assert constant(1 << 40) == Const(1 << 40)
    assert add(Const(2), Const(3)) == Const(5)
    assert mul(Const(2), Const(0), Sym("a", SymKind.UNKNOWN)) == Const(0)


def test_functions_are_read_once_for_all_instantiations_of_a_template(parse, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, functions, "_function")
    unit = parse(TEMPLATES)
    assert [one.name for one in unit.kernels[0].functions] == ["twice", "more"]
    assert len({one.functions for one in unit.kernels}) == 1
    assert len(unit.kernels) == 4
    assert calls["_function"] == 2


def test_answers_are_forgotten_with_the_unit(parse) -> None:
    """Others may get its addresses."""
    parse(TEMPLATES)
    assert not libclang._known
    asked: Counter[int] = Counter()

    def question(cursor: libclang.Cursor) -> int:
        asked[cursor.kind] += 1
        return cursor.kind

    index = libclang.Index("a.cu", ["-x", "c++"], {"a.cu": b"int i; int j;"})
    once = libclang.once(question)
    i, j = libclang.children(index.root())
    assert [once(i), once(j), once(i)] == [i.kind, j.kind, i.kind]
    assert asked.total() == 2
    index.close()
    again = libclang.Index("a.cu", ["-x", "c++"], {"a.cu": b"int i; int j;"})
    assert once(libclang.children(again.root())[0]) == i.kind
    assert asked.total() == 3
    again.close()


def test_kernels_without_errors_are_not_looked_into_at_another_level(parse, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, kernels, "own_words")
    source = "#include <nothing.h>\n__global__ void bad(int *a) { a[0] = nothing; }\n"
    rest = "".join(f"__global__ void k{n}(int *a) {{ a[{n}] = 1; }}\n" for n in range(8))
    unit = parse(source + rest, level=None)
    assert [bool(one.problems) for one in unit.kernels] == [True] + [False] * 8
    assert unit.level is ParseLevel.BUNDLED
    assert calls["own_words"] == 11  # nine where kernels are read; else, twice, the broken one alone


def test_libclang_is_asked_once_where_a_macro_is_invoked(parse, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, translation.libclang, "expansion_location")
    sums = " + ".join(f"a[{n}]" for n in range(60))  # every partial sum begins where the first does
    unit = parse(f"#define SUM {sums}\n__global__ void k(int *a) {{ a[0] = SUM; }}")
    assert unit.kernels[0].problems == ()
    assert calls["expansion_location"] < 6 * 60
