"""Writes calls in place: a kernel's tokens with the bodies of the functions that it calls where the calls stood.

`x = f(a);` becomes `T p = a; <body>; R r = <what it returns>; x = r;`, with names of their own for all variables. It is
done where a call is made whenever its statement is, and nothing that the statement does before is seen by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpuopt_driver.emulator.builtin_variables import BUILTINS, lambda_body
from gpuopt_driver.emulator.fission.tree import (
    BARRIER,
    BASIC,
    MEETINGS,
    STEP,
    Declaration,
    Declined,
    Statement,
    declaration,
    statements,
)
from gpuopt_driver.emulator.inlining.binding import Binder, Call, Frame
from gpuopt_driver.emulator.inlining.callees import Callee, Range, split_at_commas, template_of
from gpuopt_driver.emulator.inlining.draft import Token, copied, word, written
from gpuopt_driver.emulator.inlining.group_calls import without_groups
from gpuopt_driver.emulator.inlining.groups import mentions_groups
from gpuopt_driver.emulator.inlining.named import Unit
from gpuopt_driver.emulator.inlining.stepping import element_of, holds_steps, is_in_step, stores_in_step
from gpuopt_driver.emulator.inlining.types import type_of
from gpuopt_driver.emulator.launches import head_of
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.lockstep import left_side
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.structure import Function

_CLOSING = {b"(": b")", b"{": b"}"}
_MOST = 40  # calls in a kernel
_DEEPEST = 8
_LONGEST = 20000  # tokens of a kernel
# What may keep a part of a statement from being computed, or orders its parts.
_ORDERS = frozenset(
    {b"?", b"&&", b"||", b"and", b"or", b"{", b"sizeof", b"decltype", b"alignof", b"noexcept", b"new", b"delete"}
    | {b"throw", b"static", b"__shared__", b"constexpr", b"using", b"typedef", b"typeid", b"case", b"default", b"goto"}
)


# What holds a factor of a product (contraction/write.py).
_FACTOR = re.compile(rb"gpuopt_emu_(?:left|right)_\w+")


def _check_factors(tokens: Tokens) -> None:
    """Raise Declined where threads wait between the statement that declares such a variable and one that names it."""
    if not any(b"gpuopt_emu_left_" in text for text in tokens.text):
        return
    seen: set[bytes] = set()
    for at, text in enumerate(tokens.text):
        if tokens.at(at) == BARRIER or tokens.at(at) in MEETINGS:
            seen = {name for one in tokens.text[:at] for name in _FACTOR.findall(one)}
        if seen and seen.intersection(_FACTOR.findall(text)):
            raise Declined("a product whose factors are kept over a barrier")


@dataclass(frozen=True, slots=True)
class Placed:
    """A kernel with calls in place: its tokens, where its parts are in them; `conditions`: constant expressions that
    must be true. `volatile`: something in it was volatile. `guarded`: it had guards before its rest."""

    tokens: Tokens
    function: Function
    conditions: tuple[bytes, ...]
    volatile: bool
    guarded: bool


class Placer(Binder):
    """Writes one kernel. `guards`: what comes behind `if (...) return;` is written as its `else`, so that no thread has
    left where others meet."""

    def __init__(self, tokens: Tokens, unit: Unit, kernel: Function, *, guards: bool = False) -> None:
        super().__init__(tokens)
        self.unit = unit
        self.kernel = kernel
        self.guards = guards
        self.guarded = 0
        self.local = unit.declared_in(kernel)

    def whole(self) -> Placed:
        """The kernel; raises Declined where a call cannot be written in place."""
        tokens, kernel = self.tokens, self.kernel
        if template_of(tokens, kernel) is None:
            raise Declined("a template that cannot be read")
        values = [value for _, _, value in BUILTINS.values()]
        if any(value in tokens.text[at] for at in range(kernel.body, tokens.match[kernel.body]) for value in values):
            raise Declined("built-in variables where they have no names")
        frame = Frame(None)
        self.copy(kernel.head, kernel.body + 1, frame)
        self._parameters()
        body = len(self.draft) - 1
        self._body(list(statements(tokens, kernel.body + 1, tokens.match[kernel.body])), frame)
        self.copy(tokens.match[kernel.body], tokens.match[kernel.body] + 1, frame)
        made = self.draft.finish()
        params = kernel.params - kernel.head
        place = Function(kernel.role, 0, params, body)
        groups = self.unit.groups if mentions_groups(made.original) else None
        if self.count == 0 and not self.volatile and not self.guarded and not groups:
            raise Declined("nothing to be written in place")
        if groups:
            made = without_groups(made, place, groups)
        _check_factors(made)
        return Placed(made, place, tuple(sorted(self.conditions)), self.volatile, self.guarded > 0)

    def _parameters(self) -> None:
        inside = self.kernel.params + 1, self.tokens.match[self.kernel.params]
        for start, end in split_at_commas(self.tokens, *inside, angles=True):
            stop = next((at for at in range(start, end) if self.tokens.at(at) in (b"=", b"[")), end)
            name = stop - 1
            stars = (word(b"*", name),) if self.tokens.at(stop) == b"[" else ()
            self.types[-1][self.tokens.at(name)] = type_of((*self.renamed(start, name, {}), *stars))

    # Statements.

    def _statements(self, items: Iterable[Statement], frame: Frame) -> None:
        for item in items:
            self._statement(item, frame)

    def _body(self, items: list[Statement], frame: Frame) -> None:
        """The kernel's statements."""
        for index, item in enumerate(items):
            last = index == len(items) - 1
            if self.guards and last and item.kind == "return":
                return
            if not self.guards or last or not self._is_guard(item):
                self._statement(item, frame)
                continue
            self.guarded += 1
            self._if(item, frame, tail=True)
            at = items[index + 1].start
            self.put(b"else", at)
            self.put(b"{", at)
            self._body(items[index + 1 :], frame)
            self.put(b"}", items[-1].end - 1)
            return

    def _is_guard(self, item: Statement) -> bool:
        """Whether it is `if (...) return;`."""
        words = self.tokens.original[item.parts[0].start : item.parts[0].end] if item.kind == "if" else ()
        returns = words in ((b"return", b";"), (b"{", b"return", b";", b"}"))
        return returns and len(item.parts) == 1 and item.head == item.start + 1

    def _scope(self, items: Iterable[Statement], frame: Frame, *, tail: bool = False) -> None:
        self.types.append({})
        if tail:
            self._tail(list(items), frame)
        else:
            self._statements(items, frame)
        self.types.pop()

    def _part(self, item: Statement, frame: Frame, *, tail: bool = False) -> None:
        """A statement that belongs to an `if` or a loop, in braces."""
        if item.kind == "{":
            self.copy(item.start, item.start + 1, frame)
            self._scope(item.parts, frame, tail=tail)
            self.copy(item.end - 1, item.end, frame)
            return
        self.put(b"{", item.start)
        self._scope([item], frame, tail=tail)
        self.put(b"}", item.end - 1)

    def _statement(self, item: Statement, frame: Frame) -> None:
        tokens = self.tokens
        calls = self._calls(item.start, item.end, frame)
        if item.kind == "simple" and is_in_step(tokens, item):
            if calls:
                raise Declined("a call where lanes go in step")
            self._in_step(item, frame)
            return
        if not calls and not holds_steps(tokens, item):
            self.copy(item.start, item.end, frame)
            if item.kind == "simple":
                self.declared(item.start, item.end - 1, frame)
            else:
                self._inside(item, frame)
            return
        if item.kind == "simple":
            self._simple(item.start, item.end, frame)
        elif item.kind == "{":
            self._part(item, frame)
        elif item.kind == "if":
            self._if(item, frame)
        elif item.kind in ("for", "while"):
            close = tokens.match[item.head]
            if self._calls(item.start, close, frame):
                raise Declined("a call that each turn of a loop asks")
            self.copy(item.start, close + 1, frame)
            self.types.append({})
            stop = next((at for at in range(item.head, close) if tokens.at(at) in (b";", b":")), close)
            self.declared(item.head + 1, stop, frame)
            self._part(item.parts[0], frame)
            self.types.pop()
        elif item.kind == "do":
            if self._calls(item.parts[0].end, item.end, frame):
                raise Declined("a call that each turn of a loop asks")
            self.copy(item.start, item.start + 1, frame)
            self._part(item.parts[0], frame)
            self.copy(item.parts[0].end, item.end, frame)
        elif item.kind == "return" and frame.callee is None:  # of a kernel: `return f(x);` with a `void` f
            self._simple(item.start + 1, item.end, frame)
            self.copy(item.start, item.start + 1, frame)
            self.put(b";", item.start)
        else:
            raise Declined(f"a call in '{item.kind}'")

    def _in_step(self, item: Statement, frame: Frame) -> None:
        """An assignment that lanes make in step: each computes before any of them stores (emulator/lockstep.py)."""
        tokens, at = self.tokens, item.start
        operator = left_side(tokens, at)
        sign = tokens.at(operator)
        left = [one for index in range(at, operator) for one in copied(tokens, index, frame.names, as_read=True)]
        name = frame.names.get(tokens.at(at), (word(tokens.at(at), at),))
        kind = self.known().get(name[0].word)
        if kind is None or not stores_in_step(tokens, item, operator):
            raise Declined("what lanes do in step cannot be told")
        base = element_of(kind, left)
        if not BASIC.issuperset(one.word for one in base):
            self.conditions.add(b"!__is_class(%s)" % written(base))
        self.count += 1
        value = b"gpuopt_value%d" % self.count
        mark = [word(one, at) for one in (STEP, b"(", b")", b";")]
        self.draft.put([*base, word(value, at), word(b"=", at)])
        self.draft.put([*left, word(sign[:-1], at)] if sign != b"=" else [])
        self.put(b"(", at)
        self.copy(operator + 1, item.end - 1, frame)
        self.draft.put([word(b")", at), word(b";", at), *mark])
        self.draft.put([*left, word(b"=", at), word(value, at), word(b";", at), *mark])

    def _inside(self, item: Statement, frame: Frame) -> None:
        """Look at the variables of a function's statement that stays as it is."""
        if frame.callee is None:
            return
        self.types.append({})
        for part in item.parts:
            if part.kind == "simple":
                self.declared(part.start, part.end - 1, frame)
            else:
                self._inside(part, frame)
        self.types.pop()

    def _if(self, item: Statement, frame: Frame, *, tail: bool = False) -> None:
        """An `if`; what its head calls goes before it. `tail`: a function's result comes of it."""
        head, close = item.head, self.tokens.match[item.head]
        drawn = self._drawn(head + 1, close, frame)
        if drawn and head != item.start + 1:
            raise Declined("a call in 'if constexpr'")
        self.copy(item.start, head + 1, frame)
        self.draft.put(self._with(head + 1, close, frame, drawn))
        self.copy(close, close + 1, frame)
        first = item.parts[0]
        self._part(first, frame, tail=tail)
        if len(item.parts) > 1:
            self.copy(first.end, first.end + 1, frame)
            self._part(item.parts[1], frame, tail=tail)

    def _simple(self, start: int, end: int, frame: Frame) -> None:
        """A declaration or expression with calls."""
        calls = self._calls(start, end, frame)
        if len(calls) == 1 and (calls[0].head, calls[0].end) == (start, end - 1):
            self._call(calls[0], frame)
            return
        found = declaration(self.tokens, start, end - 1)
        if found is not None and any(call.head >= found.declarators[0].init[1] for call in calls):
            self._one_by_one(found, frame)
            return
        inside = {at for call in calls for at in range(call.head, call.end)}
        if found is None and any(self.tokens.at(at) == b"," and at not in inside for at in self._top(start, end)):
            raise Declined("a call in a list of expressions")
        drawn = self._drawn(start, end, frame)
        self.draft.put(self._with(start, end, frame, drawn))
        self.declared(start, end - 1, frame)

    def _one_by_one(self, found: Declaration, frame: Frame) -> None:
        """A declaration of several variables as several ones."""
        for one in found.declarators:
            start, end = one.init
            drawn = self._drawn(start, end, frame) if start < end else {}
            self.copy(*found.base, frame)
            self.copy(one.prefix[0], max(one.bounds[1], one.name + 1), frame)
            if one.opening:
                self.put(one.opening, start - 1)
                self.draft.put(self._with(start, end, frame, drawn))
                self.draft.put([word(_CLOSING[one.opening], end)] if one.opening in _CLOSING else [])
            self.put(b";", one.name)
            self.note(found, one, frame)

    def _top(self, start: int, end: int) -> Iterable[int]:
        at = start
        while at < end:
            yield at
            at = max(self.tokens.match[at], at) + 1

    # Calls.

    def _calls(self, start: int, end: int, frame: Frame) -> list[Call]:
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

    def _drawn(self, start: int, end: int, frame: Frame) -> dict[int, tuple[Call, bytes]]:
        """Write the calls in [start, end) before it: their results' names, by where the calls begin."""
        tokens = self.tokens
        calls = self._calls(start, end, frame)
        inside = {at for call in calls for at in range(call.head, call.end)}
        for at in (at for at in range(start, end) if calls and at not in inside):
            text = tokens.at(at)
            shifts = text in (b"<", b">") and tokens.at(at + 1) == text and not tokens.gap[at + 1]
            if text in _ORDERS or shifts or (text == b"[" and lambda_body(tokens, at) >= 0):
                raise Declined("a call that may not be made, or is made in an order")
            listed = text == b"(" and any(tokens.at(index) == b"," for index in self._top(at + 1, tokens.match[at]))
            if listed and not self._has_arguments(at):
                raise Declined("a call in a list of expressions")
        found: dict[int, tuple[Call, bytes]] = {}
        for call in calls:
            name = self._call(call, frame)
            if not name:
                raise Declined("a call that gives nothing")
            found[call.head] = call, name
        return found

    def _has_arguments(self, opened: int) -> bool:
        tokens = self.tokens
        word_before = tokens.is_word(opened - 1) and tokens.at(opened - 1) not in (b"return", b"else")
        return word_before or tokens.at(opened - 1) in (b">", b"]", b")")

    def _with(self, start: int, end: int, frame: Frame, drawn: dict[int, tuple[Call, bytes]]) -> list[Token]:
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

    def _call(self, call: Call, frame: Frame) -> bytes:
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
            for name in _FACTOR.findall(tokens.text[at]):
                inner.names[name] = (word(b"%s_gpuopt%d" % (name, number), call.name),)
        values = [self._value(part, frame) for part in given]
        self.bind_template(callee, call, values, frame, inner)
        for index, parameter in enumerate(callee.parameters):
            value = values[index] if index < len(values) else None
            self.bind(callee, parameter, value, inner, call)
        inner.result = b"gpuopt_result%d" % number if callee.result else b""
        inner.ahead = any(item.kind != "return" and self._returns(item) for item in callee.items) and bool(inner.result)
        if inner.result:
            kind = self._result_type(inner)
            self.check(kind, [one for one in kind if one.word == b"*"])
            self.types[-1][inner.result] = type_of(kind)
            if inner.ahead:
                self.draft.put([*kind, word(inner.result, call.name), word(b";", call.name)])
        self._tail(list(callee.items), inner)
        return inner.result

    def _result_type(self, frame: Frame) -> list[Token]:
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
        return tuple(self._with(*part, frame, self._drawn(*part, frame)))

    # What functions return.

    def _returns(self, item: Statement) -> bool:
        return item.kind == "return" or any(map(self._returns, item.parts))

    def _ends(self, item: Statement) -> bool:
        """Whether nothing behind the statement is reached."""
        if item.kind == "{":
            return bool(item.parts) and self._ends(item.parts[-1])
        if item.kind == "if":
            return len(item.parts) == 2 and all(map(self._ends, item.parts))
        return item.kind == "return"

    def _tail(self, items: list[Statement], frame: Frame) -> None:
        """The statements of a function up to its end: a `return` there becomes what sets its result."""
        for index, item in enumerate(items):
            last = index == len(items) - 1
            if not self._returns(item):
                self._statement(item, frame)
            elif item.kind == "return":
                self._return(item, frame)
                return
            elif item.kind == "{" and last:
                self._part(item, frame, tail=True)
            elif item.kind == "if" and (last or (self._ends(item.parts[0]) and item.head == item.start + 1)):
                self._parted(item, items[index + 1 :], frame)
                return
            else:
                raise Declined("a return in the middle of a function")

    def _parted(self, item: Statement, rest: list[Statement], frame: Frame) -> None:
        """`if (...) return x; rest` as `if (...) {...} else {rest}`."""
        if not rest:
            self._if(item, frame, tail=True)
            return
        if len(item.parts) > 1 and self._returns(item.parts[1]):
            raise Declined("a return in the middle of a function")
        head, close = item.head, self.tokens.match[item.head]
        drawn = self._drawn(head + 1, close, frame)
        self.copy(item.start, head + 1, frame)
        self.draft.put(self._with(head + 1, close, frame, drawn))
        self.copy(close, close + 1, frame)
        self._part(item.parts[0], frame, tail=True)
        at = rest[0].start
        self.put(b"else", at)
        self.put(b"{", at)
        self._scope([*item.parts[1:], *rest], frame, tail=True)
        self.put(b"}", rest[-1].end - 1)

    def _return(self, item: Statement, frame: Frame) -> None:
        start, end = item.start + 1, item.end
        if start + 1 == end:
            return
        if not frame.result:
            self._simple(start, end, frame)
            return
        if any(self.tokens.at(at) == b"," for at in self._top(start, end)):
            raise Declined("a list of expressions")
        drawn = self._drawn(start, end, frame)
        kind = [] if frame.ahead else self._result_type(frame)
        self.draft.put(Token(one.word, one.text, one.kind, item.start, b" ") for one in kind)
        self.draft.put([word(frame.result, item.start), word(b"=", item.start)])
        self.draft.put(self._with(start, end, frame, drawn))
