"""A kernel's body as pieces: what each thread does by itself, barriers, and the control that all threads share."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.meetings import Meeting, means_all, meetings_in
from gpuopt_driver.emulator.fission.names import Names, Variable, assignment_at, make_variable
from gpuopt_driver.emulator.fission.strides import Stride, stride_of
from gpuopt_driver.emulator.fission.tree import (
    BARRIER,
    BASIC,
    MEETINGS,
    OF_BLOCK,
    STEP,
    Declined,
    Statement,
    declaration,
    free_jumps,
    holds_barrier,
)
from gpuopt_driver.emulator.lexer import Tokens

_KEPT = frozenset({b"using", b"typedef", b"static_assert"})
_REFUSED = frozenset(
    {b"auto", b"const", b"static", b"struct", b"class", b"union", b"enum", b"namespace", b"template", b"asm"} | BASIC
)


@dataclass(eq=False, slots=True)
class Piece:
    """Tokens [start, end) on the level of barriers.

    `kind`: "run" (threads by themselves), "offer" (what others take behind the barrier that follows), "declare" (one
    variable), "assign" (to a variable, all threads together), "keep" (no code), "barrier", "jump" (break, continue),
    "control" (`inner`: the pieces of its parts; before them, if it is `polled`, what its head begins with, its "poll",
    which asks each thread, and what counts it; such control is `masked` where threads of one warp meet in it alone, so
    that some warps may go through it and others not), "poll".
    """

    kind: str
    start: int
    end: int
    variable: Variable | None = None
    statement: Statement | None = None
    inner: list[list[Piece]] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)  # that an offer, or a barrier, is for
    stride: Stride | None = None  # the loop that it is, if threads go through it together as far as all of them go
    polled: bool = False  # control whose condition each thread is asked for: they may part there
    masked: bool = False
    heads: list[Variable] = field(default_factory=list)  # what the head of control declares that is not polled
    region: int = -1  # of those that threads run by themselves: pieces with equal numbers share a loop


@dataclass(slots=True)
class Shape:
    """All pieces of a kernel. `controls` are the ranges on which all threads must agree, and `loop_variables` what
    loops count, with the tokens at which the statements begin."""

    pieces: list[Piece]
    names: Names
    variables: list[Variable]
    controls: dict[tuple[int, int], int]
    loop_variables: dict[Variable, list[int]]
    meetings: list[Meeting]


class Shaper:
    """Reads one kernel's body."""

    def __init__(
        self,
        tokens: Tokens,
        names: Names,
        shared: frozenset[int] = frozenset(),
        polled: frozenset[int] = frozenset(),
        *,
        strides: bool = False,
    ) -> None:
        self.tokens = tokens
        self.masks: list[Statement] = []  # masked control that is being read, the innermost last
        self.polled = polled  # where statements begin whose conditions threads are asked for one by one
        self.shared = shared  # where statements begin that all threads go through together, though without barriers
        self.strides = strides
        self.names = names
        self.variables: list[Variable] = []
        self.controls: dict[tuple[int, int], int] = {}
        self.loop_variables: dict[Variable, list[int]] = {}
        self.meetings: list[Meeting] = []

    def pieces(self, items: list[Statement], *, in_loop: bool) -> list[Piece]:
        """The pieces of a list of statements, in a scope of its own."""
        self.names.scopes.append({})
        found: list[Piece] = []
        for item in items:
            found += self._of(item, in_loop=in_loop)
        self.names.scopes.pop()
        return found

    def _of(self, item: Statement, *, in_loop: bool) -> list[Piece]:
        barrier = holds_barrier(self.tokens, item) or item.start in self.shared
        if item.kind in ("break", "continue"):
            if not in_loop:
                raise Declined("a jump")
            return [Piece("jump", item.start, item.end)]
        if item.kind in ("case", "default", "goto", "try"):
            raise Declined(f"'{item.kind}'")
        if item.kind == "simple":
            return self._simple(item, barrier=barrier)
        if barrier or (in_loop and free_jumps(item)):
            return [self._control(item, in_loop=in_loop)]
        self.names.statement(item)
        stride = stride_of(self.tokens, item, self.names) if self.strides and not self.masks else None
        return [Piece("run", item.start, item.end, stride=stride)]

    def _simple(self, item: Statement, *, barrier: bool) -> list[Piece]:
        tokens, start, end = self.tokens, item.start, item.end
        if barrier:
            if tokens.original[start:end] == (BARRIER, b"(", b")", b";"):
                return [Piece("barrier", start, end)]
            if tokens.at(start) in (b"__syncwarp", STEP) and tokens.match[start + 1] == end - 2:
                return [Piece("barrier", start, end)]
            return self._meeting(item)
        if tokens.at(start) in _KEPT:
            self.names.read(start, end)
            return [Piece("keep", start, end)]
        found = declaration(tokens, start, end - 1)
        if found is not None:
            return self._declared(start, end)
        if tokens.at(start) in _REFUSED or tokens.at(end - 1) != b";":
            raise Declined("a declaration that cannot be read")
        target = self._target(start, end - 1)
        if target is not None:
            return [Piece("assign", start, end, target)]
        self.names.read(start, end)
        return [Piece("run", start, end)]

    def _meeting(self, item: Statement) -> list[Piece]:
        """A statement with votes or shuffles, which every thread comes to."""
        found = meetings_in(self.tokens, item.start, item.end, len(self.meetings))
        self.meetings += found
        pieces = [Piece("offer", *one.offered, meetings=[one]) for one in found]
        for one in found:
            self.names.read(*one.offered)
            if not one.is_vote and not one.is_reduction and self._offered(one) is None:
                raise Declined("what is shuffled is not a variable")
        pieces.append(Piece("barrier", item.start, item.start, meetings=found))
        return pieces + self._simple(item, barrier=False)

    def _offered(self, meeting: Meeting) -> Variable | None:
        """The variable that a shuffle is about."""
        start, end = meeting.offered
        variable = self.names.of.get(start) if end == start + 1 else None
        plain = variable is not None and not (variable.array or variable.reference or variable.shared)
        return variable if plain else None

    def _declared(self, start: int, end: int) -> list[Piece]:
        tokens = self.tokens
        found = declaration(tokens, start, end - 1)
        assert found is not None
        self.names.read(*found.base)
        words = tokens.original[found.base[0] : found.base[1]]
        result: list[Piece] = []
        for one in found.declarators:
            variable = make_variable(tokens, found, one)
            if b"static" in words and not variable.shared and not variable.constant:
                raise Declined("a static variable")
            self.names.read(*one.bounds)
            self.names.read(*one.init)
            self._bind(variable)
            self.names.scopes[-1][variable.name] = variable
            self.variables.append(variable)
            result.append(Piece("declare", start, end, variable))
        shared = b"__shared__" in words
        return [Piece("keep", start, end)] if shared else result

    def _bind(self, variable: Variable) -> None:
        """What a reference is bound to may change through it."""
        if not variable.reference:
            return
        for index in range(*variable.init):
            other = self.names.of.get(index)
            if other is not None and not other.shared and (not other.pointer or variable.pointer):
                other.wild = other.escapes = True

    def _target(self, start: int, end: int) -> Variable | None:
        """The variable that the statement [start, end) sets as a whole, noted; None where it does something else."""
        tokens = self.tokens
        prefix = assignment_at(tokens, start) and tokens.at(start) in (b"+", b"-")
        name = start + 2 if prefix else start
        operator = -1 if prefix else name + 1
        variable = self.names.find(tokens.at(name)) if tokens.is_word(name) else None
        if variable is None or variable.array or variable.shared or variable.reference:
            return None
        if (end != name + 1) if prefix else not assignment_at(tokens, operator):
            return None
        value = end if prefix else operator + 1 + (not tokens.at(operator).endswith(b"="))
        if any(assignment_at(tokens, at) for at in range(value, end)):
            return None
        self.names.read(start, end, assigns=name)
        variable.assigned.append((value, end))
        if self.masks:  # only some threads set it
            declared = variable.declarator.name if variable.declarator else -1
            variable.wild = variable.wild or not self.masks[-1].start <= declared < self.masks[-1].end
        return variable

    def _control(self, item: Statement, *, in_loop: bool) -> Piece:
        if item.kind not in ("{", "for", "while", "do", "if"):
            raise Declined(f"a barrier in '{item.kind}'")
        masked = item.start in self.polled and self._of_warps(item)
        if masked:
            self.masks.append(item)
        self.names.scopes.append({})
        begin: list[Piece] = []
        step: list[Piece] = []
        condition = (item.start, item.start)
        if item.kind == "for":
            begin, condition, step = self._for_head(item)
        elif item.head >= 0:
            condition = self._condition(item)
        loop = item.kind in ("for", "while", "do")
        inner = [
            self.pieces(list(part.parts) if part.kind == "{" else [part], in_loop=in_loop or loop)
            for part in ([item] if item.kind == "{" else item.parts)
        ]
        self.names.scopes.pop()
        if masked:
            self.masks.pop()
        if item.start in self.polled:
            poll = [Piece("poll", *condition)] if condition[0] < condition[1] else []
            parts = [begin, poll, step, *inner]
            return Piece("control", item.start, item.end, statement=item, inner=parts, polled=True, masked=masked)
        self.controls[condition] = item.start
        for piece in (*begin, *step):
            assert piece.variable
            self.loop_variables.setdefault(piece.variable, []).append(item.start)
        heads = [piece.variable for piece in begin if piece.kind == "declare" and piece.variable]
        return Piece("control", item.start, item.end, statement=item, inner=inner, heads=heads)

    def _of_warps(self, item: Statement) -> bool:
        """Whether threads meet those of their warps alone in a statement, which no jump leaves."""
        words = self.tokens.original[item.start : item.end]
        if item.kind not in ("if", "for", "while", "do") or not OF_BLOCK.isdisjoint(words) or b"return" in words:
            return False
        return not any(map(free_jumps, item.parts)) and not (item.kind == "for" and self._endless(item))

    def _endless(self, item: Statement) -> bool:
        """Whether a `for` has no condition, or is one over a range."""
        stops = [at for at in range(item.head, self.tokens.match[item.head]) if self.tokens.at(at) == b";"]
        return len(stops) != 2 or stops[0] + 1 == stops[1]

    def _condition(self, item: Statement) -> tuple[int, int]:
        """What an `if`, a `while` or a `do` asks."""
        tokens, opened, close = self.tokens, item.head, self.tokens.match[item.head]
        if not MEETINGS.isdisjoint(tokens.original[opened:close]):
            raise Declined("a condition that all threads meet in")
        if any(assignment_at(tokens, at) or tokens.at(at) == b";" for at in range(opened, close)):
            raise Declined("a condition that changes something")
        if item.kind != "do" and declaration(tokens, opened + 1, close) is not None:
            raise Declined("a condition that declares something")
        self.names.read(opened + 1, close)
        return opened + 1, close

    def _for_head(self, item: Statement) -> tuple[list[Piece], tuple[int, int], list[Piece]]:
        """What a loop begins with, its condition, and what counts it."""
        tokens = self.tokens
        opened, close = item.head, tokens.match[item.head]
        stops = [at for at in range(opened + 1, close) if tokens.at(at) == b";"]
        if len(stops) != 2:
            raise Declined("a loop over a range")
        first, second = stops
        if not MEETINGS.isdisjoint(tokens.original[opened:close]):
            raise Declined("a condition that all threads meet in")
        if declaration(tokens, opened + 1, first) is not None:
            begin = self._declared(opened + 1, first + 1)
        else:
            begin = self._assignments(opened + 1, first)
        if any(assignment_at(tokens, at) for at in range(first, second)):
            raise Declined("a condition that changes something")
        self.names.read(first + 1, second)
        return begin, (first + 1, second), self._assignments(second + 1, close)

    def _assignments(self, start: int, end: int) -> list[Piece]:
        """Assignments with commas between them."""
        found: list[Piece] = []
        at = start
        while at < end:
            stop = at
            while stop < end and self.tokens.at(stop) != b",":
                stop = max(self.tokens.match[stop], stop) + 1
            target = self._target(at, stop)
            if target is None:
                raise Declined("a loop's head that does more than count")
            found.append(Piece("assign", at, stop, target))
            at = stop + 1
        return found


def shape_of(
    tokens: Tokens,
    names: Names,
    items: list[Statement],
    shared: frozenset[int] = frozenset(),
    polled: frozenset[int] = frozenset(),
    *,
    strides: bool = False,
) -> Shape:
    """The pieces of the kernel of these statements; its parameters are in scope. Raises Declined.

    `shared`: where statements begin that are control though they hold no barrier; `polled`: where control begins that
    threads may part at. `strides`: loops may be strides.
    """
    shaper = Shaper(tokens, names, shared, polled, strides=strides)
    pieces = shaper.pieces(items, in_loop=False)
    named = [names.of.get(one.mask) for one in shaper.meetings if one.mask >= 0]
    if not all(means_all(tokens, names, one) for one in named):
        raise Declined("a warp operation that may be for some lanes only")
    return Shape(pieces, names, shaper.variables, shaper.controls, shaper.loop_variables, shaper.meetings)
