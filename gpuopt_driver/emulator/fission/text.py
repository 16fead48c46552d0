"""The text of a split kernel: a function that runs a whole block, with a loop over its threads for each region."""

from __future__ import annotations

from gpuopt_driver.emulator.builtin_variables import BUILTINS, lambda_body
from gpuopt_driver.emulator.fission import meetings
from gpuopt_driver.emulator.fission.independent import independent
from gpuopt_driver.emulator.fission.masking import Masking
from gpuopt_driver.emulator.fission.meetings import Meeting
from gpuopt_driver.emulator.fission.names import Variable
from gpuopt_driver.emulator.fission.parting import Level, Parting
from gpuopt_driver.emulator.fission.plan import Plan, own_tokens, walk
from gpuopt_driver.emulator.fission.shape import Piece
from gpuopt_driver.emulator.fission.strides import Stride
from gpuopt_driver.emulator.fission.tree import BASIC, Declined
from gpuopt_driver.emulator.lexer import CLOSING, OPENING, Tokens, marker

_LOOP = (
    b"for(int gpuopt_z=0,gpuopt_i=0;gpuopt_z<gpuopt_nz;++gpuopt_z)for(int gpuopt_y=0;gpuopt_y<gpuopt_ny;++gpuopt_y)",
    b"for(int gpuopt_x=0;gpuopt_x<gpuopt_nx;++gpuopt_x,++gpuopt_i){",
)
# The same for those threads alone that have chosen a part of the kernel (fission/masking.py).
_CHOSEN_LOOP = (
    b"for(int gpuopt_z=0;gpuopt_z<gpuopt_nz;++gpuopt_z)for(int gpuopt_y=0;gpuopt_y<gpuopt_ny;++gpuopt_y)",
    b"for(int gpuopt_i=%(c)s.first_in((gpuopt_z*gpuopt_ny+gpuopt_y)*gpuopt_nx),"
    b"gpuopt_x=gpuopt_i-(gpuopt_z*gpuopt_ny+gpuopt_y)*gpuopt_nx,"
    b"gpuopt_d=%(c)s.last_in((gpuopt_z*gpuopt_ny+gpuopt_y)*gpuopt_nx,gpuopt_nx);"
    b"gpuopt_i<gpuopt_d;++gpuopt_x,++gpuopt_i){if(%(m)s.at[gpuopt_i]!=%(w)s)continue;",
)
_THREAD = b"const ::uint3 threadIdx={(unsigned)gpuopt_x,(unsigned)gpuopt_y,(unsigned)gpuopt_z};(void)threadIdx;"
# Of the text for check mode.
_TURN = OPENING + b"::gpuopt_emu::take_turn(gpuopt_i,gpuopt_x,gpuopt_y,gpuopt_z);" + CLOSING
_BLOCK = {b"blockIdx": b"index", b"blockDim": b"size", b"gridDim": b"grid_size"}
_SPECIFIERS = frozenset({b"const", b"static", b"register", b"constexpr", b"inline"})


