"""Which errors concern a kernel: those in its text, in functions that it calls, and in declarations that it uses."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from gpuopt_driver.frontend.declarations import Declarations
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.translation import Diagnostic, Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.source.text import SourceFile

_WORD = re.compile(rb"[A-Za-z_]\w*")
_ASIDE = re.compile(  # comments, strings, directives: no names of the program's
    rb"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|^[ \t]*\#(?:\\\r?\n|[^\n])*""", re.S | re.M | re.X
)
_ALIAS = re.compile(rb"\s*using\s+([A-Za-z_]\w*)[^=;]*=")
_TEMPLATE = re.compile(rb"\s*template\s*<")
_VALUED = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)*[={]")
_NAME_LENGTH = 200  # bytes in which a variable's name and its `=` are looked for
_NAMED = re.compile(rb"(.*?)([A-Za-z_]\w*)\s*\Z", re.S)
# Words that stand in front of a type and of parentheses, and are neither a declaration's type nor its name.
_SPECIFIERS = frozenset(
    b"static inline extern constexpr consteval const volatile virtual explicit friend typename __inline__ __device__ "
    b"__host__ __global__ __shared__ __constant__ __managed__ __forceinline__ __noinline__".split()
)
_NO_NAMES = _SPECIFIERS | frozenset(
    b"decltype alignas noexcept requires sizeof asm static_assert operator if while for switch return void bool char "
    b"short int long float double signed unsigned auto __attribute__ __attribute __declspec __launch_bounds__ "
    b"__align__ __cluster_dims__ __maxnreg__ __block_size__".split()
)
_TYPE_NAME = re.compile(rb"\b(?:struct|class|union|enum)\s+(?:\w+\s*\([^)]*\)\s*)*([A-Za-z_]\w*)")
_ALIAS_NAME = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)*;\s*$")
_PROTOTYPE = re.compile(rb"[^=(]*?([A-Za-z_]\w*)\s*\(")
_COMMON = frozenset(
    b"alignas auto bool char class const constexpr double else enum explicit extern float for friend if inline int "
    b"long namespace new operator private protected public return short signed sizeof static std string struct "
    b"switch template this typedef typename union unsigned using vector virtual void volatile while "
    b"__device__ __host__ __global__ __shared__ __constant__ __restrict__ __forceinline__ __managed__".split()
)
_SCOPES = frozenset(
    {int(K.COMPOUND), int(K.FOR), int(K.RANGE_FOR), int(K.WHILE), int(K.IF), int(K.SWITCH), int(K.LAMBDA)}
)
_BRACE = re.compile(rb"[{}]")
_ALIAS_LENGTH = 200  # bytes in which the name of a `typedef struct { ... } name;` is looked for
_LIMIT = 4  # messages per kernel

Range = tuple[str, int, int]


