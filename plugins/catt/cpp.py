"""Index forms as C++11 text, for guards."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.api import Const, Expr, Op, Sym, SymKind, expr

from .survey import LoopFacts


class Unwritable(Exception):
    """A number of the loop cannot be computed where the launch is made."""


def _rename(symbol: Sym) -> str:
    axis = symbol.name.rpartition(".")[2]
    if symbol.kind is SymKind.THREAD:
        return f"catt_{axis}"
    if symbol.kind is SymKind.BLOCK_DIM:
        return f"(long long)gpuopt_l.block.{axis}"
    if symbol.kind is SymKind.GRID_DIM:
        return f"(long long)gpuopt_l.grid.{axis}"
    if symbol.kind is SymKind.PARAM:
        return f"(long long)({symbol.name})"
    raise Unwritable(symbol.name)


def cpp(value: Expr) -> str:
    """An expression over the launch's numbers, for the first block; Unwritable where a symbol is none of them."""
    first = {symbol.name: Const(0) for symbol in expr.symbols(value) if symbol.kind is SymKind.BLOCK}
    return expr.to_cpp(expr.substitute(value, first), _rename)


def divisors(value: Expr | None) -> Iterator[Expr]:
    """The divisors of an expression that are not constants: zero must be refused before they are used."""
    if isinstance(value, Op):
        for arg in value.args:
            yield from divisors(arg)
        if value.op in ("/", "%") and not (isinstance(value.args[1], Const) and value.args[1].value):
            if any(symbol.kind is SymKind.THREAD for symbol in expr.symbols(value.args[1])):
                raise Unwritable("a division by a number of the thread")
            yield value.args[1]


def parts(facts: LoopFacts) -> Iterator[Expr | None]:
    """Every expression that the numbers of a loop are made of."""
    yield facts.trips
    for reference in facts.references:
        yield reference.offset
        yield reference.step
        for inner in reference.inner:
            yield inner.step
            yield inner.trips


def is_writable(facts: LoopFacts) -> bool:
    """Whether a launch can compute the loop's numbers: parameters and launch dimensions only."""
    try:
        for part in parts(facts):
            if part is not None:
                cpp(part)
                list(divisors(part))
    except Unwritable:
        return False
    return True
