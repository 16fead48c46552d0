"""Whether a version stores floating-point numbers bare that its kernel makes anew, or the other way round.

A GPU makes of each NaN its own, and with `.ftz` zero of what is denormal, in all but copies and selections. A compiler
takes what keeps every other number for a copy: `max(x, x)`, `-(-x)`, `(float)(double)x`, `x * 1.0f`. So one that knows
more than its original's (that both operands are equal, a condition, what memory holds) stores a number *bare*, as it
was loaded, that the kernel would have changed. And it takes `x > 2.0f ? x : 2.0f` for `max(x, 2.0f)`, which changes
what is denormal, `x < 0.0f ? x : 0.0f` for `min(x, 0.0f)`, which gives -0 for -0, and `copysign(x, 2.0f)` for `abs(x)`.
What matters is where such a number can be seen: in memory, in other threads, in its bits. There a version may have only
what its original has, from the same arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gpuopt_driver.ptx.elements import stored
from gpuopt_driver.ptx.forgotten import forgets
from gpuopt_driver.ptx.integers import bits
from gpuopt_driver.ptx.numbers import FLOATS
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import Source, Values, is_negative, magnitude, values_of

_COPIES = frozenset({"mov", "selp", "copysign"})
_SIGNS = frozenset({"neg", "abs"})
_STORES = frozenset({"st", "red", "atom"})
_VECTORS = frozenset({"v2", "v4", "v8"})
_MOST = 8  # stores to memory and loads of it in a row


class Place(NamedTuple):
    """Where a number is seen or comes from: a memory, and what its addresses come from."""

    kind: str
    roots: frozenset[str]

    def is_in(self, other: Place) -> bool:
        """Whether this is part of another one."""
        return self.kind == other.kind and self.roots <= other.roots

    def meets(self, other: Place) -> bool:
        """Whether both may be one place."""
        return self.kind == other.kind and (self.roots == other.roots or not self.roots.isdisjoint(other.roots))


class Flow(NamedTuple):
    """A number that is loaded here and seen there, `by` one operation that keeps all but NaN and denormal numbers."""

    source: Place
    by: str  # "": none
    target: Place


def laid_bare(original: Function, version: Function, shift: int, *, follows: bool) -> str:
    """What a version makes of a number that it loads in the place of what its original makes; "": the same.

    `shift` is the number of parameters that the version has in front of those of the original. `follows`: whether the
    version keeps in registers what its original has in memory.
    """
    theirs, mine = values_of(original), values_of(version, shift)
    floats = _floats(theirs) | _floats(mine)
    before, after = (_of_places(_flows(one), floats) for one in (theirs, mine))
    loads_again = forgets(theirs, mine)
    kept = _stored(theirs) if loads_again else frozenset()
    known = _through_memory(before) if not after <= before else before
    grouped = _grouped(mine) - _grouped(theirs)
    for flow in after - before:
        keeps = follows or flow.target in grouped
        if any(_covers(one, flow) for one in known) or (keeps and _is_put_back(flow, known)):
            continue
        if not any(map(flow.source.meets, kept)):  # what was made before is loaded again
            return flow.by or "what is loaded"
    return _lost(before, after) if loads_again else ""


def _of_places(flows: frozenset[Flow], places: frozenset[Place]) -> frozenset[Flow]:
    return frozenset(flow for flow in flows if any(map(flow.source.meets, places)))


def _lost(before: frozenset[Flow], after: frozenset[Flow]) -> str:
    """What a version that loads again computes of a number that its original stores as it was loaded; "": nothing.

    What the original puts back may be a sum that nothing was added to: it had that in a register.
    """
    known = _through_memory(after) if not before <= after else after
    lost = (flow for flow in before - after if not flow.by and not flow.source.meets(flow.target))
    return "" if all(any(_reaches(one, flow) for one in known) for flow in lost) else "another operation"


def _reaches(known: Flow, flow: Flow) -> bool:
    """Whether a flow of a version's is one of its original's, which may know less of the addresses, or more."""
    return not known.by and known.source.meets(flow.source) and known.target.meets(flow.target)


def _covers(known: Flow, flow: Flow) -> bool:
    return known.by == flow.by and flow.source.is_in(known.source) and flow.target.is_in(known.target)


def _is_put_back(flow: Flow, known: Iterable[Flow]) -> bool:
    """Whether a number goes back to where it was, as of a sum in a register that nothing is added to.

    Not where it is negated on the way: what is negated twice goes back, too.
    """
    is_same = not flow.by and flow.source.meets(flow.target)
    return is_same and not any(one.by.startswith("neg") and one.source.meets(one.target) for one in known)


@lru_cache(maxsize=64)
def _floats(values: Values) -> frozenset[Place]:
    """The places that floating-point numbers are loaded from."""
    loads = (one for one in values.function.instructions if one.base in ("ld", "ldu") and one.type in FLOATS)
    return frozenset(_loaded(values, one) for one in loads)


@lru_cache(maxsize=64)
def _stored(values: Values) -> frozenset[Place]:
    """The places that a function stores to."""
    stores = (one for one in values.function.instructions if one.base in _STORES)
    return frozenset(_place(values, one, _address(one)) for one in stores)


@lru_cache(maxsize=64)
def _grouped(values: Values) -> frozenset[Place]:
    """The places that neighbours are stored to at once, also those that belong to threads which store nothing."""
    stores = (one for one in values.function.instructions if one.base == "st" and _VECTORS & {*one.opcode.split(".")})
    return frozenset(_place(values, one, _address(one)) for one in stores)


@lru_cache(maxsize=64)
def _flows(values: Values) -> frozenset[Flow]:
    """The numbers of a function that are seen as they were loaded, or behind one operation."""
    found = set[Flow]()
    for one in values.function.instructions:
        target = _target(values, one)
        if target is not None:
            sources = (source for operand in _seen(one) for source in _sources(values, operand))
            found.update(Flow(source, by, target) for source, by in sources)
    return frozenset(found)


def _loaded(values: Values, one: Instruction) -> Place:
    parts = one.opcode.replace("::", ".").split(".")
    if "param" in parts:
        return Place("param", values.roots_of_parameter(one.operands[-1]))
    return _place(values, one, one.operands[-1])


def _place(values: Values, one: Instruction, address: str) -> Place:
    parts = one.opcode.replace("::", ".").split(".")
    kind = next((part for part in parts if part in ("shared", "local", "param", "const")), "")
    return Place(kind, values.roots(address) if kind in ("", "const") else frozenset())


def _target(values: Values, one: Instruction) -> Place | None:
    """Where an instruction makes operands of it seen; None: nowhere."""
    if one.base in _STORES:
        return _place(values, one, _address(one))
    if one.base == "shfl":
        return Place("thread", frozenset())
    is_computed = bits(one.type) >= 16 and one.base not in (*_COPIES, "ld", "ldu", "cvta", "cvt")
    return Place("bits", frozenset()) if is_computed else None


def _address(one: Instruction) -> str:
    return next((operand for operand in one.operands if operand.startswith("[")), "")


def _seen(one: Instruction) -> Sequence[str]:
    if one.base == "st":
        return stored(one)
    return [operand for operand in one.operands[int(one.base != "red") :] if operand.startswith("%")]


def _sources(values: Values, operand: str) -> Iterator[tuple[Place, str]]:
    """From where an operand is loaded, and by what it has been changed since."""
    waiting, seen = [(operand, "")], set[tuple[str, str]]()
    while waiting:
        state = name, by = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        for maker in values.makers(name):
            if maker.base in ("ld", "ldu"):
                yield _loaded(values, maker), by
            elif maker.base == "shfl":
                yield Place("thread", frozenset()), by
            elif maker.base in _COPIES:
                waiting.extend((copied, by) for copied in _copied(maker))
            elif by in ("", _told(maker)) and _keeps(values, maker):
                waiting.extend((kept, _told(maker)) for kept in maker.operands[1:])


def _copied(maker: Instruction) -> Sequence[str]:
    if maker.base == "mov":
        return [part.strip() for part in maker.operands[1].strip("{} ").split(",")]
    return maker.operands[2:3] if maker.base == "copysign" else maker.operands[1:3]


def _keeps(values: Values, maker: Instruction) -> bool:
    """Whether an operation may give an operand, but for zeros, NaN and denormal numbers, so that nvcc may bring it."""
    parts = maker.opcode.split(".")
    if maker.type not in FLOATS:
        return False
    if maker.base == "cvt":
        return parts[-2] != parts[-1]
    if maker.base in ("min", "max") and "ftz" not in parts:
        return all(_tells_zeros(values.signs(one), maker.base) for one in maker.operands[1:])
    return maker.base in _SIGNS or maker.base in ("min", "max")


def _tells_zeros(sources: Mapping[Source, int], base: str) -> bool:
    """Whether the smaller or larger one of a number and this is another zero than what `<` or `>` choose."""
    zero = -1 if base == "max" else 1  # `x > -0.0f ? x : -0.0f` gives -0 for 0
    constants = [(one.constant, sign) for one, sign in sources.items() if one.instruction is None]
    signs = [-sign if is_negative(text) else sign for text, sign in constants if magnitude(text) == "0.0"]
    return len(constants) < len(sources) or not {zero, 0}.isdisjoint(signs)


def _told(maker: Instruction) -> str:
    """An operation, however its operands are ordered: a compiler may ask for the larger or the smaller one."""
    return f"{maker.base} {maker.type}" if maker.base not in ("min", "max") else f"min or max {maker.type}"


@lru_cache(maxsize=16)
def _through_memory(flows: frozenset[Flow]) -> frozenset[Flow]:
    """These, and those that they come to where what one stores is what another one loads."""
    found = flows
    for _ in range(_MOST):
        more = {
            Flow(first.source, first.by or second.by, second.target)
            for first in found
            for second in flows
            if first.target.meets(second.source) and not (first.by and second.by)
        }
        if more <= found:
            break
        found |= more
    return found
