"""Which calls get the names of the device library's functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import compile_with, run


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("s = tgamma(s) + std::lgamma(s);", "s = gpuopt_emu_tgamma(s) + gpuopt_emu_lgamma(s);"),
        ("s = ::atan2f(s, s) - a.erf(s);", "s = gpuopt_emu_atan2f(s, s) - a.erf(s);"),
        ("s = y1(s) * jn(2, s);", "s = gpuopt_emu_y1(s) * gpuopt_emu_jn(2, s);"),
        ("float y0(s), y1(2); s = y0 + y1;", "float y0(s), y1(2); s = y0 + y1;"),
        ("auto j0 = [](float x) { return x; }; s = j0(s);", "s = j0(s);"),
        ("s = other::sinpi(s);", "s = other::sinpi(s);"),
    ],
)
def test_calls_are_named(statement: str, wanted: str) -> None:
    text = rewrite(f"__device__ float f(float s) {{ {statement} return s; }}".encode()).text.decode()
    assert wanted in text


_BOTH = """
#include <cmath>
#include <cstdio>
__host__ __device__ double both(double x) {
  return std::erfc(x) + hypot(x, 2.0) + rnorm4d(x, 1, 2, 3) + jn(3, x) + sinpi(x);
}
__host__ __device__ float both(float x) { return atan2(x, 2.0f) + tgamma(x) + cyl_bessel_i0f(x) + norm3df(x, 1, 2); }
__device__ double integers(int n) { return log1p(n) + atan2(n, 2) + lgamma(n); }
__device__ float lengths(const float *p) { return normf(3, p) + rnormf(3, p); }
struct Own {
  double operator()(double x) const { return erf(x); }
  __device__ double erf(double x) const { return x; }
};
__global__ void all(double *d, float *f) {
  d[0] = both(0.3), f[0] = both(0.3f), d[1] = integers(5), d[2] = std::hypot(1.0, 2.0, 2.0);
  const float p[] = {2, 3, 6};
  f[1] = lengths(p);
}
int main() {
  double *d;
  float *f;
  cudaMallocManaged(&d, 64), cudaMallocManaged(&f, 64);
  all<<<1, 1>>>(d, f);
  cudaDeviceSynchronize();
  printf("%.3f %.3f %.3f %.3f %.3f\\n", d[0], f[0], d[1], f[1], d[2]);
  printf("%d %d %d\\n", std::fabs(both(0.3) - d[0]) < 1e-14, std::fabs(both(0.3f) - f[0]) < 1e-5f, (int)Own()(7));
}
"""


@pytest.mark.usefixtures("host_compiler")
def test_functions_for_host_and_device_and_all_types(tmp_path: Path) -> None:
    (tmp_path / "both.cu").write_text(_BOTH)
    assert compile_with("both.cu", "-std=c++17", "-o", "both", cwd=tmp_path) == 0
    assert run(tmp_path / "both").stdout == "3.770 6.419 6.160 7.143 3.000\n1 1 7\n"
