"""A function's values as nvcc's optimizer has them: each computed once, with its rank and its uses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.breaks import Break

if TYPE_CHECKING:
    from gpuopt_driver.emulator.contraction.calls import Call

PRODUCT, SUM, DIFFERENCE, NEGATION = "mul", "add", "sub", "neg"
CHOICE = "phi"  # one of several values, by the way that was taken
CARRIED = "carried"  # the same, by the turn of a loop
UNKNOWN = "unknown"  # what a function makes of a value that is not read here
PINNED = -2
_FIRST_PINNED = 1000
_ARITHMETIC = frozenset({PRODUCT, SUM, DIFFERENCE, NEGATION, "other"})


@dataclass(frozen=True, slots=True)
class Star:
    """A product as it is written: the token of its `*`, its first token and the one behind it; what the variables in it
    held, and when: stores and loops so far (-1: it does not matter); whether it may be computed twice, and whether it
    is written with the other sign; `made`: of `v *= x` and `v = x * f(y)`, the names that its factors are given."""

    at: int
    first: int
    end: int
    held: tuple[tuple[tuple[Any, bytes], Value], ...]  # a variable and its members, ".x.y"
    stores: int
    run: int
    repeatable: bool
    call: Call | None  # whose function it is written in
    negative: bool = False
    made: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """How an operand of a sum is written: as the product `star`, or as a variable (`name`: its token) that holds it;
    `held`: what the variable holds, `minus`: whether that has another sign than the product as it is written; `start`:
    of a member `v.x`, whose token is `name`, the first one."""

    star: Star | None = None
    name: int = -1
    held: Value | None = None
    minus: bool = False
    start: int = -1


@dataclass(frozen=True, slots=True)
class Site:
    """Where a sum is written: the token of its operator, and how its operands are written there."""

    operator: int
    first: Value  # the left operand
    left: Shape | None
    right: Shape | None
    end: int  # behind the right operand
    call: Call | None  # whose function it is written in


def number_of(value: Value) -> float | None:
    """The number that a constant stands for, with its sign; None for what is none."""
    if value.op == NEGATION:
        number = number_of(value.args[0])
        return None if number is None else -number
    return value.number


@dataclass(eq=False, slots=True)
class Value:
    """One value. `kind`: f(loat), d(ouble), h (16 bits), i(nteger) or ? (not known); `rank`: LLVM's (Reassociate);
    `loop`: the loops that it is computed in; `block`: its basic block; `piece` and `part`: how many times functions
    ended a block of the optimizer, and one of machine code, before (-1: it is computed elsewhere)."""

    op: str
    args: list[Value]
    kind: str
    rank: int
    pinned: bool = False  # cannot be moved: loads, calls, results of loops
    loop: tuple[int, ...] = ()
    block: int = 0
    order: int = 0
    piece: int = -1
    part: int = -1
    still: bool = False  # it ends a piece itself
    number: float | None = None  # a constant's, where it is known
    turned: bool = False  # a difference that has become a sum: its operands stay in their order
    objects: tuple[Value | None, ...] = ()  # of each operand, the object that it is taken out of
    sites: list[Site] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)


class Values:
    """All values of a function, in the order in which they are computed."""

    def __init__(self) -> None:
        self.all: list[Value] = []
        self.roots: list[Value] = []  # what has an effect: stores, conditions, results
        self.block = 0
        self.blocks = 0
        self._piece = 0
        self._parts = [0]  # where each piece begins
        self._part = 0
        self.loops: list[tuple[int, int]] = []  # those around: number, block before it
        self.known: list[dict[Any, Value]] = [{}]
        self._outside: list[int] = []  # for each loop around, how many scopes were open before it
        self._straight: list[bool] = []  # for each loop around, whether it is unrolled to its end
        self.counted: set[int] = set()  # numbers of loops whose turns may all be written one behind the other
        self._together: list[Value] = []  # stores of several members at once
        self._quiet: list[bool] = []  # for each of `loops`, whether nothing is stored in it
        self.twice = False  # operands are put into the order of their ranks once more, without objects
        self.apart = False  # what is computed before a loop for its turns has a block of its own

    def new_block(self) -> None:
        """What follows is another basic block."""
        self.blocks += 1
        self.block = self.blocks

    def end_run(self, by: Break) -> None:
        """Something that what stands before it is not fused across."""
        self._part += by.machine
        if by.optimizer:
            self._piece += 1
            self._parts.append(self._part)

    def open_scope(self) -> None:
        """What is computed from here to `close_scope` may not have been computed behind it."""
        self.known.append({})

    def close_scope(self) -> None:
        """The end of what `open_scope` began."""
        self.known.pop()

    def open_loop(self, *, straight: bool = False, quiet: bool = False, counted: bool = False) -> None:
        """The turns of a loop begin here; `straight`: they are written one behind the other, in the same block;
        `quiet`: nothing is stored in them; `counted`: their number is a constant."""
        self._straight.append(straight)
        if not straight:
            if self.apart:
                self.new_block()
            self.loops.append((self.blocks, self.block))
            self._outside.append(len(self.known))
            self._quiet.append(quiet)
            self.counted |= {self.blocks} if counted else set()
            self.new_block()
        self.open_scope()

    def close_loop(self) -> dict[Hashable, Value]:
        """The end of a loop's turns; what every turn computes."""
        found = self.known.pop()
        if not self._straight.pop():
            self.loops.pop()
            self._outside.pop()
            self._quiet.pop()
            self.new_block()
        return found

    def _leaves(self, depth: int) -> bool:
        """Whether a load here is made before the loops from the one number `depth` on: every turn makes it, and they
        store nothing."""
        opened = [*self._outside[depth:], len(self.known) - 1]
        together = all(after == before + 1 for before, after in pairwise(opened[:-1]))
        return together and bool(opened[:-1]) and opened[-1] == opened[-2] and all(self._quiet[depth:])

    def event(self) -> None:
        """Something that cannot be moved and has no value."""
        self.roots.append(Value("event", [], "o", 0, pinned=True))
        self.all.append(self.roots[-1])

    def make(self, op: str, args: Iterable[Value], kind: str, key: Hashable = None, rank: int = -1) -> Value:
        """A value: the one that is known already where `key` is, and the operands are, the same.

        `rank`: that of parameters and constants; a load, a way's or a call's value has none of its own (`PINNED`).
        """
        operands = list(args)
        same = [id(one) for one in operands]
        whole = None if key is None else (op, kind, key, tuple(sorted(same) if op in (SUM, PRODUCT) else same))
        if whole is not None:
            for scope in self.known:
                if whole in scope:
                    return scope[whole]
        inside = tuple(number for number, _ in self.loops)
        loop, block, scope_at = inside if op != "const" else (), self.block, len(self.known) - 1
        around = max((one.loop for one in operands), key=len, default=())
        leaves = op == "load" and len(around) < len(inside) and self._leaves(len(around))
        if leaves or (op in _ARITHMETIC and key is not None):
            loop = around
            if len(loop) < len(inside):  # the same in each turn: computed before the loop
                block, scope_at = self.loops[len(loop)][1], self._outside[len(loop)] - 1
        value = Value(op, operands, kind, rank, rank == PINNED, loop, block, len(self.all))
        if loop == inside:
            value.piece, value.part = self._piece, self._part
        self.all.append(value)
        if whole is not None:
            self.known[scope_at][whole] = value
        return value

    def constant(self, number: float, kind: str) -> Value:
        """What is computed of constants alone: a constant with a sign, which is taken away from sums and products."""
        value = self.make("const", [], kind, ("folded", abs(number)), 0)
        value.number = abs(number)
        return self.make(NEGATION, [value], kind, "-") if number < 0 else value

    def signed(self, value: Value) -> Value:
        """A constant with a sign as one constant; anything else as it is."""
        number = number_of(value)
        if value.op != NEGATION or number is None:
            return value
        found = self.make("const", [], value.kind, ("signed", number), 0)
        found.number = number
        return found

    def take_back(self, value: Value, since: int) -> Callable[[int], Value] | None:
        """As if a load had not been made, where it is the last value and one of those `since`; what makes it again,
        given the stores so far. None where it is an older one, or no load."""
        if value.op != "load" or value.order < since or value is not self.all[-1]:
            return None
        self.all.pop()
        for scope in self.known:
            for whole, known in scope.items():
                if known is value:
                    del scope[whole]
                    what, named, stores = whole[2]
                    return lambda now: self.make("load", value.args, value.kind, (what, named, stores and now), PINNED)
        return None

    def use(self, value: Value, by: str = "store") -> None:
        """An effect that needs the value."""
        self.use_all([value], by=by)

    def use_all(self, values: list[Value], *, together: bool = False, by: str = "store") -> None:
        """An effect that needs the values; `together`: one store of all of them."""
        around = tuple(number for number, _ in self.loops)
        root = Value(by, values, "o", 0, loop=around, block=self.block, piece=self._piece, part=self._part)
        self.roots.append(root)
        if together:
            self._together.append(root)

    def users(self) -> dict[Value, list[Value]]:
        """Who uses each value that something with an effect needs, once for each operand."""
        found: dict[Value, list[Value]] = {}
        seen: set[int] = set()
        todo = list(self.roots)
        while todo:
            user = todo.pop()
            if id(user) in seen:
                continue
            seen.add(id(user))
            for value in user.args:
                found.setdefault(value, []).append(user)
                todo.append(value)
        self._rank(seen)
        self._sink(found)
        self._gather(found)
        return found

    def _sink(self, users: dict[Value, list[Value]]) -> None:
        """Move what is computed before functions with branches behind them, to where it is used, as LLVM does: where no
        more than one of the numbers that it is made of would have to be kept for that alone."""
        for value in reversed(self.all):
            if _moves(value) and users.get(value):
                piece = min(user.piece for user in users[value])
                if piece > value.piece and len(_ending(value, users)) < 2:
                    value.piece, value.part = piece, max(value.part, self._parts[piece])

    def _gather(self, users: dict[Value, list[Value]]) -> None:
        """Move sums of one kind that are stored together to where they are: LLVM makes them one sum of vectors first
        (DAGCombiner, convertBuildVecToVectorOp)."""
        for root in self._together:
            same = {(one.op, one.piece, one.block) for one in root.args}
            if len(same) > 1 or root.args[0].op not in (SUM, DIFFERENCE) or root.args[0].piece != root.piece:
                continue
            for one in root.args:
                one.part = max(one.part, min(user.part for user in users[one]))

    def _rank(self, needed: set[int]) -> None:
        """The ranks of all values that are needed."""
        last = _FIRST_PINNED
        for value in self.all:
            if value.pinned and id(value) in needed:
                last += 1
                value.rank = last
            elif value.rank < 0:
                ranks = [one.rank for one in value.args]
                if value.objects and not self.twice:
                    ranks = [
                        rank if whole is None else whole.rank + 1
                        for rank, whole in zip(ranks, value.objects, strict=True)
                    ]
                value.rank = max(ranks, default=0) + (value.op != NEGATION)


def _moves(value: Value) -> bool:
    return value.op in _ARITHMETIC and not value.pinned and not value.still and value.piece >= 0


def _ending(value: Value, users: dict[Value, list[Value]]) -> set[Value]:
    """What a value is made of, with what else is computed for it alone, and nothing behind it uses."""
    found: set[Value] = set()
    todo = [one for one in value.args if one.op not in ("arg", "const")]
    while todo:
        one = todo.pop()
        if _moves(one) and len(users[one]) == 1:
            todo += [more for more in one.args if more.op not in ("arg", "const")]
        elif all(user.piece <= value.piece for user in users[one]):
            found.add(one)
    return found
