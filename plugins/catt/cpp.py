"""Index forms as C++11 text, for guards."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.api import Expr, Unwritable, divisors, guard_term

from .survey import LoopFacts


def cpp(value: Expr) -> str:
    """An expression over the launch's numbers, for the first block; Unwritable where a symbol is none of them."""
    return guard_term(value, "catt")


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
