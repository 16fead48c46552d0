"""Floating-point numbers that device code makes integers: a GPU goes to the nearest integer that the type has.

C++ leaves open what becomes of those that fit into no such integer; host processors give the least one. Of what types
expressions are is for the host compiler to know: `(int)x` becomes `(int)(Cast<int>)x`, `int i = x` becomes
`int i = Into<int>() = x` with classes (include/gpuopt_emu/conversions.h) that leave other numbers alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.lexer import Kind, Tokens

_WORDS = frozenset({b"int", b"unsigned", b"signed", b"long", b"short", b"char"})
_INTEGERS = frozenset(
    {b"uint", b"ushort", b"uchar", b"ulong", b"size_t", b"ssize_t", b"ptrdiff_t"}
    | {b"%sint%d_t" % (sign, bits) for sign in (b"", b"u") for bits in (8, 16, 32, 64)}
)
_REALS = frozenset(
    {b"float", b"double"} | {b"%s%d" % (real, count) for real in (b"float", b"double") for count in (1, 2, 3, 4)}
)
_FUNCTIONS = frozenset(
    name + end
    for name in (b"floor", b"ceil", b"rint", b"round", b"trunc", b"sqrt", b"pow", b"exp", b"log", b"log2", b"fabs")
    for end in (b"", b"f")
)
_QUALIFIERS = frozenset({b"const", b"volatile", b"register", b"__restrict__", b"__restrict", b"restrict"})
_CONSTANTS = frozenset({b"constexpr", b"static"})
_BUILTINS = frozenset({b"threadIdx", b"blockIdx", b"blockDim", b"gridDim", b"sizeof", b"warpSize"})
_OPERAND_BEFORE = frozenset({b"return", b"else", b"do", b"case", b"and", b"or", b"not", b"throw"})
_BEHIND_PARAMETERS = frozenset({b"const", b"volatile", b"noexcept", b"mutable", b"__device__", b"__host__"})
_STARTS = frozenset({b";", b"{", b"}", b")", b"else", b"do", b":", b"(", b","})
_CAST, _INTO = b")(::gpuopt_emu::Cast<%s>", b"::gpuopt_emu::Into<%s>() = "


class _Unit:
    """What the user's own files call integers, and what they may call floating-point numbers."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.owned = tokens.owned()
        self.integers = set(_INTEGERS)
        self.reals = set(_REALS)
        at = tokens.at
        for index in (index for start, end in self.owned for index in range(start, end)):
            text = at(index)
            if text in (b"typename", b"class") and at(index - 1) in (b"<", b",") and tokens.is_word(index + 1):
                self.reals.add(at(index + 1))
            elif text == b"typedef" or (text == b"using" and at(index + 2) == b"="):
                self._alias(index + (1 if text == b"typedef" else 3), at(index + 1) if text == b"using" else b"")
        self.named = set(_FUNCTIONS | self.reals)
        for start, end in self.owned:
            for index in range(start, end):
                if at(index) in self.reals:
                    self.named.update(name for name, _, _ in self.declared(index + 1, end))

    def _alias(self, index: int, name: bytes) -> None:
        """A type is named; its own begins at `index`, `name` is before it or, where it is b"", behind it."""
        at = self.tokens.at
        kind, behind = self.type(index)
        found = self.integers if kind else self.reals
        if not kind and at(index) not in self.reals:
            return
        behind = behind if kind else index + 1
        name = name or at(behind)
        if at(behind) == b";" or (self.tokens.is_word(behind) and at(behind + 1) == b";"):
            found.add(name)

    def type(self, index: int) -> tuple[bytes, int]:
        """The integer type named from `index` on, without qualifiers, and where it ends; b"" if none is."""
        at = self.tokens.at
        words: list[bytes] = []
        while (text := at(index)) in _WORDS or text in _QUALIFIERS or (text in self.integers and not words):
            if text not in _QUALIFIERS:
                words.append(text)
            index += 1
            if text in self.integers:
                break
        while at(index) in _QUALIFIERS:
            index += 1
        return b" ".join(words), index

    def is_type(self, index: int) -> bool:
        """Whether a type that is known here, or a part of one, stands at `index`."""
        text = self.tokens.at(index)
        return text in _WORDS or text in _QUALIFIERS or text in self.integers or text in self.reals

    def declared(self, index: int, end: int) -> Iterator[tuple[bytes, int, int]]:
        """The declarators from behind a type on: name, how many `[]` or `*` lead to the type, where the name stands."""
        tokens, at = self.tokens, self.tokens.at
        while index < end:
            depth = 0
            while at(index) in (b"*", b"&", b"&&") or at(index) in _QUALIFIERS:
                depth += at(index) == b"*"
                index += 1
            name = index
            if not tokens.is_word(name):
                return
            index += 1
            while at(index) == b"[" and tokens.match[index] > index:
                depth += 1
                index = tokens.match[index] + 1
            yield at(name), depth, name
            while index < end and at(index) not in (b",", b";", b")", b"}", b"{", b":"):
                index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
            index += 1
            if at(index - 1) != b"," or self.is_type(index) or tokens.is_word(index + 1):
                return  # the end, or another parameter


