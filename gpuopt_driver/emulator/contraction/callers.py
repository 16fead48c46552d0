"""Functions whose calls were read where they stand: of two products in a sum, the one that their callers' values let
nvcc choose, once it has inlined them; and copies of those that it fuses in one way here and in another there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from gpuopt_driver.emulator.contraction.calls import Call, Callee, Unit, unit_of
from gpuopt_driver.emulator.contraction.versions import Version, suffix_of, versions_of
from gpuopt_driver.emulator.contraction.write import Fused, fused_in
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens, marker
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function

_Decision = frozenset[tuple[int, str]]  # what becomes of each `*`


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


def fused_by_value(tokens: Tokens, functions: Sequence[Function], unit: Unit) -> dict[int, Fused]:
    """What is known of each function whose values can be followed, by where its body begins."""
    found = {}
    for function in functions:
        with suppress(Declined):
            found[function.body + 1] = fused_in(tokens, function, unit)
    return found


def _decision(fused: Fused) -> _Decision:
    """What becomes of the products of which it is known."""
    return frozenset((at, _fate(fused, at)) for at in fused.known | fused.alone)


def _fate(fused: Fused, at: int) -> str:
    return "fused" if at in fused.stars else "alone" if at in fused.alone else "left"


def _calls(found: Mapping[int, Fused]) -> dict[int, list[tuple[Call, Fused]]]:
    """The calls that were read of each function, by where its body begins."""
    calls: dict[int, list[tuple[Call, Fused]]] = {}
    for fused in found.values():
        for call, inside in fused.calls.items():
            calls.setdefault(call.callee.function.body + 1, []).append((call, inside))
    return calls


def _alike(own: Fused, inside: Fused) -> bool:
    return own.names.keys() == inside.names.keys() and own.sums.keys() == inside.sums.keys()


def choose_as_callers(tokens: Tokens, functions: Sequence[Function], found: Mapping[int, Fused]) -> None:
    """Change what is decided for each function to what is decided for all of its calls, where these agree; `found`: by
    where the functions' bodies begin."""
    calls = _calls(found)
    for function in functions:
        own, inlined = found.get(function.body + 1), calls.get(function.body + 1, [])
        if own is None or not inlined or tokens.at(function.params - 2) == b"operator":
            continue
        sites, other = _mentions(tokens, functions, name_of(tokens, function))
        if other or not sites <= {call.name for call, _ in inlined} or not all(_alike(own, one) for _, one in inlined):
            continue
        for at in set.intersection(*(one.known | one.alone for _, one in inlined)) & (own.known | own.alone):
            fates = {_fate(one, at) for _, one in inlined}
            if fates == {"fused"}:
                own.stars.add(at)
                own.alone.discard(at)
            elif fates == {"alone"}:
                own.alone.add(at)
                own.stars.discard(at)
            elif fates == {"left"} and at not in own.alone:
                own.stars.discard(at)


def _for_both(tokens: Tokens, function: Function) -> bool:
    """Whether a function is for the host, too, where nothing is fused."""
    return b"__host__" in tokens.original[function.head : function.params]


def copy_for_calls(tokens: Tokens, functions: Sequence[Function], members: set[int], *, quick: bool) -> bool:
    """Write copies of functions behind them, for the calls in which nvcc fuses other products of theirs than it does in
    what is called elsewhere, or on the host; whether there are any. `choose_as_callers` then decides for each copy."""
    unit = unit_of(tokens, functions, members, quick=quick)
    if not any(_could_differ(tokens, callee) for callees in unit.callees.values() for callee in callees if callee):
        return False
    versions = versions_of(tokens, functions)
    originals = [function for function in functions if function.body not in versions]
    found = fused_by_value(tokens, originals, unit)
    for function in functions:
        if _for_both(tokens, function):
            found.pop(function.body + 1, None)
    calls = _calls(found)
    written = False
    for function in originals:
        inlined = calls.get(function.body + 1, [])
        if (
            not inlined
            or b'"C"' in tokens.original[function.head : function.params]
            or tokens.at(function.head) == b"["
        ):
            continue
        own = found.get(function.body + 1, Fused())
        operator = tokens.at(function.params - 2) == b"operator"
        agree = len({_decision(inside) for _, inside in inlined}) == 1
        if agree and not operator and not _for_both(tokens, function):
            continue
        groups: dict[_Decision, list[Call]] = {}
        for call, inside in inlined:
            if call.exact and not call.deep and not inside.names and not inside.sums:
                groups.setdefault(_decision(inside), []).append(call)
        for number, (decision, those) in enumerate(groups.items()):
            seen = [] if decision <= _decision(own) else [call for call in those if _sees(tokens, call, function)]
            if seen:
                name = b"gpuopt_emu_%d_form_%d" % (function.body, number)
                _copy(tokens, function, name, seen)
                _copy_for_versions(tokens, function, name, seen, versions.values())
                written = True
    return written


