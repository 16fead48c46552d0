"""Calls of cooperative groups as what they are without them, for kernels that are split at their barriers.

`cg::sync(block)` becomes `__syncthreads()`, `tile.shfl_down(v, 1)` a shuffle of all lanes by the tile's width, a rank a
sum of `threadIdx`; handles are left out. In doubt the kernel is left on fibers, with its groups.
"""

from __future__ import annotations

import re

from gpuopt_driver.emulator.builtin_variables import BUILTINS, lambda_body
from gpuopt_driver.emulator.fission.meetings import OF_ANY
from gpuopt_driver.emulator.fission.tree import REDUCE, TILE, Declined, statements
from gpuopt_driver.emulator.inlining.callees import Range, split_at_commas
from gpuopt_driver.emulator.inlining.draft import Draft, Token, copied, word
from gpuopt_driver.emulator.inlining.groups import DEDUCED, JOINS, Group, GroupNames, Reader
from gpuopt_driver.emulator.lexer import Tokens, lex
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.structure import Function

_RANK = b"(threadIdx.x+blockDim.x*(threadIdx.y+blockDim.y*threadIdx.z))"
_THREADS = b"(blockDim.x*blockDim.y*blockDim.z)"
# Of the block, without arguments.
_OF_BLOCK = {b"sync": b"__syncthreads()", b"thread_rank": _RANK, b"size": _THREADS, b"num_threads": _THREADS}
_DIMENSIONS = {
    b"group_index": b"blockIdx",
    b"thread_index": b"threadIdx",
    b"group_dim": b"blockDim",
    b"dim_threads": b"blockDim",
}
_SHUFFLES = {name.removeprefix(b"__").removesuffix(b"_sync"): name for name in OF_ANY}
_NUMBERS = frozenset({b"size", b"num_threads", b"thread_rank"})
_VOTES = {b"any": b"__any_sync", b"all": b"__all_sync", b"ballot": b"__ballot_sync"}
_BITS = b"::gpuopt_emu::bits_of_tile<%d>"


def without_groups(tokens: Tokens, kernel: Function, names: GroupNames) -> Tokens:
    """The kernel's tokens without groups; raises Declined where it is not told what they are."""
    return _Translator(tokens, kernel, names).whole()


