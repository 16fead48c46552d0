"""Accesses to shared memory in a function's statements: which elements, under which conditions, loads or stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import assignment_at, operand_end
from gpuopt_driver.emulator.fission.tree import Statement
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.steps.sums import Sum


@dataclass(frozen=True, slots=True)
class Array:
    """Shared memory under a name: `name` is the array that it lies in, `base` the element it begins at (None: not
    known), `dimensions` how many indices an element has (0: a variable; -1: not known)."""

    name: str
    base: Sum | None = field(default_factory=dict)
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where lanes can be made to meet before an access: at the beginning of a statement, or of its condition."""

    statement: Statement
    turn: int  # numbers the times that the statement was looked at


@dataclass(frozen=True, slots=True)
class Access:
    """Of the name at token `at`; `path` are indices, None where not known, and members' names."""

    at: int
    array: str
    path: tuple[Sum | bytes | None, ...]
    loads: bool
    stores: bool
    atomic: bool
    facts: tuple[Sum, ...]  # what is 0 or more when it is made
    equal: tuple[Sum, ...]  # what is 0
    place: Place


@dataclass(frozen=True, slots=True)
class Found:
    """An access by its tokens: the name, the end of what it names, and the ranges of its indices."""

    at: int
    end: int
    path: tuple[tuple[int, int] | bytes, ...]
    loads: bool
    stores: bool
    atomic: bool
    whole: bool  # the array or a pointer to it, handed to a function or another variable


def _behind(tokens: Tokens, index: int) -> tuple[int, tuple[tuple[int, int] | bytes, ...]]:
    """Behind `name[...].member` at `index`, and its indices and members."""
    path: list[tuple[int, int] | bytes] = []
    index += 1
    while tokens.at(index) in (b"[", b".", b"->"):
        if tokens.at(index) == b"[":
            path.append((index + 1, tokens.match[index]))
            index = tokens.match[index] + 1
        elif tokens.at(index + 2) == b"(":
            break  # one of its functions
        else:
            path.append(tokens.at(index + 1))
            index += 2
    return index, tuple(path)


def found_in(tokens: Tokens, start: int, end: int, names: dict[bytes, Array]) -> Iterator[Found]:
    """What [start, end) does to shared memory, in the order of the text."""
    for at in range(start, end):
        if tokens.at(at) not in names or not tokens.is_word(at) or tokens.at(at - 1) in (b".", b"->", b"::"):
            continue
        array = names[tokens.at(at)]
        behind, path = _behind(tokens, at)
        before = tokens.at(at - 1)
        indexed = any(not isinstance(part, bytes) for part in path)
        if before == b"(" and tokens.at(at - 2) == b"sizeof":
            continue
        dereferenced = before == b"*" and not operand_end(tokens, at - 2)
        if array.pointer and not indexed and not path and not dereferenced:
            if not assignment_at(tokens, behind):
                yield Found(at, behind, path, False, False, False, True)
            continue
        if before == b"&" and not operand_end(tokens, at - 2):
            yield _address(tokens, at, behind, path)
            continue
        stores = assignment_at(tokens, behind)
        prefix = before in (b"+", b"-") and tokens.at(at - 2) == before and tokens.gap[at - 1] == b""
        loads = not stores or tokens.at(behind) != b"="
        yield Found(at, behind, path, loads, stores or prefix, False, False)


def _address(tokens: Tokens, at: int, behind: int, path: tuple[tuple[int, int] | bytes, ...]) -> Found:
    """An element whose address is taken: an atomic operation's, or another function's, which may do what it likes."""
    opened = at - 2
    while opened > 0 and tokens.at(opened) not in (b"(", b";", b"{", b"}", b"="):
        opened = tokens.match[opened] - 1 if tokens.at(opened) in (b")", b"]") else opened - 1
    called = tokens.at(opened) == b"(" and tokens.is_word(opened - 1)
    atomic = called and tokens.at(opened - 1).startswith(b"atomic")
    return Found(at, behind, path, called, atomic, atomic, not atomic)
