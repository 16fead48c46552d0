"""Operators of device code's expressions, from their tokens to values."""

from __future__ import annotations

from collections.abc import Callable

from gpuopt_driver.emulator.contraction.arithmetic import Arithmetic, Term
from gpuopt_driver.emulator.contraction.breaks import break_of_quotient
from gpuopt_driver.emulator.contraction.scopes import FLOATS, INTEGERS, QUALIFIERS, Variable
from gpuopt_driver.emulator.contraction.values import NEGATION, PRODUCT, Star, Value, number_of
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind

_LEVELS: tuple[tuple[bytes, ...], ...] = (
    (b"||",), (b"&&",), (b"|",), (b"^",), (b"&",), (b"==", b"!="), (b"<", b">", b"<=", b">="),
    (b"<<", b">>"), (b"+", b"-"), (b"*", b"/", b"%"),
)  # fmt: skip
_LEVEL_OF = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}


class Operators(Arithmetic):
    """Reads expressions from `index` on; raises Declined for what it does not know."""

    def expect(self, text: bytes) -> None:
        """Go on behind a token that must be there."""
        if self.at(self.index) != text:
            raise Declined(f"{self.at(self.index)!r} in place of {text!r}")
        self.index += 1

    def operator(self) -> bytes:
        """The operator here; `>>` and the like are two tokens."""
        text = self.at(self.index)
        pair = text + self.at(self.index + 1)
        joined = not self.tokens.gap[self.index + 1] if self.index + 1 < len(self.tokens) else False
        if joined and pair in (b"<<", b">>", b"++", b"--"):
            return pair + b"=" if self.at(self.index + 2) == b"=" and pair in (b"<<", b">>") else pair
        if joined and pair in (b"<<=", b">>="):
            return pair
        return text

    def postfix(self) -> Term:
        """What operators in front are applied to."""
        raise NotImplementedError

    def load(self, base: Term, inside: Term | None, member: bytes = b"") -> Term:
        """What is in memory."""
        raise NotImplementedError

    def operated(self, _operator: bytes, _operands: list[Term], _first: int, _at: int) -> Term | None:
        """What a function of the program's makes of objects, None if it is not known."""
        return None

    def by_member(self, made: Term, _operator: bytes, _operands: list[Term]) -> Term:
        """What is made by an operator, with members where that is one of the program's which works by these."""
        return made

    def skip(self, operator: bytes) -> None:
        """Go on behind an operator."""
        if operator in (b"<<", b">>", b"++", b"--", b"<<=", b">>="):
            found = b""
            while found != operator:
                found += self.at(self.index)
                self.index += 1
        else:
            self.index += 1

    def comma(self) -> Term:
        """An expression with commas."""
        term = self.assignment()
        while self.at(self.index) == b",":
            self.index += 1
            term = self.assignment()
        return term

    def assignment(self) -> Term:
        """An expression without commas; an assignment's right side is computed before what the left one holds."""
        count = len(self.values.all)
        first = self.index
        left = self.conditional()
        operator = self.operator()
        if operator not in ASSIGNS and operator not in (b"<<=", b">>="):
            return left
        at = self.index
        self.skip(operator)
        read_later = self.values.take_back(left.value, count)
        right = self.assignment()
        if read_later is not None and operator != b"=":
            left = Term(read_later(self.memory))
        value, parts = right.value, None
        if operator in (b"+=", b"-=", b"*="):
            value = self.arithmetic(at, operator[:1], left, right)
            if operator == b"*=":
                self._name_factors(value, first, at, left, right)
        elif operator == b"=":
            parts = self.parts(right)
            self._stored(first, at, value)
            star = None if right.shape is None or right.shape.name >= 0 else right.shape.star
            if star is not None and not star.repeatable and (star.first, star.end) == (at + 1, self.index):
                self._keep_factors(value, first, star.at, left)  # v = x * f(y)
        else:
            value = self.other([left.value, right.value], operator)
            if operator == b"/=":
                self._divided(at, left, right)
        return Term(self.assign(left, value, parts), type=left.type, parts=parts or {})

    def _name_factors(self, product: Value, first: int, at: int, left: Term, right: Term) -> None:
        """The statement `v *= x;`: v's factors could have names, which hold them as long as these are seen."""
        kinds = {left.value.kind, right.value.kind}
        if len(kinds) == 1 and not kinds.isdisjoint(("f", "d")):
            self._keep_factors(product, first, at, left)

    def _keep_factors(self, product: Value, first: int, at: int, place: Term) -> None:
        """The same for any statement from `first` on that puts a product, whose `*` stands at `at`, into a variable."""
        whole = self.at(first - 1) in (b";", b"{", b"}") and self.at(self.index) == b";"
        local = place.path is not None and not place.path[0].memory and self.current_call() is None
        value = product.args[0] if product.op == NEGATION else product
        if not whole or not local or value.op != PRODUCT:
            return
        held = []
        for name, factor in zip((b"gpuopt_emu_left_%d" % at, b"gpuopt_emu_right_%d" % at), value.args, strict=True):
            variable = Variable(name, factor.kind)
            self.scopes.names[-1][name] = variable
            self.scopes.set((variable, b""), factor)
            held.append(((variable, b""), factor))
        made = tuple(variable.name for (variable, _), _ in held)
        negative = product.op == NEGATION
        value.stars.append(Star(at, first, self.index, tuple(held), -1, self.run, True, None, negative, made))

    def conditional(self) -> Term:
        """`a ? b : c`, or less."""
        term = self._binary()
        if self.at(self.index) != b"?":
            return term
        self.index += 1
        one = self.arm(self.comma)
        self.expect(b":")
        other = self.arm(self.assignment)
        kind = self.kind(one.value, other.value)
        return Term(self.other([term.value, one.value, other.value], "?:", kind))

    def arm(self, read: Callable[[], Term]) -> Term:
        """One of the two expressions of `a ? b : c`."""
        return read()

    def _binary(self, least: int = 0) -> Term:
        """Operands with the operators of a level between them, and of those that bind closer."""
        first = self.index
        left = self.unary()
        while (level := _LEVEL_OF.get(operator := self.operator(), -1)) >= least:
            at = self.index
            doubtful = self._may_be_cast(at - 1)
            self.skip(operator)
            right = self._binary(level + 1)
            if doubtful:
                raise Declined("what may be a cast")
            if (left.type or right.type) and (called := self.operated(operator, [left, right], first, at)) is not None:
                left = called
            elif operator in (b"+", b"-", b"*"):
                value = self.arithmetic(at, operator, left, right)
                shape = self.star(value, first, at) if operator == b"*" else None
                left = self.by_member(Term(value, shape), operator, [left, right])
            else:
                kind = self.kind(left.value, right.value) if operator in (b"/", b"%") else "i"
                folded = self.folded(operator, left.value, right.value, kind)
                value = folded or self.other([left.value, right.value], operator, kind)
                if operator == b"/" and folded is None:
                    self._divided(at, left, right)
                left = Term(value)
        return left

    def _divided(self, at: int, left: Term, right: Term) -> None:
        """A quotient whose operator stands at `at`, and which ends here."""
        kind = self.kind(left.value, right.value)
        self.values.end_run(break_of_quotient(kind, self._only(at + 1), quick=self.quick))
        if kind == "f" and not number_of(right.value) and self.current_call() is None:
            self.quotients.add(at)

    def _stored(self, first: int, at: int, value: Value) -> None:
        """What stands at `first` becomes a value, by the operator at `at`."""
        variable = self.scopes.find(self.at(first))
        if variable is None or variable.kind != "o" or variable.memory or self.at(first + 1) != b"[":
            return
        if {variable.pointee, value.kind} <= {"f", "?"} and self.current_call() is None:
            self.stores.append((at, value))

    def _only(self, first: int) -> bytes:
        """The one token from `first` to here, perhaps with a cast's name around it, or nothing."""
        if self.index == first + 4 and self.at(first + 1) == b"(":
            return self.at(first + 2)
        return self.at(first) if self.index == first + 1 else b""

    def unary(self) -> Term:
        """A sign, `*`, `&`, a cast, `sizeof`, `++`, or what stands behind none of these."""
        operator = self.operator()
        if operator in (b"++", b"--"):
            self.skip(operator)
            term = self.unary()
            return Term(self.assign(term, self.other([term.value], ("step", self.index), term.value.kind)))
        if operator in (b"+", b"-", b"!", b"~", b"*", b"&"):
            self.index += 1
            term = self.unary()
            if operator == b"-":
                if term.value.kind == "i":
                    return Term(self.other([term.value], "-", "i"), term.shape)
                return Term(self.minus(term.value), term.shape)
            if operator == b"+":
                return term
            if operator == b"*":
                return self.load(term, None)
            kind = "o" if operator == b"&" else "i"
            return Term(self.other([term.value], operator, kind))
        if operator == b"sizeof":
            self.index += 1
            if self.at(self.index) != b"(":
                raise Declined("sizeof")
            self.index = self.tokens.match[self.index] + 1
            return Term(self.other([], ("sizeof", self.index), "i"))
        if operator == b"(" and self._is_cast():
            words = self.tokens.original[self.index + 1 : self.tokens.match[self.index]]
            self.index = self.tokens.match[self.index] + 1
            return self.cast(words, self.unary())
        return self.postfix()

    def _is_cast(self) -> bool:
        close = self.tokens.match[self.index]
        inside = self.tokens.original[self.index + 1 : close]
        if close < 0 or not inside or not self.tokens.is_word(self.index + 1):
            return False
        words = [word for word in inside if word[:1].isalpha() or word[:1] == b"_"]
        if any(word in FLOATS or word in INTEGERS or word in QUALIFIERS or word == b"void" for word in words):
            return inside[0] not in (b"sizeof",) and all(
                word in (b"*", b"&", b"::", b"<", b">", b",") or self.tokens.is_word(self.index + 1 + at)
                for at, word in enumerate(inside)
            )
        if words and all(word in self.types or word == b"const" for word in words) and len(inside) <= len(words) + 1:
            return True
        if inside[-1] == b"*" and all(word in words or word in (b"::", b"*", b"<", b">", b",") for word in inside):
            return True  # no expression ends so
        behind = close + 1
        operand = self.tokens.kind[behind] in (Kind.WORD, Kind.NUMBER) or self.at(behind) == b"("
        return operand and all(word in words or word in (b"::", b"*") for word in inside)

    def _may_be_cast(self, close: int) -> bool:
        """Whether what ends there may be a type in parentheses that is not known here: `(T) * p`."""
        if self.at(close) != b")" or self.tokens.match[close] != close - 2 or not self.tokens.is_word(close - 1):
            return False
        known = self.scopes.find(self.at(close - 1))
        return not self.tokens.is_word(close - 3) and (known is None or known.outside)
