"""Parameters with the names of built-in variables, and kernels that say their own names, in every form of loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

PROGRAM = """#include <cstdio>
#define ROW(o, s, a, n) for (int j = 0; j < n; j++) s += a[i * n + j]; o[i] = s
__device__ unsigned letter(const unsigned *a, int i) { const char *p = __func__; return a[i] + p[3]; }
__global__ void parameter(const unsigned *a, unsigned *o, int n, uint3 gridDim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned s = gridDim.y; ROW(o, s, a, n); }
template <int blockDim> __global__ void of_template(const unsigned *a, unsigned *o, int n) {
  int i = blockIdx.x * blockDim + threadIdx.x; unsigned s = 0; ROW(o, s, a, n); }
__global__ void with_barrier(const unsigned *a, unsigned *o, int threadIdx) {
  __shared__ unsigned t[32]; const int x = ::threadIdx.x, i = blockIdx.x * blockDim.x + x;
  t[x] = a[i]; __syncthreads(); o[i] = t[31 - x] + threadIdx; }
__global__ void name(const unsigned *a, unsigned *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned s = __func__[1] + sizeof(__func__);
  for (int j = 0; j < n; j++) s += a[i * n + j]; o[i] = s; }
__global__ void names(const unsigned *a, unsigned *o) {
  const char *me = __func__, *too = __FUNCTION__; __shared__ unsigned t[32]; const int x = threadIdx.x;
  t[x] = a[x]; __syncthreads();
  o[x] = t[31 - x] + me[1] * 100 + too[4] + sizeof(__func__) * 1000 + letter(a, x); }
int main() {
  unsigned *a, *o; cudaMallocManaged(&a, 1024); cudaMallocManaged(&o, 256);
  for (int i = 0; i < 256; i++) a[i] = i;
  auto show = [&] { cudaDeviceSynchronize(); printf("%u %u\\n", o[0], o[31]); };
  parameter<<<1, 32>>>(a, o, 3, uint3{100, 200, 300}); show();
  of_template<32><<<1, 32>>>(a, o, 3); show();
  with_barrier<<<1, 32>>>(a, o, 1000); show();
  name<<<1, 32>>>(a, o, 3); show();
  names<<<1, 32>>>(a, o); show();
}
"""


@pytest.mark.usefixtures("host_compiler")
def test_names_are_those_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "own.cu").write_text(PROGRAM)
    assert compile_with("own.cu", "-o", "own", cwd=tmp_path) == 0
    row = 93 + 94 + 95
    name = ord("a") + len("name") + 1
    fixed = ord("a") * 100 + ord("s") + (len("names") + 1) * 1000 + ord("t")
    expected = [(203, 200 + row), (3, row), (1031, 1000), (name + 3, name + row), (fixed + 31, fixed + 31)]
    assert run(tmp_path / "own").stdout.split("\n")[:-1] == [f"{a} {b}" for a, b in expected]
