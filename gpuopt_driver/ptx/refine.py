"""Which operations of two functions are told apart by anything that is the same in every compilation of one source.

A partition refinement of both graphs of operations together: at first, operations with one name are in one class; then
classes are split by the classes of operands (and of what uses the result) until nothing is split any more. So a class
tells as much as a label of unbounded depth, of all that leads to an operation and all that follows from it.

What is in a class is a *set* of possible operands, without numbers, so unrolled loops and kernels that repeat their
body keep the classes of their originals.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.operations import Addend, Detail, Operation, Value, operations, uses_of
from gpuopt_driver.ptx.read import Instruction
from gpuopt_driver.ptx.values import Values

DETAILS = (
    Detail(first=False),
    Detail(16, first=False, uses=True),
    Detail(-1, uses=True),
    Detail(-1, integers=True),
)
_ROUNDS = 32  # a chain that is longer is not told to its end

Class = int


@dataclass(frozen=True, slots=True)
class _Node:
    operation: Operation
    side: int


_Held = tuple[tuple[tuple[int, int], ...], tuple[str, ...]]  # numbers of nodes (-1: none) and elements, and constants
_Added = tuple[tuple[tuple[_Held, _Held], ...], "_Held | None"]


class Refinement:
    """The classes of all operations of two functions, told in some detail."""

    def __init__(self, pair: Sequence[Values], detail: Detail) -> None:
        """Compute the classes."""
        self._nodes = [_Node(one, side) for side in (0, 1) for one in operations(pair[side], detail)]
        self._numbers = {(one.side, one.operation.instruction.index): at for at, one in enumerate(self._nodes)}
        self._users: list[set[tuple[int, str]]] = [set() for _ in self._nodes]
        if detail.uses:
            self._note_uses(pair)
        self._table: dict[Hashable, Class] = {}
        self._operands = [
            tuple(self._held(one.side, operand) for operand in one.operation.operands) for one in self._nodes
        ]
        self._addends = [tuple(self._added(one.side, each) for each in one.operation.addends) for one in self._nodes]
        names: dict[str, Class] = {}
        self._classes: list[Class] = [names.setdefault(one.operation.name, len(names)) for one in self._nodes]
        self._split()

    def of(self, side: int, total: Instruction) -> Class:
        """The class of a sum; the same number on both sides for what cannot be told apart."""
        return self._classes[self._numbers[side, total.index]]

    def addends(self, side: int, total: Instruction) -> tuple[Class, ...]:
        """The classes of a sum's addends, of a fused one its product's last."""
        keys = map(self._addend, self._addends[self._numbers[side, total.index]])
        return tuple(self._table.setdefault(key, len(self._table)) for key in keys)

    def _note_uses(self, pair: Sequence[Values]) -> None:
        for user, one in enumerate(self._nodes):
            for (index, _), role in uses_of(pair[one.side], one.operation):
                number = self._numbers.get((one.side, index))
                if number is not None:
                    self._users[number].add((user, role))

    def _split(self) -> None:
        """Split classes until nothing is split. After the first round, only what looks at a node that has got another
        class can be told apart from others by more than before."""
        members: dict[Class, list[int]] = {}
        for number, known in enumerate(self._classes):
            members.setdefault(known, []).append(number)
        readers = self._readers()
        keys: list[Hashable] = [None] * len(self._nodes)
        changed: Iterable[int] = range(len(self._nodes))
        for _ in range(_ROUNDS):
            for number in changed:
                keys[number] = self._key(number)
            moved: list[int] = []
            for known in {self._classes[number] for number in changed}:
                moved += self._divide(known, members, keys)
            if not moved:
                return
            changed = {reader for number in moved for reader in readers[number]}

    def _divide(self, known: Class, members: dict[Class, list[int]], keys: Sequence[Hashable]) -> list[int]:
        """Split a class by keys: the largest part stays what it was, the members of the others are returned."""
        parts: dict[Hashable, list[int]] = {}
        for number in members[known]:
            parts.setdefault(keys[number], []).append(number)
        if len(parts) == 1:
            return []
        first, *others = sorted(parts.values(), key=len, reverse=True)
        members[known] = first
        for part in others:
            made = len(members)
            members[made] = part
            for number in part:
                self._classes[number] = made
        return [number for part in others for number in part]

    def _readers(self) -> list[set[int]]:
        """By node the nodes whose keys its class is in."""
        found: list[set[int]] = [set() for _ in self._nodes]
        for number, (operands, addends) in enumerate(zip(self._operands, self._addends, strict=True)):
            held = list(operands)
            for products, others in addends:
                held += [one for pair in products for one in pair]
                held += [others] if others is not None else []
            for results, _ in held:
                for operand, _ in results:
                    if operand >= 0:
                        found[operand].add(number)
            for user, _ in self._users[number]:
                found[user].add(number)
        return found

    def _key(self, number: int) -> Hashable:
        """What tells a node from others of its class."""
        classes, operation = self._classes, self._nodes[number].operation
        operands: tuple[Hashable, ...]
        if operation.addends:
            operands = (frozenset(map(self._addend, self._addends[number])),)
        elif operation.ordered:
            operands = tuple(map(self._value, self._operands[number]))
        else:
            operands = (frozenset(map(self._value, self._operands[number])),)
        return operands, frozenset([(classes[user], role) for user, role in self._users[number]])

    def _value(self, held: _Held) -> Hashable:
        results, constants = held
        classes = self._classes
        if len(results) == 1:  # mostly; a set of one is that one, however many it was made of
            ((number, element),) = results
            return (classes[number] if number >= 0 else -1, element), constants
        found = {(classes[number] if number >= 0 else -1, element) for number, element in results}
        return found.pop() if len(found) == 1 else frozenset(found), constants

    def _addend(self, added: _Added) -> Hashable:
        products, others = added
        kinds = frozenset([frozenset([self._value(first), self._value(second)]) for first, second in products])
        return kinds, None if others is None else self._value(others)

    def _held(self, side: int, value: Value) -> _Held:
        results = tuple((self._numbers.get((side, index), -1), element) for index, element in value.results)
        return results, value.constants

    def _added(self, side: int, addend: Addend) -> _Added:
        products = tuple((self._held(side, first), self._held(side, second)) for first, second in addend.products)
        return products, None if addend.others is None else self._held(side, addend.others)
