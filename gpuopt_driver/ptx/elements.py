"""The loads and stores of a function whose elements a compiler may follow from one access to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import Values

_UNKNOWN = frozenset({""})
_PRIVATE = frozenset({"param", "const", "local"})


class Elements(NamedTuple):
    """Accesses to elements that are followed, each with what its address comes from, parameters and variables."""

    loads: Mapping[Instruction, frozenset[str]] = MappingProxyType({})
    stores: Mapping[Instruction, frozenset[str]] = MappingProxyType({})

    def with_those(self, others: Elements) -> Elements:
        """These and others."""
        return Elements({**self.loads, **others.loads}, {**self.stores, **others.stores})


def elements(values: Values, places: Sequence[int], *, shared: bool = False) -> Elements:
    """The accesses to global memory behind the parameters with these places, and (`shared`) to shared memory."""
    roots = {str(place) for place in places}
    return _of(values, lambda one: (shared and _is_shared(one)) or _is_behind(values, one, roots))


def all_elements(values: Values) -> Elements:
    """The accesses to all memory that blocks or threads share and that can be written."""
    return _of(values, lambda one: _PRIVATE.isdisjoint(_modifiers(one)))


def updated(values: Values) -> Elements:
    """The accesses to arrays that are read behind stores to them, with no barrier between.

    A compiler that knows distances tells elements of one array apart, so that it can follow them.
    """
    found = all_elements(values)
    roots = {root for each in found.stores.values() for root in each}
    kept = {root for root in roots if _is_read_behind(values.function, found, root)}
    return Elements(*({one: each for one, each in half.items() if not kept.isdisjoint(each)} for half in found))


def _is_read_behind(function: Function, found: Elements, root: str) -> bool:
    """Whether some way leads from a store to an array to a load of it, and past no barrier."""
    code, first = function.instructions, {}
    for one in reversed(code):
        first[one.block] = one.index
    waiting = [one.index + 1 for one, roots in found.stores.items() if root in roots]
    seen = set[int]()
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(code):
            continue
        seen.add(at)
        one = code[at]
        if root in found.loads.get(one, ()):
            return True
        if one.base in ("bar", "barrier", "ret", "exit", "trap") and not one.guard:
            continue
        if one.base == "bra":
            waiting.append(first.get(function.labels.get(one.operands[-1], -1), len(code)))
        if one.base == "brx":
            waiting.extend(first.values())
        if one.base not in ("bra", "brx") or one.guard:
            waiting.append(at + 1)
    return False


def stored(one: Instruction) -> Sequence[str]:
    """What a store puts into memory, as operands."""
    return [part.strip() for part in one.operands[1].strip("{} ").split(",")]


def _of(values: Values, is_followed: Callable[[Instruction], bool]) -> Elements:
    found = [one for one in values.function.instructions if one.base in ("ld", "ldu", "st") and is_followed(one)]
    return Elements(_with_roots(values, found, is_store=False), _with_roots(values, found, is_store=True))


def _with_roots(
    values: Values, found: Iterable[Instruction], *, is_store: bool
) -> Mapping[Instruction, frozenset[str]]:
    return {one: values.parts(_address(one)) or _UNKNOWN for one in found if (one.base == "st") is is_store}


def _address(one: Instruction) -> str:
    return one.operands[0 if one.base == "st" else -1]


def _modifiers(one: Instruction) -> Sequence[str]:
    return one.opcode.replace("::", ".").split(".")


def _is_shared(one: Instruction) -> bool:
    return "shared" in _modifiers(one)


def _is_behind(values: Values, one: Instruction, roots: set[str]) -> bool:
    """Whether the address of a load or store comes from one of these parameters."""
    return (_PRIVATE | {"shared"}).isdisjoint(_modifiers(one)) and not roots.isdisjoint(values.roots(_address(one)))