@dataclass(slots=True)
class _Names:
    """The `integers` that a function declares, each with its type and how many `[]` or `*` lead to it.

    `others` is declared in another way, too.
    """

    integers: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)
    others: set[bytes] = field(default_factory=set)


def _of_function(unit: _Unit, start: int, end: int) -> _Names:
    """What is declared from `start` (before the parameters) to `end`."""
    names, tokens = _Names(), unit.tokens
    index = start
    while index < end:
        kind, behind = unit.type(index)
        if not kind:
            text = tokens.at(index)
            if tokens.is_word(index) and tokens.is_word(index - 1) and tokens.at(index - 1) not in _OPERAND_BEFORE:
                names.others.add(text)
            index += 1
            continue
        for name, depth, at in unit.declared(behind, end):
            if names.integers.setdefault(name, (kind, depth)) != (kind, depth):
                names.others.add(name)
            if at == behind:
                index = at
        index = max(index + 1, behind)
        if index == behind and tokens.is_word(index):
            index += 1
    return names


class _Region:
    """One body of device code: tokens [start, end)."""

    def __init__(self, unit: _Unit, start: int, end: int) -> None:
        self.unit, self.tokens, self.start, self.end = unit, unit.tokens, start, end
        tokens, head = unit.tokens, start - 1
        while head > 0 and tokens.at(head - 1) not in (b";", b"}", b"{"):
            head -= 1
        self.names = _of_function(unit, head, end)

    def _real(self, index: int, stop: int) -> bool:
        """Whether something in [index, stop) speaks of floating-point numbers."""
        tokens = self.tokens
        return any(
            (tokens.at(at) in self.unit.named and not (tokens.at(at - 1) == b"." and tokens.at(at - 2) in _BUILTINS))
            or (tokens.kind[at] is Kind.NUMBER and self._fraction(tokens.at(at)))
            for at in range(index, stop)
        )

    @staticmethod
    def _fraction(text: bytes) -> bool:
        return text[:1] not in b"'" and (b"." in text or (b"e" in text.lower() and b"x" not in text.lower()))

    def _expression_end(self, index: int) -> int:
        tokens = self.tokens
        while index < self.end and tokens.at(index) not in (b";", b",", b")", b"}", b"]"):
            index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
        return index

    def _into(self, index: int, kind: bytes, stop: int | None = None) -> None:
        """What is assigned from `index` on is made a `kind` as a GPU does, where it may be no integer."""
        tokens = self.tokens
        text = tokens.text[index] if index < self.end and tokens.at(index) != b"{" else b""
        stop = self._expression_end(index) if stop is None else stop
        if text and not text.startswith(_INTO.partition(b"%")[0]) and self._real(index, stop):
            tokens.text[index] = _INTO % kind + text

    def _casts(self, index: int) -> None:
        """A cast whose `(` or type stands at `index`."""
        tokens, at = self.tokens, self.tokens.at
        if at(index) == b"(":
            kind, behind = self.unit.type(index + 1)
            if kind and at(behind) == b")" and self._is_operand(behind + 1) and not self._is_call(index):
                last = behind - 1
                if tokens.text[last] == at(last) and at(last) not in _QUALIFIERS:
                    tokens.text[last] += _CAST % kind
        elif at(index) == b"static_cast" and at(index + 1) == b"<":
            kind, behind = self.unit.type(index + 2)
            if kind and at(behind) == b">" and at(behind + 1) == b"(":
                self._into(behind + 2, kind, tokens.match[behind + 1])
        elif at(index + 1) == b"(" and at(index - 1) not in (b";", b"{", b"}", b"<", b"::", b"new"):
            kind, behind = self.unit.type(index)
            called = self.tokens.is_word(index - 1) and at(index - 1) not in _OPERAND_BEFORE
            declares = called or at(index + 2) in (b"*", b"&", b")") or self.unit.type(index + 2)[0]
            if kind and behind == index + 1 and not declares:
                self._into(index + 2, kind, tokens.match[index + 1])

    def _is_operand(self, index: int) -> bool:
        tokens = self.tokens
        text = tokens.at(index)
        if index >= self.end or text in _BUILTINS or text in _BEHIND_PARAMETERS:
            return False
        number = tokens.kind[index] is Kind.NUMBER and self._fraction(text)
        return number or tokens.kind[index] is Kind.WORD or text in (b"(", b"-", b"+", b"*")

    def _is_call(self, index: int) -> bool:
        """Whether the `(` at `index` belongs to what stands before it: `f(int)`, `sizeof(int)`, `[](int)`."""
        before = self.tokens.at(index - 1)
        if self.tokens.is_word(index - 1):
            return before not in _OPERAND_BEFORE
        return before == b"]"

    def _declarations(self, index: int) -> int:
        """The initializers of integers whose type stands at `index`; where to go on."""
        tokens = self.tokens
        kind, behind = self.unit.type(index)
        before = tokens.at(index - 1)
        if not kind or behind == index or before not in _STARTS - {b",", b")"}:
            return index + 1
        for _, depth, at in self.unit.declared(behind, self.end):
            if depth == 0 and tokens.at(at + 1) == b"=" and tokens.at(at - 1) != b"&":
                self._into(at + 2, kind)
        return behind

    def _assignment(self, operator: int) -> None:
        """`name = x` and `name[i] = x`, where `name` is an integer and nothing else in this function."""
        tokens, at = self.tokens, self.tokens.at
        index, depth = operator - 1, 0
        while at(index) == b"]" and tokens.match[index] >= 0:
            index = tokens.match[index] - 1
            depth += 1
        name = at(index)
        declared = self.names.integers.get(name)
        if declared is None or name in self.names.others:
            return
        before = index - 1
        if at(before) == b"*" and depth == 0 and at(before - 1) in _STARTS:
            depth, before = 1, before - 1
        if declared[1] == depth and at(before) in _STARTS:
            self._into(operator + 1, declared[0])

    def convert(self, returned: bytes) -> None:
        """Rewrite the region; `returned`: the type of what it returns, b"" if that is no integer."""
        at = self.tokens.at
        index = self.start
        while index < self.end:
            text = at(index)
            if text in (b"(", b"static_cast") or text in _WORDS or text in self.unit.integers:
                self._casts(index)
            if text in _WORDS or text in self.unit.integers or text in _QUALIFIERS:
                if at(index - 1) not in _CONSTANTS:
                    index = self._declarations(index)
                    continue
            elif text == b"=":
                self._assignment(index)
            elif text == b"return" and returned and at(index + 1) != b";":
                self._into(index + 1, returned)
            index += 1


