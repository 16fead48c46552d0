"""What the parameters of a function are where its call is written in place: variables, constants, or other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import BASIC, Declaration, Declarator, Declined, declaration
from gpuopt_driver.emulator.inlining.callees import Callee, Parameter, Range, TemplateParameter, split_at_commas
from gpuopt_driver.emulator.inlining.draft import Draft, Token, copied, word, written
from gpuopt_driver.emulator.inlining.groups import is_group, type_of_group
from gpuopt_driver.emulator.inlining.types import Type, converted, deduced, one_word, type_of
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.shared import statement_start

_MASK = frozenset({b"0xffffffff", b"0xFFFFFFFF", b"0xffffffffu", b"0xFFFFFFFFu", b"0xffffffffU", b"0xFFFFFFFFU"})


@dataclass(frozen=True, slots=True)
class Call:
    """A call in the source: its tokens [head, end), its name's, where template arguments and arguments begin."""

    head: int
    name: int
    angle: int  # the `<`, -1 without one
    opened: int
    end: int


@dataclass(slots=True)
class Frame:
    """A function while its body is written: what stands for its names, and what its result is called."""

    callee: Callee | None  # None: the kernel
    names: dict[bytes, tuple[Token, ...]] = field(default_factory=dict)
    result: bytes = b""
    ahead: bool = False  # the result is declared before the body
    outer: Frame | None = None

    def depth(self) -> int:
        """How many functions it is in."""
        return 0 if self.outer is None else 1 + self.outer.depth()


