"""Shifts in device code by as many bits as a number has, or more: a GPU's shifts give what is left of the number then.

C++ leaves them undefined, and host processors shift by the count's lower bits. `a << b` becomes `a << shift << b` with
an object whose operators (include/gpuopt_emu/shifts.h) do it as a GPU does; a literal count stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Kind, Tokens

_SHIFT = b" ::gpuopt_emu::shift "
_STREAMS = frozenset({b"cout", b"cerr", b"clog", b"endl", b"ostream", b"istream", b"stringstream", b"ostringstream"})
_JOINS = frozenset({b"+", b"-", b"*", b"/", b"%", b".", b"::", b"("})
_NOT_IN_ARGUMENTS = frozenset({b"&&", b"||", b"?", b"==", b"!=", b"=", b"+=", b"-=", b"|=", b"&=", b"^=", b"return"})


def _closes_template(tokens: Tokens, index: int) -> bool:
    """Whether a `>>` at `index` may end two template argument lists."""
    at = index - 1
    while at >= 0 and tokens.at(at) not in (b";", b"{", b"(", b"["):
        text = tokens.at(at)
        if text in _NOT_IN_ARGUMENTS:
            return False
        if text == b"<" and b"<" not in (tokens.at(at - 1), tokens.at(at + 1)):
            return True
        at = tokens.match[at] - 1 if 0 <= tokens.match[at] < at else at - 1
    return False


def _small_literal(tokens: Tokens, index: int) -> bool:
    """Whether the operand at `index` is a number alone, not the beginning of a sum."""
    return tokens.kind[index] is Kind.NUMBER and tokens.at(index + 1) not in _JOINS


def _operator(tokens: Tokens, index: int) -> bytes:
    """The shift operator that begins at `index`: `<<`, `>>`, `<<=` or `>>=`; b"" where none does."""
    first, second = tokens.at(index), tokens.at(index + 1)
    if first not in (b"<", b">") or second not in (first, first + b"=") or tokens.gap[index + 1]:
        return b""
    if tokens.at(index - 1) in (first, b"operator", b"template") or tokens.at(index + 2)[:1] == first:
        return b""
    if first == b">" and second == b">" and _closes_template(tokens, index):
        return b""
    return first + second


def clamp_shifts(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Give shifts in device code the GPU's meaning; output by streams is left alone."""
    for start, end in regions:
        if not _STREAMS.isdisjoint(tokens.original[start:end]):
            continue
        for index in range(start, end - 2):
            operator = _operator(tokens, index)
            if operator and not _small_literal(tokens, index + 2) and tokens.text[index + 1] == tokens.at(index + 1):
                tokens.text[index + 1] += _SHIFT + operator
