"""-0 is less than 0 to a GPU, wherever the numbers come from and however much is compiled when."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

SOURCE = """
#include <cmath>
#include <cstdio>
__global__ void compared(const float *x, const float *y, float *z, double *d) {
  const int i = threadIdx.x;
  float least = x[i], most = x[i];
  for (int j = 0; j < 2; ++j) least = fminf(least, y[i]), most = fmaxf(most, y[i]);
  z[i] = least, z[4 + i] = most, z[8 + i] = min(x[i], y[i]), z[12 + i] = max(x[i], y[i]);
  d[i] = fmin((double)x[i], (double)y[i]), d[4 + i] = fmax((double)x[i], (double)y[i]);
}
int main() {
  float *x, *y, *z;
  double *d;
  cudaMallocManaged(&x, 16);
  cudaMallocManaged(&y, 16);
  cudaMallocManaged(&z, 64);
  cudaMallocManaged(&d, 64);
  const float a[] = {0.0f, -0.0f, 1.0f, NAN}, b[] = {-0.0f, 0.0f, -0.0f, 2.0f};
  for (int i = 0; i < 4; ++i) x[i] = a[i], y[i] = b[i];
  compared<<<1, 4>>>(x, y, z, d);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16; ++i) printf("%g%c", z[i], i % 4 < 3 ? ' ' : '\\n');
  for (int i = 0; i < 8; ++i) printf("%g%c", d[i], i % 4 < 3 ? ' ' : '\\n');
}
"""
LEAST, MOST = "-0 -0 -0 2\n", "0 0 1 2\n"


@pytest.mark.parametrize("options", ["", "-O3", "-ftz=true"])
def test_extremes_of_zeros(tmp_path: Path, options: str) -> None:
    source, program = tmp_path / "a.cu", tmp_path / "program"
    source.write_text(SOURCE)
    compile_with(*options.split(), str(source), "-o", str(program), cwd=tmp_path)
    assert run(program).stdout == (LEAST + MOST) * 3
