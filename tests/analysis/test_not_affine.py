"""Flat indices that are taken apart and put together are themselves; what is not affine is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.called_loops import called_loop
from gpuopt_driver.analysis.loop_loads import loop_loads
from gpuopt_driver.analysis.not_affine import why_not_affine, why_not_modelled
from gpuopt_driver.frontend.expr import Const, Op, Sym, SymKind, add, evaluate, mul
from gpuopt_driver.frontend.model import Kernel, ParseLevel
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.frontend.polynomial import normal
from gpuopt_driver.source.text import SourceFile

_X, _C, _H = (Sym(name, SymKind.PARAM, uniform=True) for name in "xch")


def _kernel(tmp_path: Path, text: str) -> Kernel:
    path = tmp_path / "unit.cu"
    path.write_text(text)
    (found,) = parse_unit(path, ParseOptions(level=ParseLevel.BUNDLED)).kernels
    return found


@pytest.mark.parametrize("divisor", [_C, Const(64), Const(7)])
@pytest.mark.parametrize("scale", [Const(4), mul(Const(4), _H)])
def test_quotient_and_remainder_make_their_number_again(divisor, scale):
    whole = add(mul(Op("/", (_X, divisor)), divisor), Op("%", (_X, divisor)))
    assert normal(mul(scale, whole)) == normal(mul(scale, _X))
    for x in (-130, -65, -64, -7, -1, 0, 1, 63, 64, 1000):
        for c in (-5, 3, 64):
            assert evaluate(whole, {"x": x, "c": c}) == x


@pytest.mark.parametrize(
    "other",
    [
        add(mul(Op("/", (_X, _C)), _H), Op("%", (_X, _C))),
        add(mul(Op("/", (_X, Const(8))), Const(16)), Op("%", (_X, Const(8)))),
        add(mul(Op(">>", (_X, Const(3))), Const(8)), Op("&", (_X, Const(6)))),
        add(mul(Op("/", (_H, Const(8))), Const(8)), Op("%", (_X, Const(8)))),
    ],
)
def test_other_quotients_and_remainders_stay(other):
    left = normal(other)
    for x, c, h in ((13, 5, 9), (-13, 4, 21), (64, 7, -3)):
        assert evaluate(left, {"x": x, "c": c, "h": h}) == evaluate(other, {"x": x, "c": c, "h": h})
    assert left != normal(_X)


def test_a_mask_and_a_shift_are_a_remainder_and_a_quotient():
    whole = add(mul(Op(">>", (_X, Const(5))), Const(32)), Op("&", (_X, Const(31))))
    assert normal(whole) == _X
    assert [evaluate(whole, {"x": x}) for x in (-33, -1, 0, 31, 95)] == [-33, -1, 0, 31, 95]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("min(t, n - 1)", "is not affine: a minimum"),
        ("max(t - 1, 0)", "is not affine: a maximum"),
        ("t / n", "is not affine: a division"),
        ("t % n", "is not affine: a remainder"),
        ("(t & 5)", "is not affine: a bit mask"),
        ("(t >> 5)", "is not affine: a shift"),
        ("(t < n ? t : 0)", "is not affine: a choice"),
        ("(int)(threadIdx.x * blockIdx.x)", "is not affine: a product of indices"),
        ("first[t]", "depends on data"),
    ],
)
def test_the_operation_is_named(tmp_path, index, words):
    kernel = _kernel(
        tmp_path,
        "__global__ void k(const float *a, const int *first, float *o, int n) {\n"
        f"  int t = blockIdx.x * blockDim.x + threadIdx.x; o[t] = a[{index}]; }}\n",
    )
    (access,) = [one for one in kernel.accesses if one.array.name == "a"]
    assert why_not_affine(access, kernel) == f"{words} (a[{index}], line 2)"


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("i % p", "is not affine: a remainder (a[i % p], line 2)"),
        ("first[i]", "depends on data (a[first[i]], line 2)"),
        ("i + p", ""),
    ],
)
def test_what_a_loop_reads_is_not_said_to_depend_on_data_for_a_remainder(tmp_path, index, words):
    kernel = _kernel(
        tmp_path,
        "__global__ void k(const float *a, const int *first, float *o, int n, int p) {\n"
        f"  for (int i = threadIdx.x; i < n; i += 64) o[i] = a[{index}]; }}\n",
    )
    (loop,) = loop_loads(kernel, SourceFile.read(str(tmp_path / "unit.cu")))
    assert why_not_modelled(loop, kernel) == words


def test_a_loop_of_a_called_function_is_named(tmp_path):
    row = "__device__ void row(const float *a, float *y, int n) { for (int j = 0; j < n; j++) y[0] += a[j]; }\n"
    kernel = _kernel(tmp_path, row + "__global__ void k(const float *a, float *y, int n) { row(a, y, n); }\n")
    assert called_loop(kernel) == "; that of row, which it calls, is not looked at (a[j], line 1)"
    (tmp_path / "row.h").write_text(row)
    kernel = _kernel(
        tmp_path, '#include "row.h"\n__global__ void k(const float *a, float *y, int n) { row(a, y, n); }\n'
    )
    assert called_loop(kernel).endswith("(a[j], line 1 of row.h)")
    own = _kernel(tmp_path, "__global__ void k(float *a, int n) { for (int j = 0; j < n; j++) a[j] += 1; }\n")
    assert called_loop(own) == ""
