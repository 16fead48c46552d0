"""The statements of kernels and of functions in place: those with calls, and what becomes of a function's `return`."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.fission.tree import BASIC, STEP, Declaration, Declined, Statement, declaration
from gpuopt_driver.emulator.inlining.binding import Frame
from gpuopt_driver.emulator.inlining.calls import Calls, returns
from gpuopt_driver.emulator.inlining.draft import Token, copied, word, written
from gpuopt_driver.emulator.inlining.stepping import element_of, holds_steps, is_in_step, stores_in_step
from gpuopt_driver.emulator.lockstep import left_side

_CLOSING = {b"(": b")", b"{": b"}"}


def _ends(item: Statement) -> bool:
    """Whether nothing behind the statement is reached."""
    if item.kind == "{":
        return bool(item.parts) and _ends(item.parts[-1])
    if item.kind == "if":
        return len(item.parts) == 2 and all(map(_ends, item.parts))
    return item.kind == "return"


class Bodies(Calls):
    """Writes statements."""

    def _statements(self, items: Iterable[Statement], frame: Frame) -> None:
        for item in items:
            self.statement(item, frame)

    def _scope(self, items: Iterable[Statement], frame: Frame, *, tail: bool = False) -> None:
        self.types.append({})
        if tail:
            self.tail(list(items), frame)
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

    def statement(self, item: Statement, frame: Frame) -> None:
        """Write a statement, with its calls in place."""
        tokens = self.tokens
        calls = self.calls(item.start, item.end, frame)
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
            self.branch(item, frame)
        elif item.kind in ("for", "while"):
            close = tokens.match[item.head]
            if self.calls(item.start, close, frame):
                raise Declined("a call that each iteration of a loop asks")
            self.copy(item.start, close + 1, frame)
            self.types.append({})
            stop = next((at for at in range(item.head, close) if tokens.at(at) in (b";", b":")), close)
            self.declared(item.head + 1, stop, frame)
            self._part(item.parts[0], frame)
            self.types.pop()
        elif item.kind == "do":
            if self.calls(item.parts[0].end, item.end, frame):
                raise Declined("a call that each iteration of a loop asks")
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

    def branch(self, item: Statement, frame: Frame, *, tail: bool = False) -> None:
        """An `if`; what its head calls goes before it. `tail`: a function's result comes of it."""
        head, close = item.head, self.tokens.match[item.head]
        drawn = self.drawn(head + 1, close, frame)
        if drawn and head != item.start + 1:
            raise Declined("a call in 'if constexpr'")
        self.copy(item.start, head + 1, frame)
        self.draft.put(self.with_results(head + 1, close, frame, drawn))
        self.copy(close, close + 1, frame)
        first = item.parts[0]
        self._part(first, frame, tail=tail)
        if len(item.parts) > 1:
            self.copy(first.end, first.end + 1, frame)
            self._part(item.parts[1], frame, tail=tail)

    def _simple(self, start: int, end: int, frame: Frame) -> None:
        """A declaration or expression with calls."""
        calls = self.calls(start, end, frame)
        if len(calls) == 1 and (calls[0].head, calls[0].end) == (start, end - 1):
            self.call(calls[0], frame)
            return
        found = declaration(self.tokens, start, end - 1)
        if found is not None and any(call.head >= found.declarators[0].init[1] for call in calls):
            self._one_by_one(found, frame)
            return
        inside = {at for call in calls for at in range(call.head, call.end)}
        if found is None and any(self.tokens.at(at) == b"," and at not in inside for at in self.top_level(start, end)):
            raise Declined("a call in a list of expressions")
        drawn = self.drawn(start, end, frame)
        self.draft.put(self.with_results(start, end, frame, drawn))
        self.declared(start, end - 1, frame)

    def _one_by_one(self, found: Declaration, frame: Frame) -> None:
        """A declaration of several variables as several ones."""
        for one in found.declarators:
            start, end = one.init
            drawn = self.drawn(start, end, frame) if start < end else {}
            self.copy(*found.base, frame)
            self.copy(one.prefix[0], max(one.bounds[1], one.name + 1), frame)
            if one.opening:
                self.put(one.opening, start - 1)
                self.draft.put(self.with_results(start, end, frame, drawn))
                self.draft.put([word(_CLOSING[one.opening], end)] if one.opening in _CLOSING else [])
            self.put(b";", one.name)
            self.note(found, one, frame)

    # What functions return.

    def tail(self, items: list[Statement], frame: Frame) -> None:
        """The statements of a function up to its end: a `return` there becomes what sets its result."""
        for index, item in enumerate(items):
            last = index == len(items) - 1
            if not returns(item):
                self.statement(item, frame)
            elif item.kind == "return":
                self._return(item, frame)
                return
            elif item.kind == "{" and last:
                self._part(item, frame, tail=True)
            elif item.kind == "if" and (last or (_ends(item.parts[0]) and item.head == item.start + 1)):
                self._parted(item, items[index + 1 :], frame)
                return
            else:
                raise Declined("a return in the middle of a function")

    def _parted(self, item: Statement, rest: list[Statement], frame: Frame) -> None:
        """`if (...) return x; rest` as `if (...) {...} else {rest}`."""
        if not rest:
            self.branch(item, frame, tail=True)
            return
        if len(item.parts) > 1 and returns(item.parts[1]):
            raise Declined("a return in the middle of a function")
        head, close = item.head, self.tokens.match[item.head]
        drawn = self.drawn(head + 1, close, frame)
        self.copy(item.start, head + 1, frame)
        self.draft.put(self.with_results(head + 1, close, frame, drawn))
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
        if any(self.tokens.at(at) == b"," for at in self.top_level(start, end)):
            raise Declined("a list of expressions")
        drawn = self.drawn(start, end, frame)
        kind = [] if frame.ahead else self.result_type(frame)
        self.draft.put(Token(one.word, one.text, one.kind, item.start, b" ") for one in kind)
        self.draft.put([word(frame.result, item.start), word(b"=", item.start)])
        self.draft.put(self.with_results(start, end, frame, drawn))
