"""-ftz=true and -use_fast_math: kernels take numbers below 2^-126 for 0. What they compute then: lang_flush.cu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuopt_driver.emulator.kernels import FLUSHING, Dialect
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import compile_with, run

_KERNEL = '# 1 "a.cu"\n%s __global__ void k(float *p) { p[threadIdx.x] *= 0.5f; }\n'


def _flushes(before: str) -> bool:
    text = rewrite((_KERNEL % before).encode(), dialect=Dialect(flushes=True)).text
    kind = re.search(rb"gpuopt_emu_kernel,(\d+)", text)
    assert kind is not None
    return bool(int(kind[1]) & FLUSHING)


@pytest.mark.parametrize(
    ("before", "flushes"),
    [
        ("", True),
        ("static double seconds() { return 0.0; }", True),  # the host's
        ("__device__ double twice(double x) { return 2 * x; }", False),
        ("typedef double real;", False),
        ("void host() { auto f = [] __device__ (double x) { return x; }; (void)f; }", False),
    ],
)
def test_kernels_of_files_without_doubles_flush(before: str, flushes: bool) -> None:
    assert _flushes(before) is flushes


_PROGRAM = """
#include <cstdio>
__global__ void halves(float *p) {
  __shared__ float s[64];
  s[threadIdx.x] = p[threadIdx.x] * 0.5f;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 1] + s[threadIdx.x];
}
__device__ void meet() { __syncthreads(); }
__global__ void one_after_another(float *p) {
  meet();
  p[threadIdx.x] *= 0.5f;
}
int main() {
  float *p;
  cudaMallocManaged(&p, 64 * sizeof *p);
  for (int i = 0; i < 64; ++i) p[i] = 2e-38f;
  one_after_another<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  int zeros = 0;
  for (int i = 0; i < 64; ++i) zeros += p[i] == 0.0f;
  printf("%d ", zeros);
  for (int i = 0; i < 64; ++i) p[i] = 2e-38f;
  halves<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  volatile float tiny = 2e-38f;
  printf("%d %d\\n", p[0] == 0.0f, tiny * 0.25f == 0.0f);
}
"""


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.parametrize(("option", "printed"), [("-ftz=true", "64 1 0\n"), ("-ftz=false", "0 0 0\n")])
def test_an_option_of_its_own(option: str, printed: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(_PROGRAM)
    assert compile_with(option, "a.cu", "-o", "a", cwd=tmp_path, soon=False) == 0
    assert run(tmp_path / "a").stdout == printed
