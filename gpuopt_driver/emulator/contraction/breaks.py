"""Where quotients and functions of mathematics end a run of instructions: by branches that nvcc's optimizer sees in a
function, or by those that ptxas makes of a precise quotient or root. What stands before is not fused with sums behind.

By the PTX and SASS of nvcc 13.0 for each function (`-arch=sm_90`).
"""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Break:
    """What ends there: a block of nvcc's optimizer (LLVM), and of machine code."""

    optimizer: bool = False
    machine: bool = False


NONE, OPTIMIZER, MACHINE, BOTH = Break(), Break(optimizer=True), Break(machine=True), Break(True, True)

_FLOATS = {
    BOTH: "log1p sin cos tan asinh acosh atanh tgamma lgamma pow atan2 fmod remainder sincos nextafter erfinv logb",
    OPTIMIZER: "log log2 log10 sinpi cospi atan erf normcdf",
    MACHINE: "sqrt hypot __frcp_rn __fsqrt_rn __fdiv_rn fdividef",
}
_DOUBLES = {
    BOTH: """exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erfc
    pow atan2 fmod remainder tgamma lgamma sincos nextafter erfinv logb normcdf""",
    OPTIMIZER: "cbrt rcbrt sinpi cospi",
    MACHINE: "sqrt rsqrt __ddiv_rn __dsqrt_rn __drcp_rn",
}
_QUICK = "sin cos sincos tan log log2 log10 pow sqrt fdividef"  # with -use_fast_math


def _table(lines: dict[Break, str]) -> dict[bytes, Break]:
    return {name.encode(): kind for kind, names in lines.items() for name in names.split()}


_OF_FLOATS, _OF_DOUBLES = _table(_FLOATS), _table(_DOUBLES)


def break_of_function(name: bytes, kind: str, *, quick: bool) -> Break:
    """What a call of a function of mathematics ends; `kind` of its result: f(loat) or d(ouble)."""
    base = name.removeprefix(b"std::").removeprefix(b"::")
    if kind == "d":
        return _OF_DOUBLES.get(base, NONE)
    base = base if base in _OF_FLOATS else base.removesuffix(b"f")
    return NONE if quick and base.decode() in _QUICK.split() else _OF_FLOATS.get(base, NONE)


def break_of_quotient(kind: str, divisor: bytes, *, quick: bool) -> Break:
    """What a division ends, of numbers that are not known to be whole; `divisor`: its only token, or nothing. By powers
    of two nvcc multiplies."""
    if kind == "i" or (quick and kind != "d"):
        return NONE
    try:
        number = abs(float(divisor.rstrip(b"fF")))
    except ValueError:
        return MACHINE
    return NONE if number and number.hex().split("p")[0] in ("0x1.0000000000000", "0x1.0") else MACHINE
