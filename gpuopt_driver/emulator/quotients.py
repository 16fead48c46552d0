"""Divisions in device code, whose quotients are a GPU's.

With -use_fast_math those of floats are the special function unit's, as nvcc has them. What is divided is known to the
host compiler only: `a / b` becomes `a / quick / b` with an object whose operators (include/gpuopt_emu/quotients.h)
divide quickly where both sides make a float. One over a square root is one instruction, `rsqrt.approx`, where the root
is written as the divisor (LLVM's NVPTX back end; what -1 or another number is divided by stays a root and a division).

Without it they are rounded as everywhere, and those that are no number have a GPU's sign, which the host processor's
may not have: `a / b` of what is known to be floats becomes `a / exact / b`. Sums and products are not marked one by
one, or host compilers would not know them: what is no number goes through them as it is, and gets its sign where it is
stored, `p[i] = a + b` as `p[i] = settled = a + b` (include/gpuopt_emu/stores.h).
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.fission.names import operand_end
from gpuopt_driver.emulator.lexer import Tokens

_WRITTEN = {b"/": b"/ ::gpuopt_emu::quick /", b"/=": b"/= ::gpuopt_emu::Divisor<::gpuopt_emu::Quick>() ="}
_EXACT = {b"/": b"/ ::gpuopt_emu::exact /", b"/=": b"/= ::gpuopt_emu::Divisor<::gpuopt_emu::Exact>() ="}
_ONES = frozenset({b"1", b"1.0f", b"1.f", b"1.0F", b"1.F"})
_TIGHT = frozenset({b"*", b"/", b"%", b"!", b"~", b".", b"->", b"->*", b".*"})  # these take the one before the division
_ROOTS = {
    b"gpuopt_emu_sqrtf": b"gpuopt_emu_rsqrtf",
    b"gpuopt_emu_both_sqrtf": b"gpuopt_emu_both_rsqrtf",
    b"gpuopt_emu_sqrt": b"gpuopt_emu_over_sqrt",
}


def _root(tokens: Tokens, index: int) -> bool:
    """Write `1 / sqrt(x)`, whose `/` stands at `index`, as one operation; whether it is that."""
    name = index + 1
    while not tokens.text[name] and name < index + 6:  # std::
        name += 1
    written = _ROOTS.get(tokens.text[name])
    if written is None or tokens.at(index - 1) not in _ONES or tokens.text[index - 1] != tokens.at(index - 1):
        return False
    before = tokens.at(index - 2)
    if before in _TIGHT or (before in (b"+", b"-") and not operand_end(tokens, index - 3)):
        return False
    if tokens.at(tokens.match[name + 1] + 1) in (b".", b"->", b"[", b"("):
        return False
    if written == b"gpuopt_emu_over_sqrt":
        tokens.text[name + 1] += tokens.at(index - 1) + b","
    tokens.text[index - 1], tokens.text[index], tokens.text[name] = b"", b" ", written
    return True


def divide_exactly(tokens: Tokens, operators: Iterable[int]) -> None:
    """Mark the divisions of floats, whose operators stand there."""
    for index in operators:
        if tokens.text[index] == tokens.at(index):
            tokens.text[index] = _EXACT[tokens.at(index)]


def store_numbers(tokens: Tokens, operators: Iterable[int]) -> None:
    """Mark the assignments that put a float that was computed into memory; their operators stand there."""
    for index in operators:
        if tokens.text[index] == b"=":
            tokens.text[index] = b"= ::gpuopt_emu::settled ="


def divide_quickly(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Mark the divisions in device code, but for operators that are declared or called by their names."""
    for start, end in regions:
        for index in range(start, end):
            written = _WRITTEN.get(tokens.at(index))
            if written == _WRITTEN[b"/"] and _root(tokens, index):
                continue
            if written and tokens.text[index] == tokens.at(index) and tokens.at(index - 1) != b"operator":
                tokens.text[index] = written
