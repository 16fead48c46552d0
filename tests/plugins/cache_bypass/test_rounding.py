"""Which kernels keep their loads so that nvcc fuses products as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpuopt_plugins.cache_bypass.rounding import may_round_differently

from gpuopt_driver.api import Context, Resources
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

KERNEL = """
#define TWICE(a, b) a * b + b * b
__device__ float square(float x) { return x * x; }
__global__ void kernel(int n, const TYPE *A, const TYPE *x, const TYPE *u, TYPE *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, k = i * n + 4 * threadIdx.y;
    TYPE sum = 0;
    for (int j = 0; j < n * n; ++j) {
        BODY
    }
    y[i * n + k] = sum;
}
"""


@pytest.mark.parametrize(
    ("body", "type_", "same"),
    [
        ("sum += A[(size_t)i * n + j] * x[j] + u[j * n + i];", "float", True),
        ("sum += A[i] * x[j]; sum += u[j * n + i] * x[i];", "float", True),
        ("sum += A[i] + x[j] + u[j * n + i];", "float", True),
        ("sum += A[i] * x[j] + u[j * n + i] * u[i];", "int", True),
        ("sum += A[(size_t)i * n + j] * x[j] + u[(size_t)j * n + i] * u[i];", "float", False),
        ("sum += A[i] * x[j] - u[j] * u[i];", "double", False),
        ("float t = A[i] * x[j]; sum += t + u[j] * u[i];", "float", False),
        ("sum = sum * A[i] + u[j] * x[j];", "float", False),
        ("sum += TWICE(A[i], x[j]) + u[j];", "float", False),
        ("sum += square(A[i]) + u[j];", "float", False),
        ('_Pragma("unroll") for (int k = 0; k < 2; ++k) sum += A[i + k] * x[j];', "float", True),
        ("\n#pragma unroll (2 * 2)\nfor (int k = 0; k < 4; ++k) sum += A[i + k] * x[j];", "float", True),
    ],
)
def test_products_that_meet(tmp_path: Path, body: str, type_: str, same: bool) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL.replace("TYPE", type_).replace("BODY", body))
    unit = parse_unit(path, ParseOptions())
    kernel = next(one for one in unit.kernels if one.name == "kernel")
    context = Context(unit, load_arch("h200"), None, (), Resources(), has_host_code=True)
    assert (may_round_differently(kernel, context) is None) == same
