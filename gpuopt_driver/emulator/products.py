"""Sums of products in device code's loops: nvcc adds a product in one rounding (`fma`), so each is made one.

Compilers for the host fuse a product with its sum too, but not where they take the products of several iterations into
a vector first, or where their processor is said to be slow in chains. `s += a * b` becomes `s += a * fuse * b` with an
object whose operators (include/gpuopt_emu/products.h) keep the factors until the sum is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuopt_driver.emulator.lexer import Kind, Tokens

_FUSE = b" ::gpuopt_emu::fuse *"
_LOOPS = frozenset({b"for", b"while", b"do"})
# What makes another thing of a sum of products, or may end it unseen.
_OTHERS = frozenset(
    {b"<", b">", b"?", b":", b",", b"=", b"==", b"!=", b"<=", b">=", b"&&", b"||", b"&", b"|", b"^", b"!", b"{", b"..."}
    | {b"return", b"new", b"delete", b"sizeof", b"throw"}
)
_NO_TYPE = frozenset({b"+", b"-", b"/", b"%", b"(", b"[", b".", b"->", b"?", b"!"})
_WORDS_BEFORE = frozenset({b"return", b"else", b"do", b"case", b"operator"})


def _loops(tokens: Tokens, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The bodies of loops, as token ranges; a body without braces ends at its first semicolon."""
    for index in range(start, end):
        word = tokens.at(index)
        if word not in _LOOPS:
            continue
        first = index + 1
        if word != b"do":
            if tokens.at(first) != b"(":
                continue
            first = tokens.match[first] + 1
        last = first
        while last < end and tokens.at(last) != b";" and tokens.at(last) != b"{":
            last = tokens.match[last] + 1 if tokens.match[last] > last else last + 1
        yield first, tokens.match[last] if tokens.at(last) == b"{" else last + 1


def _ends_operand(tokens: Tokens, index: int) -> bool:
    """Whether a `*` behind the token at `index` multiplies: what ends there is a value, not an operator or a type."""
    text = tokens.at(index)
    if text == b"]" or tokens.kind[index] is Kind.NUMBER:
        return True
    if text == b")":
        opened = tokens.match[index]
        called = tokens.is_word(opened - 1) and tokens.at(opened - 1) not in _WORDS_BEFORE
        inside = tokens.original[opened + 1 : index]
        return called or any(word in _NO_TYPE or word[:1].isdigit() for word in inside)
    return tokens.is_word(index) and text not in _WORDS_BEFORE


def _top(tokens: Tokens, start: int, end: int) -> list[int]:
    """The tokens from `start` to `end` that no parentheses enclose; these stand for themselves."""
    found = []
    index = start
    while index < end:
        found.append(index)
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return found


def _terms(tokens: Tokens, top: list[int]) -> list[list[int]]:
    """The terms of a sum, each with the signs in front of it."""
    terms: list[list[int]] = [[]]
    for index in top:
        if tokens.at(index) in (b"+", b"-") and terms[-1] and _ends_operand(tokens, index - 1):
            terms.append([])
        terms[-1].append(index)
    return terms


def _product(tokens: Tokens, term: list[int]) -> int:
    """The last multiplication of a term that is a product, or -1."""
    operators = [i for i in term[1:] if tokens.at(i) in (b"*", b"/", b"%") and _ends_operand(tokens, i - 1)]
    if not operators or tokens.at(operators[-1]) != b"*":
        return -1
    return operators[-1]


def _fused(tokens: Tokens, start: int, end: int, *, compound: bool) -> int:
    """The multiplication to be fused in the right side of an assignment; -1 where there is none."""
    top = _top(tokens, start, end)
    if not top or any(tokens.at(index) in _OTHERS for index in top):
        return -1
    terms = _terms(tokens, top)
    if compound:
        return _product(tokens, terms[0]) if len(terms) == 1 else -1
    if len(terms) < 2:
        return -1
    products = [_product(tokens, term) for term in terms]
    if products[-1] >= 0 and products[-2] < 0:
        return products[-1]
    return products[0] if len(terms) == 2 and products[0] >= 0 > products[1] else -1


def fuse_products(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Fuse what loops in device code add up with the products that it is made of."""
    for start, end in regions:
        inside = {index for first, last in _loops(tokens, start, end) for index in range(first, last)}
        for index in sorted(inside):
            operator = tokens.at(index)
            if operator not in (b"+=", b"-=", b"=") or tokens.at(index - 1) in (b"operator", b"["):
                continue
            last = index + 1
            while last < end and tokens.at(last) not in (b";", b")", b"}"):
                last = tokens.match[last] + 1 if tokens.match[last] > last else last + 1
            at = _fused(tokens, index + 1, last, compound=operator != b"=")
            if at >= 0 and tokens.text[at] == b"*":
                tokens.text[at] += _FUSE