class _Translator:
    """Writes one kernel."""

    def __init__(self, tokens: Tokens, kernel: Function, names: GroupNames) -> None:
        self.tokens = tokens
        self.kernel = kernel
        self.names = names
        end = tokens.match[kernel.body]
        self.reader = Reader(tokens, names, list(statements(tokens, kernel.body + 1, end)), end)
        self.draft = Draft(tokens)
        self.words = re.compile(rb"\b(?:%s)\b" % b"|".join([*names.spaces, *self.reader.handles]))

    def whole(self) -> Tokens:
        """The tokens."""
        tokens, body = self.tokens, self.kernel.body
        words = tokens.original[self.kernel.params :]
        if not self.names.known or not {b"struct", b"class", b"union"}.isdisjoint(words):
            raise Declined("groups beside classes of the kernel's own, or beside other groups")
        for at in range(self.kernel.params, len(tokens)):
            if tokens.at(at) in BUILTINS and self._declares(at):
                raise Declined("built-in variables that may mean something else")
            inside = lambda_body(tokens, at) if tokens.at(at) == b"[" else -1
            if inside >= 0 and any(map(self._begins, range(at, tokens.match[inside]))):
                raise Declined("groups in a lambda")
        self.draft.put(self._plain(0, body + 1))
        self.draft.put(self.translated(body + 1, len(tokens)))
        return self.draft.finish()

    def _declares(self, at: int) -> bool:
        """Whether the name at `at` may be declared there."""
        before = self.tokens.at(at - 1)
        if before in (b"&", b"*"):
            return self.tokens.at(at + 1) != b"."
        return self.tokens.is_word(at - 1) and before not in (b"return", b"else", b"do")

    def _begins(self, at: int) -> bool:
        return self.tokens.is_word(at) and (self.reader.named(at)[1] >= 0 or self.reader.handle(at) is not None)

    def _plain(self, start: int, end: int) -> list[Token]:
        found: list[Token] = []
        for at in range(start, end):
            if self.words.search(self.tokens.text[at]) and (self.tokens.is_word(at) or self._rewritten(at)):
                member = self.tokens.at(at - 1) in (b".", b"->") and not self._rewritten(at)
                if not member and at > self.kernel.body:
                    raise Declined("a group that is used in a way that is not known")
            found += copied(self.tokens, at, {})
        return found

    def _rewritten(self, at: int) -> bool:
        return self.tokens.text[at] != self.tokens.at(at)

    def translated(self, start: int, end: int) -> list[Token]:
        """The tokens [start, end) without groups."""
        found: list[Token] = []
        at = start
        while at < end:
            if at in self.reader.dropped:
                stop = self.reader.dropped[at]
                self._check_inside(at, stop, [], ends=False)
                at = stop
                continue
            call = self._member(at) or self._function(at)
            if call is None:
                if any(self.words.fullmatch(name) for name in self.tokens.also.get(at, ())):
                    raise Declined("a group that is used in a way that is not known")
                found += self._plain(at, at + 1)
                at += 1
                continue
            made, stop = call
            found += self._in_place(made, at, stop)
            at = stop
        return found

    def _in_place(self, made: list[Token], start: int, stop: int) -> list[Token]:
        """What is written for [start, stop), with what other rewriting has put around it."""
        tokens = self.tokens
        before, behind = tokens.text[start], tokens.text[stop - 1]
        if not before.endswith(tokens.at(start)) or not behind.startswith(tokens.at(stop - 1)):
            raise Declined("a group's call that was rewritten")
        before, behind = before.removesuffix(tokens.at(start)), behind.removeprefix(tokens.at(stop - 1))
        if self.words.search(before) or self.words.search(behind):
            raise Declined("a group that is used in a way that is not known")
        first, last = made[0], made[-1]
        made[0] = Token(first.word, before + first.text, first.kind, start, tokens.gap[start], copied=True)
        if len(made) == 1 and behind:
            made[0] = Token(first.word, before + first.text + behind, first.kind, start, tokens.gap[start], copied=True)
        elif behind:
            made[-1] = Token(last.word, last.text + behind, last.kind, last.at, last.gap)
        return made

    def _check_inside(self, start: int, stop: int, kept: list[Range], *, ends: bool = True) -> None:
        """Nothing may have been rewritten in [start, stop) but in the arguments `kept`, and if `ends` at its ends."""
        inside = {at for one in kept for at in range(*one)}
        for at in range(start, stop):
            changed = self._rewritten(at) and not (ends and at in (start, stop - 1))
            changed = changed and not self.tokens.at(at).startswith(DEDUCED)
            if at not in inside and (changed or at in self.tokens.also):
                raise Declined("a group's call that was rewritten")

    def _member(self, at: int) -> tuple[list[Token], int] | None:
        """A call of a group's own function at `at`, written anew, and where it ends."""
        tokens = self.tokens
        if not tokens.is_word(at) and tokens.at(at) != b"::":
            return None
        found = self.reader.group(at)
        if found is None:
            name, place = self.reader.named(at)
            statically = name == b"thread_block" and tokens.at(place + 1) == b"::"
            found = (Group(), place + 1) if statically and (place > at or self.names.opened) else None
        if found is None or tokens.at(found[1]) not in (b".", b"::"):
            return None
        group, dot = found
        name, opened = tokens.at(dot + 1), dot + 2
        if tokens.at(opened) != b"(":
            raise Declined("a group's function that is not called")
        close = tokens.match[opened]
        given = split_at_commas(tokens, opened + 1, close, angles=False)
        self._check_inside(at, close + 1, given)
        return self._call(group, name, given, at, close)

    def _function(self, at: int) -> tuple[list[Token], int] | None:
        """A call of a function that is given a group."""
        tokens = self.tokens
        name, place = self.reader.named(at)
        if name not in (b"sync", b"reduce", b"thread_rank", b"group_size") or tokens.at(place + 1) != b"(":
            return None
        close = tokens.match[place + 1]
        given = split_at_commas(tokens, place + 2, close, angles=False)
        group = self.reader.group(given[0][0]) if given else None
        if group is None or group[1] != given[0][1]:
            return None
        if place == at and not self._only_called(name):
            raise Declined("a name that may mean something else")
        self._check_inside(at, close + 1, given[1:])
        name = b"size" if name == b"group_size" else name
        return self._call(group[0], name, given[1:], at, close, free=True)

    def _only_called(self, name: bytes) -> bool:
        """Whether a name is that of a function wherever the kernel mentions it by itself."""
        tokens = self.tokens
        for at in range(self.kernel.head, len(tokens)):
            named = tokens.at(at) == name and tokens.at(at - 1) not in (b".", b"->", b"::")
            if named and (self._declares(at) or tokens.at(at + 1) not in (b"(", b"<")):
                return False
        return True

    def _call(
        self, group: Group, name: bytes, given: list[Range], at: int, close: int, *, free: bool = False
    ) -> tuple[list[Token], int]:
        """A function of a group with its arguments; `free`: it is not the group's own."""
        stop = close + 1
        if not given:
            dimension = _DIMENSIONS.get(name) if not group.size and not free else None
            if dimension and self.tokens.at(stop) == b".":
                return _made(dimension, at), stop
            if dimension:
                return _made(b"::dim3(%s.x,%s.y,%s.z)" % (dimension, dimension, dimension), at), stop
            text = _of_tile(group, name) if group.size else _OF_BLOCK.get(name)
            if text is None or (free and name == b"reduce"):
                raise Declined("a group's function that is not known")
            return _made(b"((unsigned long long)%s)" % text if group.wide and name in _NUMBERS else text, at), stop
        if not group.size:
            raise Declined("a group's function that is not known")
        value = self.translated(*given[0])
        if name in _SHUFFLES and len(given) == 2 and not free:
            rest = [*value, word(b",", at), *self.translated(*given[1]), *_made(b",%d)" % group.size, at)]
            called = word(_SHUFFLES[name], at, OF_ANY[_SHUFFLES[name]])
            return [called, word(b"(", at), _lanes(group, at), word(b",", at), *rest], stop
        if name in _VOTES and len(given) == 1 and not free:
            return self._vote(group, name, value, at), stop
        if name == b"reduce" and len(given) == 2 and free:
            join = self._join(*given[1])
            tile = word(TILE, at, b"::gpuopt_emu::TileOf<%d>()" % group.size)
            rest = [word(b",", at), *value, word(b",", at), *join, word(b")", at)]
            return [word(REDUCE, at), word(b"(", at), tile, *rest], stop
        raise Declined("a group's function that is not known")

    def _vote(self, group: Group, name: bytes, value: list[Token], at: int) -> list[Token]:
        """A vote of a tile: of a part of a warp by the bits of its lanes."""
        call = [word(b"(", at), _lanes(group, at), word(b",", at)]
        if group.size == 32:
            return [word(_VOTES[name], at), *call, *value, word(b")", at)]
        offered = [*_made(b"!(int)(", at), *value, word(b")", at)] if name == b"all" else value
        bits = [word(b"gpuopt_bits", at, _BITS % group.size), word(b"(", at), word(b"__ballot_sync", at), *call]
        bits += [*offered, word(b")", at), *_made(b"," + _RANK + b")", at)]
        if name == b"ballot":
            return bits
        return [*_made(b"(int)(", at), *bits, *_made(b"!=0)" if name == b"any" else b"==0)", at)]

    def _join(self, start: int, end: int) -> list[Token]:
        """What values are joined by: `cg::plus<int>()` and its kind."""
        tokens = self.tokens
        name, place = self.reader.named(start)
        behind = skip_template(tokens, place + 1) if tokens.at(place + 1) == b"<" else -1
        kind = tokens.original[place + 2 : behind - 1]
        plain = all(tokens.is_word(at) and not self._rewritten(at) for at in range(place + 2, behind - 1))
        called = tokens.original[behind:end] in ((b"(", b")"), (b"{", b"}"))
        if name not in JOINS or behind < 0 or not kind or not plain or not called or b"bool" in kind:
            raise Declined("values that are joined in another way")
        if place == start and not self.names.opened:
            raise Declined("a name that may mean something else")
        written = b"::cooperative_groups::%s<%s>" % (name, b" ".join(kind))
        return [word(b"gpuopt_join", start, written), *_made(b"()", start)]


def _made(text: bytes, at: int) -> list[Token]:
    """Tokens of our own for the one at `at`."""
    return [word(one, at) for one in lex(text).original]


def _lanes(group: Group, at: int) -> Token:
    """The mask of a tile's lanes: of a part of a warp each lane's own."""
    if group.size == 32:
        return word(b"0xffffffffu", at)
    return word(TILE, at, b"::gpuopt_emu::lanes_of_tile<%d>()" % group.size)


def _of_tile(group: Group, name: bytes) -> bytes | None:
    """What a tile says without arguments."""
    size = group.size
    if name == b"sync":
        return b"__syncwarp(0xffffffffu)" if size == 32 else b"__syncwarp(::gpuopt_emu::lanes_of_tile<%d>())" % size
    if name in (b"size", b"num_threads"):
        return b"%du" % size
    if name == b"thread_rank":
        return b"(%s%%%du)" % (_RANK, size)
    if name == b"meta_group_rank":
        return b"(%s%%%du/%du)" % (_RANK, group.outer, size) if group.outer else b"(%s/%du)" % (_RANK, size)
    if name == b"meta_group_size":
        return b"%du" % (group.outer // size) if group.outer else b"((%s+%du)/%du)" % (_THREADS, size - 1, size)
    return None
