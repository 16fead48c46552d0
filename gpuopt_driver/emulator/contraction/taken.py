"""What is decided for a function, carried over to its versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from gpuopt_driver.emulator.contraction.calls import Call
from gpuopt_driver.emulator.contraction.values import Shape, Star
from gpuopt_driver.emulator.contraction.versions import Version
from gpuopt_driver.emulator.contraction.write import Fused
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of


def take_decisions(
    tokens: Tokens, versions: Mapping[int, Version], found: dict[int, Fused], own: Mapping[int, Fused]
) -> None:
    """Put what is decided for the versions into `found`, by where their bodies begin: what is decided for the
    original's tokens for those that are copies, what `own` says for other ones."""
    for body, version in versions.items():
        theirs = found.get(version.original.body + 1, Fused())
        found[body + 1] = _taken(tokens, version, theirs, own.get(body + 1, Fused()), versions.values())


def _taken(tokens: Tokens, version: Version, theirs: Fused, own: Fused, versions: Iterable[Version]) -> Fused:
    of = version.of

    def both(copied: Set[int], inserted: Set[int]) -> set[int]:
        return {at for at, other in of.items() if other in copied} | {at for at in inserted if at not in of}

    taken = Fused(
        stars=both(theirs.stars, own.stars),
        known=own.known.union(of),
        alone=both(theirs.alone, own.alone),
        skipped=own.skipped,
        quotients=both(theirs.quotients, own.quotients),
        stores=both(theirs.stores, own.stores),
    )
    taken.turns = {at: turns for at, turns in own.turns.items() if at not in of}
    taken.turns |= {at: theirs.turns[other] for at, other in of.items() if other in theirs.turns}
    taken.names = {at: shape for at, shape in own.names.items() if at not in of}
    taken.sums = {at: total for at, total in own.sums.items() if at not in of}
    _take_variables(tokens, version, theirs, taken)
    taken.calls = {call: inside for call, inside in own.calls.items() if call.name not in of}
    for call, inside in theirs.calls.items():
        if any(shape.star is None or shape.star.call is not call for shape in inside.names.values()):
            for at in version.places(call.name):
                _take_call(tokens, version, call, inside, at, versions, taken)
    return taken


def _take_variables(tokens: Tokens, version: Version, theirs: Fused, taken: Fused) -> None:
    """The variables that stand for products."""
    for name, shape in theirs.names.items():
        for at in version.places(name):
            copied = _shape(tokens, version, shape, at)
            if copied is not None:
                taken.names[at] = copied
    for operator, (shape, site) in theirs.sums.items():
        for at in version.places(operator):
            copied = _shape(tokens, version, shape, at - 1)
            last = version.place(site.end - 1, at)
            if copied is not None and last > at:
                taken.sums[at] = copied, replace(site, operator=at, end=last + 1)


def _shape(tokens: Tokens, version: Version, shape: Shape, name: int) -> Shape | None:
    """A variable that holds a product, at the token `name` of the version; None where that is not written there."""
    length = shape.name - shape.start if shape.start >= 0 else 0
    star = None if shape.star is None else _star(tokens, version, shape.star, name)
    if star is None or not _same(tokens, shape.name - length, name - length, length + 1):
        return None
    return replace(shape, star=star, name=name, start=name - length if shape.start >= 0 else shape.start)


def _star(tokens: Tokens, version: Version, star: Star, near: int) -> Star | None:
    if star.call is not None:  # written in another function, with the names that its parameters have here
        return star
    at = version.place(star.at, near)
    shift = at - star.at
    if at < 0 or not _same(tokens, star.first, star.first + shift, star.end - star.first):
        return None
    return replace(star, at=at, first=star.first + shift, end=star.end + shift)


def _same(tokens: Tokens, first: int, second: int, length: int) -> bool:
    """Whether two runs of tokens were read alike."""
    return tokens.original[first : first + length] == tokens.original[second : second + length]


def _take_call(
    tokens: Tokens, version: Version, call: Call, inside: Fused, at: int, versions: Iterable[Version], taken: Fused
) -> None:
    """A call whose function's body is written in its place: there, or of the copy that the version calls."""
    first, close = version.place(call.at, at), version.place(call.close, at)
    copied = next(
        (
            one
            for one in versions
            if one.original is call.callee.function and name_of(tokens, one.function) == tokens.at(at)
        ),
        None,
    )
    if not first <= at <= close or first < 0 or (copied is None and tokens.at(at) != tokens.at(call.name)):
        return
    callee = call.callee if copied is None else replace(call.callee, function=copied.function)
    here = replace(call, callee=callee, at=first, close=close, name=at)
    found = Fused()
    for name, shape in inside.names.items():
        star = shape.star
        if star is not None:
            star = replace(star, call=here) if star.call is call else _star(tokens, version, star, at)
        if star is not None:
            for place in [name] if copied is None else copied.places(name):
                found.names[place] = replace(shape, star=star, name=place)
    found.stars = {one for star in inside.stars for one in ([star] if copied is None else copied.places(star))}
    found.sums = dict(inside.sums)  # which keep the body from being written there
    taken.calls[here] = found
