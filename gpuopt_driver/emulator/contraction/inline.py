"""Reads a function with the functions that it calls, as nvcc inlines them."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.emulator.contraction.arithmetic import Term
from gpuopt_driver.emulator.contraction.calls import Call, Callee, Unit, changed_in, own_words, visible
from gpuopt_driver.emulator.contraction.flow import Flow
from gpuopt_driver.emulator.contraction.scopes import VECTORS, Variable, class_of, kind_of
from gpuopt_driver.emulator.contraction.values import DIFFERENCE, PRODUCT, SUM
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.lexer import Tokens

_DEEPEST = 4


class Reader(Flow):
    """Reads the body of a function; calls of the unit's `callees` as if their bodies stood there."""

    def __init__(self, tokens: Tokens, unit: Unit) -> None:
        super().__init__(tokens, unit.by_value)
        self.types = unit.types
        self.aliases = unit.aliases
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
        callees = self._callees.get(name, ())
        callee = callees[0] if len(callees) == 1 else None
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
        callee = self._called(name, args)
        read = None
        if callee is not None:
            at, close = self.called
            opened = self.tokens.match[close]
            exact = callee.takes(args, self.aliases)
            read = self._inlined(callee, args, Call(callee, at, close, opened - 1, exact))
        return super().call(name, args) if read is None else read

    def operated(self, operator: bytes, operands: list[Term], first: int, at: int) -> Term | None:
        """What a function of the program's makes of objects; one that works member by member is taken for the operator
        itself (`vector_operators`)."""
        callee = self._exact(operator, operands)
        if callee is None or callee.by_member:
            return None
        return self._inlined(callee, operands, Call(callee, first, self.index - 1, at, exact=True, written=False))

    def by_member(self, made: Term, operator: bytes, operands: list[Term]) -> Term:
        """What is made by an operator, with members where that is one of the program's which works by these."""
        callee = self._exact(operator, operands) if any(one.type for one in operands) else None
        kind, names = VECTORS.get(b"" if callee is None else callee.gives, ("", ()))
        if callee is None or not names:
            return made
        op = {b"*": PRODUCT, b"+": SUM, b"-": DIFFERENCE}[operator]
        parts = {}
        for name in names:
            both = [self.part(one, name) if one.type else self.converted(one.value, kind) for one in operands]
            parts[name] = self.values.make(op, both, kind, "*" if op == PRODUCT else op)
        self.scopes.given.add(made.value)
        return replace(made, type=callee.gives, parts=parts)

    def _inlined(self, callee: Callee, args: list[Term], call: Call) -> Term | None:
        """What the body of a function makes of these arguments, None where it is not read."""
        call.deep = bool(self._calls)
        if any(one.callee is callee for one in self._calls) or len(self._calls) == _DEEPEST:
            return None
        scope = self._bind(call, args)
        return None if scope is None else self._read(call, scope)

    def _called(self, name: bytes, args: list[Term]) -> Callee | None:
        """The function that a call means, None where it is not known or cannot be read."""
        variable = self.scopes.find(name)
        if variable is not None and not variable.outside:
            return None
        callees = self._callees.get(name, ())
        if len(callees) == 1 and callees[0] is not None and len(callees[0].names) == len(args):
            return callees[0]
        return self._exact(name, args)

    def _exact(self, name: bytes, args: list[Term]) -> Callee | None:
        """The function of this name whose parameters have the types of the arguments, if all are known."""
        callees = self._callees.get(name, ())
        fitting = [one for one in callees if one is None or one.takes(args, self.aliases)]
        return fitting[0] if len(fitting) == 1 else None

    def _bind(self, call: Call, args: list[Term]) -> dict[bytes, Variable] | None:
        """The parameters of a call: the variables that are given, or ones with the values that are."""
        callee, scope = call.callee, dict[bytes, Variable]()
        self.values.twice |= any(b"&" in words for words in callee.kinds.values())
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
            pointee = kind_of(tuple(word for word in words if word != b"*"))
            scope[name] = Variable(name, kind, pointee, type=class_of(words, self.aliases))
            self.scopes.set((scope[name], b""), self.converted(term.value, kind), self.parts(term))
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
        result = results[0] if results else None
        parts = self.parts(result) if result is not None else {}
        self.index, self.surrounding, self.addressed = index, loops, addressed
        self.scopes.names = self._outer.pop()
        self._calls.pop()
        if result is None:
            return Term(self.values.make("const", [], "i", b"void", 0))
        kind = kind_of(self.tokens.original[function.head : function.params])
        if not parts:
            return Term(self.converted(result.value, kind), type=call.callee.gives)
        given = self.other(list(parts.values()), "object")
        self.scopes.given.add(given)
        return Term(given, type=call.callee.gives, parts=parts)
