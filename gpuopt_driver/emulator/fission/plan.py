"""Which variables all threads share, which are computed anew in each part of a kernel, which are kept per thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.meetings import OF_WARPS
from gpuopt_driver.emulator.fission.names import Variable, assignment_at, is_constexpr, operand_end
from gpuopt_driver.emulator.fission.shape import Piece, Shape
from gpuopt_driver.emulator.fission.tree import BASIC, Declined
from gpuopt_driver.emulator.lexer import Tokens

_OWN = OF_WARPS | {b"threadIdx", b"clock", b"clock64"}  # what differs between threads
_PURE_CALLS = frozenset({b"min", b"max", b"abs", b"sizeof", b"static_cast", b"dim3"}) | BASIC
_CONSTANT_DIVISORS = frozenset(BUILTINS) | {b"sizeof", b"warpSize"}


class Parted(Declined):
    """Threads need not agree on what the control depends on that begins at the tokens `starts`."""

    def __init__(self, starts: frozenset[int]) -> None:
        super().__init__("threads need not agree on what a barrier depends on")
        self.starts = starts


@dataclass(slots=True)
class Plan:
    """What is done with each variable of a kernel that is not simply a local one of one part."""

    shape: Shape
    together: set[Variable] = field(default_factory=set)  # one for all threads, set between the loops over them
    ahead: set[Variable] = field(default_factory=set)  # the same, and set before the loop that they are declared in
    again: set[Variable] = field(default_factory=set)  # computed anew in each loop
    kept: set[Variable] = field(default_factory=set)  # one per thread, in memory
    regions: int = 0


def walk(pieces: list[Piece]) -> Iterator[Piece]:
    """All pieces, those in control included, in the order of the source."""
    for piece in pieces:
        yield piece
        for inner in piece.inner:
            yield from walk(inner)


def own_tokens(piece: Piece) -> Iterator[int]:
    """Those of the one variable that the piece declares; of another piece, all."""
    variable = piece.variable
    if piece.kind != "declare" or variable is None:
        yield from range(piece.start, piece.end)
        return
    assert variable.declared is not None
    one = variable.declarator
    assert one is not None
    yield from range(*variable.declared.base)
    yield from range(one.prefix[0], max(one.init[1], one.bounds[1], one.name + 1))


class Planner:
    """Decides on one kernel's variables; `memory` are names of variables outside of functions that may change, `acting`
    those of functions that each thread must call."""

    def __init__(
        self, tokens: Tokens, shape: Shape, parameters: list[Variable], memory: set[bytes], acting: set[bytes]
    ) -> None:
        self.own = _OWN | acting
        self.tokens = tokens
        self.shape = shape
        self.parameters = parameters
        self.memory = memory
        self.of = shape.names.of
        self.varying: set[Variable] = set()
        # What goes into a vote of the block: its outcome is the same for all.
        self.voted = {at for one in shape.meetings if one.of_block for at in range(*one.offered)}

    def mentioned(self, start: int, end: int) -> set[Variable]:
        """The variables on which the value of [start, end) depends."""
        return self.shape.names.within([index for index in range(start, end) if index not in self.voted])

    def values(self, variable: Variable) -> Iterator[tuple[int, int]]:
        """What it is set to, as token ranges."""
        yield variable.init
        yield from variable.assigned

    def agreed(self, start: int, end: int) -> bool:
        """Whether all threads find the same value, in a program without races."""
        words = {self.tokens.at(index) for index in range(start, end) if index not in self.voted}
        return not self.own & words and not self.mentioned(start, end) & self.varying

    def find_varying(self) -> None:
        """Find the variables on which threads need not agree."""
        everything = [*self.parameters, *self.shape.variables]
        self.varying = {
            v
            for v in everything
            if not v.shared and (v.wild or v.reference or (not v.constant and (v.escapes or v.array)))
        }
        while True:
            more = {
                v
                for v in everything
                if v not in self.varying and not v.shared and not all(self.agreed(*value) for value in self.values(v))
            }
            if not more:
                return
            self.varying |= more

    def pure(self, start: int, end: int, *, place: bool = False) -> bool:
        """Whether [start, end) may be computed at any time and again; `place`: it is something to assign to."""
        tokens = self.tokens
        for index in range(start, end):
            text = tokens.at(index)
            if place and (self._is_shared(start, index) or (text == b"[" and self._whole(start, index, end))):
                continue
            if self.may_access(start, index) or text in (b"clock", b"clock64") or assignment_at(tokens, index):
                return False
            if text == b"&" and not operand_end(tokens, index - 1):
                return False
            if text in (b"/", b"%") and not self._harmless_divisor(index + 1):
                return False
        return True

    def _is_shared(self, start: int, index: int) -> bool:
        variable = self.of.get(index)
        return index == start and variable is not None and variable.shared

    def may_access(self, start: int, index: int) -> bool:
        """Whether the token at `index` of the expression from `start` on may be an access to memory, or a call that is.

        The name of a shared array is an address, that of another shared variable stands for its value.
        """
        tokens, text, variable = self.tokens, self.tokens.at(index), self.of.get(index)
        if text in (b"[", b"{", b"->") or text in self.memory or (variable and variable.shared and not variable.array):
            return True
        if text == b"*":
            return not operand_end(tokens, index - 1)
        if text != b"(" or index == start:
            return False
        called = tokens.at(index - 1)
        if called == b">":
            return b"static_cast" not in tokens.original[start:index]
        return tokens.is_word(index - 1) and called not in _PURE_CALLS

    def _whole(self, start: int, index: int, end: int) -> bool:
        """Whether the bracket at `index` takes an element of the array at `start`, or an element of that."""
        at = start + 1
        variable = self.of.get(start)
        if variable is None or not (variable.shared or (variable.pointer and not variable.changed)):
            return False
        while self.tokens.at(at) == b"[" and at < end:
            if at == index:
                return True
            at = self.tokens.match[at] + 1
        return False

    def _harmless_divisor(self, index: int) -> bool:
        text = self.tokens.at(index)
        if text[:1].isdigit():
            return text.strip(b"0uUlLxX.fF") != b""
        return text in _CONSTANT_DIVISORS or (self.tokens.is_word(index) and index not in self.of)

    def _ahead(self) -> set[Variable]:
        """Those that may be set before the loop that they are declared in."""
        found: set[Variable] = set()
        free = {v for v in self.parameters if not v.changed} | {v for v in self.shape.variables if v.shared}
        for v in self.shape.variables:  # in the order of the source
            if v.shared or v in self.varying or v.changed or v in self.shape.loop_variables or not v.declarator:
                continue
            start, end = v.init
            listed = v.array and v.declarator.opening == b"=" and self.tokens.at(start) == b"{"
            pure = self.pure(start + listed, end - listed)
            if start < end and pure and self.mentioned(start, end) <= found | free:
                found.add(v)
        return found

    def _number(self, pieces: list[Piece], together: set[Variable], ahead: set[Variable], number: int = 0) -> int:
        """Give regions their numbers, from `number` + 1 on; the last one."""
        running = False
        for piece in pieces:
            piece.region = -1
            if piece.kind == "keep" or (piece.kind == "declare" and piece.variable in ahead):
                continue
            if piece.stride is not None or piece.kind == "poll":
                number += 1
                piece.region, running = number, False
                continue
            if piece.kind in ("run", "offer") or (
                piece.kind in ("declare", "assign") and piece.variable not in together
            ):
                number += not running
                running = True
                piece.region = number
                continue
            running = False
            for inner in piece.inner:
                number = self._number(inner, together, ahead, number)
        return number

    def _where(self) -> dict[int, int]:
        """The region of each token."""
        return {
            index: piece.region for piece in walk(self.shape.pieces) if piece.region >= 0 for index in own_tokens(piece)
        }

    def _crossing(self, variable: Variable, where: dict[int, int]) -> bool:
        declarator = variable.declarator
        at = {where.get(index, -1) for one in self._through(variable) for index in one.mentions}
        at.add(where.get(declarator.name, -1) if declarator else 0)
        return len(at) > 1

    def _through(self, variable: Variable) -> set[Variable]:
        """The variable, and those that may hold its address: it lives as long as they do."""
        found: set[Variable] = set()
        waiting = {variable}
        while waiting:
            one = waiting.pop()
            found.add(one)
            if one.escapes or one.array:
                waiting |= {other for other in self.shape.variables if self._may_hold(other, one)} - found
        return found

    def _may_hold(self, holder: Variable, variable: Variable) -> bool:
        """Whether the address of a variable may be in what another one is set to."""
        if holder.shared or self._is_number(holder):
            return False
        values = [holder.init, *((at, self._statement_end(at)) for at in holder.changes)]
        return any(start <= at < end for start, end in values for at in variable.mentions)

    def _is_number(self, variable: Variable) -> bool:
        """Whether a variable is of a type that holds no addresses."""
        if variable.declared is None or variable.pointer or variable.reference:
            return False
        words = {self.tokens.at(at) for at in range(*variable.declared.base)}
        return words <= BASIC | {b"const", b"constexpr", b"static"}

    def _statement_end(self, at: int) -> int:
        while at < len(self.tokens.original) and self.tokens.at(at) != b";":
            at += 1
        return at

    def _needed(self, start: set[Variable]) -> set[Variable]:
        """Those variables, and those that they are computed from."""
        found: set[Variable] = set()
        waiting = set(start)
        while waiting:
            v = waiting.pop()
            found.add(v)
            for value in self.values(v):
                waiting |= self.mentioned(*value) - found
        return found

    def _strides(self) -> set[Variable]:
        """What those loops ask of that are strides; the others are ordinary ones."""
        asked: set[Variable] = set()
        for piece in walk(self.shape.pieces):
            stride = piece.stride
            if stride is None:
                continue
            ranges = (stride.bound, stride.step)
            needed = {v for one in ranges for v in self.mentioned(*one)}
            fits = all(self.agreed(*one) and self.pure(*one) for one in ranges)
            fits = fits and not any(piece.start <= at < piece.end for v in needed for at in v.changes)
            fits = fits and not any(self.may_access(stride.init[0], at) for at in range(*stride.init))
            outer = stride.outer
            fits = fits and not (outer is not None and (outer.escapes or outer.reference))
            if fits:
                asked |= needed
            else:
                piece.stride = None
        return asked

    def plan(self) -> Plan:
        """Decide; raises Declined, and Parted where it would help to ask each thread."""
        self.find_varying()
        plan = Plan(self.shape, ahead=self._ahead())
        asked = set(self.shape.loop_variables) | self._strides()
        parted = {start for control, start in self.shape.controls.items() if not self.agreed(*control)}
        parted |= {at for v, starts in self.shape.loop_variables.items() if v in self.varying for at in starts}
        if parted:
            raise Parted(frozenset(parted))
        for control in self.shape.controls:
            asked |= self.mentioned(*control)
        local = set(self.shape.variables)
        asked |= {v for v in self.parameters if v.assigned and v not in self.varying}
        asked |= {v for v in local if v not in self.varying and is_constexpr(self.tokens, v)}
        plan.together = (self._needed(asked) & (local | set(self.parameters))) - plan.ahead
        while True:
            plan.regions = self._number(self.shape.pieces, plan.together, plan.ahead)
            where = self._where()
            more = {
                v
                for v in self.shape.variables
                if v not in self.varying and not v.shared and v not in plan.ahead | plan.together
                and self._crossing(v, where)
            }  # fmt: skip
            if not more:
                break
            plan.together |= self._needed(more) & local - plan.ahead
        plan.kept = {v for v in self.parameters if v in self.varying and v.changed}
        free = {v for v in self.parameters if v not in plan.kept and not v.changed} | plan.ahead
        free |= {v for v in self.shape.variables if v.shared}
        for v in self.shape.variables:
            if v not in self.varying or not self._crossing(v, where):
                continue
            start, end = v.init
            pure = start < end and not v.escapes and not v.array and self.pure(start, end, place=v.reference)
            if pure and (v.reference or not v.changed) and self.mentioned(start, end) <= free | plan.again:
                plan.again.add(v)
            else:
                self._check_kept(v)
                plan.kept.add(v)
        return plan

    def _check_kept(self, variable: Variable) -> None:
        assert variable.declarator is not None
        assert variable.declared is not None
        base = self.tokens.original[variable.declared.base[0] : variable.declared.base[1]]
        if variable.reference or b"auto" in base or b"decltype" in base or b"volatile" in base:
            raise Declined(f"'{variable.name.decode()}' lives across a barrier, and its type is not plain")
        if variable.constant and (variable.array or variable.escapes):
            raise Declined(f"the constant '{variable.name.decode()}' lives across a barrier")
        if variable.declarator.opening in (b"{", b"(") and (variable.array or variable.escapes):
            raise Declined(f"'{variable.name.decode()}' lives across a barrier, with an initializer in brackets")
