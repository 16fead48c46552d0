"""Conditions under which whole blocks run without looking at each thread's guard, so that compilers can vectorise.

A kernel mostly begins with indices made of `blockIdx * blockDim + threadIdx` and a guard such as `if (i < n)`. Each
part of such a guard is a comparison that is monotone in every coordinate of `threadIdx`, so what holds for a block's
corners holds for all of its threads. The runtime asks the corners first (`struct At` of include/gpuopt_emu/launch.h).
"""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.names import assignment_at, operand_end
from gpuopt_driver.emulator.fission.tree import BASIC, Declined, Statement, declaration, statements
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.structure import Function

_AT = b"gpuopt_emu_at."
_INTEGERS = frozenset({b"int", b"long", b"signed", b"unsigned", b"const", b"size_t", b"uint", b"int32_t", b"int64_t"})
_INTEGERS |= {b"uint32_t", b"uint64_t", b"std", b"::"}
_NUMBERS = (
    _INTEGERS | BASIC | {b"uint8_t", b"int8_t", b"uint16_t", b"int16_t", b"half", b"float2", b"float3", b"float4"}
)
_ORDERS = frozenset({b"<", b">", b"<=", b">=", b"==", b"!="})
_PLAIN = frozenset({b"+", b"-", b"*", b"(", b")", b",", b".", b"::"})
_BEFORE = frozenset({b"=", b"(", b",", b"[", b"{", b";"})
_BEHIND = frozenset({b";", b",", b")", b"]", b"}", b"<", b">", b"<=", b">=", b"==", b"+", b"-"})
_AXES = (b"x", b"y", b"z")


def _member(tokens: Tokens, index: int, name: bytes) -> bytes:
    """The coordinate that is asked for at `index`, as in `threadIdx.x`; b"" where it is something else."""
    axis = tokens.at(index + 2)
    found = tokens.at(index) == name and tokens.at(index + 1) == b"." and axis in _AXES
    return axis if found and tokens.text[index] == name else b""


def _small(tokens: Tokens, index: int) -> bool:
    """Whether a number of at most 1024 stands at `index`."""
    text = tokens.at(index).rstrip(b"uU")
    return text.isdigit() and (text[:1] != b"0" or text == b"0") and int(text) <= 1024


def _start_of_block(tokens: Tokens, index: int) -> tuple[int, bytes]:
    """Behind `blockIdx.x * blockDim.x` (or times a number, in either order) at `index`, and its axis; else -1."""
    if tokens.at(index) == b"(" and tokens.match[index] > index:
        end, axis = _start_of_block(tokens, index + 1)
        return (end + 1, axis) if end == tokens.match[index] else (-1, b"")
    axis = _member(tokens, index, b"blockIdx")
    if axis and tokens.at(index + 3) == b"*":
        if _member(tokens, index + 4, b"blockDim") == axis:
            return index + 7, axis
        return (index + 5, axis) if _small(tokens, index + 4) else (-1, b"")
    behind = index + 3 if _member(tokens, index, b"blockDim") else index + 1 if _small(tokens, index) else -1
    if behind > 0 and tokens.at(behind) == b"*" and (axis := _member(tokens, behind + 1, b"blockIdx")):
        own = _member(tokens, index, b"blockDim")
        return (behind + 4, axis) if own in (b"", axis) else (-1, b"")
    return -1, b""


def _whole_index(tokens: Tokens, index: int) -> tuple[int, int, bytes] | None:
    """A sum of a block's start and `threadIdx` at `index`: its `+`, its end, its axis."""
    middle, axis = _start_of_block(tokens, index)
    if middle > 0 and tokens.at(middle) == b"+" and _member(tokens, middle + 1, b"threadIdx") == axis:
        return middle, middle + 4, axis
    axis = _member(tokens, index, b"threadIdx")
    if axis and tokens.at(index + 3) == b"+":
        end, other = _start_of_block(tokens, index + 4)
        if end > 0 and other == axis:
            return index + 3, end, axis
    return None


def _own_builtins(tokens: Tokens, start: int, end: int) -> bool:
    """Whether the body declares variables of its own that are named as built-in ones, as versions of kernels do."""
    return any(tokens.at(at) in BUILTINS and tokens.at(at - 1) in (b"uint3", b"dim3") for at in range(start, end))


