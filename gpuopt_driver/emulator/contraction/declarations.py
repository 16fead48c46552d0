"""Declarations in device code: parameters and variables."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.emulator.contraction.primaries import Expressions
from gpuopt_driver.emulator.contraction.scopes import (
    FLOATS,
    INTEGERS,
    QUALIFIERS,
    Path,
    Scopes,
    Variable,
    class_of,
    kind_of,
)
from gpuopt_driver.emulator.contraction.values import Value, Values
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import is_const


class Declarations(Expressions):
    """Reads declarations. `results`: parameters that are references, through which a function gives results."""

    def __init__(self, tokens: Tokens, by_value: frozenset[bytes] = frozenset()) -> None:
        values = Values()
        super().__init__(tokens, values, Scopes(values))
        self.by_value = by_value
        self.results: list[Path] = []
        self.addressed: set[bytes] = set()
        self.apart = set()

    def open_function(self, params: int, body: int) -> None:
        """Read a function's parameters; its body's brace stands at `body`."""
        self.scopes.names.append({})
        self.addressed = self.with_address(body, self.tokens.match[body])
        self._parameters(params)

    def with_address(self, first: int, last: int) -> set[bytes]:
        """Variables whose address is taken, or to which a reference is declared."""
        found = set()
        for index in range(first, last):
            if self.at(index) == b"&" and self.tokens.is_word(index + 1):
                before = self.at(index - 1)
                if before in (b"(", b",", b"=", b"return", b"+"):
                    found.add(self.at(index + 1))
                elif self.tokens.is_word(index - 1) and self.at(index + 2) == b"=":  # float &r = x
                    found.add(self.at(index + 3))
        return found

    def _parameters(self, opened: int) -> None:
        close, rank = self.tokens.match[opened], 2
        first = index = opened + 1
        depth = 0
        while index <= close:
            text = self.at(index)
            depth += (text == b"<") - (text == b">")
            if index == close or (text == b"," and depth == 0):
                words = self.tokens.original[first:index]
                rank += 1
                if words:
                    self._parameter(words[: words.index(b"=")] if b"=" in words else words, rank)
                first = index + 1
            index = index + 1 if index == close else max(self.tokens.match[index], index) + 1

    def _parameter(self, words: tuple[bytes, ...], rank: int) -> None:
        if b"[" in words or b"(" in words:
            words = (*words[: words.index(b"[" if b"[" in words else b"(")], b"*")
        name = next((word for word in reversed(words) if word[:1].isalpha() or word[:1] == b"_"), b"")
        kind = kind_of(words)
        fixed = b"const" in words and (b"__restrict__" in words or b"__restrict" in words)
        variable = Variable(
            name, kind, kind_of(tuple(w for w in words if w != b"*")), constant=fixed, fickle=b"volatile" in words,
            type=class_of(words[: words.index(name)], self.aliases) if name and words.count(b"*") < 2 else b"",
        )  # fmt: skip
        self.scopes.declare(variable)
        self.scopes.set((variable, b""), self.values.make("arg", [], kind, rank=rank))
        if b"&" in words and not is_const(words):
            self.results.append((variable, b""))

    def declares(self, at: int) -> bool:
        """Whether a declaration begins there."""
        text = self.at(at)
        if text in QUALIFIERS or text in FLOATS or text in INTEGERS or text in (b"auto", b"void"):
            return self.at(at + 1) != b"(" or text in (b"alignas", b"__align__")
        if not self.tokens.is_word(at):
            return False
        end = self._type_end(at)
        while self.at(end) in (b"*", b"&", b"const", b"__restrict__"):
            end += 1
        return end > at and self.tokens.is_word(end) and self.at(end + 1) in (b"=", b";", b",", b"[", b"(", b"{")

    def _type_end(self, at: int) -> int:
        """Behind the type that may begin there."""
        based = False
        while self.at(at) in QUALIFIERS or self.at(at) in FLOATS or self.at(at) in INTEGERS:
            based = based or self.at(at) not in QUALIFIERS
            at += 1
        if based or not self.tokens.is_word(at):
            return at
        while True:
            at += 1
            if self.at(at) == b"<":
                depth = 0
                while at < len(self.tokens):
                    depth += (self.at(at) == b"<") - (self.at(at) == b">")
                    at += 1
                    if depth == 0 or self.at(at) in (b";", b"{", b"}"):
                        break
            if self.at(at) != b"::" or not self.tokens.is_word(at + 1):
                break
            at += 1
        while self.at(at) in QUALIFIERS:
            at += 1
        return at

    def declaration(self) -> None:
        """A declaration of variables."""
        start = self.index
        self.index = self._type_end(start)
        words = self.tokens.original[start : self.index]
        if b"struct" in words and self.at(self.index) == b"{":
            raise Declined("a type")
        while True:
            stars = 0
            while self.at(self.index) in (b"*", b"&", b"const", b"__restrict__", b"__restrict"):
                stars += self.at(self.index) in (b"*", b"&")
                if self.at(self.index) == b"&":
                    raise Declined("a reference")
                self.index += 1
            self._declarator(words, stars)
            if self.at(self.index) != b",":
                break
            self.index += 1
        self.expect(b";")

    def unread(self, first: int, close: int) -> None:
        """The arguments of a constructor, of which nothing more is known."""

    def _declarator(self, words: tuple[bytes, ...], stars: int) -> None:
        name = self.at(self.index)
        if not self.tokens.is_word(self.index):
            raise Declined("a declarator")
        class_ = class_of(words, self.aliases) if stars < 2 else b""
        self.index += 1
        kind = "o" if stars or self.at(self.index) == b"[" else kind_of(words)
        memory = bool({b"__shared__", b"volatile", b"extern", b"static"}.intersection(words))
        memory = memory or self.at(self.index) == b"[" or name in self.addressed
        variable = Variable(name, kind, kind_of(words), memory, fickle=b"volatile" in words, type=class_)
        while self.at(self.index) == b"[":
            self.index = self.tokens.match[self.index] + 1
        value: Value | None = None
        parts: Mapping[bytes, Value] = {}
        if self.at(self.index) == b"=" and self.at(self.index + 1) != b"{":
            self.index += 1
            before = len(self.values.all)
            term = self.assignment()
            value, parts = term.value, self.parts(term)
            if b"constexpr" in words or b"static" in words:  # worked out by compilers
                for one in self.values.all[before:]:
                    one.sites.clear()
        elif self.at(self.index) in (b"(", b"=", b"{"):
            first = self.index + (self.at(self.index) == b"=")
            close = self.tokens.match[first]
            if kind in ("f", "d", "i") and close > first + 1:
                self.index = first + 1
                value = self.assignment().value
            elif self.at(first) != b"{" or not self._elements(first, close, variable.pointee):
                self.unread(first, close)
            self.index = close + 1
        self.scopes.declare(variable)
        if value is not None and memory:
            self.values.use(value)
        elif value is not None:
            value = self.converted(value, kind)
            if kind in ("f", "d") and value.kind == "?":
                value.kind = kind
            elif kind == "?" and value.kind == "i":  # T x = 0
                value = self.values.make("other", [value], kind, "cast")
            self.scopes.set((variable, b""), value, parts)

    def _elements(self, opened: int, close: int, kind: str) -> bool:
        """Read what stands in braces, elements or members that memory holds; whether that could be done."""
        self.index = opened + 1
        while self.index < close:
            first = self.index
            if self.at(first) == b"{":
                if not self._elements(first, self.tokens.match[first], kind):
                    return False
                self.index = self.tokens.match[first] + 1
            else:
                try:
                    self.values.use(self.converted(self.assignment().value, kind))
                except Declined:
                    return False
            if self.index < close and self.at(self.index) != b",":
                return False
            self.index += 1
        return True
