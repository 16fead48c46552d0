"""Sums of products in device code's loops: nvcc adds a product in one rounding (`fma`), so each is made one.

Compilers for the host fuse a product with its sum too, but not where they take the products of several iterations into
a vector first, or where their processor is said to be slow in chains. `s += a * b` becomes `s += a * fuse * b` with an
object whose operators (include/gpuopt_emu/products.h) keep the factors until the sum is known.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence, Set

from gpuopt_driver.emulator.contraction.decided import Decided, decide
from gpuopt_driver.emulator.contraction.write import (
    Fused,
    mark_products,
    write_sixteen,
    write_sixteen_variables,
    write_variables,
)
from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.quotients import divide_exactly, store_numbers
from gpuopt_driver.emulator.ranks import Ranks
from gpuopt_driver.emulator.structure import Function
from gpuopt_driver.emulator.vector_operators import tell_vector_operators

_FUSE = b" ::gpuopt_emu::fuse *"
_FUSE_SIXTEEN, _FUSE_HALF = b" ::gpuopt_emu::fuse_sixteen *", b" ::gpuopt_emu::fuse_half *"
_LOOPS = frozenset({b"for", b"while", b"do"})
# What makes another thing of a sum of products, or may end it unseen.
_OTHERS = frozenset(
    {b"<", b">", b"?", b":", b",", b"=", b"==", b"!=", b"<=", b">=", b"&&", b"||", b"&", b"|", b"^", b"!", b"{", b"..."}
    | {b"return", b"new", b"delete", b"sizeof", b"throw"}
)
_NO_TYPE = frozenset({b"+", b"-", b"/", b"%", b"(", b"[", b".", b"->", b"?", b"!"})
_QUALIFIERS = frozenset({b"const", b"volatile", b"__restrict__", b"__restrict", b"restrict"})
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


def _multiplies(tokens: Tokens, index: int) -> bool:
    """Whether the token in parentheses is a `*` between operands, not one of a type."""
    behind = index + 1
    operand = tokens.at(behind) == b"(" or tokens.kind[behind] in (Kind.WORD, Kind.NUMBER)
    return tokens.at(index) == b"*" and operand and tokens.at(behind) not in _QUALIFIERS


def _ends_operand(tokens: Tokens, index: int) -> bool:
    """Whether a `*` behind the token at `index` multiplies: what ends there is a value, not an operator or a type."""
    text = tokens.at(index)
    if text == b"]" or tokens.kind[index] is Kind.NUMBER:
        return True
    if text == b")":
        opened = tokens.match[index]
        called = tokens.is_word(opened - 1) and tokens.at(opened - 1) not in _WORDS_BEFORE
        inside = tokens.original[opened + 1 : index]
        if called or any(word in _NO_TYPE or word[:1].isdigit() for word in inside):
            return True
        return any(_multiplies(tokens, at) for at in range(opened + 2, index - 1))
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
    """The last multiplication of a term that is a product, perhaps in parentheses, or -1."""
    if tokens.at(term[-1]) == b"(" and all(tokens.at(index) in (b"+", b"-") for index in term[:-1]):
        inside = _top(tokens, term[-1] + 1, tokens.match[term[-1]])
        if not inside or any(tokens.at(index) in _OTHERS for index in inside):
            return -1
        terms = _terms(tokens, inside)
        return _product(tokens, terms[0]) if len(terms) == 1 else -1
    operators = [i for i in term[1:] if tokens.at(i) in (b"*", b"/", b"%") and _ends_operand(tokens, i - 1)]
    if not operators or tokens.at(operators[-1]) != b"*":
        return -1
    return operators[-1]


def _rounded(tokens: Tokens, terms: list[list[int]], ranks: Ranks) -> int:
    """Which of a sum's first two terms, both products, is rounded by itself: 0 or 1."""
    ends = [(terms[0][0], terms[1][0]), (terms[1][0] + 1, terms[1][-1] + 1)]
    if any(tokens.match[end - 1] > end for _, end in ends):  # a bracket stands for what is in it
        ends = [(first, tokens.match[end - 1] + 1 if tokens.match[end - 1] > end else end) for first, end in ends]
    invariant = [ranks.invariant(*end) for end in ends]
    if invariant[0] != invariant[1]:
        return 0 if invariant[0] else 1
    if tokens.at(terms[1][0]) == b"-":
        return 1
    if tokens.at(terms[0][0]) == b"-":  # b - a
        return 0
    left, right = (ranks.of(*end) for end in ends)
    return 0 if left is not None and right is not None and right < left else 1


