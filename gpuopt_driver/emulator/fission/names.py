"""Which local variable each word of a kernel means, and what the kernel does to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import BASIC, Declaration, Declarator, Statement, declaration
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import is_const
from gpuopt_driver.emulator.structure import Structure

ASSIGNS = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="})
_NO_CALL = frozenset(
    {b"if", b"while", b"for", b"switch", b"return", b"sizeof", b"alignof", b"decltype", b"else", b"do", b"case"}
    | {b"static_cast", b"const_cast", b"reinterpret_cast"}
)
_MODIFIES = frozenset({b"swap", b"tie", b"exchange", b"forward", b"move", b"ref", b"addressof", b"iter_swap"})


_OF_TYPES = frozenset({b"*", b"::", b"<", b">"})


@dataclass(eq=False, slots=True)
class Variable:
    """A local variable or parameter that the parts of a kernel may share; ranges are of tokens."""

    name: bytes
    declared: Declaration | None  # None: a parameter
    declarator: Declarator | None
    constant: bool = False
    pointer: bool = False
    array: bool = False
    reference: bool = False
    shared: bool = False
    escapes: bool = False  # its address is taken, or a function may get a reference to it
    wild: bool = False  # changed where threads may part, or in a way that cannot be followed
    assigned: list[tuple[int, int]] = field(default_factory=list)  # what it is set to where all threads are together
    mentions: list[int] = field(default_factory=list)  # tokens, its declaration not among them
    changes: list[int] = field(default_factory=list)  # those of them that change it

    @property
    def init(self) -> tuple[int, int]:
        """Its initializer."""
        return self.declarator.init if self.declarator else (0, 0)

    @property
    def changed(self) -> bool:
        """Whether it may have another value than its first."""
        return not self.constant and (self.wild or self.escapes or bool(self.assigned) or bool(self.changes))


def is_constexpr(tokens: Tokens, variable: Variable) -> bool:
    """Whether it is declared so."""
    base = variable.declared.base if variable.declared else (0, 0)
    return b"constexpr" in tokens.original[base[0] : base[1]]


def assignment_at(tokens: Tokens, index: int) -> bool:
    """Whether an assignment's operator, `++` or `--` begins at `index`."""
    text, following = tokens.at(index), tokens.at(index + 1)
    if text in ASSIGNS:
        return True
    if text in (b"+", b"-"):
        return following == text and tokens.gap[index + 1] == b""
    return (text, following) in ((b"<", b"<="), (b">", b">=")) and tokens.gap[index + 1] == b""


def operand_end(tokens: Tokens, index: int) -> bool:
    """Whether the token at `index` ends an operand, so that what follows is a binary operator."""
    text = tokens.at(index)
    if text == b")":
        inner = tokens.original[tokens.match[index] + 1 : index]
        return not inner or not (inner[-1] in (b"*", b"&") or all(word in BASIC or word == b"const" for word in inner))
    return text == b"]" or (text not in (b"return", b"else", b"do", b"case") and _is_value(tokens, index))


def _is_value(tokens: Tokens, index: int) -> bool:
    text = tokens.at(index)
    return tokens.is_word(index) or text[:1].isdigit() or text[:1] in (b'"', b"'", b".")


def modifying_functions(tokens: Tokens, structure: Structure) -> set[bytes]:
    """Names of functions that may change an argument that is a variable: those with references that are not const."""
    names = set(_MODIFIES)
    heads = [function.params for function in structure.functions]
    heads += [item.params for item in structure.declarations if item.params >= 0]
    for opened in heads:
        words: list[bytes] = []
        for index in range(opened + 1, tokens.match[opened] + 1):
            if tokens.at(index) in (b",", b")"):
                if {b"&", b"&&"}.intersection(words) and not is_const(words):
                    names.add(_called(tokens, opened))
                words = []
            else:
                words.append(tokens.at(index))
    return names


def _called(tokens: Tokens, opened: int) -> bytes:
    """What a function with the parameters at `opened` is called by: a name, or `operator%`."""
    start = next((at for at in range(opened - 1, opened - 4, -1) if tokens.at(at) == b"operator"), opened - 1)
    return b"".join(tokens.original[start:opened])


