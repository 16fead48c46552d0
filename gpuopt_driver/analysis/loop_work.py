"""How many instructions a warp executes in a kernel's loops that make loads, and outside of them: a static estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver.analysis.guard_terms import are_writable
from gpuopt_driver.analysis.loop_loads import TRIPS, LoopLoads
from gpuopt_driver.analysis.phase_cost import instructions as instructions_of
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Expr, evaluate, symbols
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.text import SourceFile


@dataclass(frozen=True, slots=True)
class Work:
    """Instructions of one warp: in one iteration of each loop, without loops inside it that count themselves, and of
    all that is in none of them."""

    inside: tuple[Expr, ...]
    outside: Expr


def work(kernel: Kernel, source: SourceFile, loops: Sequence[LoopLoads]) -> Work:
    """The work of a kernel with these loops (`loop_loads`)."""
    counted = frozenset(item.loop.stmt for item in loops)

    def of(stmts: Sequence[int]) -> Expr:
        return instructions_of(kernel, source, stmts, without=counted)

    return Work(tuple(of(kernel.stmt(item.loop.stmt).children) for item in loops), of((0,)))


def instructions(found: Work, trips: Sequence[float], values: Mapping[str, int]) -> float:
    """Of one warp at a launch, with the iterations of each loop; what is not known of `values` counts as TRIPS."""

    def known(part: Expr) -> int:
        guessed = {symbol.name: TRIPS for symbol in symbols(part) if symbol.name not in values}
        return max(evaluate(part, {**values, **guessed}) or 0, 0)

    each = zip(found.inside, trips, strict=True)
    return float(known(found.outside) + sum(known(part) * count for part, count in each))


def is_writable(found: Work) -> bool:
    """Whether a launch can compute the numbers: from parameters and launch dimensions only."""
    return are_writable((*found.inside, found.outside))
