"""Kernels whose threads never wait, and ask who they are by the built-in variables alone: a loop over them is enough.

Whatever cannot be seen here, by name, to be harmless makes a kernel an ordinary one.
"""

from __future__ import annotations

import re

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import BARRIER, MEETINGS
from gpuopt_driver.emulator.inlining.groups import mentions_groups
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.lockstep import POLITE, in_step
from gpuopt_driver.emulator.mentions import only_called
from gpuopt_driver.emulator.statements import functions_reaching, name_of, statement_end
from gpuopt_driver.emulator.structure import Function, Role, Structure
from gpuopt_driver.emulator.waits import declares_volatile

# What may let other threads run, ends the launch, prints, or looks at the thread that runs.
_WORDS = re.compile(
    rb"__(?:sync\w*|shfl\w*|ballot\w*|any\w*|all\w*|uni_sync|match\w*|reduce_\w+_sync|activemask|nanosleep|threadfence\w*"
    rb"|trap|assert\w*|brkpt|ld\w+|st\w+|is(?:Shared|Local|Global)|cvta\w*|pipeline\w*)"
    rb"|atomic\w*|asm|__asm\w*|volatile|printf|assert|abort|exit|malloc|free|new|delete|cuda\w*|cg|cooperative_groups"
    rb"|sync\w*|shfl\w*|ballot|any|all|arrive\w*|wait\w*|load|store|fetch_\w+|exchange|thread_block\w*|\w+_group"
    rb"|gpuopt_emu_step|\w+_sync|fragment|tiled_partition|tex\w+|surf\w+|curand\w*|nvcuda|wmma|cub|thrust|coalesced_threads|this_\w+|goto"
)
_CLOCKS = frozenset({b"clock", b"clock64"})
_ATOMIC = re.compile(rb"atomic(?:Add|Sub|Min|Max|And|Or|Xor|Inc|Dec)(?:_block|_system)?")


def has_atomics(tokens: Tokens, function: Function) -> bool:
    """Whether atomic functions are called in a function's own text."""
    body = range(function.body, tokens.match[function.body])
    return any(tokens.kind[at] is Kind.WORD and _ATOMIC.fullmatch(tokens.at(at)) for at in body)


def _alone(word: bytes) -> bool:
    return _WORDS.fullmatch(word) is not None


def _statement(tokens: Tokens, at: int, start: int) -> bool:
    """Whether the call of the function named at `at` is a whole statement: nobody looks at what it returns."""
    opened = at + 1
    if tokens.at(opened) != b"(" or tokens.at(tokens.match[opened] + 1) != b";":
        return False
    before = tokens.at(at - 1)
    if before == b")":
        if tokens.at(tokens.match[at - 1] - 1) not in (b"if", b"for"):
            return False
    elif before not in (b";", b"{", b"}", b"else"):
        return False
    index = at - 1
    while index > start and (tokens.match[index] < 0 or tokens.match[index] < index):
        index = tokens.match[index] - 1 if tokens.match[index] >= 0 else index - 1
    return tokens.at(index) == b"{"


def _waits_by(tokens: Tokens, start: int, clock: int) -> bool:
    """Whether the clock that is named there is asked in a loop, which may be one that lets time pass."""
    return any(tokens.at(at) in (b"while", b"do") and statement_end(tokens, at) > clock for at in range(start, clock))


def _involved(tokens: Tokens, start: int, end: int, *, builtins: bool, barriers: bool = True) -> bool:
    """Whether the code [start, end) holds such a word (a barrier only if `barriers`), or if `builtins` one of those."""
    may_wait = not {b"while", b"do"}.isdisjoint(tokens.original[start:end])

    def is_one(at: int) -> bool:
        word = tokens.at(at)
        if word in _CLOCKS:
            return may_wait and _waits_by(tokens, start, at)
        if not _alone(word):
            return builtins and word in BUILTINS
        if word == BARRIER or word in MEETINGS:
            return barriers
        return may_wait or _ATOMIC.fullmatch(word) is None or not _statement(tokens, at, start)

    return any(is_one(at) for at in range(start, end) if tokens.kind[at] is Kind.WORD)


def _launches(tokens: Tokens, start: int, end: int) -> bool:
    return any(tokens.at(at) == tokens.at(at + 1) == tokens.at(at + 2) == b"<" for at in range(start, end))


@dataclass(frozen=True, slots=True)
class Lone:
    """Kernels, by their bodies, whose threads never wait; `with_barriers`: but at barriers in their own text.

    `calling`: kernels that may be such ones but for functions that they call, which are `called`, what is volatile, or
    cooperative groups.
    """

    plain: set[int]
    with_barriers: set[int]
    calling: set[int]
    called: frozenset[bytes]

    def but(self, waiting: set[int], unseen: bool) -> set[int]:  # noqa: FBT001
        """Forget kernels that wait after all, where their words do not show it; these kernels."""
        for kernels in (self.plain, self.with_barriers) if unseen else ():
            kernels.difference_update(waiting)
        return waiting


_NONE = Lone(set(), set(), set(), frozenset())


def lone_but_for_barriers(tokens: Tokens, function: Function, called: frozenset[bytes]) -> bool:
    """Whether a kernel's own text holds nothing that waits but barriers, and names none of the functions `called`."""
    start, end = function.params, tokens.match[function.body]
    if in_step(tokens, start, end) or not called.isdisjoint(tokens.original[start:end]):
        return False
    if _involved(tokens, start, end, builtins=False, barriers=False) or _launches(tokens, function.body, end):
        return False
    return not any(POLITE in tokens.text[at] for at in range(start, end))


def lone_kernels(tokens: Tokens, structure: Structure, lambdas: list[tuple[int, int]], *, relocatable: bool) -> Lone:
    """Find such kernels; `lambdas` are device lambdas in host functions, as token ranges."""
    functions = structure.functions

    def is_involved(function: Function) -> bool:
        if function.role is Role.HOST:
            return False
        start, end = function.params, tokens.match[function.body]
        if in_step(tokens, start, end):
            return True
        if function.role is Role.DEVICE:
            return _involved(tokens, start, end, builtins=True)
        return _involved(tokens, start, end, builtins=False, barriers=False)

    bodies, _ = functions_reaching(tokens, functions, is_involved)
    hidden = [f for f in functions if f.body in bodies and f.role is Role.DEVICE]
    elsewhere = relocatable and any(
        item.params >= 0 and b"__device__" in tokens.original[item.head : item.end] for item in structure.declarations
    )
    names = frozenset(name_of(tokens, f) for f in hidden)
    waited_for = declares_volatile(tokens, structure)
    if elsewhere or waited_for or any(_involved(tokens, *region, builtins=True) for region in lambdas):
        return _NONE
    if not only_called(tokens, structure, names):
        return _NONE
    found = Lone(set(), set(), set(), names)
    for f in functions:
        end = tokens.match[f.body]
        words = tokens.original[f.params : end]
        may = b"volatile" in words or mentions_groups(words) or not names.isdisjoint(words)
        if f.role is Role.KERNEL and f.body in bodies and may:
            found.calling.add(f.body)
        if f.role is not Role.KERNEL or f.body in bodies or _launches(tokens, f.body, end):
            continue
        if any(tokens.text[at] != tokens.at(at) for at in range(f.body, end) if tokens.at(at) in BUILTINS):
            continue
        if not ({BARRIER} | MEETINGS).intersection(tokens.original[f.body : end]):
            found.plain.add(f.body)
        elif not any(tokens.text[at] != b"(" and tokens.at(at) == b"(" for at in range(f.body, end)):  # no loop waits
            found.with_barriers.add(f.body)
    return found
