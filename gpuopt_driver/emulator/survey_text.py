"""Expressions of kernels as surveys have them: numbers of all threads of a block, arrays as their addresses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.structure import Function

SPACE = b"::gpuopt_emu::surveys::"
LOOP = SPACE + b"Loop gpuopt_loop;(void)gpuopt_loop;"
_NUMBERS = frozenset(
    {b"int", b"long", b"short", b"char", b"signed", b"unsigned", b"float", b"double", b"size_t", b"uint"}
    | {b"int32_t", b"uint32_t", b"int64_t", b"uint64_t", b"int8_t", b"uint8_t", b"int16_t", b"uint16_t", b"bool"}
    | {b"uchar", b"ushort", b"ulong", b"half", b"__half"}
)
QUALIFIERS = frozenset({b"const", b"__restrict__", b"__restrict", b"register"})
_REAL: tuple[str, ...] = (
    "sqrt",
    "rsqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "fabs",
    "tanh",
    "floor",
    "pow",
    "fmin",
    "fmax",
    "exp2",
    "log2",
)
_REAL += ("log10", "ceil", "tan", "atan", "atan2", "erf", "erfc", "cbrt", "round", "rint", "fmod", "fma")
_FUNCTIONS = frozenset(
    {name.encode() for real in _REAL for name in (real, real + "f")}
    | {
        b"__expf",
        b"__logf",
        b"__sinf",
        b"__cosf",
        b"__fdividef",
        b"min",
        b"max",
        b"__ldg",
        b"abs",
        b"__mul24",
        b"__umul24",
    }
    | {b"__fsqrt_rn", b"__frcp_rn"}
    | {b"gpuopt_emu_fast_" + name for name in (b"expf", b"logf", b"sinf", b"cosf", b"powf")}  # __expf and the like
    | {b"atomicAdd", b"atomicSub", b"atomicMin", b"atomicMax", b"atomicAnd", b"atomicOr", b"atomicXor"}
)
_PUNCTUATION = frozenset(
    {b"(", b")", b"[", b"]", b"+", b"-", b"*", b"/", b"%", b"=", b"<", b">", b"&", b"|", b"^", b"!", b",", b"&&"}
    | {b"||", b"==", b"!=", b"<=", b">=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="}
)


_PARTS = frozenset({b"?", b"&&", b"||"})
_ASSIGN = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="})


def names_of_numbers(tokens: Tokens) -> frozenset[bytes]:
    """The language's and CUDA's own, and the unit's names for them."""
    found = set(_NUMBERS)
    for at in tokens.places(b"typedef"):
        end = at + 1
        while tokens.at(end) in found or tokens.at(end) == b"const":
            end += 1
        if end > at + 1 and tokens.is_word(end) and tokens.at(end + 1) == b";":
            found.add(tokens.at(end))
    return frozenset(found)


