"""Versions of several plugins compute the bits of their original on the emulator, whatever its sums are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ours import switched_off

SOURCE = """
#include <cstdio>
#include <cuda_fp16.h>
__device__ float mixed(float a, float b, float c, float d) { return a * b + c * d; }
__device__ float placed(float a, float b) { return a * a + b * float(threadIdx.x); }
__global__ void sums(const float *F, const float *G, float *V, int n) {
  __shared__ float s[64];
  const int me = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x;
  float a = F[me], b = 0.0f, t = a * G[me];
  for (int j = 0; j < 12; j += 3) { b += 1.0f + a * 3.3f; a = 0.3f * a + 1.1f * 1.7f; }
  for (int j = 0; j < n; ++j) b += F[(me * 33 + j) & 255] * G[j] + a * t;
  if (b > 0.1f) b = t * 1.7f - b * a; else b = b * 1.3f + a * t;
  s[threadIdx.x] = t + 0.7f * b;
  __syncthreads();
  const float o = s[63 - threadIdx.x];
  float q = mixed(o, a, b, t) + mixed(t, t, a * 0.3f, o) + placed(o, b);
  __half h = __float2half(o), k = __float2half(q);
  h = h * k + k * __float2half(a);
  V[me] = 1.25f * a + 3.5f * b + q * o - t * __half2float(h);
}
int main() {
  float *F, *G, *V;
  cudaMallocManaged(&F, 1024); cudaMallocManaged(&G, 1024); cudaMallocManaged(&V, 1024);
  for (int i = 0; i < 256; i++) F[i] = (i * 7919 % 4093) / 4093.0f - 0.5f, G[i] = (i * 104729 % 4099) / 9000.0f - 0.2f;
  sums<<<dim3(2, 2), 64>>>(F, G, V, 32);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; i++) { unsigned bits; __builtin_memcpy(&bits, V + i, 4); printf("%08x\\n", bits); }
}
"""
POLICIES = {
    "cta_mapping": 'form = "agents"\ndirection = "y"',
    "cta_clustering": 'form = "agents"\norder = "column"',
    "vtb": 'form = "turns"\nfactor = 2',
    "catt": "fixed_tlp = [1, 2]\nminimum_trips = 1",
    "constants": 'pick = "always"',
}


@pytest.mark.parametrize("plugin", POLICIES)
def test_bits_are_the_originals(plugin: str, tmp_path: Path, host_compiler: str) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    (tmp_path / "toolchain.toml").write_text(f"{switched_off(plugin)}[plugins.{plugin}]\n{POLICIES[plugin]}\n")
    program = tmp_path / "a"
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "-arch=sm_90"]
    subprocess.run([*command, "--gpuopt-gpu=h200", "a.cu", "-o", str(program)], cwd=tmp_path, check=True)
    said = {}
    for mode in ("original", f"only:{plugin}"):
        env = {**os.environ, "GPUOPT_EMU_GPU": "h200", "GPUOPT_DISPATCH": mode}
        said[mode] = subprocess.run([program], env=env, capture_output=True, text=True, timeout=120, check=True)
    assert f": {plugin}" in said[f"only:{plugin}"].stderr
    assert said[f"only:{plugin}"].stdout == said["original"].stdout