class Binder:
    """Writes parameters. `count`: the calls so far."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.draft = Draft(tokens)
        self.types: list[dict[bytes, Type | None]] = [{}]  # of variables by their names here, the innermost scope last
        self.conditions: set[bytes] = set()  # what must be so of types
        self.count = 0
        self.volatile = False  # something volatile was not written so

    def renamed(self, start: int, end: int, names: Mapping[bytes, tuple[Token, ...]]) -> list[Token]:
        """The tokens of [start, end), with what stands for names.

        What is volatile is ordinary here: threads see what others have written where they have met.
        """
        found: list[Token] = []
        for at in range(start, end):
            if self.tokens.text[at] == b"volatile" and self._of_elements(at):
                self.volatile = True
            else:
                found += copied(self.tokens, at, names)
        return found

    def _of_elements(self, at: int) -> bool:
        """Whether what is volatile are a pointer's elements.

        (A volatile variable keeps products from being fused; which one a shared variable is, its type tells, too.)
        """
        tokens = self.tokens
        start, end = statement_start(tokens, at), at
        while tokens.at(end) not in (b";", b"{", b"}", b",", b"=", b")", b">", b""):
            end += 1
        words = tokens.original[start:end]
        return b"__shared__" not in words and not {b"*", b"["}.isdisjoint(words[at - start :])

    def copy(self, start: int, end: int, frame: Frame) -> None:
        """Write the tokens of [start, end)."""
        self.draft.put(self.renamed(start, end, frame.names))

    def put(self, text: bytes, at: int) -> None:
        """Write a token of our own for the one at `at`."""
        self.draft.put([word(text, at)])

    def known(self) -> dict[bytes, Type | None]:
        """The types of all variables in scope."""
        return {name: kind for scope in self.types for name, kind in scope.items()}

    def declared(self, start: int, end: int, frame: Frame) -> None:
        """Note the types of what [start, end] declares; `end` is its `;`."""
        found = declaration(self.tokens, start, end)
        for one in found.declarators if found else ():
            assert found
            self.note(found, one, frame)

    def note(self, found: Declaration, one: Declarator, frame: Frame) -> None:
        """Note the type of a variable."""
        base = self.renamed(*found.base, frame.names)
        prefix = self.renamed(*one.prefix, frame.names)
        bounds = self.renamed(*one.bounds, frame.names)
        name = frame.names.get(self.tokens.at(one.name), (word(self.tokens.at(one.name), one.name),))[0].word
        self.types[-1][name] = type_of((*base, *prefix), bounds)
        if any(one.word == b"auto" for one in base) and one.opening == b"=":
            group = type_of_group(self.renamed(*one.init, frame.names), self.known())
            self.types[-1][name] = group or self.types[-1][name]
            base = [*group.base] if group else base
        if frame.callee is not None:
            self.check(base, prefix)

    def check(self, base: Iterable[Token], prefix: Iterable[Token]) -> None:
        """A variable of a function lives longer than there: nothing may happen at its end."""
        base = [*base]
        if any(one.word in (b"*", b"&") for one in prefix) or is_group(base):
            return
        kind = type_of(base)
        if kind is None:
            raise Declined("a variable whose type cannot be told")
        if not all(one.word in BASIC or one.word == b"const" for one in kind.base):
            self.conditions.add(b"__is_trivially_copyable(%s)" % written(kind.base))

    def bind_template(
        self, callee: Callee, call: Call, values: list[tuple[Token, ...]], frame: Frame, inner: Frame
    ) -> None:
        """Note what the parameters of the function's template stand for."""
        tokens = self.tokens
        given: list[Range] = []
        if call.angle >= 0:
            given = split_at_commas(tokens, call.angle + 1, call.opened - 1, angles=True)
        if len(given) > len(callee.template):
            raise Declined("too many template arguments")
        for index, one in enumerate(callee.template):
            if index < len(given):
                part = tuple(self.renamed(*given[index], frame.names))
            elif one.kind[0] == one.kind[1] and (found := self._deduce(callee, one, values, inner)):
                part = found
            elif one.default[0] < one.default[1]:
                part = tuple(self.renamed(*one.default, inner.names))
            else:
                raise Declined("a template argument that is not told")
            if one.kind[0] < one.kind[1]:
                kind = tuple(tok.text for tok in self.renamed(*one.kind, inner.names))
                part = converted(kind, part)
            else:
                part = one_word(part, 1000 * self.count + len(inner.names))
            inner.names[one.name] = part

    def _deduce(
        self, callee: Callee, one: TemplateParameter, values: list[tuple[Token, ...]], inner: Frame
    ) -> tuple[Token, ...]:
        for parameter, value in zip(callee.parameters, values, strict=False):
            words = self.tokens.original[slice(*parameter.type)]
            if one.name not in words:
                continue
            pattern = self.renamed(*parameter.type, {})
            if parameter.bounds[0] < parameter.bounds[1]:
                pattern.append(word(b"*", parameter.type[0]))
            return deduced(tuple(pattern), one.name, value, self.known(), 1000 * self.count + len(inner.names))
        return ()

    def chooses(self, callee: Callee, name: bytes) -> bool:
        """Whether what kind of variable a parameter is may choose among several functions."""
        raise NotImplementedError

    def bind(
        self, callee: Callee, parameter: Parameter, value: tuple[Token, ...] | None, inner: Frame, call: Call
    ) -> None:
        """Declare a parameter with its value, or let its name stand for it."""
        tokens = self.tokens
        words = tokens.original[slice(*parameter.type)]
        if value is None:
            value = tuple(self.renamed(*parameter.default, inner.names))
        kind = self.renamed(*parameter.type, inner.names)
        if parameter.bounds[0] < parameter.bounds[1]:
            if tokens.at(parameter.bounds[0] + 1) != b"]" and tokens.original[slice(*parameter.bounds)].count(b"[") > 1:
                raise Declined("an array of arrays as a parameter")
            kind.append(word(b"*", call.name))
        known = self.known()
        if not value:
            raise Declined("an argument that cannot be read")
        single = value[0].word if len(value) == 1 and value[0].text == value[0].word else b""
        own = type_of(kind)
        if b"&" in words:
            alike = single in known and self._alike(known[single], own)
            if alike and b"const" in words and self.chooses(callee, parameter.name):
                raise Declined("a constant reference that may choose a function")
            if alike:
                inner.names[parameter.name] = (Token(single, single, Kind.WORD, call.name),)
                return
        elif (
            parameter.name not in callee.changes
            and not self.chooses(callee, parameter.name)
            and (constant := self._constant(words, single))
        ):
            inner.names[parameter.name] = (word(constant, call.name),)
            return
        elif b"volatile" in words and b"*" not in words:
            raise Declined("a volatile parameter")
        name = inner.names[parameter.name][0].word
        self.draft.put(Token(one.word, one.text, one.kind, call.name, b" ") for one in kind)
        self.draft.put([word(name, call.name), word(b"=", call.name)])
        self.draft.put(value)
        self.put(b";", value[-1].at)
        self.types[-1][name] = own
        self.check(kind, [one for one in kind if one.word in (b"*", b"&")])

    def _alike(self, one: Type | None, other: Type | None) -> bool:
        """Whether a reference of one type is bound to a variable of the other itself."""
        if one is None or other is None or one.bounds:
            return False
        return one.plain() == other.plain()

    def _constant(self, words: tuple[bytes, ...], single: bytes) -> bytes:
        """The number that stands for a parameter of this type wherever it is named, b"" if none does."""
        kind = tuple(one for one in words if one != b"const")
        if kind == (b"int",) and single.isdigit() and len(single) < 10:
            return single
        if kind in ((b"unsigned",), (b"unsigned", b"int")):
            return single if single in _MASK else single + b"u" if single.isdigit() and len(single) < 10 else b""
        return single if kind == (b"bool",) and single in (b"true", b"false") else b""