def _fused(tokens: Tokens, start: int, end: int, ranks: Ranks, *, compound: bool, looped: bool) -> list[int]:
    """The multiplications to be fused in one sum, from left to right.

    nvcc adds up from the left and fuses each product with what is there. Where the first two terms are products, one of
    them is rounded by itself. What a loop computes before it starts is not fused in it.
    """
    top = _top(tokens, start, end)
    if not top or any(tokens.at(index) in _OTHERS for index in top):
        return []
    terms = _terms(tokens, top)
    products = [_product(tokens, term) for term in terms]
    if len(terms) == 1:
        return [products[0]] if compound and looped and products[0] >= 0 else []
    pair = products[0] >= 0 and products[1] >= 0
    if not pair and not looped:
        return []  # as compilers for the host do it, too
    for at, term in zip(range(2, len(terms)), terms[2:], strict=True):
        close = tokens.match[term[-1]]
        if products[at] >= 0 and ranks.invariant(term[0] + 1, max(close, term[-1]) + 1):
            products[at] = -1
    if pair:
        products[_rounded(tokens, terms, ranks)] = -1
    return [at for at in products if at >= 0]


def _pieces(tokens: Tokens, start: int, end: int) -> Iterator[tuple[int, int]]:
    """An expression, and what stands in its parentheses, at commas apart."""
    begin = start
    for index in _top(tokens, start, end):
        if tokens.at(index) == b",":
            yield begin, index
            begin = index + 1
        elif tokens.at(index) == b"(" and tokens.match[index] > index:
            yield from _pieces(tokens, index + 1, tokens.match[index])
    yield begin, end


def _right_side(tokens: Tokens, operator: int, end: int) -> int:
    """Where the expression behind an assignment or `return` ends."""
    last = operator + 1
    while last < end and tokens.at(last) not in (b";", b")", b"}"):
        last = tokens.match[last] + 1 if tokens.match[last] > last else last + 1
    return last


def _computed_before(tokens: Tokens, operator: int, start: int) -> bool:
    """Whether a statement defines a constant, which compilers work out."""
    index = operator
    while index > start and tokens.at(index - 1) not in (b";", b"{", b"}"):
        index -= 1
        if tokens.at(index) in (b"constexpr", b"static", b"enum"):
            return True
    return False


def _sixteen_in(tokens: Tokens, start: int, end: int, ranks: Ranks, *, compound: bool) -> list[int]:
    """The multiplications of halves and bfloat16 to be fused in one sum, from left to right: of two the first.

    What a loop computes before it starts is not fused in it.
    """
    top = _top(tokens, start, end)
    if not top or any(tokens.at(index) in _OTHERS for index in top):
        return []
    terms = _terms(tokens, top)
    if len(terms) == 1 and not compound:
        return []
    products = [_product(tokens, term) for term in terms]
    for at, term in enumerate(terms):
        if products[at] >= 0 and ranks.invariant(term[0] + (at > 0), max(tokens.match[term[-1]], term[-1]) + 1):
            products[at] = -1
    if len(products) > 1 and products[0] >= 0:
        products[1] = -1
    return [at for at in products if at >= 0]


