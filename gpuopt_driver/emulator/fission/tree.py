"""The statements of a function body as a tree, and declarations taken apart: what can be read of C++ without types."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.statements import after_bracket, statement_end

BARRIER = b"__syncthreads"
# What else all threads may come to together: see fission/meetings.py.
STEP = b"gpuopt_emu_step"  # where lanes of a warp meet that count on each other's steps: emulator/steps
# What inlining/group_calls.py writes for tiles: a mask of a tile's lanes, or the tile; what its lanes' values make.
TILE, REDUCE = b"gpuopt_tile", b"gpuopt_emu_reduce"
MEETINGS = frozenset(
    {
        STEP,
        b"__syncwarp",
        b"__syncthreads_count",
        b"__syncthreads_and",
        b"__syncthreads_or",
        b"__ballot_sync",
        b"__any_sync",
    }
    | {REDUCE, b"__all_sync", b"__shfl_sync", b"__shfl_up_sync", b"__shfl_down_sync", b"__shfl_xor_sync"}
)
OF_BLOCK = frozenset({BARRIER, b"__syncthreads_count", b"__syncthreads_and", b"__syncthreads_or"})
BASIC = frozenset(
    {b"void", b"bool", b"char", b"short", b"int", b"long", b"float", b"double", b"signed", b"unsigned", b"wchar_t"}
)
_QUALIFIERS = frozenset(
    {b"const", b"volatile", b"constexpr", b"static", b"register", b"extern", b"__shared__", b"typename", b"inline"}
    | {b"struct", b"class", b"enum", b"union", b"thread_local", b"mutable"}
)
_POINTERS = frozenset({b"*", b"&", b"&&", b"const", b"__restrict__", b"__restrict", b"volatile"})
_NEVER_TYPES = frozenset(
    {b"return", b"if", b"else", b"for", b"while", b"do", b"switch", b"case", b"default", b"break", b"continue", b"goto"}
    | {b"new", b"delete", b"throw", b"using", b"typedef", b"static_assert", b"sizeof", b"this", b"operator"}
    | {b"template"}
)


class Declined(Exception):
    """The kernel is left as it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Tokens [start, end). `head`: the bracket behind `for` and the like, -1 without; `parts`: statements inside."""

    kind: str  # "simple", "{", or the keyword that it begins with
    start: int
    end: int
    head: int = -1
    parts: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Declarator:
    """One name of a declaration; ranges of tokens: what stands before it (`*`, `&`), array bounds, initializer."""

    name: int
    prefix: tuple[int, int]
    bounds: tuple[int, int]
    init: tuple[int, int]  # without the `=`, or without its brackets; empty: none
    opening: bytes  # "=", "(", "{" or "" before the initializer


@dataclass(frozen=True, slots=True)
class Declaration:
    """`base` is the range of its type, specifiers included; `end` is behind its last declarator."""

    base: tuple[int, int]
    declarators: tuple[Declarator, ...]
    end: int


def parse(tokens: Tokens, index: int) -> Statement:
    """The statement that begins at `index`."""
    text = tokens.at(index)
    end = statement_end(tokens, index)
    if text == b"{":
        return Statement("{", index, end, parts=tuple(statements(tokens, index + 1, end - 1)))
    if text in (b"for", b"while", b"switch", b"if"):
        head = index + 2 if tokens.at(index + 1) == b"constexpr" else index + 1
        first = parse(tokens, after_bracket(tokens, head))
        parts: tuple[Statement, ...] = (first,)
        if text == b"if" and tokens.at(first.end) == b"else":
            parts = (first, parse(tokens, first.end + 1))
        return Statement(text.decode(), index, end, head, parts)
    if text == b"do":
        body = parse(tokens, index + 1)
        return Statement("do", index, end, body.end + 1, (body,))
    if text in (b"return", b"break", b"continue", b"case", b"default", b"goto", b"try"):
        return Statement(text.decode(), index, end)
    return Statement("simple", index, end)


def statements(tokens: Tokens, start: int, end: int) -> Iterator[Statement]:
    """The statements in [start, end), empty ones left out."""
    while start < end:
        if tokens.at(start) == b";":
            start += 1
            continue
        found = parse(tokens, start)
        yield found
        start = found.end


def holds_barrier(tokens: Tokens, statement: Statement) -> bool:
    """Whether a barrier, or something like it, stands anywhere in the statement."""
    words = tokens.original[statement.start : statement.end]
    return BARRIER in words or not MEETINGS.isdisjoint(words)


def free_jumps(statement: Statement, kinds: tuple[str, ...] = ("break", "continue")) -> bool:
    """Whether a `break` or `continue` in the statement is one of a loop around it."""
    if statement.kind in kinds:
        return True
    if statement.kind in ("for", "while", "do"):
        return False
    inner = tuple(kind for kind in kinds if kind != "break") if statement.kind == "switch" else kinds
    return any(free_jumps(part, inner) for part in statement.parts)


def _type_end(tokens: Tokens, index: int) -> int:
    """Behind the type that begins at `index`, -1 if there is none."""
    seen = False
    while True:
        text = tokens.at(index)
        if text in (b"__attribute__", b"alignas", b"__align__", b"decltype"):
            seen = seen or text == b"decltype"
            index = after_bracket(tokens, index + 1)
        elif text in _QUALIFIERS:
            index += 1
        elif text in BASIC:
            seen = True
            index += 1
        elif not seen and tokens.is_word(index) and text not in _NEVER_TYPES:
            seen = True
            index += 1
            while tokens.at(index) in (b"::", b"<"):
                index = index + 2 if tokens.at(index) == b"::" else skip_template(tokens, index)
        elif not seen and text == b"::":
            index += 1
        else:
            return index if seen else -1


def _declarator(tokens: Tokens, index: int, end: int) -> Declarator | None:
    """The declarator at `index`; `end` is the `;` (or the `:` of a loop over a range) behind the last one."""
    first = index
    while tokens.at(index) in _POINTERS:
        index += 1
    name = index
    if not tokens.is_word(name) or tokens.at(name) in _NEVER_TYPES or tokens.at(name) in BASIC:
        return None
    index += 1
    bounds = index
    while tokens.at(index) == b"[":
        index = after_bracket(tokens, index)
    stop, opening = index, tokens.at(index)
    if opening == b"=":
        at = index + 1
        while at < end and tokens.at(at) != b",":
            at = after_bracket(tokens, at)
        return Declarator(name, (first, name), (bounds, stop), (index + 1, at), b"=")
    if opening in (b"(", b"{") and tokens.match[index] > index:
        close = tokens.match[index]
        return Declarator(name, (first, name), (bounds, stop), (index + 1, close), opening)
    if opening == b"," or index == end:
        return Declarator(name, (first, name), (bounds, stop), (index, index), b"")
    return None


def declaration(tokens: Tokens, start: int, end: int) -> Declaration | None:
    """What [start, end) declares; `end` is its `;`. None where it is no declaration of variables."""
    kind = tokens.kind[start] if start < len(tokens) else Kind.PUNCT
    if kind is not Kind.WORD and tokens.at(start) != b"::":
        return None
    index = base = _type_end(tokens, start)
    found: list[Declarator] = []
    while 0 <= index < end:
        item = _declarator(tokens, index, end)
        if item is None:
            break
        if item.opening == b"(" and not tokens.at(item.prefix[0] - 1):
            break
        found.append(item)
        index = item.init[1] + (item.opening in (b"(", b"{"))
        if index == end:
            return Declaration((start, base), tuple(found), end)
        if tokens.at(index) != b",":
            break
        index += 1
    if found and index < end and len(found) > 1:
        raise Declined("a declaration that cannot be read")
    return None
