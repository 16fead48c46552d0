"""Calls of mathematical functions in device code: the device library's, whose last bits are not the host's C library's.

The names are those of include/gpuopt_emu/device_names.h. Where the program has a function of that name, it stays the
program's.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function, Role, Structure

_BESSEL = ("j0", "j1", "jn", "y0", "y1", "yn")
_BASE = (
    *("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "rcbrt", "rsqrt", "sqrt"),
    *("sin", "cos", "tan", "sincos", "sinpi", "cospi", "sincospi", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("hypot", "rhypot", "norm3d", "rnorm3d", "norm4d", "rnorm4d"),
    *("erf", "erfc", "erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv", "tgamma", "lgamma"),
    *("lrint", "llrint", "lround", "llround", "ilogb"),
    *("cuCmul", "cuCdiv", "cuCfma", "cuCabs"),
    *_BESSEL,
)
NAMES = frozenset(name.encode() for base in _BASE for name in (base, base + "f"))
SHORT = frozenset(name.encode() for name in _BESSEL)  # variables' names, too
FLUSHED = frozenset({b"fminf", b"fmaxf", b"fabsf", b"min", b"max", b"fabs"})  # where -ftz asks for it
_BEFORE_CALLS = frozenset({b"return", b"else", b"do", b"case", b"and", b"or", b"not", b"co_return", b"throw"})


def _named(tokens: Tokens, index: int) -> bool:
    """Whether a declarator rather than a call may stand here: `float exp(`, `T* log(`."""
    return tokens.is_word(index - 1) and tokens.at(index - 1) not in _BEFORE_CALLS


def _own(tokens: Tokens, structure: Structure) -> set[bytes]:
    """Names that a function of the unit's user has."""
    users = {file for _, _, file in tokens.user_markers()}
    return {
        tokens.at(function.params - 1)
        for function in structure.functions
        if tokens.at(function.params - 1) in NAMES | FLUSHED and tokens.where(function.head)[0] in users
    }


def _first(tokens: Tokens, index: int) -> int:
    """Where the call's name begins with `std::` or `::` before it; -1 where it is a member or another namespace's."""
    before = tokens.at(index - 1)
    if before in (b".", b"->"):
        return -1
    if before != b"::":
        return index
    if tokens.at(index - 2) == b"std":
        return index - 2 if tokens.at(index - 3) != b"::" else -1
    return -1 if tokens.is_word(index - 2) and tokens.at(index - 2) not in _BEFORE_CALLS else index - 1


def _rename(tokens: Tokens, start: int, end: int, prefix: bytes, names: frozenset[bytes]) -> None:
    here = range(start, end)
    names -= {tokens.at(index) for index in here if tokens.at(index) in SHORT and tokens.at(index + 1) != b"("}
    for index in here:
        name = tokens.at(index)
        if name not in names or tokens.at(index + 1) != b"(" or tokens.text[index] != name:
            continue
        first = _first(tokens, index)
        if first < 0 or _named(tokens, first):
            continue
        tokens.clear(first, index)
        tokens.text[index] = prefix + name


def name_maths(
    tokens: Tokens,
    structure: Structure,
    lambdas: Iterable[tuple[int, int]],
    *,
    flushes: bool = False,
) -> None:
    """Give such calls in kernels, device functions and device lambdas their names; `flushes`: with
    -ftz=true."""
    names = NAMES | (FLUSHED if flushes else frozenset())
    names -= _own(tokens, structure)
    for start, end in lambdas:
        _rename(tokens, start, end, b"gpuopt_emu_both_", names)
    for function in structure.functions:
        if function.role is Role.HOST:
            continue
        words = tokens.original[function.head : function.body]
        if b"constexpr" not in words:
            prefix = b"gpuopt_emu_both_" if _for_host(words, function) else b"gpuopt_emu_"
            _rename(tokens, function.body + 1, tokens.match[function.body], prefix, names)


def _for_host(words: tuple[bytes, ...], function: Function) -> bool:
    return function.role is Role.DEVICE and b"__host__" in words
