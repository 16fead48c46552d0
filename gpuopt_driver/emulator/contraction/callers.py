"""Functions that are only called where their calls were read: of two products in a sum, the one that their callers'
values let nvcc choose, once it has inlined them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuopt_driver.emulator.contraction.calls import Call
from gpuopt_driver.emulator.contraction.write import Fused
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function


def _mentions(tokens: Tokens, functions: Iterable[Function], name: bytes) -> tuple[set[int], bool]:
    """Where functions' bodies call a function of this name, and whether they mention it otherwise."""
    found: set[int] = set()
    other = False
    for function in functions:
        for index in range(function.body, tokens.match[function.body]):
            if tokens.at(index) == name:
                found.add(index)
                other |= tokens.at(index + 1) != b"("
    return found, other


def choose_as_callers(tokens: Tokens, functions: Iterable[Function], found: Mapping[int, Fused]) -> None:
    """Change what is decided for each function to what is decided for all of its calls, where these agree; `found`: by
    where the functions' bodies begin."""
    functions = list(functions)
    calls: dict[int, list[tuple[Call, Fused]]] = {}
    for fused in found.values():
        for call, inside in fused.calls.items():
            calls.setdefault(call.callee.function.body + 1, []).append((call, inside))
    for function in functions:
        own, inlined = found.get(function.body + 1), calls.get(function.body + 1, [])
        if own is None or not inlined:
            continue
        sites, other = _mentions(tokens, functions, name_of(tokens, function))
        if other or not sites <= {call.at for call, _ in inlined}:
            continue
        same = all(own.names.keys() == one.names.keys() and own.sums.keys() == one.sums.keys() for _, one in inlined)
        if not same:
            continue
        for at in set.intersection(own.known, *(one.known for _, one in inlined)):
            votes = {at in one.stars for _, one in inlined}
            if votes == {True}:
                own.stars.add(at)
                own.alone.discard(at)
            elif votes == {False} and at not in own.alone:
                own.stars.discard(at)
