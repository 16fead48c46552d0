"""Which known numbers spare something: bounds of short loops, divisors, arguments of functions with loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpuopt_plugins.constants import known, rounding, useful

from gpuopt_driver.frontend.model import Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

BEFORE = """\
__device__ float tap(const float *x, int r) { float s = 0; for (int j = 0; j < r; ++j) s += x[j]; return s; }
__device__ int folded(int *x) { for (int h = blockDim.x / 2; h > 0; h /= 2) x[h] += x[2 * h]; return x[0]; }
__device__ int strided(int *x, int n) { for (int j = threadIdx.x; j < n / 2; j += blockDim.x) x[0]++; return x[0]; }
__device__ float twice(float a) { return expf(a) * 2; }
__global__ void k(float *x, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
"""


def unit_of(directory: Path, body: str, launches: str = "k<<<4, 32>>>(x, 6, 100);") -> Unit:
    source = directory / "a.cu"
    source.write_text(f"{BEFORE}    {body}\n}}\nvoid run(float *x, int a) {{ {launches} }}\n")
    return parse_unit(source, ParseOptions())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int j = 0; j < n; ++j) x[i + j] = 0;", {"n"}),
        ("for (int j = 0; j < m; ++j) x[i + j] = 0;", set()),  # 100 iterations
        ("for (int j = -n; j <= n; ++j) x[i + j] = 0;", {"n"}),
        ("for (int j = threadIdx.x; j < m; j += blockDim.x) x[j] = 0;", {"m", "blockDim.x"}),
        ("for (int h = blockDim.x / 2; h > 0; h >>= 1) x[h] = 0;", {"blockDim.x"}),
        ("int j = 0; while (x[j] > n) ++j;", set()),
        ("x[i] = i / n;", {"n"}),
        ("x[i / (n * m)] = 0;", {"n", "m"}),
        ("x[i % (unsigned)m] = 0;", {"m"}),
        ("int j = i; j /= m; x[j] = 0;", {"m"}),
        ("x[threadIdx.x / blockDim . y] = 0;", {"blockDim.y"}),
        ("x[i] = n; /* i / n */ // i % m", set()),
        ("x[i] = i * n + m;", set()),
        ("x[i] = tap(x, n);", {"n"}),
        ("x[i] = tap(x, m);", set()),
        ("x[i] = folded((int *)x);", {"blockDim.x"}),
        ("x[i] = strided((int *)x, i);", set()),
        ("n = i; x[i] = n / 3;", set()),
    ],
)
def test_gains(tmp_path: Path, body: str, expected: set[str]) -> None:
    unit = unit_of(tmp_path, body)
    kernel = unit.kernels[0]
    (given,) = known.known(kernel, unit.launches)
    found = useful.gains(kernel, unit.files[kernel.span.file], given.values, 64)
    assert set().union(*(gain.names for gain in found)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int j = 0; j < n; ++j) x[i + j] = 0;", {"n"}),
        ("for (int j = n; j < m; ++j) x[i + j] = 0;", {"n", "m"}),
        ("for (int j = threadIdx.x; j < m; j += blockDim.x) x[j] = 0;", {"m", "blockDim.x"}),
        ("for (int h = blockDim.x / 2; h > 0; h >>= 1) x[h] = 0;", {"blockDim.x"}),
        ("for (int j = 0; j < (int)x[0]; ++j) x[i + j] = 0;", set()),
        ("for (int j = 0; j < 7; ++j) x[i + j] = 0;", set()),
        ("int j = 0; while (x[j] > n) ++j;", set()),
        ("x[i / (n * m)] = 0;", {"n", "m"}),
        ("x[i] = i / 3 + n * m;", set()),
        ("x[i] = tap(x, n);", {"n"}),
        ("x[i] = folded((int *)x);", {"blockDim.x"}),
        ("x[i] = i / gridDim.y;", {"gridDim.y"}),
        ("if (i < n) x[i] = m;", set()),
    ],
)
def test_what_could_be_spared_if_numbers_were_known(tmp_path: Path, body: str, expected: set[str]) -> None:
    unit = unit_of(tmp_path, body, "k<<<a, a>>>(x, a, a);")
    kernel = unit.kernels[0]
    found = useful.possible(kernel, unit.files[kernel.span.file])
    assert set().union(*(gain.names for gain in found)) == expected


def test_numbers_of_launches_the_most_frequent_first(tmp_path: Path) -> None:
    launches = "k<<<a, 32>>>(x, 1, a); k<<<2, 64>>>(x, 2, 3); k<<<2, 64>>>(x, 2, 3); k<<<2, 2000>>>(x, 2, 3);"
    unit = unit_of(tmp_path, "x[i] = n;", launches)
    assert known.known(unit.kernels[0], unit.launches) == (
        known.Known((64, 1, 1), (2, 1, 1), (("n", 2), ("m", 3))),
        known.Known((32, 1, 1), None, (("n", 1),)),
    )


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("x[i] = expf(x[i]);", "expf"),
        ("x[i] = std::pow(x[i], n);", "pow"),
        ("x[i] = __sinf(n);", "__sinf"),
        ("x[i] = twice(n);", "expf"),
        ("x[i] = fmaxf(floorf(x[i]), sqrtf(fabsf(n))) + fmaf(n, m, x[i]) + __fdiv_rn(n, m);", ""),
        ("x[i] = min(n, m) + __popc(n) + __ldg(x);", ""),
    ],
)
def test_functions_that_nvcc_computes_itself(tmp_path: Path, body: str, called: str) -> None:
    found = rounding.approximate_call(unit_of(tmp_path, body).kernels[0])
    assert (found or "").partition("(")[0].rpartition("::")[2] == called
