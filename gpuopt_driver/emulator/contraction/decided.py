"""What is fused in a unit: by the values of each function, as callers have it, and in versions as in originals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.callers import choose_as_callers, fused_by_value
from gpuopt_driver.emulator.contraction.calls import Unit, unit_of
from gpuopt_driver.emulator.contraction.taken import take_decisions
from gpuopt_driver.emulator.contraction.versions import Version, versions_of
from gpuopt_driver.emulator.contraction.write import Fused, sixteen_fused_in
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function


def _sixteen_by_value(tokens: Tokens, functions: Sequence[Function], unit: Unit) -> dict[int, Fused]:
    """What is known of halves and bfloat16 in each function whose values can be followed."""
    found = {}
    for function in functions:
        with suppress(Declined):
            found[function.body + 1] = sixteen_fused_in(tokens, function, unit)
    return found


@dataclass(frozen=True, slots=True)
class Decided:
    """What is known of a unit's functions, by where their bodies begin; `sixteen`: of halves and bfloat16, None where
    there are none; `versions`: those that are versions of others, by their bodies."""

    followed: dict[int, Fused]
    sixteen: dict[int, Fused] | None
    versions: Mapping[int, Version]


def decide(tokens: Tokens, functions: Sequence[Function], members: set[int], *, quick: bool) -> Decided:
    """Decide for all functions but for versions of others, which take those's decisions."""
    versions = versions_of(tokens, functions)
    originals = [function for function in functions if function.body not in versions]
    copies = [version.function for version in versions.values()]
    unit = unit_of(tokens, functions, members, quick=quick)
    followed = fused_by_value(tokens, originals, unit)
    choose_as_callers(tokens, originals, followed)
    take_decisions(tokens, versions, followed, fused_by_value(tokens, copies, unit))
    if not any(b"half" in word or b"bfloat16" in word for word in tokens.original):
        return Decided(followed, None, versions)
    unit = unit_of(tokens, functions, members)
    sixteen = _sixteen_by_value(tokens, originals, unit)
    own = _sixteen_by_value(tokens, copies, unit)
    take_decisions(tokens, versions, sixteen, own)
    for body in versions:
        if body + 1 not in own:
            sixteen[body + 1].skipped.append((body + 1, tokens.match[body]))
    return Decided(followed, sixteen, versions)