def _mark_sixteen(tokens: Tokens, start: int, end: int, ranks: Ranks, mark: bytes, decided: Container[int]) -> None:
    """The same by the text alone, where values were not followed."""
    for index in range(start, end):
        operator = tokens.at(index)
        if operator not in (b"+=", b"-=", b"=", b"return") or tokens.at(index - 1) in (b"operator", b"["):
            continue
        whole = (index + 1, _right_side(tokens, index, end))
        for piece in _pieces(tokens, *whole) if not _computed_before(tokens, index, start) else ():
            compound = piece == whole and operator in (b"+=", b"-=")
            for at in _sixteen_in(tokens, *piece, ranks, compound=compound):
                if at not in decided:
                    write_sixteen(tokens, Fused(stars={at}), mark, _FUSE)


def fuse_products(
    tokens: Tokens,
    functions: Sequence[Function],
    members: set[int],
    regions: Sequence[tuple[int, int]],
    others: Set[int],
    dialect: Dialect,
) -> None:
    """Fuse what device code adds up with the products that it is made of, as nvcc does and host compilers might not.

    Where the values of a function can be followed (`contraction`), its products' uses decide; elsewhere the sums' text.
    `members`: the heads of functions that are members of classes; `regions`: the bodies to be written, but for those
    that begin at `others`. For clang++ sums outside loops, too, are written by their text: it adds up a product that it
    needs twice without fusing it.
    """
    regions = [region for region in regions if region[0] not in others]
    decided = decide(tokens, functions, members, quick=dialect.quick)
    followed, sixteen = decided.followed, decided.sixteen or {}
    mark = _FUSE_SIXTEEN if dialect.bfloats else _FUSE_HALF
    for start, _ in regions:
        store_numbers(tokens, followed.get(start, Fused()).stores)
        if not dialect.quick:
            divide_exactly(tokens, followed.get(start, Fused()).quotients)
    before = list(tokens.text)
    for start, _ in regions:
        mark_products(tokens, followed.get(start, Fused()), _FUSE)
        write_sixteen(tokens, sixteen.get(start, Fused()), mark, _FUSE)
    for start, _ in regions:
        write_variables(tokens, followed.get(start, Fused()), _FUSE, before)
        write_sixteen_variables(tokens, sixteen.get(start, Fused()), mark, _FUSE)
    _fuse_by_text(tokens, regions, decided, mark, clang=dialect.clang)
    tell_vector_operators(tokens, functions)


def _fuse_by_text(
    tokens: Tokens, regions: Sequence[tuple[int, int]], decided: Decided, mark: bytes, *, clang: bool
) -> None:
    """Fuse what is decided by the text of sums alone."""
    before = list(tokens.text)
    for start, end in regions:
        version = decided.versions.get(start - 1)
        taken = {} if version is None else version.of
        known = decided.followed.get(start, Fused()).known
        loops = list(_loops(tokens, start, end))
        looped = {index for first, last in loops for index in range(first, last)}
        ranks = Ranks(tokens, start, end, loops)
        for index in range(start, end):
            operator = tokens.at(index)
            if operator not in (b"+=", b"-=", b"=", b"return") or tokens.at(index - 1) in (b"operator", b"["):
                continue
            last = _right_side(tokens, index, end)
            if _computed_before(tokens, index, start):
                continue
            whole = (index + 1, last)
            for piece in _pieces(tokens, *whole):
                compound = piece == whole and operator in (b"+=", b"-=")
                for at in _fused(tokens, *piece, ranks, compound=compound, looped=clang or index in looped):
                    if tokens.text[at] == b"*" and at not in known:
                        tokens.text[at] += _FUSE
        if decided.sixteen is not None:
            left = decided.sixteen[start].skipped if start in decided.sixteen else [(start, end)]
            for first, last in left:
                _mark_sixteen(tokens, first, last, ranks, mark, taken)
    for start, _ in regions:
        version = decided.versions.get(start - 1)
        for at, other in ({} if version is None else version.of).items():
            if tokens.text[other] != before[other] and tokens.text[at] == before[other]:
                tokens.text[at] = tokens.text[other]
