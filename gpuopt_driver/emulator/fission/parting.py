"""Control on which threads need not agree: each thread is asked, and where they part, fibers go on from there.

As long as all give the same answer, threads are run in loops as they are at control on which they must agree. Where
they part, every thread goes on by itself, on a fiber, with its variables as they are and with the answer that it gave:
what follows are the kernel's own statements, so barriers count threads as ever. Around the statement at which threads
part, each loop makes the rest of its turn first:

    for (;;) {first; while (asked) body; last;} behind;

goes on as

    {bool f = true; for (;;) if (f) {f = false; while (answer, then asked) body; last;} else {first; ...}} behind;
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import Variable, is_constexpr
from gpuopt_driver.emulator.fission.shape import Piece
from gpuopt_driver.emulator.fission.tree import Declined, Statement

if TYPE_CHECKING:
    from gpuopt_driver.emulator.fission.text import Writer

CLOSING_OF_REST = b"gpuopt_emu_closing"  # stands for what the dialect has behind a lambda's parameters
MOST = 4  # such statements in a kernel: each is followed by a copy of what comes behind it


@dataclass(slots=True)
class Level:
    """A list of pieces while it is written: part `branch` of the control `owner`, or the whole kernel. `at` is where
    the writer is."""

    pieces: list[Piece]
    owner: Piece | None
    branch: int
    at: int = 0

    @property
    def here(self) -> Statement:
        """The control that is being written."""
        found = self.pieces[self.at].statement
        assert found
        return found

    @property
    def end(self) -> int:
        """The token behind the list's statements."""
        item = self.owner.statement if self.owner else None
        if item is None:
            return self.pieces[-1].end
        part = item if item.kind == "{" else item.parts[self.branch]
        return part.end - 1 if part.kind == "{" else part.end

    def variables(self) -> Iterator[Variable]:
        """Those of the list that are in scope, and those of its owner's head."""
        for piece in (*_heads(self.owner), *self.pieces[: self.at]):
            if piece.kind == "declare" and piece.variable:
                yield piece.variable


def _heads(control: Piece | None) -> list[Piece]:
    """The declarations in the head of a loop."""
    if control is None:
        return []
    if control.polled:
        return [piece for piece in control.inner[0] if piece.kind == "declare"]
    return [Piece("declare", control.start, control.start, v) for v in control.heads]


def answers(control: Piece) -> bytes:
    """What keeps what each thread has answered. Of masked control: 1 if it goes there, 0 if not, 2 if not asked."""
    return b"gpuopt_m%d" % control.start if control.masked else b"gpuopt_a"