def _copy_for_versions(
    tokens: Tokens, function: Function, name: bytes, calls: Iterable[Call], versions: Iterable[Version]
) -> None:
    """Let the same calls in versions of the callers go to the copy; where a version has a copy of the function of its
    own, to a copy of that."""
    copies = {name_of(tokens, one.function): one.function for one in versions if one.original is function}
    sent: dict[bytes, list[Call]] = {}
    for call in calls:
        for version in versions:
            for at in version.places(call.name):
                first, close = version.place(call.at, at), version.place(call.close, at)
                if 0 <= first <= at < close:
                    sent.setdefault(tokens.at(at), []).append(replace(call, at=first, name=at, close=close))
    for text, those in sent.items():
        if text in copies:
            _copy(tokens, copies[text], name + suffix_of(tokens, copies[text]), those)
        else:
            _send(tokens, function, name, those)


def _could_differ(tokens: Tokens, callee: Callee) -> bool:
    """Whether a function adds up at least two products."""
    words = tokens.original[callee.function.body : tokens.match[callee.function.body]]
    return not callee.by_member and words.count(b"*") > 1 and not {b"+", b"-", b"+=", b"-="}.isdisjoint(words)


def _around(tokens: Tokens, at: int) -> set[int]:
    """The braces that are open there."""
    found: set[int] = set()
    index = 0
    while index < at:
        if tokens.match[index] > at and tokens.at(index) == b"{":
            found.add(index)
        index = tokens.match[index] + 1 if index < tokens.match[index] < at else index + 1
    return found


def _sees(tokens: Tokens, call: Call, function: Function) -> bool:
    """Whether a call stands behind a function and names what is beside it: in the same namespace or in one of that."""
    qualified = tokens.at(call.name - 1) == b"::"
    return call.at > function.body and (qualified or _around(tokens, function.head) <= _around(tokens, call.at))


def _copy(tokens: Tokens, function: Function, name: bytes, calls: Iterable[Call]) -> None:
    """Write a function once more, under another name, and call that."""
    operator = tokens.at(function.params - 2) == b"operator"
    close = tokens.match[function.body]
    parts = []
    for index in range(function.head, close + 1):
        named = index == function.params - 1
        dropped = tokens.at(index) in (b"__host__", b"extern") or (operator and index == function.params - 2)
        text = name if named else b"" if dropped else tokens.at(index)
        parts += [tokens.gap[index] if index > function.head else b"", text]
    static = b"" if b"static" in tokens.original[function.head : function.params] else b"static "
    system = b"" if any(first <= function.head < end for first, end in tokens.owned()) else b" 3"
    tokens.text[close] += (
        marker(tokens, function.head, b" 3") + static + b"".join(parts) + marker(tokens, close, system)
    )
    _send(tokens, function, name, calls)


def _send(tokens: Tokens, function: Function, name: bytes, calls: Iterable[Call]) -> None:
    """Let calls of a function go to the one of that name."""
    for call in calls:
        if tokens.at(function.params - 2) == b"operator":
            tokens.text[call.at] = name + b"(" + tokens.text[call.at]
            tokens.text[call.name] = b","
            tokens.text[call.close] += b")"
        else:
            tokens.text[call.name] = name
