"""What a compiler knows of memory in a version and not in its kernel, or in the kernel alone, changes no number.

`x * 1.0f` is `x` to nvcc, and another number on a GPU where `x` is NaN or, with -ftz=true, denormal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.ours import switched_off

SOURCE = """
#define HERE const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
__global__ void compared(const float *x, const float *w, float *y, float *z, int n) {
  HERE
  float v = 0;
  if (x[i] == 1.0f) {
    z[i] = 3.0f;
    v = w[i] * x[i];
  }
  y[i] = v;
}
__global__ void products(const float *x, float *y, float *z, int n) {
  HERE
  y[i] = z[i] = 1.0f;
  for (int j = 0; j < 4; ++j) {
    y[i] *= x[j * n + i];
    z[i] *= x[j * n + i + 1];
  }
}
__global__ void sums(const float *x, float *y, float *z, int n) {
  HERE
  y[i] = z[i] = 0.0f;
  for (int j = 0; j < 4; ++j) {
    y[i] += x[j * n + i];
    z[i] += x[j * n + i + 1];
  }
}
__global__ void filled(const float *A, const float *x, const float *w, float *y, float *z, int n) {
  HERE
  float s = 0;
  y[i] = 1.0f;
  for (int j = 0; j < n; ++j) s += A[i * n + j] * x[j];
  z[i] = w[i] * y[i];
  z[i + n] = s;
}
__global__ void scaled(const float *A, const float *x, const float *w, float *y, float *z, int n) {
  HERE
  float s = 0;
  y[i] = 2.0f;
  for (int j = 0; j < n; ++j) s += A[i * n + j] * x[j];
  z[i] = w[i] * y[i];
  z[i + n] = s;
}
__global__ void masked(const int *A, int *y, int *z, int n) {
  HERE
  int s = 0;
  y[i] = A[i] & 0x7fffffff;
  for (int j = 0; j < n; ++j) s += A[i * n + j];
  z[i] = (y[i] * 1103515245 + 12345) & 0x7fffffff;
  z[i + n] = s;
}
__global__ void filled_and_filled(const float *A, const float *x, const float *w, float *y, float *z, int n) {
  HERE
  float s = 0;
  y[i] = 1.0f;
  for (int j = 0; j < n; ++j) s += A[i * n + j] * x[j];
  z[i] = w[i] * y[i];
  z[i + n] = s;
  z[i + 2 * n] = w[i + n] * y[i];
}
__global__ void masked_and_masked(const int *A, int *y, int *z, int n) {
  HERE
  int s = 0;
  y[i] = A[i] & 0x7fffffff;
  for (int j = 0; j < n; ++j) s += A[i * n + j];
  z[i] = (y[i] * 1103515245 + 12345) & 0x7fffffff;
  z[i + n] = s;
  z[i + 2 * n] = (y[i] * 1103515245 + 12345) & 0x7fffffff;
}
__global__ void apart(float *a, const float *w, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < m; ++j) s += w[i * m + j];
  a[i] = 1.0f;
  a[i + n] = s;
  a[i + 2 * n] = w[i] * a[i];
}
void run(float *a, float *b, float *c, float *d, float *e, int n) {
  compared<<<8, 128>>>(a, b, c, d, n);
  products<<<8, 128>>>(a, c, d, n);
  sums<<<8, 128>>>(a, c, d, n);
  filled<<<8, 128>>>(a, b, c, d, e, n);
  scaled<<<8, 128>>>(a, b, c, d, e, n);
  masked<<<8, 128>>>((int *)a, (int *)b, (int *)c, n);
  filled_and_filled<<<8, 128>>>(a, b, c, d, e, n);
  masked_and_masked<<<8, 128>>>((int *)a, (int *)b, (int *)c, n);
  apart<<<8, 128>>>(a, b, 1024, 6);
}
"""
FORCED = """
[plugins.catt]
fixed_tlp = [1, 0]
minimum_trips = 0
[plugins.cache_bypass]
method = "bypass-all"
operator = "cg"
rounding = "any"
[plugins.constants]
pick = "always"
"""


def test_numbers_that_memory_holds(real_nvcc: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    policy = switched_off("accumulators", "read_only", "cache_bypass", "catt", "constants") + FORCED
    (tmp_path / "toolchain.toml").write_text(policy)
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "--gpuopt-gpu=h200", "-c", "a.cu"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    subprocess.run([*line, "--gpuopt-report=report.json"], cwd=tmp_path, env=env, check=True, timeout=300)
    decisions = json.loads((tmp_path / "report.json").read_text())["units"][0]["decisions"]
    found = {(one["kernel"], one["plugin"]): one["code"] for one in decisions if one["decision"] != "not-applicable"}
    assert found["compared", "read_only"] == "GPUOPT020"
    assert found["products", "accumulators"] == "GPUOPT020"
    assert found["products", "read_only"] == "READONLY001"
    assert found["sums", "accumulators"] == "ACCUMULATORS001"
    assert found["filled", "catt"] == found["filled", "cache_bypass"] == "GPUOPT020"
    assert found["scaled", "catt"] == "CATT005"
    assert found["scaled", "cache_bypass"] == "BYP003"
    assert found["masked", "catt"] == found["masked", "cache_bypass"] == "GPUOPT022"
    for plugin in ("catt", "cache_bypass"):  # the operation is in the kernel, for another element
        assert found["filled_and_filled", plugin] == "GPUOPT020"
        assert found["masked_and_masked", plugin] == "GPUOPT022"
    assert found["apart", "constants"] == "GPUOPT020"
