"""What operators are applied to: names, numbers, calls, casts with a function's face."""

from __future__ import annotations

from gpuopt_driver.emulator.contraction.arithmetic import Term
from gpuopt_driver.emulator.contraction.breaks import break_of_function
from gpuopt_driver.emulator.contraction.operators import Operators
from gpuopt_driver.emulator.contraction.scopes import (
    ALIGNED,
    FLOATS,
    INTEGERS,
    SIXTEEN,
    VECTORS,
    Variable,
    kind_of_member,
)
from gpuopt_driver.emulator.contraction.values import PINNED, PRODUCT, UNKNOWN, Shape, Value, number_of
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Kind

_BUILTINS = frozenset({b"threadIdx", b"blockIdx", b"blockDim", b"gridDim", b"warpSize"})
_CASTS = frozenset({b"static_cast", b"reinterpret_cast", b"const_cast"})
# Functions of numbers that change nothing and whose arguments are not references.
_PURE = frozenset(
    b"""sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh pow
    floor ceil round trunc rint fmin fmax fma fmod hypot erf erfc copysign rcbrt sinpi cospi tgamma lgamma remainder
    fdim fabs""".split()
)
_ALSO_PURE = frozenset({b"min", b"max", b"abs", b"__ldg", b"saturate", b"__saturatef", b"isnan", b"isinf", b"isfinite"})


# Functions of floats that take whole turns away in a loop: LLVM's passes run once more where they are inlined.
_TURNS = frozenset({b"sin", b"cos", b"tan", b"sincos", b"j0", b"j1", b"jn", b"y0", b"y1", b"yn"})
# Functions that multiply what the special function unit gives them by a constant, which is fused with sums.
_MULTIPLES = {b"__logf": 0.6931472, b"__log10f": 0.30103}


def _base(name: bytes) -> bytes:
    """A function's name without its namespace; __logf and the like are other names' macros."""
    base = name.removeprefix(b"std::").removeprefix(b"::")
    fast = b"gpuopt_emu_fast_"
    return b"__" + base.removeprefix(fast) if base.startswith(fast) else base


def is_pure(name: bytes) -> bool:
    """Whether a function of this name is one of mathematics."""
    base = _base(name)
    if base == b"__sincosf":  # gives its results by pointers
        return False
    if base.startswith(b"make_") or base in _ALSO_PURE or base in _PURE or (base[-1:] in b"fl" and base[:-1] in _PURE):
        return True
    return base.startswith(
        (b"__f", b"__d", b"__int", b"__uint", b"__exp", b"__log", b"__sin", b"__cos", b"__tan", b"__pow")
    )