def rewrite_indices(tokens: Tokens, function: Function) -> None:
    """Add blocks' starts and `threadIdx` in a way that lets the compiler see that nothing overflows."""
    start, end = function.body + 1, tokens.match[function.body]
    if _own_builtins(tokens, start, end):
        return
    for index in range(start, end):
        found = _whole_index(tokens, index) if tokens.at(index - 1) in _BEFORE else None
        if found is None or tokens.at(found[1]) not in _BEHIND:
            continue
        plus, stop, _ = found
        tokens.text[index] = _AT + b"sum(" + tokens.text[index]
        tokens.text[plus] = b","
        tokens.text[stop - 1] += b")"


@dataclass(slots=True)
class _Guarded:
    """What is known of the variables before a guard."""

    tokens: Tokens
    uniform: set[bytes]  # on which all threads agree, all of them numbers
    memory: set[bytes]  # variables outside of functions, which other threads may change
    threads: dict[bytes, bool] = field(default_factory=dict)  # indices of threads; whether they are signed
    other: set[bytes] = field(default_factory=set)

    def pure(self, start: int, end: int) -> bool:
        """Whether [start, end) only computes with numbers."""
        tokens = self.tokens
        for index in range(start, end):
            text = tokens.at(index)
            if tokens.kind[index] is Kind.PUNCT:
                if text in (b"/", b"%") and tokens.at(index + 1).rstrip(b"uUlL").strip(b"0").isdigit():
                    continue
                if text not in _PLAIN or assignment_at(tokens, index):
                    return False
                if text == b"*" and (index == start or not operand_end(tokens, index - 1)):
                    return False  # memory behind a pointer
                called = tokens.at(index - 1)
                if text == b"(" and index > start and tokens.is_word(index - 1) and called not in _INTEGERS:
                    return False
            elif text in self.memory or (text in self.other and tokens.at(index - 1) != b"."):
                return False
        return True

    def agreed(self, start: int, end: int) -> bool:
        """Whether all threads find the same number."""
        words = self.tokens.original[start:end]
        return (
            self.pure(start, end) and start < end and b"threadIdx" not in words and not self.threads.keys() & set(words)
        )

    def _thread(self, start: int, end: int) -> tuple[bool, bool] | None:
        """Of an index of threads at [start, end): whether it is signed, and whether a number is added; else None."""
        tokens = self.tokens
        if tokens.at(start) in self.threads:
            signed, behind = self.threads[tokens.at(start)], start + 1
        else:
            found = _whole_index(tokens, start)
            behind = found[1] if found else start + 3 if _member(tokens, start, b"threadIdx") else -1
            signed = False
        if behind == end:
            return signed, False
        if signed and behind == end - 2 and tokens.at(behind) in (b"+", b"-") and _small(tokens, behind + 1):
            return (True, True) if tokens.at(behind + 1).isdigit() else None
        return None

    def compares(self, start: int, end: int, unfit: bytes) -> bool:
        """Whether [start, end) is a comparison, by something else than `unfit`, that corners decide."""
        tokens = self.tokens
        while tokens.at(start) == b"(" and tokens.match[start] == end - 1:
            start, end = start + 1, end - 1
        at, orders = start, []
        while at < end:
            if tokens.at(at) in _ORDERS:
                orders.append(at)
            at = tokens.match[at] + 1 if tokens.match[at] > at else at + 1
        if len(orders) != 1 or tokens.at(orders[0]) == unfit:
            return False
        middle = orders[0]
        for one, other in (((start, middle), (middle + 1, end)), ((middle + 1, end), (start, middle))):
            thread = self._thread(*one)
            if thread is not None:
                return self.agreed(*other) and (not thread[1] or self._signed(*other))
        return self.agreed(start, middle) and self.agreed(middle + 1, end)

    def _signed(self, start: int, end: int) -> bool:
        """Whether the number [start, end) is certainly not an unsigned one: a literal."""
        return end == start + 1 and self.tokens.at(start).isdigit()

    def joined(self, start: int, end: int, operator: bytes) -> bool:
        """Whether [start, end) are such comparisons, joined by the operator: all to hold (&&) or all to fail (||)."""
        tokens, unfit = self.tokens, b"!=" if operator == b"&&" else b"=="
        while tokens.at(start) == b"(" and tokens.match[start] == end - 1:
            start, end = start + 1, end - 1
        first = at = start
        while at <= end:
            if at == end or tokens.at(at) == operator:
                part = tokens.at(first) == b"(" and tokens.match[first] == at - 1
                inner = range(first + 1, at - 1)
                if part and any(tokens.at(i) == operator for i in inner):
                    if not self.joined(first, at, operator):
                        return False
                elif not self.compares(first, at, unfit):
                    return False
                first = at + 1
            at = tokens.match[at] + 1 if at < end and tokens.match[at] > at else at + 1
        return True

    def declare(self, start: int, end: int) -> bool:
        """Note what the declaration [start, end) declares; whether threads may do it any number of times."""
        tokens = self.tokens
        try:
            found = declaration(tokens, start, end - 1)
        except Declined:
            return False
        if found is None:
            return False
        words = set(tokens.original[found.base[0] : found.base[1]])
        if not words <= _NUMBERS | {b"auto"}:
            return False
        for one in found.declarators:
            name, prefix = tokens.at(one.name), tokens.original[one.prefix[0] : one.prefix[1]]
            self.uniform.discard(name)
            self.threads.pop(name, None)
            simple = not prefix and one.bounds[0] == one.bounds[1]
            if one.init[0] == one.init[1]:
                self.other.add(name)
                continue
            if one.opening not in (b"=", b"(") or b"&" in prefix or not simple:
                return False
            if not self.pure(*one.init):
                return False
            index = self._thread(*one.init)
            if index is not None and words <= _INTEGERS:
                self.threads[name] = not {b"unsigned", b"size_t", b"uint", b"uint32_t", b"uint64_t"} & words
            elif not self.agreed(*one.init):
                self.other.add(name)
        return True


