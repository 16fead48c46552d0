"""Loops in which each thread takes every so-manieth element: `for (int i = start; i < count; i += step)`.

Run one thread after another, each turn goes to another cache line, and to another page where the step is large. Where
the threads of a block begin at numbers that ascend by equal steps, which is asked when the program runs, they go
through the turns that all of them make together (fission/text.py), as they would on a GPU, and then each through what
is left.
"""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import Names, Variable, assignment_at, operand_end
from gpuopt_driver.emulator.fission.tree import Declaration, Declarator, Statement, declaration, free_jumps
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import after_bracket

_WHOLE = frozenset(
    {b"int", b"long", b"unsigned", b"signed", b"size_t", b"ptrdiff_t", b"uint", b"ulong", b"std", b"::"}
    | {b"int32_t", b"uint32_t", b"int64_t", b"uint64_t"}
)
# What binds less than a comparison does, and comparisons.
_LOOSER = frozenset({b",", b"&&", b"||", b"?", b"&", b"|", b"^", b"<", b">", b"<=", b">=", b"==", b"!=", b"and", b"or"})
# Tokens of a body. A turn of a longer one takes so long that its misses do not matter, and it is compiled four times.
_MOST = 600
_UNFIT = frozenset({b"return", b"goto", b"asm", b"volatile"})


@dataclass(frozen=True, slots=True)
class Stride:
    """Such a loop, or one with `while`, whose last statement counts; ranges of tokens. `bound` is what the number is
    compared with, `step` what is added to it."""

    name: bytes
    base: tuple[int, int]  # its type
    outer: Variable | None  # the number, where the loop does not declare it
    init: tuple[int, int]  # what it begins with; the variable's name in the condition where the loop does not say
    condition: tuple[int, int]
    bound: tuple[int, int]
    advance: tuple[int, int]
    step: tuple[int, int]
    body: tuple[int, int]  # statements


def _parts(tokens: Tokens, item: Statement) -> list[tuple[int, int]]:
    """What stands between the semicolons of the head."""
    close = tokens.match[item.head]
    parts: list[tuple[int, int]] = []
    at = first = item.head + 1
    while at < close:
        if tokens.at(at) == b";":
            parts.append((first, at))
            first = at + 1
            at += 1
        else:
            at = after_bracket(tokens, at)
    return [*parts, (first, close)]


def _changes(tokens: Tokens, name: bytes, start: int, end: int) -> bool:
    """Whether the variable of that name may be set in [start, end)."""
    for index in range(start, end):
        if tokens.at(index) != name or tokens.at(index - 1) in (b".", b"->", b"::"):
            continue
        before = tokens.at(index - 1)
        if assignment_at(tokens, index + 1) or (before in (b"+", b"-") and assignment_at(tokens, index - 2)):
            return True
        if before == b"&" and not operand_end(tokens, index - 2):
            return True
    return False


def _of_for(tokens: Tokens, item: Statement) -> list[tuple[int, int]] | None:
    """What it begins with, its condition, how it counts, and its body."""
    parts = _parts(tokens, item)
    body = item.parts[0]
    return [*parts, (body.start, body.end)] if len(parts) == 3 and not free_jumps(body) else None


def _of_while(tokens: Tokens, item: Statement) -> list[tuple[int, int]] | None:
    inner = item.parts[0].parts if item.parts[0].kind == "{" else ()
    if not inner or inner[-1].kind != "simple" or any(free_jumps(one) for one in inner):
        return None
    last, condition = inner[-1], (item.head + 1, tokens.match[item.head])
    return [(0, 0), condition, (last.start, last.end - 1), (item.parts[0].start + 1, last.start)]


def _declared(tokens: Tokens, item: Declaration | None) -> Declarator | None:
    """The one plain number that it declares."""
    if item is None or len(item.declarators) != 1 or not _WHOLE.issuperset(tokens.original[slice(*item.base)]):
        return None
    one = item.declarators[0]
    return one if one.prefix[0] == one.prefix[1] and one.bounds[0] == one.bounds[1] else None


def stride_of(tokens: Tokens, item: Statement, names: Names) -> Stride | None:
    """The loop, if it is one that can be written so; `Planner` asks whether threads agree on its bound and its step."""
    parts = _of_for(tokens, item) if item.kind == "for" else None
    if item.kind == "while":
        parts = _of_while(tokens, item)
    if parts is None:
        return None
    begin, condition, advance, body = parts
    (compared, end), (advanced, close) = condition, advance
    bound, step, name = (compared + 2, end), (advanced + 2, close), tokens.at(compared)
    outer = None
    if begin[0] < begin[1]:
        found = declaration(tokens, *begin)
        one = _declared(tokens, found)
        if found is None or one is None or one.opening != b"=" or tokens.at(one.name) != name:
            return None
        base, init = found.base, one.init
    else:
        outer = names.find(name) if tokens.is_word(compared) else None
        if outer is None or outer.declared is None or outer.declarator is None or outer.constant or outer.shared:
            return None
        one = outer.declarator
        words = tokens.original[slice(*outer.declared.base)]
        if not _WHOLE.issuperset(words) or one.prefix[0] != one.prefix[1] or one.bounds[0] != one.bounds[1]:
            return None
        base, init = outer.declared.base, (compared, compared + 1)
    if tokens.at(compared + 1) not in (b"<", b"<=") or bound[0] >= end:
        return None
    if tokens.at(advanced) != name or tokens.at(advanced + 1) != b"+=" or step[0] >= close:
        return None
    words = tokens.original[slice(*bound)] + tokens.original[slice(*step)]
    if _LOOSER.intersection(words) or name in words:
        return None
    if body[1] - body[0] > _MOST or _UNFIT.intersection(tokens.original[slice(*body)]) or _changes(tokens, name, *body):
        return None
    return Stride(name, base, outer, init, condition, bound, advance, step, body)
