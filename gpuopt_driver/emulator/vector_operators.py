"""Operators that a program defines for float3 and its kind, such as those of cuda-samples' helper_math.h, and that work
member by member: products of such vectors are fused with their sums as those of numbers are.

Each is told to the templates of `include/gpuopt_emu/vector_members.h`, behind its body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function

_MEMBERS = {b"2": b"xy", b"3": b"xyz", b"4": b"xyzw"}
_VECTORS = {
    kind + count: (kind, members) for kind in (b"float", b"double") for count, members in _MEMBERS.items()
}  # fmt: skip
_CODES = {b"*": b"*", b"+": b"+", b"-": b"-", b"+=": b"p", b"-=": b"m"}
_SAID = b"namespace gpuopt_emu{template<>struct MemberWise<'%s',%s,%s>{static const bool value=true;};}"
_DROPPED = frozenset({b"const", b"&", b"__restrict__"})


def _words(tokens: Tokens, params: int) -> list[list[bytes]]:
    """What is written of each parameter but `const` and `&`; `params` is the opening parenthesis."""
    found: list[list[bytes]] = [[]]
    for at in range(params + 1, tokens.match[params]):
        if tokens.at(at) == b",":
            found.append([])
        elif tokens.at(at) not in _DROPPED:
            found[-1].append(tokens.at(at))
    return found


def _operand(kind: bytes, name: bytes, member: bytes) -> list[bytes]:
    return [name, b".", member] if kind in _VECTORS else [name]


def _member(operator: bytes, left: list[bytes], right: list[bytes]) -> list[list[bytes]]:
    """One member of the result, in the ways it may be written."""
    ways = [[*left, operator, *right]]
    return ways if operator == b"-" else [*ways, [*right, operator, *left]]


def _split(words: list[bytes], at: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for word in words:
        if word == at:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def works_member_by_member(tokens: Tokens, function: Function) -> bool:
    """Whether an operator's body computes each member of the result of the operands' same members, and nothing else."""
    operator = tokens.at(function.params - 1)
    parameters = _words(tokens, function.params)
    if len(parameters) != 2 or any(len(words) != 2 for words in parameters):
        return False
    (one, left), (other, right) = parameters
    vector = one if one in _VECTORS else other
    if vector not in _VECTORS:
        return False
    element, members = _VECTORS[vector]
    if {one, other} - {vector, element}:
        return False
    body = list(tokens.original[function.body + 1 : tokens.match[function.body]])
    names = [bytes([member]) for member in members]
    if operator in (b"+=", b"-="):
        wanted = [[left, b".", name, operator, *_operand(other, right, name)] for name in names]
        return one == vector and _split(body, b";") == [*wanted, []]
    if body[:3] != [b"return", b"make_" + vector, b"("] or body[-2:] != [b")", b";"]:
        return False
    parts = _split(body[3:-2], b",")
    return len(parts) == len(names) and all(
        part in _member(operator, _operand(one, left, name), _operand(other, right, name))
        for part, name in zip(parts, names, strict=True)
    )


def tell_vector_operators(tokens: Tokens, functions: Iterable[Function]) -> None:
    """Say which operators of the unit's device `functions` work member by member, behind their bodies; none that is
    declared elsewhere, too: it may have been used before."""
    written = Counter(
        _types(tokens, at + 2)
        for at, text in enumerate(tokens.original)
        if text == b"operator" and tokens.at(at + 2) == b"("
    )
    for function in functions:
        types = _types(tokens, function.params)
        code = _CODES.get(types[0])
        if code is None or tokens.at(function.params - 2) != b"operator" or written[types] != 1:
            continue
        if _outside(tokens, function) and works_member_by_member(tokens, function):
            left, right = (b" ::" + kind if kind in _VECTORS else kind for kind in types[1:])
            tokens.text[tokens.match[function.body]] += _SAID % (code, left, right)


def _types(tokens: Tokens, params: int) -> tuple[bytes, ...]:
    """An operator, and the first word of each of its parameters."""
    words = _words(tokens, params)
    return (tokens.at(params - 1), *(one[0] if one else b"" for one in words))


def _outside(tokens: Tokens, function: Function) -> bool:
    """Whether a function is no template, and in no namespace and no class."""
    if b"template" in tokens.original[function.head : function.params]:
        return False
    at = 0
    while at < function.head:
        if tokens.at(at) == b"{" and at < function.head < tokens.match[at]:
            return False
        at = max(tokens.match[at], at) + 1
    return True
