"""Calls whose functions are read where they are called, as nvcc inlines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuopt_driver.emulator.contraction.scopes import Variable
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role

# What would make more of a body than one run of statements.
_WAYS = frozenset(
    {b"for", b"while", b"do", b"goto", b"switch", b"asm", b"__asm__", b"static", b"__shared__", b"if", b"volatile"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """A function whose body is one run of statements, with at most a `return` at its end; `names` and `references`:
    its parameters, and which of them are references through which it gives results."""

    function: Function
    names: tuple[bytes, ...]
    references: frozenset[bytes]
    kinds: Mapping[bytes, tuple[bytes, ...]]


@dataclass(slots=True, eq=False)
class Call:
    """One call of a function that is read: its tokens from `at` to the closing parenthesis, and what its parameters are
    called outside, in the outermost function that is read."""

    callee: Callee
    at: int
    close: int
    outside: dict[bytes, bytes] = field(default_factory=dict)
    written: bool = True  # the body could stand there: parameters have names, and no other name has another meaning
    deep: bool = False  # a call in a function that is called


def callee_of(tokens: Tokens, function: Function) -> Callee | None:
    """A function as one to be read where it is called, or None."""
    close = tokens.match[function.body]
    body = tokens.original[function.body + 1 : close]
    returns = [at for at, word in enumerate(body) if word == b"return"]
    if _WAYS.intersection(body) or b"template" in tokens.original[function.head : function.params]:
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
    changes = {name for name, kind in kinds.items() if b"&" in kind and b"const" not in kind}
    return Callee(function, tuple(names), frozenset(changes), kinds)


def callees_of(tokens: Tokens, functions: list[Function], members: set[int]) -> dict[bytes, Callee]:
    """Those of a unit's functions that can be read where they are called, by names that only one of them has."""
    found: dict[bytes, Callee | None] = {}
    for function in functions:
        name = name_of(tokens, function)
        callee = None if function.head in members or name in found else callee_of(tokens, function)
        found[name] = callee
    return {name: callee for name, callee in found.items() if callee is not None}


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
    callees: Mapping[bytes, Callee] = field(default_factory=dict)
    types: frozenset[bytes] = frozenset()
    quick: bool = False


def unit_of(tokens: Tokens, functions: Sequence[Function], members: set[int], *, quick: bool = False) -> Unit:
    """What the device functions of a unit, members of classes among them (their heads), know of each other."""
    names = {name_of(tokens, f) for f in functions}
    names -= {name_of(tokens, f) for f in functions if b"&" in tokens.original[f.params : tokens.match[f.params]]}
    callees = callees_of(tokens, [f for f in functions if f.role is Role.DEVICE], members)
    types: set[bytes] = set()
    for index, text in enumerate(tokens.original):
        if text in (b"typename", b"class", b"struct", b"using"):
            types.add(tokens.at(index + 1))
        elif text == b"typedef":
            end = index + 1
            while tokens.at(end) not in (b";", b""):
                end = max(tokens.match[end], end) + 1
            types.add(tokens.at(end - 1))
    return Unit(frozenset(names), callees, frozenset(types), quick)


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
