"""Calls whose functions are read where they are called, as nvcc inlines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.scopes import Variable, class_of, kind_of
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import is_const, name_of
from gpuopt_driver.emulator.structure import Function, Role
from gpuopt_driver.emulator.vector_operators import works_member_by_member

if TYPE_CHECKING:
    from gpuopt_driver.emulator.contraction.arithmetic import Term

# What would make more of a body than one run of statements.
_WAYS = frozenset(
    {b"for", b"while", b"do", b"goto", b"switch", b"asm", b"__asm__", b"static", b"__shared__", b"if", b"volatile"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """A function whose body is one run of statements, with at most a `return` at its end; `names` and `references`:
    its parameters, and which of them are references through which it gives results; `gives`: the class of its result.
    `by_member`: an operator that does the same to each member of a vector."""

    function: Function
    names: tuple[bytes, ...]
    references: frozenset[bytes]
    kinds: Mapping[bytes, tuple[bytes, ...]]
    gives: bytes = b""
    by_member: bool = False

    def takes(self, args: Sequence[Term], aliases: Mapping[bytes, bytes]) -> bool:
        """Whether the arguments have the types of the parameters: no other function could be meant."""
        if len(args) != len(self.names):
            return False
        for words, one in zip(self.kinds.values(), args, strict=True):
            kind = kind_of(words)
            if kind == "?" and (not one.type or class_of(words, aliases) != one.type):
                return False
            if kind != "?" and (one.value.kind != kind or (one.type and kind != "o")):
                return False
        return True


@dataclass(slots=True, eq=False)
class Call:
    """One call of a function that is read: its tokens from `at` to the closing parenthesis, and what its parameters are
    called outside, in the outermost function that is read."""

    callee: Callee
    at: int
    close: int
    name: int  # the token of its name, or of the operator
    exact: bool = False  # the arguments have the types of the parameters
    outside: dict[bytes, bytes] = field(default_factory=dict)
    written: bool = True  # the body could stand there: parameters have names, and no other name has another meaning
    deep: bool = False  # a call in a function that is called


def callee_of(tokens: Tokens, function: Function, aliases: Mapping[bytes, bytes]) -> Callee | None:
    """A function as one to be read where it is called, or None."""
    close = tokens.match[function.body]
    body = tokens.original[function.body + 1 : close]
    returns = [at for at, word in enumerate(body) if word == b"return"]
    head = tokens.original[function.head : function.params - 1]
    if _WAYS.intersection(body) or b"template" in head or b"__noinline__" in head:
        return None
    if len(returns) > 1 or (returns and b";" in body[returns[0] : -1]) or len(body) > 400:
        return None
    names: list[bytes] = []
    kinds: dict[bytes, tuple[bytes, ...]] = {}
    words: list[bytes] = []
    for index in range(function.params + 1, tokens.match[function.params] + 1):
        text = tokens.at(index)
        if text in (b"[", b"(", b"<", b"=", b"..."):
            return None
        if text == b"," or index == tokens.match[function.params]:
            if len(words) < 2:
                if words and words != [b"void"]:
                    return None
                continue
            names.append(words[-1])
            kinds[words[-1]] = tuple(words[:-1])
            words = []
        else:
            words.append(text)
    changes = {name for name, kind in kinds.items() if b"&" in kind and not is_const(kind)}
    gives = class_of(tuple(word for word in head if word[:2] != b"__" and word != b"operator"), aliases)
    by_member = head[-1:] == (b"operator",) and works_member_by_member(tokens, function)
    return Callee(function, tuple(names), frozenset(changes), kinds, gives, by_member)


def callees_of(
    tokens: Tokens, functions: list[Function], members: set[int], aliases: Mapping[bytes, bytes]
) -> dict[bytes, list[Callee | None]]:
    """A unit's functions by their names, None for those that cannot be read where they are called."""
    found: dict[bytes, list[Callee | None]] = {}
    for function in functions:
        callee = None if function.head in members else callee_of(tokens, function, aliases)
        found.setdefault(name_of(tokens, function), []).append(callee)
    return {name: callees for name, callees in found.items() if any(callees)}


def changed_in(tokens: Tokens, callee: Callee) -> set[bytes]:
    """The names that a function's body assigns to."""
    function = callee.function
    found: set[bytes] = set()
    for index in range(function.body, tokens.match[function.body]):
        text = tokens.at(index)
        if text[-1:] == b"=" and text not in (b"==", b"!=", b"<=", b">="):
            found.add(tokens.at(index - 1))
        elif text in (b"+", b"-") and tokens.at(index + 1) == text:
            found |= {tokens.at(index - 1), tokens.at(index + 2)}
    return found


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit's functions know of each other. `by_value`: names of functions without references among their
    parameters; `types`: names of types; `quick`: -use_fast_math."""

    by_value: frozenset[bytes] = frozenset()
    callees: Mapping[bytes, Sequence[Callee | None]] = field(default_factory=dict)
    types: frozenset[bytes] = frozenset()
    quick: bool = False
    aliases: Mapping[bytes, bytes] = field(default_factory=dict)


def unit_of(tokens: Tokens, functions: Sequence[Function], members: set[int], *, quick: bool = False) -> Unit:
    """What the device functions of a unit, members of classes among them (their heads), know of each other."""
    names = {name_of(tokens, f) for f in functions}
    names -= {name_of(tokens, f) for f in functions if b"&" in tokens.original[f.params : tokens.match[f.params]]}
    types: set[bytes] = set()
    aliases: dict[bytes, bytes] = {}
    for index, text in enumerate(tokens.original):
        if text in (b"typename", b"class", b"struct", b"using"):
            types.add(tokens.at(index + 1))
        elif text == b"typedef":
            end = index + 1
            while tokens.at(end) not in (b";", b""):
                end = max(tokens.match[end], end) + 1
            types.add(tokens.at(end - 1))
            if end == index + 3:  # typedef float2 Complex
                name, meant = tokens.at(end - 1), aliases.get(tokens.at(index + 1), tokens.at(index + 1))
                aliases[name] = meant if aliases.get(name, meant) == meant else b""
    callees = callees_of(tokens, [f for f in functions if f.role is Role.DEVICE], members, aliases)
    return Unit(frozenset(names), callees, frozenset(types), quick, aliases)


def own_words(tokens: Tokens, callee: Callee) -> set[bytes]:
    """The words in a function's body but for its parameters and members: where they are variables, they are its own, or
    from outside of all functions."""
    function = callee.function
    return {
        tokens.at(index)
        for index in range(function.body, tokens.match[function.body])
        if tokens.is_word(index) and tokens.at(index - 1) not in (b".", b"->") and tokens.at(index) not in callee.names
    }


def visible(names: list[dict[bytes, Variable]], name: bytes) -> Variable | None:
    """The variable of a name in a list of scopes, the innermost last."""
    return next((scope[name] for scope in reversed(names) if name in scope), None)
