"""Versions of which nvcc knows more than of their kernels: what wraps on a GPU and not in C++ stays as it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.ours import switched_off

SOURCE = """
__global__ void generator(int *state, int *out, const int *x, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < m; ++j) {
    state[i] = (state[i] * 1103515245 + 12345) & 0x7fffffff;
    out[j * n + i] = x[j * n + i] * (state[i] % 100);
  }
}
__global__ void sum(int *state, int *out, const int *x, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < m; ++j) {
    state[i] += x[j * n + i];
    out[j * n + i] = state[i];
  }
}
__global__ void twice(int *y, const int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 0;
  if (x[i] > 0) {
    y[i + n] = 1;
    y[i] = (x[i] * 1103515245 + 12345) & 0x7fffffff;
  }
}
__global__ void pair(int *y, int *z, const int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] & 0x7fffffff;
    z[i] = 1;
    y[i] = (y[i] * 16807 + 1) & 0x7fffffff;
  }
}
__global__ void placed(int *y, int n) {
  const int t = threadIdx.x, b = blockDim.x, g = gridDim.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  y[i] = ((t * 1103515245 + 12345) & 0x7fffffff) % 100 + ((b * 16777259) & 0x7fffffff) % 11;
  y[i] += ((g * 16777259) & 0x7fffffff) % 13;
}
__global__ void columns(int *y, const int *x) {
  __shared__ int seen[53][32];
  const int t = threadIdx.x;
  unsigned at = x[blockIdx.x * 32 + t];
  for (int r = 0; r < 51; ++r) seen[r][t] = r;
  for (int i = 0; i < 90; ++i) {
    at = x[at & 16383];
    seen[50][t] = (seen[50][t] * 1103515245 + 12345) & 0x7fffffff;
    seen[at & 31][t] ^= i;
    seen[50][t] = (seen[50][t] * 1103515245 + 12345) & 0x7fffffff;
  }
  __syncthreads();
  int total = 0;
  for (int r = 0; r < 51; ++r) total = total * 5 + seen[r][31 - t];
  y[blockIdx.x * 32 + t] = total;
}
void run(int *a, int *b, int *c, int n) {
  generator<<<8, 128>>>(a, b, c, n, 50);
  sum<<<8, 128>>>(a, b, c, n, 50);
  twice<<<8, 128>>>(a, b, n);
  pair<<<8, 128>>>(a, b, c, n);
  placed<<<8, 128>>>(a, n);
  columns<<<64, 32>>>(a, b);
}
"""


def test_integers_that_wrap(real_nvcc: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    policy = switched_off("accumulators", "read_only", "launch_shape", "coarsening", "vtb")
    policy += '[plugins.coarsening]\nform = "neighbours"\nforced = true\n'
    policy += '[plugins.vtb]\nform = "co"\nfactor = 2\n'
    (tmp_path / "toolchain.toml").write_text(f'{policy}[plugins.launch_shape]\nform = "split"\n')
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "--gpuopt-gpu=h200", "-c", "a.cu", "--keep"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    subprocess.run([*line, "--gpuopt-report=report.json"], cwd=tmp_path, env=env, check=True, timeout=300)
    decisions = json.loads((tmp_path / "report.json").read_text())["units"][0]["decisions"]
    found = {(one["kernel"], one["plugin"]): one["code"] for one in decisions if one["decision"] != "not-applicable"}
    assert found["generator", "accumulators"] == "GPUOPT022"
    assert found["sum", "accumulators"] == "ACCUMULATORS001"
    assert found["twice", "read_only"] == "GPUOPT022"
    assert found["pair", "coarsening"] == "GPUOPT022"
    assert found["columns", "vtb"] == "GPUOPT022"
    assert found["placed", "coarsening"] == "COARSE002"
    assert found["placed", "launch_shape"] == "SHAPE002"
    bodies = re.findall(r"\.entry \w*?placed.*?\n}", (tmp_path / "a.ptx").read_text(), re.DOTALL)
    assert [one.count(", 2147483647;") for one in bodies if "coarsening" not in one] == [3, 3]