class Expressions(Operators):
    """Reads expressions; `by_value`: functions none of whose parameters is a reference."""

    by_value: frozenset[bytes] = frozenset()
    apart: set[Value]  # objects given by functions of which members are read
    called: tuple[int, int] = (0, 0)  # the tokens of the call whose arguments were read last

    def postfix(self) -> Term:
        """A primary expression with what stands behind it: elements, members, `++`."""
        term = self.primary()
        while True:
            text = self.at(self.index)
            if text == b"[":
                close = self.tokens.match[self.index]
                self.index += 1
                inside = self.comma()
                if self.index != close:
                    raise Declined("an index")
                self.index += 1
                term = self.load(term, inside)
            elif text in (b".", b"->"):
                member = self.at(self.index + 1)
                if not self.tokens.is_word(self.index + 1) or member == b"template":
                    raise Declined("a member")
                self.index += 2
                if self.at(self.index) == b"(":
                    close = self.tokens.match[self.index]
                    self.index += 1
                    term = self.call(b"." + member, [term, *self.arguments(close)])
                    continue
                if text == b"." and term.path is not None and not term.path[0].memory:
                    path = (term.path[0], term.path[1] + b"." + member)
                    held, whole = self.member(term, b"." + member)
                    shape = _member(term.shape, self.index - 1, held)
                    if self.current_call() is None and whole is not None:
                        self.apart.add(whole)
                    term = Term(held, shape, path, whole=whole)
                elif text == b"." and term.value.op != "load" and (b"." + member in term.parts or term.type):
                    part, whole = self.member(term, b"." + member)
                    term = Term(part, whole=whole)
                else:
                    if text == b"." and term.value.op == "load":
                        term.value.pinned = False  # no load by itself, of a[i].x
                    term = self.load(term, None, member)
            elif self.operator() in (b"++", b"--"):
                self.skip(self.operator())
                before = term.value
                self.assign(term, self.other([before], ("step", self.index), before.kind))
                term = Term(before)
            else:
                return term

    def load(self, base: Term, inside: Term | None, member: bytes = b"") -> Term:
        """What is in memory: read again once something has been stored."""
        variable = base.path[0] if base.path is not None else None
        kind = variable.pointee if variable is not None and not member and not base.path[1] else "?"  # type: ignore[index]
        now = 0 if variable is not None and variable.constant else self.memory
        args = [base.value] + ([inside.value] if inside is not None else [])
        type_ = variable.type if variable is not None and base.path is not None and not base.path[1] else base.type
        if member:
            kind, type_ = kind_of_member(type_, b"." + member), b""
        value = self.values.make("load", args, kind, ("load", member, now), PINNED)
        kind, members = VECTORS.get(type_, ("", ())) if type_ not in ALIGNED else ("", ())
        loads = {one: self.values.make("load", [value], kind, ("load", one, now), PINNED) for one in members}
        return Term(value, type=type_, parts=loads)  # LLVM reads each member

    def arguments(self, close: int) -> list[Term]:
        """The arguments of a call, up to its closing parenthesis."""
        found: list[Term] = []
        while self.index < close:
            found.append(self.assignment())
            if self.index < close:
                self.expect(b",")
        self.index = close + 1
        return found

    def primary(self) -> Term:
        """A number, a name, a call, or what stands in parentheses."""
        text, at = self.at(self.index), self.index
        kind = self.tokens.kind[at] if at < len(self.tokens) else Kind.PUNCT
        if text == b"(":
            close = self.tokens.match[at]
            self.index += 1
            term = self.comma()
            if self.index != close:
                raise Declined("parentheses")
            self.index += 1
            return term
        if kind is Kind.NUMBER:
            self.index += 1
            value = self.values.make("const", [], _kind_of_number(text), text, 0)
            value.number = _number(text)
            return Term(value)
        if kind is Kind.STRING:
            while self.tokens.kind[self.index] is Kind.STRING:
                self.index += 1
            return Term(self.values.make("const", [], "o", text, 0))
        if kind is not Kind.WORD and text != b"::":
            raise Declined(f"{text!r} in an expression")
        name = self._name()
        if name in SIXTEEN and self.at(self.index) == b"(":
            self.index += 1
            parts = [term.value for term in self.arguments(self.tokens.match[self.index - 1])]
            same = len(parts) == 1 and parts[0].kind == "h"
            return Term(parts[0] if same else self.other(parts, ("cast", name), "h"))
        if name in _CASTS or name in FLOATS or name in INTEGERS:
            close = self.tokens.match[self.index]
            words = self.tokens.original[at : self.index]
            if self.at(self.index) != b"(" or self.index + 1 == close:
                raise Declined("a type in an expression")
            self.index += 1
            term = self.cast(words, self.comma())
            self.index = close + 1
            return term
        if name in _BUILTINS and self.at(self.index) == b".":
            name, self.index = name + self.at(self.index + 1), self.index + 2
            fixed = name.startswith((b"blockDim", b"gridDim"))  # as parameters are; the others are in registers
            return Term(self.values.make("const" if fixed else "other", [], "i", name, 0))
        if self.at(self.index) == b"(":
            close = self.tokens.match[self.index]
            self.index += 1
            args = self.arguments(close)
            self.called = at, close
            return self.call(name, args)
        if self.at(self.index) == b"{" or name in (b"new", b"delete", b"throw", b"this", b"decltype", b"typeid"):
            raise Declined(f"{name!r} in an expression")
        if name in (b"true", b"false", b"nullptr", b"warpSize"):
            return Term(self.values.make("const", [], "i", name, 0))
        return self.variable(name, at)

    def _name(self) -> bytes:
        """A name with the namespaces before it and the template arguments behind it, which are not read."""
        name = b""
        while True:
            if self.at(self.index) == b"::":
                name += b"::"
                self.index += 1
            if not self.tokens.is_word(self.index):
                raise Declined("a name")
            name += self.at(self.index)
            self.index += 1
            if self.at(self.index) == b"<":
                end = self._template_end()
                if end >= 0:
                    self.index = end
            if self.at(self.index) != b"::":
                return name

    def _template_end(self) -> int:
        """Behind the template arguments that begin here, or -1 where `<` compares."""
        depth, index = 0, self.index
        while index < min(self.index + 40, len(self.tokens)):
            text = self.at(index)
            if text in (b"<", b">"):
                depth += 1 if text == b"<" else -1
                if depth == 0:
                    return index + 1 if self.at(index + 1) in (b"(", b"::", b"{") else -1
            elif text not in (b",", b"::", b"*", b"&", b"+", b"-") and self.tokens.kind[index] is Kind.PUNCT:
                return -1
            index += 1
        return -1

    def call(self, name: bytes, args: list[Term]) -> Term:
        """What a function makes of its arguments."""
        if is_pure(name):
            kinds = {one.value.kind for one in args}
            kind = "f" if name.endswith(b"f") and kinds <= {"f", "i", "?"} else "d" if "d" in kinds else "?"
            kind = "f" if kinds == {"f"} else kind
            value = self.other([one.value for one in args], ("call", name), kind)
            ends = break_of_function(name, kind, quick=self.quick)
            value.still = ends.optimizer
            self.values.end_run(ends)
            value.pinned |= ends.optimizer  # what its ways meet in
            self.values.twice |= kind == "f" and _base(name).removesuffix(b"f") in _TURNS and not self.quick
            made = name.removeprefix(b"::").removeprefix(b"make_")
            if made in VECTORS and len(args) == len(VECTORS[made][1]) and name != made:
                kind, members = VECTORS[made]
                parts = [self.converted(one.value, kind) for one in args]
                self.scopes.given.add(value)
                return Term(value, type=made, parts=dict(zip(members, parts, strict=True)))
            return self._multiple(value, name) if _base(name) in _MULTIPLES else Term(value)
        if name in self.types and len(args) == 1:  # T(0)
            value = self.other([args[0].value], ("cast", name))
            value.number = number_of(args[0].value)
            return Term(value)
        for one in args:
            self.values.use(one.value, UNKNOWN)
            if one.path is not None and name not in self.by_value:
                self.scopes.forget(one.path)
        self.memory += 1
        self.run += b"sync" in name or name.startswith((b"__shfl", b"__any", b"__all", b"__ballot"))
        return Term(self.values.make("other", [], "?", rank=PINNED))

    def _multiple(self, value: Value, name: bytes) -> Term:
        """A call that ends here as the product that it is, written as its closing parenthesis."""
        factor = self.values.constant(_MULTIPLES[_base(name)], "f")
        product = self.values.make(PRODUCT, [value, factor], "f", "*")
        return Term(product, self.star(product, *self.called))

    def again(self, name: bytes) -> bool:
        """Such a function may be called again for the product."""
        return _base(name) in _MULTIPLES

    def variable(self, name: bytes, at: int) -> Term:
        """What a name stands for."""
        found = self.scopes.find(name)
        if found is None:
            found = Variable(name, "?", memory=True, outside=True)
            self.scopes.names[0][name] = found
        if found.memory and found.kind == "o":
            return Term(self.values.make("other", [], "o", ("address", id(found)), 0), None, (found, b""))
        if found.memory:
            value = self.values.make("load", [], found.kind, ("name", id(found), self.memory), PINNED)
            return Term(value, type=found.type)
        held = self.scopes.get((found, b""))
        type_ = found.type if found.kind == "?" else b""
        return Term(held, Shape(name=at, held=held), (found, b""), type_)


def _member(of: Shape | None, name: int, held: Value) -> Shape | None:
    """How a member is written whose name stands at `name`: nothing between it and the variable `of`."""
    if of is None or of.name != name - 2:
        return None
    return Shape(name=name, held=held, start=of.name if of.start < 0 else of.start)


def _number(text: bytes) -> float | None:
    try:
        return float(text.rstrip(b"fFlLuU") if text[:2].lower() != b"0x" else b"")
    except ValueError:  # hexadecimal, a character, with marks between its digits
        return None


def _kind_of_number(text: bytes) -> str:
    if text[:2].lower() == b"0x" and b"p" not in text.lower():
        return "i"
    if text[:1] == b"'" or not any(mark in text.lower() for mark in (b".", b"e", b"p")):
        return "i"
    return "f" if text[-1:] in b"fF" else "d"