@dataclass(slots=True)
class Expressions(ABC):
    """Writes expressions. `memory`: variables outside of functions; `native`: constants of the kernel; `functions`: the
    unit's device functions by name."""

    tokens: Tokens
    memory: set[bytes]
    native: set[bytes]
    numbers: frozenset[bytes]  # names of types that are numbers
    functions: dict[bytes, Function]
    local: set[bytes] = field(default_factory=set)
    lines: list[tuple[str, int]] = field(default_factory=list)

    def type_of(self, start: int, end: int) -> bytes:
        """The number type that [start, end) names."""
        words = [word for word in self.tokens.original[start:end] if word not in QUALIFIERS]
        if not words or not self.numbers.issuperset(words):
            raise Declined("a type that is no number")
        return b" ".join(words)

    def number(self, start: int, end: int) -> bytes:
        """What stands for the number type that [start, end) names."""
        return SPACE + b"Num<" + self.type_of(start, end) + b">"

    def _top(self, start: int, end: int, wanted: frozenset[bytes]) -> int:
        """The first of these tokens outside of brackets; -1: none."""
        at = start
        while at < end:
            if self.tokens.at(at) in wanted:
                return at
            at = self.tokens.match[at] + 1 if self.tokens.match[at] > at else at + 1
        return -1

    def _parted(self, start: int, end: int) -> bytes:
        """An expression with `?`, `&&` or `||` outside of brackets: what stands behind is for the threads left."""
        comma = self._top(start, end, frozenset({b","}))
        if comma >= 0:
            return self.expression(start, comma) + b"," + self.expression(comma + 1, end)
        assigned, question = self._top(start, end, _ASSIGN), self._top(start, end, frozenset({b"?"}))
        if assigned >= 0 and not 0 <= question < assigned:  # c ? a = b : d, c ? a : b = d
            if self._top(start, assigned, _PARTS) >= 0:
                raise Declined("a reference")  # auto &&a = b
            return self.expression(start, assigned + 1) + self.expression(assigned + 1, end)
        if question >= 0:
            return self._chosen(start, question, end)
        either = self._top(start, end, frozenset({b"||"}))
        middle = either if either >= 0 else self._top(start, end, frozenset({b"&&"}))
        name = b"either(" if either >= 0 else b"also("
        second = self.condition(middle + 1, end)
        return SPACE + name + self.condition(start, middle) + b",[&]{return " + second + b";})"

    def _chosen(self, start: int, question: int, end: int) -> bytes:
        depth, colon = 1, question
        while depth:
            colon = self._top(colon + 1, end, frozenset({b"?", b":"}))
            if colon < 0:
                raise Declined("an operator")
            depth += 1 if self.tokens.at(colon) == b"?" else -1
        first, second = self.expression(question + 1, colon), self.expression(colon + 1, end)
        condition = self.condition(start, question)
        return SPACE + b"chosen(" + condition + b",[&]{return " + first + b";},[&]{return " + second + b";})"

    def expression(self, start: int, end: int) -> bytes:
        """The text of an expression."""
        tokens, parts = self.tokens, [b""]
        if self._top(start, end, _PARTS) >= 0:
            return self._parted(start, end)
        index = start
        while index < end:
            text = tokens.at(index)
            if text in (b"(", b"[") and _PARTS.intersection(tokens.original[index : tokens.match[index]]):
                close = tokens.match[index]
                parts.append(text + self.expression(index + 1, close) + tokens.at(close))
                index = close + 1
                continue
            if tokens.gap[index]:
                parts.append(b" ")
            if tokens.kind[index] is Kind.PUNCT and text == b".":
                if tokens.at(index - 1) not in BUILTINS or tokens.at(index + 1) not in (b"x", b"y", b"z"):
                    raise Declined("a member")
                parts.append(b"." + tokens.at(index + 1))
                index += 2
                continue
            if tokens.kind[index] is Kind.PUNCT:
                if text not in _PUNCTUATION:
                    raise Declined("an operator")
                parts.append(text)
            elif tokens.kind[index] is Kind.STRING:
                raise Declined("a string")
            elif tokens.kind[index] is Kind.NUMBER:
                parts.append(text)
            else:
                index = self._word(index, parts)
                continue
            index += 1
        return b"".join(parts)

    def _word(self, index: int, parts: list[bytes]) -> int:
        """Write the word at `index`; where to go on."""
        tokens = self.tokens
        text, following = tokens.at(index), tokens.at(index + 1)
        if text in self.local or text in BUILTINS or text in self.native:
            parts.append(text)
        elif text in self.numbers or text in QUALIFIERS:
            end = index
            while tokens.at(end) in self.numbers or tokens.at(end) in QUALIFIERS:
                end += 1
            if tokens.at(end) not in (b")", b"("):
                raise Declined("a type that is no number")
            parts.append(self.number(index, end))
            return end
        elif (text in _FUNCTIONS and following == b"(") or text in (b"true", b"false"):
            parts.append(text)
        elif text in self.functions and following == b"(":
            parts.append(self.call(self.functions[text], index + 1))
            return tokens.match[index + 1] + 1
        elif text in self.memory and following != b"(":
            parts.append(SPACE + b"variable(" + text + b")")
        else:
            raise Declined(f"'{text.decode('utf-8', 'replace')}'")
        return index + 1

    @abstractmethod
    def call(self, function: Function, opened: int) -> bytes:
        """A call of a device function of the unit, with its arguments in the bracket at `opened`."""
        raise NotImplementedError

    def condition(self, start: int, end: int) -> bytes:
        """For which threads the expression is true."""
        return SPACE + b"Condition(" + self.expression(start, end) + b")"

    def here(self, index: int) -> bytes:
        """Says where the accesses that follow are."""
        where = self.tokens.where(index)
        if where not in self.lines:
            self.lines.append(where)
        return b"gpuopt_survey->at(gpuopt_places+%d);" % self.lines.index(where)
