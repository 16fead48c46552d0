"""Divisions in device code under -use_fast_math: of floats they are the special function unit's, as nvcc has them.

What is divided is known to the host compiler only: `a / b` becomes `a / quick / b` with an object whose operators
(include/gpuopt_emu/quick_division.h) divide quickly where both sides make a float.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens

_WRITTEN = {b"/": b"/ ::gpuopt_emu::quick /", b"/=": b"/= ::gpuopt_emu::Divisor() ="}


def divide_quickly(tokens: Tokens, regions: Iterable[tuple[int, int]]) -> None:
    """Mark the divisions in device code, but for operators that are declared or called by their names."""
    for start, end in regions:
        for index in range(start, end):
            written = _WRITTEN.get(tokens.at(index))
            if written and tokens.text[index] == tokens.at(index) and tokens.at(index - 1) != b"operator":
                tokens.text[index] = written
