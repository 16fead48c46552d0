"""Votes and shuffles that all threads come to: each thread offers something before a barrier and takes it behind it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import Names, Variable, assignment_at
from gpuopt_driver.emulator.fission.tree import BARRIER, MEETINGS, REDUCE, STEP, TILE, Declined
from gpuopt_driver.emulator.lexer import Tokens

# What a vote of the block gives, of `n` true ones in the block.
_BLOCK_VOTES = {b"__syncthreads_count": b"%s", b"__syncthreads_and": b"(%s==(int)gpuopt_block->threads)"}
_BLOCK_VOTES[b"__syncthreads_or"] = b"(%s!=0)"
_WARP_VOTES = {b"__ballot_sync": b"ballot_in", b"__any_sync": b"any_in", b"__all_sync": b"all_in"}
_SHUFFLES = {b"__shfl_sync": b"index", b"__shfl_up_sync": b"up", b"__shfl_down_sync": b"down"}
_SHUFFLES[b"__shfl_xor_sync"] = b"exclusive_or"
# The shuffles of groups, which take any type and give that; CUDA's own make `int` of smaller integers.
OF_ANY = {name: b"::gpuopt_emu::" + name[2:].removesuffix(b"_sync") + b"_of_any" for name in _SHUFFLES}
# What differs between threads, whatever goes into it.
OF_WARPS = frozenset(_WARP_VOTES) | frozenset(_SHUFFLES) | {REDUCE}
_ALL_LANES = frozenset({b"0xffffffff", b"~0", b"-1", b"4294967295", b"(1ull<<32)-1", TILE})
_INTEGERS = frozenset({b"const", b"constexpr", b"unsigned", b"int", b"long", b"uint32_t", b"uint64_t"})
_MAYBE = frozenset({b"&&", b"||", b"?", b"{"})  # what follows or lies between need not be computed


@dataclass(frozen=True, slots=True)
class Meeting:
    """A call of such a function at token `word`; `offered` is the range of the argument that others see. `tile` and
    `join`: the texts that say of a reduction whose values it is about, and how they are joined."""

    word: int
    name: bytes
    offered: tuple[int, int]
    number: int
    tile: bytes = b""
    join: bytes = b""
    mask: int = -1  # where the name stands that its lanes have, if it must still be told that it means all of them

    @property
    def of_block(self) -> bool:
        """Whether all threads of the block get the same."""
        return self.name in _BLOCK_VOTES

    @property
    def is_vote(self) -> bool:
        """Whether a truth value is offered."""
        return self.name not in _SHUFFLES and not self.is_reduction

    def given(self, tokens: Tokens, type_: bytes) -> bytes:
        """The type of what a shuffle of a variable of `type_` gives."""
        of_any = tokens.text[self.word].endswith(OF_ANY[self.name])
        return type_ if of_any else b"::gpuopt_emu::Shuffled<%s>" % type_

    @property
    def joined_type(self) -> bytes:
        """The type of the values of a reduction."""
        return b"decltype(::gpuopt_emu::joined_by(%s))" % self.join

    @property
    def is_reduction(self) -> bool:
        """Whether all threads of a tile get what their values make."""
        return self.name == REDUCE


def _arguments(tokens: Tokens, opened: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first = index = opened + 1
    while index <= tokens.match[opened]:
        if tokens.at(index) == b"," or index == tokens.match[opened]:
            found.append((first, index))
            first = index + 1
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return found


def is_full(tokens: Tokens, start: int, end: int) -> bool:
    """Whether [start, end) is the number that means all lanes of a warp."""
    return b"".join(tokens.original[start:end]).lower().rstrip(b"ul") in _ALL_LANES


def means_all(tokens: Tokens, names: Names, variable: Variable | None) -> bool:
    """Whether a variable is the number of all lanes of a warp, or one that is."""
    if variable is None or variable.declared is None or variable.changed or variable.reference or variable.shared:
        return False
    if variable.array or not _INTEGERS.issuperset(tokens.original[slice(*variable.declared.base)]):
        return False
    start, end = variable.init
    return is_full(tokens, start, end) or (end == start + 1 and means_all(tokens, names, names.of.get(start)))


def _meeting(tokens: Tokens, word: int, number: int) -> Meeting:
    name = tokens.at(word)
    if tokens.at(word + 1) != b"(":
        raise Declined(f"'{name.decode()}' is not called")
    arguments = _arguments(tokens, word + 1)
    named = -1
    if name in _BLOCK_VOTES:
        wanted = (word + 2, tokens.match[word + 1])
    else:
        start, end = arguments[0]
        full = is_full(tokens, start, end)
        named = start if not full and tokens.is_word(start) and end == start + 1 else -1
        wrong = len(arguments) not in ((2,) if name in _WARP_VOTES else (3, 4))
        if wrong or not (full or named >= 0):
            raise Declined("a warp operation that may be for some lanes only")
        wanted = arguments[1]
    if any(assignment_at(tokens, at) for at in range(*wanted)):
        raise Declined("a warp operation or vote with a side effect")
    if name == REDUCE:
        return Meeting(word, name, wanted, number, tokens.text[arguments[0][0]], tokens.one_line(*arguments[2]))
    return Meeting(word, name, wanted, number, mask=named)


def meetings_in(tokens: Tokens, start: int, end: int, count: int) -> list[Meeting]:
    """The meetings in a statement, numbered from `count` on. Raises Declined where not every thread comes to them."""
    words = tokens.original[start:end]
    if BARRIER in words or _MAYBE.intersection(words) or not {b"__syncwarp", STEP}.isdisjoint(words):
        raise Declined("a barrier inside of an expression")
    found: list[Meeting] = []
    for index in range(start, end):
        if tokens.at(index) in MEETINGS:
            found.append(_meeting(tokens, index, count + len(found)))
    for one in found:
        if any(other.word in range(*one.offered) for other in found):
            raise Declined("a warp operation inside of another one")
    return found


def between(meeting: Meeting) -> bytes:
    """What is computed once, when all threads have offered something."""
    number = meeting.number
    if meeting.is_reduction:
        offered = b"gpuopt_v%d.at,(int)gpuopt_block->threads" % number
        return b"::gpuopt_emu::reduce_in(%s,%s,%s);" % (offered, meeting.tile, meeting.join)
    if not meeting.of_block:
        return b""
    return b"const int gpuopt_c%d=::gpuopt_emu::count_in(gpuopt_v%d.at,(int)gpuopt_block->threads);" % (number, number)


def _taken(tokens: Tokens, meeting: Meeting) -> Iterator[tuple[int, bytes]]:
    """The texts of the tokens of a call that takes what was offered."""
    name, opened = meeting.name, meeting.word + 1
    close = tokens.match[opened]
    place = b"gpuopt_v%d.at,gpuopt_i,(int)gpuopt_block->threads" % meeting.number
    # What other rewriting has put around the call stays around what is taken.
    text, behind = tokens.text[meeting.word], tokens.text[close].removeprefix(b")")
    called = next((one for one in (name, OF_ANY.get(name, name)) if text.endswith(one)), text)
    before = text.removesuffix(called)
    if name in _SHUFFLES:
        how = b",::gpuopt_emu::Shuffle::" + _SHUFFLES[name]
        yield meeting.word, before + b"::gpuopt_emu::shuffle_in(" + place + how
        yield from ((at, b"") for at in range(opened, meeting.offered[1]))
        return
    if meeting.of_block:
        taken = _BLOCK_VOTES[name] % (b"gpuopt_c%d" % meeting.number)
    elif meeting.is_reduction:
        taken = b"gpuopt_v%d.at[gpuopt_i]" % meeting.number
    else:
        taken = b"::gpuopt_emu::" + _WARP_VOTES[name] + b"(" + place + b")"
    yield meeting.word, before + taken
    yield from ((at, b"") for at in range(opened, close))
    yield close, behind


def take(tokens: Tokens, meetings: list[Meeting]) -> dict[int, bytes]:
    """Write the calls as they are behind the barrier; the texts as they were, for `give_back`."""
    texts = {at: text for meeting in meetings for at, text in _taken(tokens, meeting)}
    before = {at: tokens.text[at] for at in texts}
    give_back(tokens, texts)
    return before


def give_back(tokens: Tokens, texts: dict[int, bytes]) -> None:
    """Set the texts of tokens."""
    for at, text in texts.items():
        tokens.text[at] = text
