"""Index forms as C++11 text for guards: over launch dimensions and kernel parameters, in the first block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, substitute, symbols, to_cpp


class Unwritable(Exception):
    """A number that cannot be computed where the launch is made."""


def guard_term(value: Expr, prefix: str) -> str:
    """The expression as a `long long`; threadIdx.x is `<prefix>_x`. Unwritable where a symbol is unknown."""

    def rename(symbol: Sym) -> str:
        axis = symbol.name.rpartition(".")[2]
        if symbol.kind is SymKind.THREAD:
            return f"{prefix}_{axis}"
        if symbol.kind is SymKind.BLOCK_DIM:
            return f"(long long)gpuopt_l.block.{axis}"
        if symbol.kind is SymKind.GRID_DIM:
            return f"(long long)gpuopt_l.grid.{axis}"
        if symbol.kind is SymKind.PARAM:
            return f"(long long)({symbol.name})"
        raise Unwritable(symbol.name)

    first = {symbol.name: Const(0) for symbol in symbols(value) if symbol.kind is SymKind.BLOCK}
    return to_cpp(substitute(value, first), rename)


def are_writable(values: Iterable[Expr | None]) -> bool:
    """Whether a launch can compute all of these numbers: from parameters and launch dimensions only."""
    try:
        for value in values:
            if value is not None:
                guard_term(value, "")
                list(divisors(value))
    except Unwritable:
        return False
    return True


def divisors(value: Expr | None) -> Iterator[Expr]:
    """The divisors of an expression that are not constants: zero must be refused before they are used."""
    if isinstance(value, Op):
        for arg in value.args:
            yield from divisors(arg)
        if value.op in ("/", "%") and not (isinstance(value.args[1], Const) and value.args[1].value):
            if any(symbol.kind is SymKind.THREAD for symbol in symbols(value.args[1])):
                raise Unwritable("a division by a number of the thread")
            yield value.args[1]
