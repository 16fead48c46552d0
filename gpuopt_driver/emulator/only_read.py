"""Arrays that a kernel only reads, as its text shows: check mode need not remember who has read them.

Such a parameter is a pointer that stands in reads alone (`p[i]`), in a kernel whose stores can only go where its other
pointers lead: these are parameters, too, or addresses of local and shared variables. That they lead elsewhere is what
the runtime sees at each launch (runtime/check_only_read.cpp).
"""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import lambda_body
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.pointees import VECTORS, Arrays
from gpuopt_driver.emulator.structure import Function, Role
from gpuopt_driver.emulator.survey_text import QUALIFIERS

_STATEMENTS = frozenset({b"if", b"while", b"for", b"switch", b"return", b"sizeof", b"else", b"do", b"case"})


def only_read(arrays: Arrays, function: Function) -> tuple[list[bytes], list[bytes]]:
    """The kernel's parameters that are only read, and its other pointers; none where that is not clear."""
    tokens, end = arrays.tokens, arrays.tokens.match[function.body]
    try:
        if not arrays.usable or b"template" in tokens.original[function.head : function.params]:
            return [], []
        parameters = arrays.parameters(function)
        if any(mark == b"&" or not arrays.leads_nowhere(kind) for _, kind, mark in parameters):
            return [], []
        # What the body does not use is not in its closure, which must be the same with this code and without.
        used = _used(tokens, function.body, end)
        pointers = [name for name, _, mark in parameters if mark and name in used]
        if not _is_simple(tokens, function.body, end):
            return [], []
        reads = [name for name in pointers if _Uses(arrays, function, name, ()).only_read()]
    except Declined:
        return [], []
    return reads, [name for name in pointers if name not in reads]


def _used(tokens: Tokens, start: int, end: int) -> set[bytes]:
    """The names in [start, end) that stand for values, and none where some stand for types or sizes alone."""
    names = {tokens.at(at) for at in range(start, end) if tokens.at(at - 1) not in (b".", b"->", b"::")}
    return set() if names & {b"sizeof", b"decltype", b"alignof", b"typeid", b"noexcept"} else names


def bases_of(arrays: Arrays, function: Function) -> bytes:
    """What tells the runtime of the arrays of a kernel; nothing where there is none that is only read."""
    reads, others = only_read(arrays, function)
    if not reads:
        return b""
    told = b"".join(b"gpuopt_survey->reads(" + name + b");" for name in reads)
    told += b"".join(b"gpuopt_survey->stores(" + name + b");" for name in others)
    names = b"".join(b",decltype(" + name + b") " + name for name in (*reads, *others))
    return (
        b"[](::gpuopt_emu::surveys::Survey*gpuopt_survey" + names + b")__attribute__((no_sanitize_thread,noinline)){"
        + told + b"}(gpuopt_emu_at.survey," + b",".join((*reads, *others)) + b");"
    )  # fmt: skip


def _is_simple(tokens: Tokens, start: int, end: int) -> bool:
    words = tokens.original[start:end]
    if {
        b"asm",
        b"__asm__",
        b"__asm",
        b"struct",
        b"class",
        b"union",
        b"static",
        b"extern",
        b"new",
        b"malloc",
    }.intersection(words):
        return False
    return not any(tokens.at(at) == b"[" and lambda_body(tokens, at) >= 0 for at in range(start, end))


