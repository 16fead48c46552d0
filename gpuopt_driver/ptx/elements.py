"""The loads and stores of a function whose elements a compiler may follow from one access to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import Values

_PRIVATE = frozenset({"param", "const", "local"})


class Elements(NamedTuple):
    """Accesses to elements that are followed, each with what its address comes from, parameters and variables."""

    loads: Mapping[Instruction, frozenset[str]]
    stores: Mapping[Instruction, frozenset[str]]


def elements(values: Values, places: Sequence[int], *, shared: bool = False) -> Elements:
    """The accesses to global memory behind the parameters with these places, and (`shared`) to shared memory."""
    roots = {str(place) for place in places}
    return _of(values, lambda one: (shared and _is_shared(one)) or _is_behind(values, one, roots))


def all_elements(values: Values) -> Elements:
    """The accesses to all memory that blocks or threads share and that can be written."""
    return _of(values, lambda one: _PRIVATE.isdisjoint(_modifiers(one)))


def updated(values: Values) -> tuple[Sequence[int], bool]:
    """The places of parameters behind which a function both reads and writes, and whether it does in shared memory.

    A compiler that knows distances tells elements of one array apart, so that it can follow them.
    """
    found = all_elements(values)
    read, written = ({root for roots in one.values() for root in roots} for one in found)
    places = sorted(int(root) for root in read & written if root.isdigit())
    return places, all(any(map(_is_shared, one)) for one in found)


def stored(one: Instruction) -> Sequence[str]:
    """What a store puts into memory, as operands."""
    return [part.strip() for part in one.operands[1].strip("{} ").split(",")]


def _of(values: Values, is_followed: Callable[[Instruction], bool]) -> Elements:
    found = [one for one in values.function.instructions if one.base in ("ld", "ldu", "st") and is_followed(one)]
    return Elements(_with_roots(values, found, is_store=False), _with_roots(values, found, is_store=True))


def _with_roots(
    values: Values, found: Iterable[Instruction], *, is_store: bool
) -> Mapping[Instruction, frozenset[str]]:
    return {one: values.roots(_address(one)) for one in found if (one.base == "st") is is_store}


def _address(one: Instruction) -> str:
    return one.operands[0 if one.base == "st" else -1]


def _modifiers(one: Instruction) -> Sequence[str]:
    return one.opcode.replace("::", ".").split(".")


def _is_shared(one: Instruction) -> bool:
    return "shared" in _modifiers(one)


def _is_behind(values: Values, one: Instruction, roots: set[str]) -> bool:
    """Whether the address of a load or store comes from one of these parameters."""
    return (_PRIVATE | {"shared"}).isdisjoint(_modifiers(one)) and not roots.isdisjoint(values.roots(_address(one)))