def _returns(tokens: Tokens, item: Statement) -> bool:
    """Whether the branch does nothing but return."""
    words = tokens.original[item.parts[0].start : item.parts[0].end]
    return words in ((b"return", b";"), (b"{", b"return", b";", b"}"))


def _parameters(tokens: Tokens, function: Function) -> tuple[set[bytes], set[bytes]]:
    """The names of parameters that are numbers, and of the others."""
    numbers: set[bytes] = set()
    others: set[bytes] = set()
    first = function.params + 1
    for index in range(first, tokens.match[function.params] + 1):
        if tokens.at(index) not in (b",", b")"):
            continue
        words = tokens.original[first:index]
        if words:
            (numbers if set(words[:-1]) <= _NUMBERS else others).add(words[-1])
        first = index + 1
    return numbers, others


@dataclass(frozen=True, slots=True)
class Guard:
    """A branch at a kernel's beginning that the runtime can ask; `leaves`: threads for which it is true return."""

    item: Statement
    leaves: bool


def guards_of(tokens: Tokens, function: Function, memory: set[bytes]) -> list[Guard]:
    """A kernel's guards, as far as they can be asked by themselves."""
    start, end = function.body + 1, tokens.match[function.body]
    if _own_builtins(tokens, start, end):
        return []
    numbers, others = _parameters(tokens, function)
    known = _Guarded(tokens, numbers, memory, other=others)
    guards: list[Guard] = []
    for item in statements(tokens, start, end):
        if item.kind == "simple" and known.declare(item.start, item.end):
            continue
        if item.kind != "if" or len(item.parts) != 1 or item.head != item.start + 1:
            break
        close, last = tokens.match[item.head], item.end == end
        leaves = _returns(tokens, item)
        if not (leaves or last) or not known.joined(item.head + 1, close, b"||" if leaves else b"&&"):
            break
        guards.append(Guard(item, leaves))
    return guards


def rewrite_guards(tokens: Tokens, guards: list[Guard]) -> None:
    """Let the runtime ask a kernel's guards by themselves."""
    for guard in guards:
        last = guard is guards[-1]
        opened, close = guard.item.head, tokens.match[guard.item.head]
        if guard.leaves:
            tokens.text[opened] += b"!" + _AT + b"sure&&" + _AT + b"leaves(%s," % (b"true" if last else b"false")
        else:
            tokens.text[opened] += _AT + b"sure||" + _AT + b"enters("
        tokens.text[close] = b")" + tokens.text[close]
