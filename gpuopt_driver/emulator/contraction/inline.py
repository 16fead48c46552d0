"""Reads a function with the functions that it calls, as nvcc inlines them."""

from __future__ import annotations

from gpuopt_driver.emulator.contraction.arithmetic import Term
from gpuopt_driver.emulator.contraction.calls import Call, Unit, changed_in, own_words, visible
from gpuopt_driver.emulator.contraction.flow import Flow
from gpuopt_driver.emulator.contraction.scopes import Variable, kind_of
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.lexer import Tokens

_DEEPEST = 4


class Reader(Flow):
    """Reads the body of a function; calls of the unit's `callees` as if their bodies stood there."""

    def __init__(self, tokens: Tokens, unit: Unit) -> None:
        super().__init__(tokens, unit.by_value)
        self.types = unit.types
        self.quick = unit.quick
        self._callees = unit.callees
        self._calls: list[Call] = []
        self._outer: list[list[dict[bytes, Variable]]] = []

    def current_call(self) -> Call | None:
        """The call that is being read, None in the function itself."""
        return self._calls[-1] if self._calls else None

    def sees(self, variable: Variable) -> bool:
        """Whether a variable's name stands for it where a call's body is written in place of the call."""
        if not self._calls:
            return super().sees(variable)
        own = visible(self.scopes.names[2:], variable.name)
        return own is variable if own is not None else visible(self._outer[0], variable.name) is variable

    def stores_nothing(self, name: bytes) -> bool:
        """Also a function that can be read and is given values alone."""
        callee = self._callees.get(name)
        if callee is None or any(b"*" in words or b"&" in words for words in callee.kinds.values()):
            return super().stores_nothing(name)
        for at in range(callee.function.body, self.tokens.match[callee.function.body]):
            text = self.at(at)
            step = text in (b"+", b"-") and self.at(at + 1) == text
            call = text == b"(" and self.tokens.is_word(at - 1) and not super().stores_nothing(self.at(at - 1))
            if step or call or text in (b"[", b"->", b"::") or text in ASSIGNS:
                return False
        return True

    def call(self, name: bytes, args: list[Term]) -> Term:
        """A call: of a function that can be read, its body."""
        callee = self._callees.get(name)
        recursive = any(call.callee is callee for call in self._calls)
        if callee is None or recursive or len(self._calls) == _DEEPEST or len(args) != len(callee.names):
            return super().call(name, args)
        call = Call(callee, *self.called, deep=bool(self._calls))
        scope = self._bind(call, args)
        return super().call(name, args) if scope is None else self._read(call, scope)

    def _bind(self, call: Call, args: list[Term]) -> dict[bytes, Variable] | None:
        """The parameters of a call: the variables that are given, or ones with the values that are."""
        callee, scope = call.callee, dict[bytes, Variable]()
        changed = changed_in(self.tokens, callee)
        for name, term in zip(callee.names, args, strict=True):
            words = callee.kinds[name]
            kind = kind_of(words)
            variable = term.path[0] if term.path is not None and not term.path[1] else None
            same = variable is not None and not variable.memory and kind in ("?", variable.kind)
            if variable is not None and same and (name in callee.references or name not in changed):
                scope[name] = variable
                call.outside[name] = variable.name
                continue
            if name in callee.references:
                return None
            scope[name] = Variable(name, kind, kind_of(tuple(word for word in words if word != b"*")))
            self.scopes.set((scope[name], b""), self.converted(term.value, kind))
            call.written = False
        outside = {name for one in self.scopes.names[1:] for name in one}
        call.written = call.written and not outside.intersection(own_words(self.tokens, callee))
        return scope

    def _read(self, call: Call, scope: dict[bytes, Variable]) -> Term:
        function, outer = call.callee.function, self.scopes.names
        index, loops, addressed = self.index, self.surrounding, self.addressed
        self._outer.append(outer)
        self._calls.append(call)
        self.scopes.names = [outer[0], scope]
        self.surrounding = []
        self.addressed = self.with_address(function.body, self.tokens.match[function.body])
        taken, self.taken = self.taken, []
        self.index = function.body
        self.statement()
        results, self.taken = self.taken, taken
        self.index, self.surrounding, self.addressed = index, loops, addressed
        self.scopes.names = self._outer.pop()
        self._calls.pop()
        if not results or results[0] is None:
            return Term(self.values.make("const", [], "i", b"void", 0))
        kind = kind_of(self.tokens.original[function.head : function.params])
        return Term(self.converted(results[0].value, kind))
