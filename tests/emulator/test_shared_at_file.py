"""Shared arrays declared outside functions, where their type is asked for: casts, `auto`, templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

PROGRAM = """#include <cstdio>
extern __shared__ unsigned char raw[];
__shared__ unsigned fixed[2][32];
__shared__ unsigned one;
template <class T> __device__ T folded(T *from, int n) { T s = 0; for (int k = 0; k < n; k++) s += from[k]; return s; }
template <class T, int N> __device__ int extent(T (&)[N]) { return N; }
__device__ unsigned char *whole() { return raw; }
__global__ void casts(unsigned *o) {
  const int t = threadIdx.x;
  auto *f = reinterpret_cast<float *>(raw);
  auto *w = reinterpret_cast<unsigned (*)[33]>(raw + 128);
  volatile unsigned *v = const_cast<volatile unsigned *>(fixed[1]);
  auto *rows = fixed;
  f[t] = t * 2.0f; w[0][t] = t * 3; v[t] = t * 5; rows[0][t] = t * 7;
  if (t == 0) one = 11;
  __syncthreads();
  auto first = reinterpret_cast<const float *>(raw)[31 - t];
  o[t] = (unsigned)first + w[0][31 - t] + fixed[1][31 - t] + fixed[0][31 - t] + one; }
__global__ void deduced(unsigned *o) {
  const int t = threadIdx.x;
  raw[t] = t; fixed[0][t] = 1; fixed[1][t] = 2;
  __syncthreads();
  auto bytes = raw;
  o[t] = folded(raw, 16) + folded(fixed[1], 32) * 1000 + extent(fixed) * 100000 + bytes[t] * 1000000 + (whole() - bytes)
         + sizeof(fixed) * 10000000; }
__global__ void hidden(unsigned *o) {
  unsigned raw[4] = {1, 2, 3, 4};
  auto *mine = reinterpret_cast<int *>(raw);
  o[threadIdx.x] = folded(raw, 4) + mine[1] + extent(raw); }
int main() {
  unsigned *o; cudaMallocManaged(&o, 128);
  auto show = [&] { cudaDeviceSynchronize(); printf("%u %u\\n", o[0], o[31]); };
  casts<<<1, 32, 512>>>(o); show();
  deduced<<<1, 32, 512>>>(o); show();
  hidden<<<1, 32, 512>>>(o); show();
}
"""


@pytest.mark.usefixtures("host_compiler")
def test_the_memory_has_its_type(tmp_path: Path) -> None:
    (tmp_path / "shared.cu").write_text(PROGRAM)
    assert compile_with("shared.cu", "-o", "shared", cwd=tmp_path) == 0
    fixed = 120 + 64 * 1000 + 2 * 100000 + 256 * 10000000
    expected = [(31 * 17 + 11, 11), (fixed, fixed + 31 * 1000000), (16, 16)]
    assert run(tmp_path / "shared").stdout.split("\n")[:-1] == [f"{a} {b}" for a, b in expected]
