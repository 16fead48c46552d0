"""What operators of device code's expressions make of values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from operator import add, mul, sub, truediv

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.calls import Call
from gpuopt_driver.emulator.contraction.exits import Kept
from gpuopt_driver.emulator.contraction.scopes import (
    ALIGNED,
    FLOATS,
    INTEGERS,
    VECTORS,
    Path,
    Scopes,
    Variable,
    kind_of,
)
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
from gpuopt_driver.emulator.fission.names import ASSIGNS
from gpuopt_driver.emulator.lexer import Tokens

_FOLDED: dict[bytes, Callable[[float, float], float]] = {b"+": add, b"-": sub, b"*": mul, b"/": truediv}
_KINDS = {("f", "f"): "f", ("i", "i"): "i", ("f", "i"): "f", ("i", "f"): "f"}


@dataclass(slots=True)
class Term:
    """A value as it is written: its shape, and the variable that it is read from. `type`: the name of its class;
    `parts`: the members of one that is in no variable, as far as they are known, ".x" and so on; `whole`: the object
    that a function gave, of which it is a member."""

    value: Value
    shape: Shape | None = None
    path: Path | None = None
    type: bytes = b""
    parts: Mapping[bytes, Value] = field(default_factory=dict)
    whole: Value | None = None


class Arithmetic:
    """Makes the values of a function; `index`: the token that comes next."""

    def __init__(self, tokens: Tokens, values: Values, scopes: Scopes) -> None:
        self.tokens = tokens
        self.values = values
        self.scopes = scopes
        self.index = 0
        self.types: frozenset[bytes] = frozenset()  # names of types
        self.aliases: Mapping[bytes, bytes] = {}  # other names of types
        self.quick = False  # -use_fast_math
        self.memory = 1  # counts the stores; 0: what no store changes
        self.kept = Kept()
        self.constants: set[int] = set()  # operators whose operands are constants
        self.quotients: set[int] = set()  # `/` and `/=` of floats by what is no constant
        self.stores: list[tuple[int, Value]] = []  # `=` that put a float where a pointer leads
        self.run = 0  # counts where loops begin and end, and where threads wait for each other
        self.at = tokens.at

    def parts(self, term: Term) -> Mapping[bytes, Value]:
        """The members of an object, which is needed as a whole, that are known."""
        if term.value in self.scopes.given:
            self.scopes.needed.add(term.value)
        return term.parts if term.path is None else self.scopes.parts(term.path)

    def part(self, term: Term, name: bytes) -> Value:
        """A member of an object."""
        if term.path is not None and not term.path[0].memory:
            return self.scopes.get((term.path[0], term.path[1] + name))
        return term.parts.get(name) or self.scopes.member(term.value, term.type, name)

    def member(self, term: Term, name: bytes) -> tuple[Value, Value | None]:
        """A member that is read, and the object that a function gave of which it is one."""
        if term.value.op in (PRODUCT, SUM, DIFFERENCE):  # which is also marked as a whole
            self.values.use(term.value, "member")
        whole = term.value if term.path is None else self.scopes.whole(term.path)
        return self.part(term, name), whole if whole in self.scopes.given else None

    def assign(self, place: Term, value: Value, parts: Mapping[bytes, Value] | None = None) -> Value:
        """Put a value, whose members are `parts`, into a variable or into memory; what is there then."""
        if place.path is not None:
            value = self.converted(value, place.path[0].kind if not place.path[1] else "?")
            self.scopes.set(place.path, value, parts)
        else:
            members = VECTORS.get(place.type, ("", ()))[1]
            whole = [parts[name] for name in members if name in parts] if parts else []
            if whole and len(whole) == len(members):
                self.values.use_all(whole, together=place.type in ALIGNED)
            if not whole or value.op in (PRODUCT, SUM, DIFFERENCE):
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

    def kind(self, left: Value, right: Value) -> str:
        """The kind of what C++ computes of two numbers."""
        if "d" in (left.kind, right.kind):
            return "d"
        return _KINDS.get((left.kind, right.kind), "?")

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
                product.objects = (left.whole, right.whole)
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
        count = len(self.values.all)
        value = self.values.make(op, [first, second], kind, op)
        if len(self.values.all) > count and first is left.value and second is right.value:
            value.objects = (left.whole, right.whole)
        elif any(site.call is not self.current_call() for site in value.sites):
            self.values.twice = True  # found again in another function's body
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

    def cast(self, words: tuple[bytes, ...], term: Term) -> Term:
        """A number as one of the type of these words."""
        kind = kind_of(words)
        if kind == term.value.kind:
            return Term(term.value)
        return Term(self.other([term.value], ("cast", words), kind))
