"""Parts of a split kernel in which compilers may take threads side by side.

Between two barriers no access of a thread depends on another thread's, in a program without races. g++ cannot know: it
would compare addresses when the program runs, which it does for a loop over threads that holds no other loop, and for
those with few arrays. Here it is told (`#pragma GCC ivdep`), so that it makes vectors over threads of sums that each
thread has to add up one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.builtin_variables import BUILTINS, lambda_body
from gpuopt_driver.emulator.fission.shape import Piece
from gpuopt_driver.emulator.fission.tree import BASIC
from gpuopt_driver.emulator.lexer import Tokens

# What is called in them: what may become an instruction. A function of the program's own may have an array of its own.
_CALLED = (
    frozenset(
        {b"for", b"if", b"sizeof", b"min", b"max", b"abs", b"fabs", b"fabsf", b"sqrt", b"sqrtf", b"fma", b"fmaf"}
        | {b"fmin", b"fminf", b"fmax", b"fmaxf", b"umin", b"umax", b"__fmaf_rn", b"__fma_rn", b"__mul24", b"__umul24"}
        | {b"__fadd_rn", b"__fsub_rn", b"__fmul_rn", b"__dadd_rn", b"__dsub_rn", b"__dmul_rn", b"__ldg", b"__fsqrt_rn"}
    )
    | BASIC
)
_UNFIT = frozenset(
    {b"volatile", b"goto", b"return", b"while", b"do", b"switch", b"break", b"continue", b"asm", b"new", b"delete"}
    | {b"throw", b"try", b"auto", b"struct", b"class", b"union"}
)
_NO_TYPE = frozenset({b"return", b"else", b"case"})


def independent(tokens: Tokens, pieces: Iterable[Piece]) -> bool:
    """Whether each thread does the pieces, all of one loop over threads, in the same few steps without memory of its
    own that can be told by an index: arrays in the loop would be one for all turns."""
    at = {index for piece in pieces for index in range(piece.start, piece.end)}
    return not any(_hinders(tokens, index) for index in at)


def _hinders(tokens: Tokens, index: int) -> bool:
    text, before = tokens.at(index), index - 1
    if text == b"(":
        if tokens.is_word(before):
            return tokens.at(before) not in _CALLED | _NO_TYPE
        if tokens.at(before) == b")":  # a cast, or a call of what is computed
            return not BASIC.issuperset(tokens.original[tokens.match[before] + 1 : before])
        return tokens.at(before) in (b"]", b">")
    if text == b"[":
        declares = tokens.is_word(before) and _ends_type(tokens, before - 1)
        return declares or tokens.at(before - 1) == b"." or lambda_body(tokens, index) >= 0
    return text in _UNFIT


def _ends_type(tokens: Tokens, index: int) -> bool:
    """Whether what ends at `index` may be the type that the name behind it is declared with."""
    text = tokens.at(index)
    return (tokens.is_word(index) and text not in _NO_TYPE and text not in BUILTINS) or text == b">"