def make_variable(tokens: Tokens, item: Declaration, one: Declarator) -> Variable:
    """The variable that a declarator declares."""
    base = tokens.original[item.base[0] : item.base[1]]
    prefix = tokens.original[one.prefix[0] : one.prefix[1]]
    pointer = b"*" in prefix
    return Variable(
        name=tokens.at(one.name),
        declared=item,
        declarator=one,
        constant=b"constexpr" in base or is_const((*base, *prefix)),
        pointer=pointer,
        array=one.bounds[1] > one.bounds[0],
        reference=b"&" in prefix or b"&&" in prefix,
        shared=b"__shared__" in base,
    )


@dataclass(slots=True)
class Names:
    """The names in scope while a kernel is read, and what was found of them."""

    tokens: Tokens
    modifying: set[bytes]
    scopes: list[dict[bytes, Variable | None]] = field(default_factory=list)  # None: known to nobody outside
    of: dict[int, Variable] = field(default_factory=dict)  # word -> the variable it means
    also: dict[int, set[Variable]] = field(default_factory=dict)  # ... and others that its present text mentions
    inner: set[int] = field(default_factory=set)  # words that mean variables of statements that stay whole

    def within(self, indices: Sequence[int]) -> set[Variable]:
        """The variables that these tokens mention."""
        found = {self.of[index] for index in indices if index in self.of}
        return found.union(*(self.also[index] for index in indices if index in self.also))

    def find(self, name: bytes) -> Variable | None:
        """The variable of that name that is in scope."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def read(self, start: int, end: int, assigns: int = -1) -> None:
        """Note what the expression or statement [start, end) mentions; a change at token `assigns` is followed."""
        around: list[int] = []
        tokens = self.tokens
        for index in range(start, end):
            text = tokens.at(index)
            if text in (b"(", b"[", b"{"):
                around.append(index)
            elif text in (b")", b"]", b"}") and around:
                around.pop()
            if not tokens.is_word(index) or tokens.at(index - 1) in (b".", b"->", b"::"):
                continue
            variable = self.find(text)
            if variable is not None:
                self._mention(index, variable, around, assigns)
            elif any(text in scope for scope in self.scopes):
                self.inner.add(index)
            for other in filter(None, map(self.find, tokens.also.get(index, ()))):
                other.mentions.append(index)
                self.also.setdefault(index, set()).add(other)

    def _mention(self, index: int, variable: Variable, around: list[int], assigns: int) -> None:
        self.of[index] = variable
        variable.mentions.append(index)
        if variable.reference:
            return  # what changes is what it refers to
        if self._changes(index, variable) or self._changed_in_brackets(around):
            variable.changes.append(index)
            variable.wild = variable.wild or index != assigns
        passed = self._passed(index, around) or self._operand(index)
        if not variable.shared and (self._address_taken(index) or self._taken_of_brackets(around) or passed):
            variable.escapes = True

    def _changes(self, index: int, variable: Variable) -> bool:
        tokens = self.tokens
        before, at = tokens.at(index - 1), index + 1
        elements = variable.pointer or variable.shared  # what lies behind it changes, not itself
        while tokens.at(at) in (b"[", b".", b"->", b"("):
            if tokens.at(at) == b"->" or (tokens.at(at) == b"[" and elements and not variable.array):
                return False
            if tokens.at(at) == b"(":
                return not elements  # one of its own functions
            at = tokens.match[at] + 1 if tokens.at(at) == b"[" else at + 2
        if before in (b"+", b"-") and tokens.at(index - 2) == before and tokens.gap[index - 1] == b"":
            return True
        return assignment_at(tokens, at) and not variable.shared

    def _changed_in_brackets(self, around: list[int]) -> bool:
        """Whether it stands in brackets to whose value something is assigned: `(a ? b : c) = d`."""
        tokens = self.tokens
        if not around or tokens.at(around[-1]) != b"(":
            return False
        opened = around[-1]
        before = tokens.at(opened - 1)
        if before == b"*" or tokens.is_word(opened - 1) or before in (b")", b"]", b">"):
            return False
        return assignment_at(tokens, tokens.match[opened] + 1)

    def _address_taken(self, index: int) -> bool:
        if self.tokens.at(index - 1) != b"&":
            return False
        return not operand_end(self.tokens, index - 2) or self._is_cast(index - 2)

    def _taken_of_brackets(self, around: list[int]) -> bool:
        """Whether the address of brackets that it stands in is taken, and of no element: `&(c ? a : b)`."""
        for opened in reversed(around):
            if self.tokens.at(opened) != b"(" or self.tokens.is_word(opened - 1):
                return False
            if self._address_taken(opened):
                return True
        return False

    def _is_cast(self, close: int) -> bool:
        """Whether brackets that end here may be a cast's: they hold a type, and are no call's."""
        tokens = self.tokens
        if tokens.at(close) != b")":
            return False
        opened = tokens.match[close]
        held = range(opened + 1, close)
        words = [at for at in held if tokens.is_word(at)]
        if (
            not words
            or tokens.is_word(opened - 1)
            or len(words) + sum(tokens.at(at) in _OF_TYPES for at in held) < len(held)
        ):
            return False
        return not any(self.find(tokens.at(at)) for at in words)

    def _operand(self, index: int) -> bool:
        """Whether it is an operand of an operator of the program's that may change it; assignments are seen as such."""
        tokens = self.tokens
        following, before = tokens.at(index + 1), tokens.at(index - 1)
        beside = (following, before, following + tokens.at(index + 2), tokens.at(index - 2) + before)
        return any(b"operator" + one in self.modifying for one in beside)

    def _passed(self, index: int, around: list[int]) -> bool:
        """Whether it is an argument by itself of a function that may change it."""
        tokens = self.tokens
        if tokens.at(index - 1) not in (b"(", b",") or tokens.at(index + 1) not in (b")", b","):
            return False
        if not around or tokens.at(around[-1]) != b"(":
            return False
        before = around[-1] - 1
        text = tokens.at(before)
        if text == b">":
            depth, at = 1, before - 1
            while depth and at > 0:
                depth += (tokens.at(at) == b">") - (tokens.at(at) == b"<")
                at -= 1
            if b"&" in tokens.original[at:before]:
                return True
            text, before = tokens.at(at), at
        if text in _NO_CALL or text in BASIC:
            return False
        if tokens.is_word(before):
            return text in self.modifying or self.find(text) is not None
        return text in (b")", b"]")

    def statement(self, statement: Statement) -> None:
        """Note what a statement that stays whole mentions; its own variables are nobody else's."""
        tokens = self.tokens
        self.scopes.append({})
        if statement.kind == "simple" or not (statement.parts or statement.head >= 0):
            self.scopes.pop()
            self._simple(statement.start, statement.end)
            return
        if statement.head >= 0:
            opened, close = statement.head, tokens.match[statement.head]
            first = next((at for at in range(opened + 1, close) if tokens.at(at) == b";"), -1)
            if statement.kind == "for" and first >= 0:
                self._simple(opened + 1, first + 1)
                self.read(first + 1, close)
            elif statement.kind == "for":
                self._range(opened, close)
            else:
                self.read(opened + 1, close)
        for part in statement.parts:
            self.statement(part)
        self.scopes.pop()

    def _range(self, opened: int, close: int) -> None:
        """The head of a loop over a range."""
        colon = next((at for at in range(opened, close) if self.tokens.at(at) == b":"), close)
        self.read(colon, close)
        for index in range(colon, close):
            if index in self.of:
                self.of[index].wild = self.of[index].escapes = True
        self._own(colon - 1)

    def _simple(self, start: int, end: int) -> None:
        found = declaration(self.tokens, start, end - 1)
        if found is None:
            self.read(start, end)
            return
        self.read(*found.base)
        for one in found.declarators:
            self.read(*one.bounds)
            self.read(*one.init)
            prefix = self.tokens.original[one.prefix[0] : one.prefix[1]]
            if b"&" in prefix or b"&&" in prefix:
                for other in (self.of[index] for index in range(*one.init) if index in self.of):
                    if not other.shared and (not other.pointer or b"*" in prefix):
                        other.wild = other.escapes = True
            self._own(one.name)

    def _own(self, index: int) -> None:
        """The word at `index` is the name of a variable that nobody outside of the statement knows."""
        self.scopes[-1][self.tokens.at(index)] = None
        self.inner.add(index)