class Ranges:
    """Ranges of offsets in one file, of which it is asked again and again whether one has an offset."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(ranges)
        self._starts = [start for start, _end in ordered]
        self._reach = list(itertools.accumulate((end for _start, end in ordered), max))  # of this and all before

    def has(self, offset: int) -> bool:
        """Whether a range begins at the offset or before, and ends behind it."""
        at = bisect.bisect_right(self._starts, offset)
        return at > 0 and self._reach[at - 1] > offset


class Blame:
    """The errors of a unit, sorted by what they may spoil."""

    def __init__(self, translation: Translation, found: Declarations) -> None:
        self.translation = translation
        self.errors = [error for error in translation.errors if not error.is_missing_file]
        self._braces: dict[str, _Braces] = {}
        self._plain: dict[str, bytes] = {}
        bodies = {path: Ranges(found.bodies.get(path, ())) for path in {error.file for error in self.errors}}
        self._declared = [
            (error, self._names(error, found.extents.get(error.file, [])))
            for error in self.errors
            if not bodies[error.file].has(error.offset)
        ]

    def _names(self, error: Diagnostic, extents: list[tuple[int, int]]) -> frozenset[bytes]:
        """The names that a broken declaration outside functions declares, as far as text tells."""
        source = self.translation.files.get(error.file)
        if source is None:
            return frozenset()
        line = source.position(error.offset)[0]
        start = source.line_starts[line - 1]
        end = source.line_starts[line] if line < len(source.line_starts) else len(source.data)
        names: set[bytes] = set()
        for first, last in extents:
            if first <= error.offset <= last:
                around = self._braces_of(source).open_types(first, error.offset)
                if around:  # a member: whoever uses it names its type
                    tail = source.data[max(first, last - _ALIAS_LENGTH) : last + 1]
                    return frozenset({*around, *_ALIAS_NAME.findall(tail)})
                if source.data.find(b"{", first, last) < 0:
                    start = first
        text = self._text_of(source)
        declared = declared_name(text, error.offset)
        if declared:
            return frozenset({declared})
        prototype = _PROTOTYPE.match(text, start, end)
        names.update([prototype.group(1)] if prototype else _WORD.findall(text, start, end))
        parameters, _ = _template(text[start_of(text, error.offset) : error.offset])
        return frozenset(names - _COMMON - parameters)

    def _text_of(self, source: SourceFile) -> bytes:
        known = self._plain.get(source.path)
        if known is None:
            known = self._plain[source.path] = code_alone(source.data)
        return known

    def _braces_of(self, source: SourceFile) -> _Braces:
        known = self._braces.get(source.path)
        if known is None:
            known = self._braces[source.path] = _Braces(source.data)
        return known

    def problems(self, ranges: list[Range], own: frozenset[bytes] = frozenset()) -> list[str]:
        """What is wrong with a kernel whose own text and whose called functions' texts are these ranges.

        `own` are words that mean variables of the kernel itself wherever they stand in the first range.
        """
        own_file = ranges[0][0]
        found = [
            self._message(error, own_file)
            for error in self.errors
            if any(error.file == file and first <= error.offset <= last for file, first, last in ranges)
        ]
        if self._declared:
            words = (self._words(ranges[:1]) - own) | self._words(ranges[1:])
            found += [self._message(error, own_file) for error, names in self._declared if names & words]
        return list(dict.fromkeys(found))[:_LIMIT]

    def _words(self, ranges: list[Range]) -> set[bytes]:
        words: set[bytes] = set()
        for file, first, last in ranges:
            source = self.translation.files.get(file)
            if source is not None:
                words.update(_WORD.findall(self._text_of(source), first, last))
        return words

    def _message(self, error: Diagnostic, own_file: str) -> str:
        source = self.translation.files.get(error.file)
        if source is None:
            return f"{Path(error.file).name}: {error.message}"
        where = source.span(error.offset, error.offset).line_in(own_file)
        return f"{where}: {error.message}"


def code_alone(data: bytes) -> bytes:
    """A text of the same length with blanks for comments, strings and directives."""
    return _ASIDE.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), data)


def start_of(text: bytes, offset: int) -> int:
    """Where the declaration around an offset begins in code alone."""
    return max(text.rfind(mark, 0, offset) for mark in (b";", b"{", b"}")) + 1


def declared_name(text: bytes, offset: int) -> bytes:
    """What a declaration in code alone declares, by an error in it: an alias, or what has its parameters there.

    Parameters, and what an alias stands for, are nobody else's names. Empty where it is not certain.
    """
    front = _template(text[start_of(text, offset) : offset])[1]
    alias = _ALIAS.match(front)
    if alias is not None:
        return alias.group(1)
    at = _open_parenthesis(front)
    if at < 0:
        return _variable(front, text[offset : offset + _NAME_LENGTH])
    found = _NAMED.match(front, 0, at) if at > 0 else None
    if found is None or found.group(2) in _NO_NAMES or front.count(b"<", 0, at) != front.count(b">", 0, at):
        return b""
    return found.group(2) if _is_typed(found.group(1)) and found.group(1)[-1:] not in b"(,=" else b""


def _variable(front: bytes, rest: bytes) -> bytes:
    """The variable that is declared alone, by what is in front of an error in it or its value, and from there on."""
    at = front.find(b"=")
    before = front if at < 0 else front[:at]
    if at < 0:  # an error in what is declared is at its name
        name = _VALUED.match(rest)
        before += name.group(1) if name is not None else b""
    found = _NAMED.match(re.sub(rb"\[[^]]*\]\s*\Z", b"", before))
    if found is None or found.group(2) in _NO_NAMES or b"," in re.sub(rb"<[^<>]*>", b"", front):
        return b""
    is_alone = at >= 0 or _VALUED.match(rest) is not None
    return found.group(2) if is_alone and _is_typed(found.group(1)) and found.group(1)[-1:] not in b":" else b""


def _is_typed(before: bytes) -> bool:
    return any(word not in _SPECIFIERS for word in _WORD.findall(before))


def _template(front: bytes) -> tuple[frozenset[bytes], bytes]:
    """The words in the heads of a template's declaration, and what comes behind; nothing where they are not over."""
    words: set[bytes] = set()
    while (head := _TEMPLATE.match(front)) is not None:
        depth, at = 1, head.end()
        while at < len(front) and depth:
            depth += {60: 1, 62: -1}.get(front[at], 0)
            at += 1
        words.update(_WORD.findall(front, head.end(), at))
        front = b"" if depth else front[at:]
    return frozenset(words), front


def _open_parenthesis(front: bytes) -> int:
    """The outermost parenthesis that is still open at the end, -1 if none is."""
    opened: list[int] = []
    for found in re.finditer(rb"[()]", front):
        if found.group() == b"(":
            opened.append(found.start())
        elif opened:
            opened.pop()
    return opened[0] if opened else -1


class _Braces:
    """The braces of a file, and the types whose definitions begin between them."""

    def __init__(self, data: bytes) -> None:
        self.at = [match.start() for match in _BRACE.finditer(data)]
        steps = (1 if data[at] == ord(b"{") else -1 for at in self.at)
        self.depths = [0, *itertools.accumulate(steps)]
        found = ((match.end(), match.group(1)) for match in _TYPE_NAME.finditer(data))
        self.types = [(at, name) for at, name in found if name not in _COMMON]  # comments say `struct for`

    def _depth(self, offset: int) -> int:
        return self.depths[bisect.bisect_left(self.at, offset)]

    def open_types(self, first: int, offset: int) -> set[bytes]:
        """The types that are named from `first` on and whose definitions are still open at an offset."""
        depth = self._depth(offset)
        begin, end = (bisect.bisect_left(self.types, (at, b"")) for at in (first, offset))
        return {name for at, name in self.types[begin:end] if depth > self._depth(at)}


def own_words(root: Node, data: bytes) -> frozenset[bytes]:
    """The words of a function's text that mean its parameters or local variables at every place."""
    scopes: dict[bytes, list[tuple[int, int]]] = {}
    stack = [(root, root.end)]
    while stack:
        node, end = stack.pop()
        if node.kind in (K.PARM_DECL, K.VAR_DECL):
            scopes.setdefault(node.name.encode(), []).append((node.start, end))
        inner = node.end if node.kind in _SCOPES else end
        stack += [(child, inner) for child in node.children]
    words: dict[bytes, list[int]] = {}
    for match in _WORD.finditer(data, root.start, root.end):
        words.setdefault(match.group(), []).append(match.start())
    return frozenset(
        name
        for name, places in scopes.items()
        if all(any(start <= at < end for start, end in places) for at in words.get(name, ()))
    )
