"""Functions whose results nvcc computes itself where their arguments are constants, and rounds otherwise than a GPU."""

from __future__ import annotations

import re

from gpuopt_driver.api import Kernel

# What nvcc's own library approximates; its exact functions (fmaf, floorf, fmodf) give the same on both sides, and for
# approximate instructions (sqrt, division with -use_fast_math) each build compares the two texts of PTX.
_NAMES = (
    r"exp|exp2|exp10|expm1|log|log2|log10|log1p|powi|pow|sin|cos|tan|sincos|sinpi|cospi|sincospi|asin|acos|atan|"
    r"atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|rcbrt|rsqrt|hypot|rhypot|norm|rnorm|norm3d|rnorm3d|norm4d|rnorm4d|"
    r"erf|erfc|erfinv|erfcinv|erfcx|normcdf|normcdfinv|lgamma|tgamma|j0|j1|jn|y0|y1|yn|cyl_bessel_i0|cyl_bessel_i1|"
    r"fdivide"
)
_APPROXIMATE = re.compile(rf"(?:\w+::)*(?:__)?(?:{_NAMES})[fl]?(?:_approx)?")
_OF_HALVES = re.compile(
    r"(?:__)?h2?(?:exp|exp2|exp10|log|log2|log10|sin|cos|tanh|sqrt|rsqrt|rcp|div)(?:_approx)?|__h2?div"
)


def approximate_call(kernel: Kernel) -> str | None:
    """The first call, in the kernel or what it calls, whose result may be another one for constants, with its place."""
    for call in kernel.calls:
        if _APPROXIMATE.fullmatch(call.name) or _OF_HALVES.fullmatch(call.name):
            return f"{call.name}() ({kernel.line_of(call.span)})"
    return None