class Parting:
    """Writes such control for a `Writer`."""

    def __init__(self, writer: Writer, source: Callable[[int, int], bytes]) -> None:
        self.writer = writer
        self.source = source  # the kernel's own text of tokens, as on fibers
        self.tokens = writer.tokens
        self.plan = writer.plan
        scopes = self.plan.shape.names.scopes
        self.parameters = [v for _, v in sorted(scopes[0].items()) if v and v.mentions] if scopes else []

    def control(self, piece: Piece) -> bytes:
        """Control whose threads are asked."""
        item, write = piece.statement, self.writer.listed
        assert item
        begin, poll, step, *parts = piece.inner
        bodies = [b"{" + write(part, piece, number) + b"}" for number, part in enumerate(parts)]
        asked = self._asked(piece, poll[0]) if poll else b""
        if item.kind == "if":
            return b"{" + asked + b"if(gpuopt_yes)" + b"else".join(bodies) + b"}"
        turn = b"{" + asked + b"if(!gpuopt_yes)break;}" if poll else b""
        if item.kind == "do":
            turn = b"if(gpuopt_f)" + turn
        elif step:
            turn = b"if(gpuopt_f){" + write(step, piece, 0) + b"}" + turn
        text = b"for(bool gpuopt_f=false;;gpuopt_f=true){(void)gpuopt_f;" + turn + bodies[0] + b"}"
        return b"{" + write(begin, piece, 0) + text + b"}"

    def _asked(self, piece: Piece, poll: Piece) -> bytes:
        """Ask all threads; `gpuopt_yes` of them say yes. If some do and some do not, the block ends elsewhere."""
        condition = self.writer.as_it_is(poll)
        body = b"const bool gpuopt_c=(" + condition + b")?true:false;"
        body += b"gpuopt_a.put(gpuopt_i,gpuopt_c);gpuopt_yes+=gpuopt_c;"
        text = b"::gpuopt_emu::Spread<bool>gpuopt_a(gpuopt_block);unsigned gpuopt_yes=0;"
        text += self.writer.over_threads(poll, body)
        live = b"gpuopt_gone.left" if self.writer.returns else b"gpuopt_block->threads"
        return text + b"if(gpuopt_yes&&gpuopt_yes!=" + live + b"){" + self.apart(piece) + b"}"

    def apart(self, piece: Piece) -> bytes:
        """All threads go on by themselves from the control `piece` on, and the function for the block returns."""
        levels = self.writer.levels
        self._check(piece)
        text = self._bound(_heads(piece)) + self._own(piece)
        for level in reversed(levels):
            text += self.source(level.here.end, level.end)
            text = b"{" + self._bound(level.pieces[: level.at]) + text + b"}"
            if level.owner:
                text = b"{" + self._bound(_heads(level.owner)) + self._turns(level.owner, text) + b"}"
                text = self._if_chosen(level.owner, level.branch) + text
        values = [b"blockIdx", b"blockDim", b"gridDim"]
        start = b"".join(b"const auto %s=gpuopt_o_%s;(void)%s;" % (one, one, one) for one in values)
        start += b"if(gpuopt_gone.get(gpuopt_i))return;" if self.writer.returns else b""
        start += b"".join(self._one(v) for v in self.parameters)
        function = b"[&](const int gpuopt_i,const ::uint3&threadIdx)" + CLOSING_OF_REST
        function += b"{(void)gpuopt_i;(void)threadIdx;" + start + text + b"}"
        before, after = self._carried(piece)
        after += b"auto gpuopt_rest=" + function + b";::gpuopt_emu::go_apart(gpuopt_block,gpuopt_rest);"
        return before + b"{" + after + b"}return;"

    def _carried(self, piece: Piece) -> tuple[bytes, bytes]:
        """Copies of what that function refers to, and those under the names of what they are copies of: what itself has
        an address that others know would be in memory while the loops run."""
        found = {*self.parameters, *(one.variable for one in _heads(piece) if one.variable)}
        found |= {v for level in self.writer.levels for v in level.variables()}
        kept = {b"gpuopt_e_" + v.name for v in found & self.plan.kept} | {answers(piece)}
        kept |= {answers(level.owner) for level in self.writer.levels if level.owner and level.owner.masked}
        kept |= {b"gpuopt_gone"} if self.writer.returns else set()
        before = b"".join(b"const auto gpuopt_o_%s=::gpuopt_emu::kept_in(%s);" % (one, one) for one in sorted(kept))
        for v in sorted((v for v in found if self._same(v)), key=lambda v: v.name):
            how = b"%s gpuopt_o_%s=%s;" if v.constant else b"::gpuopt_emu::Carried<decltype(%s)>gpuopt_o_%s=%s;"
            before += how % (self._constant(v) if v.constant else v.name, v.name, v.name)
        for one in (b"gpuopt_block", b"blockIdx", b"blockDim", b"gridDim"):
            before += b"const auto gpuopt_o_%s=%s;(void)gpuopt_o_%s;" % (one, one, one)
        names = sorted({*kept, b"gpuopt_block"})
        return before, b"".join(b"auto&%s=gpuopt_o_%s;(void)%s;" % (one, one, one) for one in names)

    def _same(self, v: Variable) -> bool:
        """Whether all threads have one value of it, which each takes along; arrays stay where they are."""
        plan = self.plan
        return not v.array and v not in plan.kept and (v in plan.together | plan.ahead or v.declared is None)

    def _constant(self, v: Variable) -> bytes:
        return b"constexpr auto" if is_constexpr(self.tokens, v) else b"const auto"

    def _check(self, piece: Piece) -> None:
        """Raises Declined where a name does not mean the same wherever the rest of the kernel may say it."""
        names, shape, tokens = self.plan.shape.names, self.plan.shape, self.tokens
        levels = self.writer.levels
        inner = {v for level in levels[1:] for v in level.variables()}
        inner |= {piece.variable for piece in _heads(piece) if piece.variable}
        around = [b for level in levels[1:] for b in level.pieces[: level.at] if b.kind == "keep"]
        declared = {v.declarator.name: v for v in shape.variables if v.declarator}
        inner |= {v for at, v in declared.items() if any(at in range(b.start, b.end) for b in around)}
        seen = [v.name for v in (*(w for level in levels[:1] for w in level.variables()), *inner)]
        seen += [v.name for v in shape.variables if v.shared and v not in inner]
        seen += names.scopes[0] if names.scopes else []
        called = {v.name for v in inner}
        if any(seen.count(name) > 1 for name in called):
            raise Declined("a variable that hides another one where threads may part")
        for at in range(shape.pieces[0].start, shape.pieces[-1].end):
            if tokens.at(at) in called and tokens.at(at - 1) not in (b".", b"->", b"::"):
                known = at in names.of or at in names.inner or at in declared
                if not known:
                    raise Declined("a variable that hides another name where threads may part")

    def _bound(self, pieces: list[Piece]) -> bytes:
        return b"".join(self._one(p.variable) for p in pieces if p.kind == "declare" and p.variable)

    def _one(self, v: Variable) -> bytes:
        """A variable as its thread goes on with it."""
        if v in self.plan.kept:
            return self.writer.bound(v)
        if v in self.plan.again:
            return self.writer.declared(Piece("declare", 0, 0, v))
        if self._same(v):
            own = self._constant(v) if v.constant else b"::gpuopt_emu::Carried<decltype(gpuopt_o_%s)>" % v.name
            return own + b" %s=gpuopt_o_%s;(void)%s;" % (v.name, v.name, v.name)
        return b""

    def _head(self, item: Statement) -> tuple[bytes, bytes]:
        """What a loop asks, and what counts it."""
        opened, close = item.head, self.tokens.match[item.head]
        if item.kind != "for":
            return b"(" + self.source(opened + 1, close) + b")?true:false", b""
        first, second = (at for at in range(opened + 1, close) if self.tokens.at(at) == b";")
        condition = b"(" + self.source(first + 1, second) + b")?true:false" if first + 1 < second else b"true"
        return condition, self.source(second + 1, close)

    def _if_chosen(self, owner: Piece, branch: int) -> bytes:
        """What keeps threads out of masked control that they have not chosen."""
        return b"if(%s.get(gpuopt_i)==%d)" % (answers(owner), 1 - branch) if owner.masked else b""

    def _own(self, piece: Piece) -> bytes:
        """The statement at which threads part, from their answers on."""
        item = piece.statement
        assert item
        bodies = [b"{" + self.source(part.start, part.end) + b"}" for part in item.parts]
        if item.kind == "if":
            return b"if(%s.get(gpuopt_i)==1)" % answers(piece) + b"else".join(bodies)
        condition, count = self._head(item)
        asked = b"gpuopt_f?(gpuopt_f=false,%s.get(gpuopt_i)==1):(%s)" % (answers(piece), condition)
        return b"{bool gpuopt_f=true;for(;" + asked + b";" + count + b")" + bodies[0] + b"}"

    def _turns(self, owner: Piece, rest: bytes) -> bytes:
        """A loop that begins with the rest of a turn."""
        item = owner.statement
        assert item
        if item.kind in ("{", "if"):
            return rest
        (part,) = item.parts
        condition, count = self._head(item)
        body = b"{if(gpuopt_f){gpuopt_f=false;" + rest + b"}else{" + self.source(part.start, part.end) + b"}}"
        if item.kind == "do":
            return b"bool gpuopt_f=true;do" + body + b"while(" + condition + b");"
        return b"bool gpuopt_f=true;for(;gpuopt_f||(" + condition + b");" + count + b")" + body