def _returned(unit: _Unit, start: int) -> bytes:
    """The integer type that the function whose body begins at `start` returns, as far as its words show it."""
    tokens, close = unit.tokens, start - 1
    while close > 0 and tokens.at(close) != b")":
        if tokens.at(close) in (b";", b"}", b"->", b":", b"]"):
            return b""
        close -= 1
    name = tokens.match[close] - 1
    if not tokens.is_word(name) or tokens.at(name) in _WORDS:
        return b""
    first = name
    while first > 0 and (tokens.at(first - 1) in _WORDS or tokens.at(first - 1) in unit.integers):
        first -= 1
    if tokens.at(first - 1) == b"::":  # a type of another one's, of which nothing is known
        return b""
    kind, behind = unit.type(first)
    return kind if kind and behind == name else b""


def saturate_conversions(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Give what device code makes integers of floating-point numbers a GPU's values; libraries' headers stay."""
    unit = _Unit(tokens)
    for start, end in regions:
        at = bisect_right(unit.owned, (start, len(tokens))) - 1
        if at < 0 or start >= unit.owned[at][1]:
            continue
        lambdas = any(tokens.at(i) == b"[" and tokens.at(i - 1) in (b"=", b"(", b",") for i in range(start, end))
        _Region(unit, start, end).convert(b"" if lambdas else _returned(unit, start))
