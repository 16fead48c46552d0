"""The versions: kernels whose threads run their body once for each of several blocks of the program."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Kernel, Variant, repeated_edits, virtual_copies

from .support import SUPPORT
from .together import Leaving

NAME = "coarsening"
BUILTINS = ("blockIdx", "gridDim")  # threadIdx and blockDim are the launch's own
SCOPE = f"gpuopt_rt::plugin_{NAME}"
LONGEST = 12_000  # bytes that a compiler makes of a version: of 57 in public programs no longer one gained on an H200
_LEAVE = "if (!gpuopt_at.exists) return; "


def mixed(kernel: Kernel, factor: int, *, is_measured: bool) -> Variant:
    """The version of one factor, whose blocks' work nvcc may mix."""
    place = f"::{SCOPE}::place<{factor}>"
    return Variant(
        kernel=kernel.usr,
        name=f"{NAME}{factor}",
        edits=repeated_edits(kernel, place, NAME, factor, _LEAVE, BUILTINS),
        guard="  return false;" if is_measured else _picked(factor),
        author=NAME,
        support=SUPPORT,
        functions=virtual_copies(kernel, place, NAME, BUILTINS),
        redefines=frozenset(BUILTINS),
        candidates=_offered((factor,)) if is_measured else "",
        only_measured=is_measured,
        repeats=factor,
        longest=LONGEST,
    )


def in_turns(kernel: Kernel, factors: Sequence[int], leaving: Sequence[Leaving], *, is_measured: bool) -> Variant:
    """The version of all factors, whose blocks follow each other: all threads wait before the next one begins.

    `leaving`: the returns that end a thread.
    """
    ends = [one.span for one in leaving]
    facts = dict.fromkeys(fact for one in leaving for fact in one.facts)  # an index that wraps is not behind its limit
    place = f"::{SCOPE}::turn"
    return Variant(
        kernel=kernel.usr,
        name=f"{NAME}_turns",
        edits=repeated_edits(kernel, place, NAME, "gpuopt_plan.n[5]", _LEAVE, BUILTINS, "__syncthreads();", ends),
        guard="  return false;" if is_measured else _picked(factors[0]),
        author=NAME,
        support=SUPPORT,
        functions=virtual_copies(kernel, place, NAME, BUILTINS),
        redefines=frozenset(BUILTINS),
        candidates=_offered(factors) if is_measured else "",
        only_measured=is_measured,
        requires=tuple(facts),
        longest=LONGEST,
    )


def _picked(factor: int) -> str:
    return f"  return {SCOPE}::coarse(gpuopt_l, gpuopt_c, {factor});"


def _offered(factors: Sequence[int]) -> str:
    return "\n".join(f"  {SCOPE}::offer(gpuopt_l, gpuopt_o, {factor});" for factor in factors)