@dataclass(slots=True)
class _Uses:
    """The uses of a pointer parameter in a function's body."""

    arrays: Arrays
    function: Function
    name: bytes
    inside: tuple[int, ...]  # bodies of the functions that this was called from

    def only_read(self) -> bool:
        tokens, body = self.arrays.tokens, self.function.body
        opened: list[int] = []
        for at in range(body, tokens.match[body]):
            text = tokens.at(at)
            if text == b"(":
                opened.append(at)
            elif text == b")":
                opened.pop()
            elif text == self.name and tokens.kind[at] is Kind.WORD and not self._reads(at, opened):
                return False
        return True

    def _reads(self, at: int, opened: list[int]) -> bool:
        tokens = self.arrays.tokens
        if tokens.at(at - 1) in (b".", b"->", b"::"):
            return tokens.at(at - 1) == b"."  # a member of the same name
        end = at + 1
        if tokens.at(end) != b"[":
            return self._handed_on(at, opened)
        while tokens.at(end) in (b"[", b"."):
            if tokens.at(end) == b"." and tokens.at(end + 2) == b"(":
                return False
            end = tokens.match[end] + 1 if tokens.at(end) == b"[" else end + 2
        return self._is_value(at, end) and self._is_plain_argument(at, end, opened)

    def _is_value(self, at: int, end: int) -> bool:
        """Whether what stands in [at, end) is read, and nothing else."""
        tokens = self.arrays.tokens
        before, behind = tokens.at(at - 1), tokens.at(end)
        while before == b"(" and behind == b")" and not tokens.is_word(at - 2):
            at, end = at - 1, end + 1
            before, behind = tokens.at(at - 1), tokens.at(end)
        if self._changes(at, end):
            return False
        if tokens.original[at - 3 : at] == (b"__ldg", b"(", b"&"):
            return True
        if before in (b"&", b"*"):  # of two operands, or the address of it, or what it leads to
            left = tokens.at(at - 2)
            if left not in (b")", b"]") and not (
                tokens.kind[at - 2] in (Kind.WORD, Kind.NUMBER) and left not in _STATEMENTS
            ):
                return False
            return left != b")" or not self._is_cast(at - 2)
        if before == b")" and self._is_cast(at - 1):
            return (
                b"*" not in tokens.original[tokens.match[at - 1] : at]
                and b"&" not in tokens.original[tokens.match[at - 1] : at]
            )
        if before == b"{":
            return tokens.at(at - 2) in (b")", b"else", b"do", b";", b"{", b"}")
        if before in (b"=", b"(") and tokens.at(at - 3) in (b"&", b"&&") and tokens.is_word(at - 2):
            return self._is_comparison(at - 3)
        return before not in (b"?", b":") or not self._binds(at)

    def _changes(self, at: int, end: int) -> bool:
        """Whether what stands in [at, end) is assigned to, counted up or down, or called."""
        tokens = self.arrays.tokens
        before, behind = tokens.at(at - 1), tokens.at(end)
        if behind in ASSIGNS or behind in (b"->", b"("):
            return True
        if behind in (b"<", b">") and tokens.at(end + 1) == behind + b"=":
            return True
        return (behind in (b"+", b"-") and tokens.at(end + 1) == behind) or (
            before in (b"+", b"-") and tokens.at(at - 2) == before
        )

    def _is_cast(self, close: int) -> bool:
        """Whether the bracket that ends at `close` holds nothing but a type."""
        tokens = self.arrays.tokens
        words = tokens.original[tokens.match[close] + 1 : close]
        types = (
            self.arrays.numbers | VECTORS | QUALIFIERS | {b"*", b"&", b"unsigned", b"signed"} | set(self.arrays.structs)
        )
        return bool(words) and types.issuperset(words)

    def _is_comparison(self, at: int) -> bool:
        """Whether the `&&` or `&` at `at` has a condition or number on its left, so that it declares nothing."""
        before = self.arrays.tokens.at(at - 1)
        return before in (b")", b"]") or before[:1].isdigit()

    def _binds(self, at: int) -> bool:
        """Whether the statement around may bind a reference, or take an address."""
        tokens, first = self.arrays.tokens, at
        while tokens.at(first) not in (b";", b"{", b"}"):
            first -= 1
        last = at
        while tokens.at(last) not in (b";", b"{", b"}"):
            last += 1
        return any(text in (b"&", b"&&") or text in ASSIGNS - {b"="} for text in tokens.original[first:last])

    def _call(self, opened: int) -> bytes:
        """The name of what is called with the bracket at `opened`; empty where it is no plain name."""
        word = self.arrays.tokens.at(opened - 1)
        return word if self.arrays.tokens.is_word(opened - 1) and word not in _STATEMENTS else b""

    def _is_plain_argument(self, at: int, end: int, opened: list[int]) -> bool:
        """False: a function that is called with it might store to it."""
        tokens = self.arrays.tokens
        if tokens.at(at - 1) not in (b"(", b",") or tokens.at(end) not in (b",", b")") or not opened:
            return True
        if tokens.at(opened[-1] - 1) in (b">", b"]", b")"):
            return False
        name = self._call(opened[-1])
        if not name:
            return True
        if name.startswith((b"atomic", b"swap")) or b"operator" in self.arrays.words:
            return False
        declared = any(
            tokens.at(k) == name and tokens.is_word(k - 1) and tokens.at(k - 1) not in _STATEMENTS
            for k in range(self.function.params, tokens.match[self.function.body])
        )
        return not declared and not any(
            text == b"&" for one in self.arrays.by_name.get(name, ()) for text in tokens.original[one.params : one.body]
        )

    def _handed_on(self, at: int, opened: list[int]) -> bool:
        """Whether it is an argument, as it is, of a function that only reads it, too."""
        tokens = self.arrays.tokens
        if not opened or tokens.at(at - 1) not in (b"(", b",") or tokens.at(at + 1) not in (b",", b")"):
            return bool(opened) and self._call(opened[-1]) == b"__ldg"
        name = self._call(opened[-1])
        if name == b"__ldg":
            return True
        functions = self.arrays.by_name.get(name, [])
        if len(functions) != 1 or functions[0].role is not Role.DEVICE or functions[0].body in self.inside:
            return False
        callee = functions[0]
        head = tokens.original[callee.head : callee.params]
        body = callee.body, tokens.match[callee.body]
        if {b"template", b"&", b"::", b"*"}.intersection(head) or not _is_simple(tokens, *body):
            return False
        parameters = self.arrays.parameters(callee)
        number = _commas(tokens, opened[-1], at)
        if number >= len(parameters) or parameters[number][2] != b"*":
            return False
        return _Uses(self.arrays, callee, parameters[number][0], (*self.inside, self.function.body)).only_read()


def _commas(tokens: Tokens, opened: int, at: int) -> int:
    """How many commas of the bracket at `opened` stand before `at`."""
    count, index = 0, opened + 1
    while index < at:
        count += tokens.at(index) == b","
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return count
