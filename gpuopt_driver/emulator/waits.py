"""Kernels that may wait for what happens outside their grid: for the host, or for a kernel that is launched later.

They are those in which a loop, by name and in doubt, reads what others write: by volatile or atomic accesses, `asm`, or
functions that do. Their launches run beside the program (runtime/background.h); the others are simply done.
"""

from __future__ import annotations

import re

from gpuopt_driver.emulator.hidden_reads import conversions, holders
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.statements import LOOPS, functions_reaching, statement_end
from gpuopt_driver.emulator.structure import Function, Role, Structure

# What may read what another thread has just written, or gives it time to.
_READS = re.compile(
    rb"volatile|asm|__asm\w*|atomic\w*|__threadfence\w*|__nanosleep|__ld\w+|load|wait\w*|try_wait\w*|fetch_\w+"
    rb"|exchange|compare_exchange\w*|test|test_and_set"
)


def _reads(tokens: Tokens, start: int, end: int, names: set[bytes]) -> bool:
    return any(
        tokens.kind[at] is Kind.WORD and (tokens.at(at) in names or _READS.fullmatch(tokens.at(at)) is not None)
        for at in range(start, end)
    )


def _loads(tokens: Tokens, at: int) -> bool:
    """Whether the token is one by which memory is read."""
    text, before = tokens.at(at), tokens.at(at - 1)
    return text in (b"[", b"->", b"(") or (
        text == b"*" and before not in (b")", b"]") and tokens.kind[at - 1] in (Kind.PUNCT, Kind.STRING)
    )


def _counts(tokens: Tokens, at: int, names: set[bytes], *, anywhere: bool) -> bool:
    """Whether the `for` at `at` compares what it counts, and nothing else that others write: it ends by itself."""
    close = tokens.match[at + 1]
    ends = [index for index in range(at + 2, close) if tokens.at(index) == b";"]
    if len(ends) != 2:
        return False
    tested, changed = (
        {tokens.at(index) for index in range(start + 1, end) if tokens.is_word(index)}
        for start, end in ((ends[0], ends[1]), (ends[1], close))
    )
    if anywhere and any(_loads(tokens, index) for index in range(ends[0] + 1, ends[1])):
        return False
    return bool(tested & changed) and not _reads(tokens, ends[0], ends[1], names)


def _repeats(tokens: Tokens, function: Function, names: set[bytes], *, anywhere: bool) -> bool:
    """Whether a loop of the function reads so until what it reads has changed; `anywhere`: whether one may."""
    for at in range(function.body, tokens.match[function.body]):
        word = tokens.at(at)
        if word == b"goto":
            return True
        if word not in LOOPS or (word == b"for" and _counts(tokens, at, names, anywhere=anywhere)):
            continue
        if anywhere or _reads(tokens, at, statement_end(tokens, at), names):
            return True
    return False


def declares_volatile(tokens: Tokens, structure: Structure) -> bool:
    """Whether something outside functions is volatile: a variable, a member, or a type of which others are."""
    inside = {at for f in structure.functions for at in range(f.params, tokens.match[f.body])}
    return any(at not in inside for at in tokens.places(b"volatile"))


# Of the library: what waits in functions of its own, or reads by conversions that no word shows.
_OF_LIBRARY = re.compile(rb"atomic_ref|atomic|latch|barrier|counting_semaphore|binary_semaphore")
_WAITS = frozenset({b"acquire", b"wait", b"arrive_and_wait"})


def _names_what_waits(tokens: Tokens) -> bool:
    """Whether such a class of `cuda::` or `std::` is named."""
    named = [text for text in tokens.texts() if _OF_LIBRARY.fullmatch(text) is not None]
    return any(
        (tokens.at(at - 1) == b"::" or tokens.at(at + 1) == b"<") and tokens.is_word(at)
        for at in tokens.places(*named)
        if 0 < at < len(tokens) - 1
    )


def waiting_kernels(
    tokens: Tokens, structure: Structure, lambdas: list[tuple[int, int]], *, relocatable: bool
) -> tuple[set[int], bool]:
    """Such kernels by their bodies, and whether their own words may not show it; `lambdas` are device lambdas in host
    functions, as token ranges.

    What is declared volatile, or is read so through a pointer or in another unit, may be read by any loop.
    """
    device = [f for f in structure.functions if f.role is not Role.HOST]
    converting = conversions(tokens, structure)
    shown = [f for f in device if f not in converting]  # by their names
    _, names = functions_reaching(
        tokens, shown, lambda f: f.role is Role.DEVICE and _reads(tokens, f.params, tokens.match[f.body], set())
    )
    called = {name for name in names if not name.startswith(b"operator")}
    spread = any(tokens.at(at + 1) not in (b"(", b"<") for at in tokens.places(*called) if at < len(tokens) - 1) or any(
        _reads(tokens, *region, names) for region in lambdas
    )
    elsewhere = relocatable and any(
        item.params >= 0 and b"__device__" in tokens.original[item.head : item.end] for item in structure.declarations
    )
    library = _names_what_waits(tokens)
    anywhere = spread or elsewhere or library or declares_volatile(tokens, structure)
    hidden = holders(
        tokens, structure, [f for f in converting if _reads(tokens, f.params, tokens.match[f.body], names)]
    )

    def waits(function: Function) -> bool:
        words = tokens.original[function.params : tokens.match[function.body]]
        if library and not _WAITS.isdisjoint(words):
            return True
        local = b"volatile" in words
        return _repeats(tokens, function, names, anywhere=anywhere or local or hidden(function))

    bodies, waiting = functions_reaching(tokens, shown, waits)
    waiting_too = holders(
        tokens,
        structure,
        [f for f in converting if waits(f) or not waiting.isdisjoint(tokens.original[f.body : tokens.match[f.body]])],
    )
    bodies, _ = functions_reaching(tokens, shown, lambda f: f.body in bodies or waiting_too(f))
    unseen = library or any(hidden(f) or waiting_too(f) for f in shown)
    return {f.body for f in device if f.role is Role.KERNEL and f.body in bodies}, unseen
