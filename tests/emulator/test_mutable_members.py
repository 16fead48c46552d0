"""Threads have parameters of their own, also where members change although the parameter, or a reference, is const."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

SOURCE = """
#include <cstdio>
struct Counter {
  int step;
  mutable int calls;
  __device__ int operator()(int x) const { return x * step + ++calls; }
};
template <class T> struct Held {
  mutable T last;
  __device__ T next(T x) const { return last += x; }
};
template <class T> struct Derived : Held<T> {};
__device__ int used(const Counter &f, int x) { return f(x); }
#define AT y[blockIdx.x * blockDim.x + threadIdx.x]
__global__ void called(const Counter f, int *y) { for (int j = 0; j < 3; ++j) AT += f(j); }
__global__ void handed(Counter f, int *y) { for (int j = 0; j < 3; ++j) AT += used(f, j); }
__global__ void inherited(const Derived<int> f, int *y) { for (int j = 0; j < 3; ++j) AT += f.next(j); }
__global__ void meeting(Counter f, int *y) {
  __shared__ int s[32];
  s[threadIdx.x] = used(f, 1);
  __syncthreads();
  AT = s[31 - threadIdx.x] + used(f, 1);
}
int main() {
  int *y;
  cudaMallocManaged(&y, 256);
  Derived<int> derived;
  derived.last = 0;
  for (int kind = 0; kind < 4; ++kind) {
    for (int i = 0; i < 64; ++i) y[i] = 0;
    if (kind == 0) called<<<2, 32>>>(Counter{2, 0}, y);
    if (kind == 1) handed<<<2, 32>>>(Counter{2, 0}, y);
    if (kind == 2) inherited<<<2, 32>>>(derived, y);
    if (kind == 3) meeting<<<2, 32>>>(Counter{2, 0}, y);
    cudaDeviceSynchronize();
    int differ = 0;
    for (int i = 0; i < 64; ++i) differ += y[i] != y[0];
    printf("%d %d\\n", y[0], differ);
  }
}
"""


def test_members_that_change_in_const_objects(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    assert compile_with("a.cu", "-o", "a", cwd=tmp_path, check=True) == 0
    for mode in ("fast", "check"):
        done = run(tmp_path / "a", GPUOPT_EMU_MODE=mode)
        assert done.stdout.splitlines() == ["12 0", "12 0", "4 0", "7 0"], (mode, done.stderr)
