"""Which operations of two functions are told apart by anything that is the same in every compilation of one source.

A partition refinement of both graphs of operations together: at first, operations with one name are in one class; then
classes are split by the classes of operands (and of what uses the result) until nothing is split any more. So a class
tells as much as a label of unbounded depth, of all that leads to an operation and all that follows from it.

What is in a class is a *set* of possible operands, without numbers, so unrolled loops and kernels that repeat their
body keep the classes of their originals.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

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
        self._classes: list[Class] = [self._class(one.operation.name) for one in self._nodes]
        self._split()

    def of(self, side: int, total: Instruction) -> Class:
        """The class of a sum; the same number on both sides for what cannot be told apart."""
        return self._classes[self._numbers[side, total.index]]

    def addends(self, side: int, total: Instruction) -> tuple[Class, ...]:
        """The classes of a sum's addends, of a fused one its product's last."""
        one = self._nodes[self._numbers[side, total.index]]
        return tuple(self._class(("addend", self._addend(side, addend))) for addend in one.operation.addends)

    def _class(self, key: Hashable) -> Class:
        return self._table.setdefault(key, len(self._table))

    def _note_uses(self, pair: Sequence[Values]) -> None:
        for user, one in enumerate(self._nodes):
            for (index, _), role in uses_of(pair[one.side], one.operation):
                number = self._numbers.get((one.side, index))
                if number is not None:
                    self._users[number].add((user, role))

    def _split(self) -> None:
        before = len(set(self._classes))
        for _ in range(_ROUNDS):
            self._table = {}
            self._classes = [self._class(self._key(number)) for number in range(len(self._nodes))]
            after = len(self._table)
            if after == before:
                return
            before = after

    def _key(self, number: int) -> Hashable:
        one, classes = self._nodes[number], self._classes
        side, operation = one.side, one.operation
        if operation.addends:
            operands: tuple[Hashable, ...] = (frozenset(self._addend(side, addend) for addend in operation.addends),)
        elif operation.ordered:
            operands = tuple(self._value(side, operand) for operand in operation.operands)
        else:
            operands = (frozenset(self._value(side, operand) for operand in operation.operands),)
        users = frozenset((classes[user], role) for user, role in self._users[number])
        return classes[number], operands, users

    def _value(self, side: int, value: Value) -> Hashable:
        numbers, classes = self._numbers, self._classes
        held = {
            (classes[numbers[side, index]] if (side, index) in numbers else -1, element)
            for index, element in value.results
        }
        return frozenset(held), value.constants

    def _addend(self, side: int, addend: Addend) -> Hashable:
        products = frozenset(frozenset(self._value(side, factor) for factor in pair) for pair in addend.products)
        return products, None if addend.others is None else self._value(side, addend.others)