class Writer:
    """Writes one kernel. `loop` opens a loop over threads, `independent_loop` one whose turns do not depend on each
    other; `keeps` is what keeps a variable of each; `checked`: with what check mode needs, in the text for it."""

    loop = b"".join(_LOOP)
    independent_loop = b"\n#pragma GCC ivdep\n".join(_LOOP)
    keeps = b"::gpuopt_emu::Spread"

    def __init__(self, tokens: Tokens, plan: Plan, *, checked: bool = False) -> None:
        self.tokens = tokens
        self.plan = plan
        self.names = plan.shape.names
        self.offers: dict[int, bytes] = {}  # what is offered at each meeting
        self.levels: list[Level] = []  # the lists of pieces that are being written
        self.taken: dict[int, bytes] = {}  # texts of tokens as they were before meetings were taken apart
        self.parting = Parting(self, self._source)
        self.masking = Masking(self, self.parting)
        self.returns = any(self._returns(piece) for piece in walk(plan.shape.pieces) if piece.kind == "run")
        self.checked = checked

    def loop_for(self, *, independently: bool = False) -> bytes:
        """What begins a loop over threads, those alone that are in the present part of the kernel."""
        chosen = self.masking.chosen()
        if chosen is None:
            return self.independent_loop if independently else self.loop
        names = dict(zip((b"c", b"m", b"w"), chosen, strict=True))
        return (b"\n#pragma GCC ivdep\n" if independently else b"").join(one % names for one in _CHOSEN_LOOP)

    def _marker(self, index: int) -> bytes:
        """A line marker for the token at `index`, as of a system's header: warnings have been given before."""
        return marker(self.tokens, index, b" 3")

    def _lambdas(self, start: int, end: int) -> set[int]:
        """Tokens inside of lambdas."""
        inside: set[int] = set()
        for index in range(start, end):
            if self.tokens.at(index) == b"[" and index not in inside:
                body = lambda_body(self.tokens, index)
                if body >= 0:
                    inside.update(range(body, self.tokens.match[body]))
        return inside

    def _returns(self, piece: Piece) -> list[int]:
        """The `return` statements of the kernel in a piece."""
        found = [at for at in range(piece.start, piece.end) if self.tokens.at(at) == b"return"]
        if not found:
            return []
        inside = self._lambdas(piece.start, piece.end)
        found = [at for at in found if at not in inside]
        if any(self.tokens.at(at + 1) != b";" for at in found):
            raise Declined("a return with a value")
        return found

    def sizes(self) -> bytes:
        """What loops over threads need."""
        text = b"const ::dim3 gpuopt_n=gpuopt_block->its_size();"
        return text + b"const int gpuopt_nx=(int)gpuopt_n.x,gpuopt_ny=(int)gpuopt_n.y,gpuopt_nz=(int)gpuopt_n.z;"

    def whole(self) -> bytes:
        """The body of the function; `gpuopt_block` is its block."""
        text = self.sizes()
        for name, value in _BLOCK.items():
            text += b"const %s %s=gpuopt_block->its_%s();(void)%s;" % (BUILTINS[name][0], name, value, name)
        if self.returns and self.plan.shape.meetings:
            raise Declined("votes or shuffles, and threads that may have left before")
        if self.returns:
            text += b"::gpuopt_emu::Gone gpuopt_gone(gpuopt_block);"
        for one in self.plan.shape.meetings:
            kind = b"bool" if one.is_vote else self._type_offered(one)
            text += b"::gpuopt_emu::Spread<%s>gpuopt_v%d(gpuopt_block);" % (kind, one.number)
        parameters = [v for v in self.plan.kept if v.declared is None]
        for v in sorted(parameters, key=lambda item: item.name):
            text += self.keeps + b"<::gpuopt_emu::Plain<decltype(%s)>>gpuopt_e_%s(gpuopt_block);" % (v.name, v.name)
            text += self.loop + b"gpuopt_e_%s.at[gpuopt_i]=%s;}" % (v.name, v.name)
        for one in self.plan.shape.meetings:
            self.offers[one.number] = self._marker(one.offered[0]) + self.tokens.join(*one.offered)
        self.taken = meetings.take(self.tokens, self.plan.shape.meetings)
        text += self.listed(self.plan.shape.pieces)
        meetings.give_back(self.tokens, self.taken)
        return text

    def _source(self, start: int, end: int) -> bytes:
        """The kernel's own text."""
        meetings.give_back(self.tokens, self.taken)
        text = self._marker(start) + self.tokens.join(start, end) if start < end else b""
        meetings.take(self.tokens, self.plan.shape.meetings)
        return text

    def listed(self, pieces: list[Piece], owner: Piece | None = None, branch: int = 0) -> bytes:
        """A list of pieces, which is part `branch` of the control `owner`."""
        text = b""
        region: list[Piece] = []
        ahead = b""
        level = Level(pieces, owner, branch)
        self.levels.append(level)
        for level.at, piece in enumerate(pieces):
            if piece.stride is not None:
                text += ahead + self._region(region) + self._stride(piece, piece.stride)
                region, ahead = [], b""
            elif piece.region >= 0:
                region.append(piece)
                ahead += self._storage(piece)
            elif piece.kind == "keep":
                ahead += self.as_it_is(piece)
            elif piece.kind == "declare" and piece.variable in self.plan.ahead:
                ahead += self.declared(piece)
            else:
                text += ahead + self._region(region) + self._between(piece)
                region, ahead = [], b""
        self.levels.pop()
        return text + ahead + self._region(region)

    def as_it_is(self, piece: Piece) -> bytes:
        """The text of a piece; an assignment in a loop's head becomes a statement."""
        end = b";" if piece.kind == "assign" and self.tokens.at(piece.end - 1) != b";" else b""
        return self._marker(piece.start) + self.tokens.join(piece.start, piece.end) + end

    def _between(self, piece: Piece) -> bytes:
        """A piece that is done once for all threads."""
        if piece.kind == "barrier":
            return self._barrier(piece)
        if piece.kind == "declare":
            return self.declared(piece)
        if piece.kind != "control":
            return self.as_it_is(piece)
        item, tokens = piece.statement, self.tokens
        assert item
        if piece.masked:
            return self.masking.control(piece)
        if piece.polled:
            return self.parting.control(piece)
        inner = [b"{" + self.listed(part, piece, number) + b"}" for number, part in enumerate(piece.inner)]
        if item.kind == "{":
            return inner[0]
        marker = self._marker(item.start)
        head = tokens.join(item.head, tokens.match[item.head] + 1)
        if item.kind == "do":
            return marker + b"do" + inner[0] + b"while" + head + b";"
        text = marker + tokens.join(item.start, tokens.match[item.head] + 1) + inner[0]
        return text + (b"else" + inner[1] if len(inner) > 1 else b"")

    def _barrier(self, piece: Piece) -> bytes:
        if not self.checked:
            return b"".join(map(meetings.between, piece.meetings))
        gone = b",&gpuopt_gone" if self.returns else b""
        return OPENING + self._marker(piece.start) + b"::gpuopt_emu::loops_barrier(gpuopt_block%s);" % gone + CLOSING

    def _range(self, bounds: tuple[int, int]) -> bytes:
        return self.tokens.one_line(*bounds)

    def declared(self, piece: Piece) -> bytes:
        """The declaration of one variable as it was written."""
        v = piece.variable
        assert v is not None
        assert v.declared is not None
        assert v.declarator is not None
        one = v.declarator
        close = {b"(": b")", b"{": b"}"}.get(one.opening, b"")
        text = b" ".join((self._range(v.declared.base), self._range(one.prefix), v.name + self._range(one.bounds)))
        if one.opening:
            text += one.opening + self.tokens.join(*one.init) + close
        return self._marker(one.name) + text + b";"

    def _type(self, v: Variable) -> bytes:
        """The type of a variable that is kept, without const."""
        assert v.declared is not None
        assert v.declarator is not None
        base, prefix = v.declared.base, v.declarator.prefix
        dropped = _SPECIFIERS - {b"const"} if v.pointer else _SPECIFIERS
        words = [self.tokens.text[at] for at in range(*base) if self.tokens.at(at) not in dropped]
        words += [self.tokens.text[at] for at in range(*prefix) if self.tokens.at(at) in (b"*", b"const")]
        while words and words[-1] == b"const" and v.pointer:
            words.pop()
        return b" ".join(words)

    def _type_of(self, v: Variable) -> bytes:
        return self._type(v) if v.declared else b"decltype(%s)" % v.name

    def _type_offered(self, one: Meeting) -> bytes:
        if one.is_reduction:
            return one.joined_type
        return one.given(self.tokens, self._type_of(self.names.of[one.offered[0]]))

    def _in_memory(self, v: Variable) -> bool:
        """Whether a kept variable is used where it is kept: there may be pointers to it."""
        return v.array or v.escapes

    def _storage(self, piece: Piece) -> bytes:
        v = piece.variable
        if piece.kind != "declare" or v is None or v not in self.plan.kept:
            return b""
        assert v.declarator
        bounds = self._range(v.declarator.bounds)
        return self.keeps + b"<%s%s>gpuopt_e_%s(gpuopt_block);" % (self._type(v), bounds, v.name)

    def bound(self, v: Variable) -> bytes:
        """A kept variable under its name, in a loop over threads."""
        if v.declared is None:
            how = b"auto &%s=gpuopt_e_%s.at[gpuopt_i];" if v.escapes else b"auto %s=gpuopt_e_%s.get(gpuopt_i);"
            return how % (v.name, v.name)
        assert v.declarator
        bounds = self._range(v.declarator.bounds)
        if self._in_memory(v):
            name = b"(&%s)%s" % (v.name, bounds) if bounds else b"&" + v.name  # elsewhere compilers warn of parentheses
            return b"%s %s=gpuopt_e_%s.at[gpuopt_i];" % (self._type(v), name, v.name)
        qualifier = b" const " if v.constant else b" "
        return b"%s%s%s=gpuopt_e_%s.get(gpuopt_i);" % (self._type(v), qualifier, v.name, v.name)

    def _first(self, piece: Piece, v: Variable) -> bytes:
        """The declaration of a kept variable in its region."""
        if not self._in_memory(v):
            return self.declared(piece)
        assert v.declarator
        text = self.bound(v)
        if v.declarator.opening:
            bounds, init = self._range(v.declarator.bounds), self.tokens.join(*v.declarator.init)
            text += b"{%s gpuopt_t%s=%s;" % (self._type(v), bounds, init)
            text += b"__builtin_memcpy(&%s,&gpuopt_t,sizeof gpuopt_t);}" % v.name
        return self._marker(v.declarator.name) + text

    def _run(self, piece: Piece, number: int) -> bytes:
        """A statement in a loop over threads: one that returns goes to the loop's end."""
        tokens = self.tokens
        returns = self._returns(piece)
        for at in returns:
            tokens.text[at] = b"{gpuopt_gone.set(gpuopt_i);goto gpuopt_next%d" % number
            tokens.text[at + 1] = b";}"
        text = self.as_it_is(piece)
        for at in returns:
            tokens.text[at], tokens.text[at + 1] = b"return", b";"
        return text

    def _offer(self, piece: Piece) -> bytes:
        (one,) = piece.meetings
        value = b"((int)(%s)!=0);" if one.is_vote else b"%s;"
        if one.is_reduction:  # what is joined is of the type that the join says
            value = b"::gpuopt_emu::Exactly<" + self._type_offered(one) + b">(%s).value;"
        return b"gpuopt_v%d.at[gpuopt_i]=" % one.number + value % self.offers[one.number]

    def over_threads(self, piece: Piece, body: bytes) -> bytes:
        """A loop in which each thread does what `body` says, for the tokens of the piece."""
        mentioned = self.names.within(range(piece.start, piece.end))
        loop = self.loop_for(independently=independent(self.tokens, [piece]))
        return loop + self._turn(mentioned, set(), range(piece.start, piece.end), body) + b"}"

    def _region(self, pieces: list[Piece]) -> bytes:
        """A loop over the block's threads."""
        plan = self.plan
        number = pieces[0].region if pieces else -1
        mentioned = self.names.within([at for piece in pieces for at in own_tokens(piece)])
        declared = {piece.variable for piece in pieces if piece.kind == "declare" and piece.variable}
        body = b""
        for piece in pieces:
            v = piece.variable
            if piece.kind == "offer":
                body += self._offer(piece)
            elif piece.kind != "declare" or v is None:
                body += self._run(piece, number)
            elif v not in plan.again:
                body += self._first(piece, v) if v in plan.kept else self.declared(piece)
        if not body:
            return b""
        at = range(min(p.start for p in pieces), max(p.end for p in pieces))
        loop = self.loop_for(independently=independent(self.tokens, pieces))
        text = loop + self._turn(mentioned, declared, at, body)
        if b"goto gpuopt_next" in body:
            return text + b"gpuopt_next%d:;}if(gpuopt_gone.all())return;" % number
        return text + b"}"

    def _turn(self, mentioned: set[Variable], declared: set[Variable], at: range, body: bytes) -> bytes:
        """What one thread does, for the tokens `at`: `body` between the declarations of what it needs, and storing."""
        plan = self.plan
        again: set[Variable] = set()
        waiting = mentioned & plan.again
        while waiting:
            v = waiting.pop()
            again.add(v)
            waiting |= self.names.within(range(*v.init)) & plan.again - again
        start = b"".join(self.bound(v) for v in sorted(mentioned & plan.kept - declared, key=_order))
        for v in sorted(again, key=_order):
            start += self.declared(Piece("declare", 0, 0, v))
        end = b""
        for v in sorted((mentioned | declared) & plan.kept, key=_order):
            if not self._in_memory(v) and (v in declared or any(change in at for change in v.changes)):
                end += b"gpuopt_e_%s.put(gpuopt_i,%s);" % (v.name, v.name)
        skip = b"if(gpuopt_gone.get(gpuopt_i))continue;" if self.returns else b""
        skip += _TURN if self.checked else b""
        return skip + _THREAD + b"{" + start + body + end + b"}"

    def _stride(self, piece: Piece, stride: Stride) -> bytes:
        """Loops over the block's threads for the turns that all of them make, and one for what is left of each."""
        base, condition, name = self._range(stride.base), self._range(stride.condition), stride.name
        own = b"gpuopt_s%d" % piece.region
        body = b"{" + self._marker(stride.body[0]) + self.tokens.join(*stride.body) + b"}"
        independently = independent(self.tokens, [Piece("run", *stride.body)])
        loop = self.independent_loop if independently else self.loop

        def turns(start: int, end: int, text: bytes) -> bytes:
            mentioned = self.names.within(range(start, end))
            return self._turn(mentioned, set(), range(start, end), text) + b"}"

        def holds(value: bytes) -> bytes:
            return b"{const %s %s=%s;if(!(%s))break;}" % (base, name, value, condition)

        begins = own + b".put(gpuopt_i,(%s)(%s));" % (base, self._range(stride.init))
        text = b"{::gpuopt_emu::Spread<%s>%s(gpuopt_block);" % (base, own)
        text += self.loop + turns(*stride.init, begins)
        text += b"if(const %s gpuopt_d=::gpuopt_emu::in_a_row(%s.at,gpuopt_block->threads)){" % (base, own)
        text += b"%s gpuopt_f=%s.at[0],gpuopt_l;for(;;gpuopt_f+=%s){" % (base, own, self._range(stride.step))
        text += b"if(__builtin_mul_overflow(gpuopt_d,gpuopt_block->threads-1,&gpuopt_l)"
        text += b"||__builtin_add_overflow(gpuopt_f,gpuopt_l,&gpuopt_l))break;"
        text += holds(b"gpuopt_f") + holds(b"gpuopt_l")
        for apart in (b"if(gpuopt_d==1){", b""), (b"}else{", b"gpuopt_d*"):  # neighbours' elements: vectors
            together = b"{const %s %s=gpuopt_f+%s(%s)gpuopt_i;" % (base, name, apart[1], base) + body + b"}"
            text += apart[0] + loop + turns(*stride.body, together)
        text += b"}}"
        text += self.loop + own + b".put(gpuopt_i,gpuopt_f+gpuopt_d*(%s)gpuopt_i);}}" % base
        left = b"%s=%s.get(gpuopt_i);for(;%s;%s)" % (name, own, condition, self._range(stride.advance)) + body
        left = left if stride.outer else b"{" + base + b" " + left + b"}"
        return text + self.loop + turns(piece.start, piece.end, left) + b"}"


class Strided(Writer):
    """A kernel that never waits, whose sums of a block's start and threadIdx have been named (guards.py)."""

    def sizes(self) -> bytes:
        """The same, and such sums, which may be of any size."""
        return b"const ::gpuopt_emu::AnySums gpuopt_emu_at={};(void)gpuopt_emu_at;" + super().sizes()


def _order(variable: Variable) -> tuple[int, bytes]:
    return (variable.declarator.name if variable.declarator else -1, variable.name)


def storable(tokens: Tokens, plan: Plan) -> list[bytes]:
    """The types, beyond the language's own, that must be plain bytes for variables to be kept."""
    found: set[bytes] = set()
    offered = [one for one in plan.shape.meetings if not one.is_vote]
    found |= {one.joined_type for one in offered if one.is_reduction}
    shuffled = {plan.shape.names.of[one.offered[0]] for one in offered if not one.is_reduction}
    for v in plan.kept | shuffled:
        if v.declared is None:
            found.add(b"decltype(%s)" % v.name)
            continue
        words = tokens.original[v.declared.base[0] : v.declared.base[1]]
        if v.pointer or BASIC.issuperset(set(words) - _SPECIFIERS):
            continue
        found.add(Writer(tokens, plan)._type(v))
    return sorted(found)
