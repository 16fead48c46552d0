"""Operators of device code's expressions, from their tokens to values."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from operator import add, mul, sub, truediv

from gpuopt_driver.emulator.contraction.breaks import break_of_quotient
from gpuopt_driver.emulator.contraction.calls import Call
from gpuopt_driver.emulator.contraction.exits import Kept
from gpuopt_driver.emulator.contraction.scopes import FLOATS, INTEGERS, QUALIFIERS, Path, Scopes, Variable, kind_of
from gpuopt_driver.emulator.contraction.values import (
    DIFFERENCE,
    NEGATION,
    PRODUCT,
    SUM,
    Shape,
    Site,
    Star,
    Value,
    Values,
    number_of,
)
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind, Tokens

ASSIGNS = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="})
_LEVELS: tuple[tuple[bytes, ...], ...] = (
    (b"||",), (b"&&",), (b"|",), (b"^",), (b"&",), (b"==", b"!="), (b"<", b">", b"<=", b">="),
    (b"<<", b">>"), (b"+", b"-"), (b"*", b"/", b"%"),
)  # fmt: skip
_FOLDED: dict[bytes, Callable[[float, float], float]] = {b"+": add, b"-": sub, b"*": mul, b"/": truediv}
_KINDS = {("f", "f"): "f", ("i", "i"): "i", ("f", "i"): "f", ("i", "f"): "f"}


@dataclass(slots=True)
class Term:
    """A value as it is written: its shape, and the variable that it is read from."""

    value: Value
    shape: Shape | None = None
    path: Path | None = None


class Operators:
    """Reads expressions from `index` on; raises Declined for what it does not know."""

    def __init__(self, tokens: Tokens, values: Values, scopes: Scopes) -> None:
        self.tokens = tokens
        self.values = values
        self.scopes = scopes
        self.index = 0
        self.types: frozenset[bytes] = frozenset()  # names of types
        self.quick = False  # -use_fast_math
        self.memory = 1  # counts the stores; 0: what no store changes
        self.kept = Kept()
        self.constants: set[int] = set()  # operators whose operands are constants
        self.quotients: set[int] = set()  # `/` and `/=` of floats by what is no constant
        self.stores: list[tuple[int, Value]] = []  # `=` that put a float where a pointer leads
        self.run = 0  # counts where loops begin and end, and where threads wait for each other
        self.at = tokens.at

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
        value = right.value
        if operator in (b"+=", b"-=", b"*="):
            value = self.arithmetic(at, operator[:1], left, right)
            if operator == b"*=":
                self._name_factors(value, first, at, left, right)
        elif operator == b"=":
            self._stored(first, at, value)
            star = None if right.shape is None or right.shape.name >= 0 else right.shape.star
            if star is not None and not star.repeatable and (star.first, star.end) == (at + 1, self.index):
                self._keep_factors(value, first, star.at, left)  # v = x * f(y)
        else:
            value = self.other([left.value, right.value], operator)
            if operator == b"/=":
                self._divided(at, left, right)
        return Term(self.assign(left, value))

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

    def assign(self, place: Term, value: Value) -> Value:
        """Put a value into a variable or into memory; what is there then."""
        if place.path is not None:
            value = self.converted(value, place.path[0].kind if not place.path[1] else "?")
            self.scopes.set(place.path, value)
        else:
            self.values.use(value)
            self.memory += 1
            self.values.event()
        return value

    def converted(self, value: Value, kind: str) -> Value:
        """A number as one of another type."""
        known = ("f", "d", "i")
        if kind in known and value.kind in known and kind != value.kind:
            made = self.values.make("other", [value], kind, ("cast", kind))
            made.number = number_of(value)
            return made
        return value

    def other(self, args: list[Value], key: Hashable, kind: str = "?") -> Value:
        """What is neither a sum nor a product: the same of the same operands where `key` is."""
        return self.values.make("other", args, kind, key)

    def conditional(self) -> Term:
        """`a ? b : c`, or less."""
        term = self._binary(0)
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

    def kind(self, left: Value, right: Value) -> str:
        """The kind of what C++ computes of two numbers."""
        if "d" in (left.kind, right.kind):
            return "d"
        return _KINDS.get((left.kind, right.kind), "?")

    def _binary(self, level: int) -> Term:
        if level == len(_LEVELS):
            return self.unary()
        first = self.index
        left = self._binary(level + 1)
        while self.operator() in _LEVELS[level]:
            operator, at = self.operator(), self.index
            doubtful = self._may_be_cast(at - 1)
            self.skip(operator)
            right = self._binary(level + 1)
            if doubtful:
                raise Declined("what may be a cast")
            if operator in (b"+", b"-", b"*"):
                value = self.arithmetic(at, operator, left, right)
                left = Term(value, self.star(value, first, at) if operator == b"*" else None)
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

    def folded(self, operator: bytes, left: Value, right: Value, kind: str) -> Value | None:
        """What is computed of two constants, as the compiler does it: its sign matters to sums."""
        one, other = number_of(left), number_of(right)
        if one is None or other is None or kind not in ("f", "d", "?") or operator not in _FOLDED:
            return None
        if operator == b"/" and other == 0:
            return None
        return self.values.constant(_FOLDED[operator](one, other), kind)

    def arithmetic(self, at: int, operator: bytes, left: Term, right: Term) -> Value:
        """A sum, a difference or a product; signs go to the sums, as LLVM has them."""
        kind = self.kind(left.value, right.value)
        if kind == "i" or not {"o", "h"}.isdisjoint((left.value.kind, right.value.kind)):
            kind = "i" if kind == "i" else "o"
            return self.other([left.value, right.value], b"i" + operator, kind)
        first, second = (self.converted(one.value, kind) for one in (left, right))
        if (folded := self.folded(operator, first, second, kind)) is not None:
            self.constants |= {at} if self.current_call() is None else set()
            return folded
        if operator == b"*":
            minus = [one.op == NEGATION for one in (first, second)]
            factors = [one.args[0] if one.op == NEGATION else one for one in (first, second)]
            count = len(self.values.all)
            if minus[0] != minus[1] and any(number_of(one) is not None for one in factors):
                minus, factors = [False, False], [self.values.signed(one) for one in self._with_minus(factors)]
            product = self.values.make(PRODUCT, factors, kind, "*")
            if len(self.values.all) > count:
                self.kept.look_at(product, self.values.known)
            return self.minus(product) if minus[0] != minus[1] else product
        op = SUM if operator == b"+" else DIFFERENCE
        if op == DIFFERENCE and number_of(second) is not None:  # x - 2 is x + -2
            op, second = SUM, self.minus(second)
        first, second = (self.values.signed(one) for one in (first, second))
        if second.op == NEGATION:
            op, second = (DIFFERENCE if op == SUM else SUM), second.args[0]
        if first.op == NEGATION and op == SUM:
            op, first, second, left, right = DIFFERENCE, second, first.args[0], right, left
        if first.op == NEGATION and first.args[0].op == PRODUCT:  # -a * b - c: LLVM has (-a) * b there
            stars = first.args[0].stars
            first = self.values.make(PRODUCT, self._with_minus(first.args[0].args), kind, "*")
            first.stars += [star for star in stars if star not in first.stars]
        value = self.values.make(op, [first, second], kind, op)
        value.sites.append(Site(at, first, self.written(left), self.written(right), self.index, self.current_call()))
        return value

    def _with_minus(self, factors: list[Value]) -> list[Value]:
        """Two factors, of which one has a minus: the one that is a constant, or the first."""
        at = 1 if number_of(factors[1]) is not None else 0
        return [self.minus(one) if index == at else one for index, one in enumerate(factors)]

    def star(self, value: Value, first: int, at: int) -> Shape | None:
        """How a product is written that ends here."""
        product = value.args[0] if value.op == NEGATION else value
        if product.op != PRODUCT and product not in self.kept.rounded:
            return None
        held: dict[Path, Value] = {}
        stores, run, repeatable = -1, -1, True
        for index in range(first, self.index):
            text, word = self.at(index), self.tokens.is_word(index)
            if text in (b"[", b"->"):
                stores = self.memory
            step = text in (b"+", b"-") and self.at(index + 1) == text
            call = word and self.at(index + 1) == b"(" and text not in FLOATS and text not in INTEGERS
            call = call and text not in self.types and not self.again(text)
            repeatable = repeatable and not step and not call and text not in ASSIGNS
            variable = self.scopes.find(text) if word else None
            if variable is None or self.at(index - 1) in (b".", b"->"):
                continue
            repeatable = repeatable and not variable.outside and not variable.fickle
            stores = self.memory if variable.memory else stores
            held[variable, self._members(index + 1)] = self.scopes.get((variable, self._members(index + 1)))
            run = self.run if variable.memory else run
        call_of, negative = self.current_call(), value.op == NEGATION
        star = Star(at, first, self.index, tuple(held.items()), stores, run, repeatable, call_of, negative)
        product.stars.append(star)
        return Shape(star)

    def _members(self, at: int) -> bytes:
        """The members of a variable that are named from `at` on: `.x.y`."""
        found = b""
        while self.at(at) == b"." and self.tokens.is_word(at + 1) and self.at(at + 2) != b"(":
            found += b"." + self.at(at + 1)
            at += 2
        return found

    def again(self, _name: bytes) -> bool:
        """Whether a function of this name may be called twice instead of once."""
        return False

    def current_call(self) -> Call | None:
        """The call whose function is being read."""
        return None

    def sees(self, variable: Variable) -> bool:
        """Whether a variable's name stands for it."""
        return self.scopes.find(variable.name) is variable

    def written(self, term: Term) -> Shape | None:
        """How an operand is written: for a variable, as the product that could stand there in its place."""
        value = term.value.args[0] if term.value.op == NEGATION else term.value
        if term.shape is None or term.shape.star is not None or value.op != PRODUCT:
            return term.shape
        for star in value.stars:
            same = all(self.sees(path[0]) and self.scopes.holds.get(path) is held for path, held in star.held)
            deep = star.call is not None and star.call.deep
            if (
                star.repeatable
                and same
                and not deep
                and star.stores in (-1, self.memory)
                and star.run in (-1, self.run)
                and all(name in self.scopes.names[-1] for name in star.made)  # else another piece of a split kernel
            ):
                own = term.shape.held or term.value
                return Shape(star, term.shape.name, own, (own.op == NEGATION) != star.negative, term.shape.start)
        return None

    def minus(self, value: Value) -> Value:
        """A number with the other sign."""
        return value.args[0] if value.op == NEGATION else self.values.make(NEGATION, [value], value.kind, "-")

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

    def cast(self, words: tuple[bytes, ...], term: Term) -> Term:
        """A number as one of the type of these words."""
        kind = kind_of(words)
        if kind == term.value.kind:
            return Term(term.value)
        return Term(self.other([term.value], ("cast", words), kind))

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
