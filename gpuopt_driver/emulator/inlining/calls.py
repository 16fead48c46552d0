"""Calls in expressions: which are to be written in place, and the functions' bodies and results in their places.

`x = f(a);` becomes `T p = a; <body>; R r = <what it returns>; x = r;`, with names of their own for all variables. It is
done where a call is made whenever its statement is, and nothing that the statement does before is seen by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.emulator.builtin_variables import lambda_body
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.fission.tree import Declined, Statement
from gpuopt_driver.emulator.inlining.binding import Binder, Call, Frame
from gpuopt_driver.emulator.inlining.callees import Callee, Range, split_at_commas
from gpuopt_driver.emulator.inlining.draft import Token, copied, word
from gpuopt_driver.emulator.inlining.named import Unit
from gpuopt_driver.emulator.inlining.types import type_of
from gpuopt_driver.emulator.launches import head_of
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.statements import is_const
from gpuopt_driver.emulator.structure import Function

_MOST = 40  # calls in a kernel
_DEEPEST = 8
_LONGEST = 20000  # tokens of a kernel
# What may keep a part of a statement from being computed, or orders its parts.
_ORDERS = frozenset(
    {b"?", b"&&", b"||", b"and", b"or", b"{", b"sizeof", b"decltype", b"alignof", b"noexcept", b"new", b"delete"}
    | {b"throw", b"static", b"__shared__", b"constexpr", b"using", b"typedef", b"typeid", b"case", b"default", b"goto"}
)
# What holds a factor of a product (contraction/write.py).
FACTOR = re.compile(rb"gpuopt_emu_(?:left|right)_\w+")


def returns(item: Statement) -> bool:
    """Whether a `return` stands anywhere in the statement."""
    return item.kind == "return" or any(map(returns, item.parts))


class Calls(Binder):
    """Writes the calls in a kernel's statements."""

    def __init__(self, tokens: Tokens, unit: Unit, kernel: Function) -> None:
        super().__init__(tokens)
        self.unit = unit
        self.kernel = kernel
        self.local = unit.declared_in(kernel)

    def tail(self, items: list[Statement], frame: Frame) -> None:
        """Write the statements of a function up to its end (inlining/bodies.py)."""
        raise NotImplementedError

    def calls(self, start: int, end: int, frame: Frame) -> list[Call]:
        """The calls in [start, end) that are to be written in place, those in their arguments left out."""
        tokens = self.tokens
        found: list[Call] = []
        at = start
        while at < end:
            if tokens.at(at) not in self.unit.wanted or not tokens.is_word(at):
                at += 1
                continue
            angle = at + 1 if tokens.at(at + 1) == b"<" else -1
            opened = skip_template(tokens, at + 1) if angle >= 0 else at + 1
            hidden = tokens.at(at) in (self.local if frame.callee is None else frame.names)
            if hidden or tokens.at(opened) != b"(" or tokens.at(at - 1) in (b".", b"->"):
                raise Declined("a function that is not called by its name")
            head = head_of(tokens, at)
            if self.unit.groups and tokens.at(head + (tokens.at(head) == b"::")) in self.unit.groups.spaces:
                at += 1
                continue
            before = tokens.at(head - 1)
            if head < start or (tokens.is_word(head - 1) and before not in (b"return", b"else", b"do")):
                raise Declined("a function that is not called by its name")
            call = Call(head, at, angle, opened, tokens.match[opened] + 1)
            changed = tokens.text[at] != tokens.at(at) and (head < at or not tokens.text[at].endswith(tokens.at(at)))
            if changed or tokens.text[opened] != b"(" or not tokens.text[call.end - 1].startswith(b")"):
                raise Declined("a call that is written in place for the sake of a product")
            found.append(call)
            at = call.end
        return found

    def top_level(self, start: int, end: int) -> Iterable[int]:
        """The tokens in [start, end) that no brackets enclose."""
        at = start
        while at < end:
            yield at
            at = max(self.tokens.match[at], at) + 1

    def drawn(self, start: int, end: int, frame: Frame) -> dict[int, tuple[Call, bytes]]:
        """Write the calls in [start, end) before it: their results' names, by where the calls begin."""
        tokens = self.tokens
        calls = self.calls(start, end, frame)
        inside = {at for call in calls for at in range(call.head, call.end)}
        for at in (at for at in range(start, end) if calls and at not in inside):
            text = tokens.at(at)
            shifts = text in (b"<", b">") and tokens.at(at + 1) == text and not tokens.gap[at + 1]
            if text in _ORDERS or shifts or (text == b"[" and lambda_body(tokens, at) >= 0):
                raise Declined("a call that may not be made, or is made in an order")
            listed = text == b"(" and any(
                tokens.at(index) == b"," for index in self.top_level(at + 1, tokens.match[at])
            )
            if listed and not self._has_arguments(at):
                raise Declined("a call in a list of expressions")
        found: dict[int, tuple[Call, bytes]] = {}
        for call in calls:
            if self._sees_effects(start, call):
                raise Declined("a call that may change what is read before it")
            name = self.call(call, frame)
            if not name:
                raise Declined("a call that gives nothing")
            found[call.head] = call, name
        return found

    def chooses(self, callee: Callee, name: bytes) -> bool:
        """Whether what kind of variable a parameter is may choose among several functions."""
        return self.unit.overloaded(callee, name)

    def _sees_effects(self, start: int, call: Call) -> bool:
        """Whether what stands before a call in its expression would read what the call has changed, behind it.

        What is assigned to is looked at after what is assigned.
        """
        tokens = self.tokens
        before = list(self.top_level(start, call.head))
        assigned = [at for at in before if tokens.at(at) in ASSIGNS]
        first = assigned[-1] + 1 if assigned else start
        left = range(first, call.head)
        given = split_at_commas(tokens, call.opened + 1, call.end - 1, angles=False)
        callee = self.unit.callee(tokens.at(call.name), len(given), self.kernel)
        for parameter, part in zip(callee.parameters, given, strict=False):
            words = tokens.original[slice(*parameter.type)]
            changed = {tokens.at(at) for at in range(*part) if tokens.is_word(at)} if b"&" in words else set()
            if not is_const(words) and any(tokens.at(at) in changed for at in left):
                return True
        reads = any(
            tokens.at(at) in (b"[", b"->")
            or (tokens.at(at) == b"*" and (at == first or tokens.at(at - 1) in (b"(", b"+", b"-", b"*", b"/", b"=")))
            for at in left
        )
        return reads and self.unit.stores_outside(callee.function)

    def _has_arguments(self, opened: int) -> bool:
        tokens = self.tokens
        word_before = tokens.is_word(opened - 1) and tokens.at(opened - 1) not in (b"return", b"else")
        return word_before or tokens.at(opened - 1) in (b">", b"]", b")")

    def with_results(self, start: int, end: int, frame: Frame, drawn: dict[int, tuple[Call, bytes]]) -> list[Token]:
        """The tokens of [start, end) with results in place of calls."""
        found: list[Token] = []
        at = start
        while at < end:
            if at in drawn:
                call, name = drawn[at]
                # What other rewriting has put around the call stays around its result.
                before = self.tokens.text[at].removesuffix(self.tokens.at(at))
                text = before + name + self.tokens.text[call.end - 1][1:]
                found.append(Token(name, text, Kind.WORD, at, self.tokens.gap[at] or b" ", copied=True))
                at = call.end
            else:
                found += copied(self.tokens, at, frame.names)
                at += 1
        return found

    def call(self, call: Call, frame: Frame) -> bytes:
        """Write a call's function here; the name of its result, b"" where it has none."""
        tokens = self.tokens
        given = split_at_commas(tokens, call.opened + 1, call.end - 1, angles=False)
        self._check_commas(given)
        callee = self.unit.callee(tokens.at(call.name), len(given), self.kernel)
        if self._recursive(callee, frame) or frame.depth() > _DEEPEST:
            raise Declined("a function that calls itself, or calls too deep")
        if callee.mentions & self.local or self.count == _MOST or len(self.draft) > _LONGEST:
            raise Declined("a name that is a variable of the kernel's, or too many calls")
        self.count += 1
        number = self.count
        inner = Frame(callee, outer=frame)
        for name in callee.declares:
            new = b"%s_gpuopt%d" % (name, number)
            inner.names[name] = (Token(new, new, Kind.WORD, call.name),)
        for at in range(callee.function.body, tokens.match[callee.function.body]):
            for name in FACTOR.findall(tokens.text[at]):
                inner.names[name] = (word(b"%s_gpuopt%d" % (name, number), call.name),)
        values = [self._value(part, frame) for part in given]
        self.bind_template(callee, call, values, frame, inner)
        for index, parameter in enumerate(callee.parameters):
            value = values[index] if index < len(values) else None
            self.bind(callee, parameter, value, inner, call)
        inner.result = b"gpuopt_result%d" % number if callee.result else b""
        inner.ahead = any(item.kind != "return" and returns(item) for item in callee.items) and bool(inner.result)
        if inner.result:
            kind = self.result_type(inner)
            self.check(kind, [one for one in kind if one.word == b"*"])
            self.types[-1][inner.result] = type_of(kind)
            if inner.ahead:
                self.draft.put([*kind, word(inner.result, call.name), word(b";", call.name)])
        self.tail(list(callee.items), inner)
        return inner.result

    def result_type(self, frame: Frame) -> list[Token]:
        """What a function returns."""
        assert frame.callee
        return [one for at in frame.callee.result for one in copied(self.tokens, at, frame.names)]

    def _recursive(self, callee: Callee, frame: Frame | None) -> bool:
        while frame is not None:
            if frame.callee is callee:
                return True
            frame = frame.outer
        return False

    def _check_commas(self, given: list[Range]) -> None:
        """Whether commas may be those of template arguments."""
        open_angles = False
        for start, end in given:
            words = self.tokens.original[start:end]
            if open_angles and b">" in words:
                raise Declined("arguments that cannot be told apart")
            open_angles = open_angles or words.count(b"<") > words.count(b">")

    def _value(self, part: Range, frame: Frame) -> tuple[Token, ...]:
        """An argument; what it calls goes before."""
        return tuple(self.with_results(*part, frame, self.drawn(*part, frame)))
