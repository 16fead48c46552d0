"""What nvcc takes for a copy, or a selection for, in a version alone changes no zero, NaN or denormal number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.ours import switched_off

SOURCE = """
#define HERE const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
__global__ void negated(const float *x, float *y, float *z, int n) {
  HERE
  for (int j = 0; j < 4; ++j) {
    y[i] = -y[i];
    z[j * n + i] = x[j * n + i];
  }
}
__global__ void halved(const float *x, float *y, float *z, int n) {
  HERE
  for (int j = 0; j < 4; ++j) {
    y[i] = y[i] * 0.5f;
    z[j * n + i] = x[j * n + i];
  }
}
__global__ void widened(const float *x, double *y, float *z, int n) {
  HERE
  for (int j = 0; j < 8; ++j) {
    y[i] = x[j * n + i];
    z[j * n + i] = 2;
    z[(j + 8) * n + i] = (float)y[i];
  }
}
__global__ void largest(const float *x, float *y, float *z, int n) {
  HERE
  for (int j = 0; j < 8; ++j) {
    const float v = x[j * n + i];
    y[i] = v;
    z[j * n + i] = 2;
    z[(j + 8) * n + i] = fmaxf(y[i], v);
  }
}
__global__ void running(const float *x, float *y, float *z, int n) {
  HERE
  for (int j = 0; j < 8; ++j) {
    y[i] = fmaxf(y[i], x[j * n + i]);
    z[j * n + i] = x[j * n + i];
  }
}
__global__ void at_most(const float *x, float *y, int n, int most) {
  HERE
  for (int j = 0; j < most; ++j) y[j * n + i] = x[j * n + i] > -(float)most ? x[j * n + i] : -(float)most;
}
__global__ void at_most_fast(const float *x, float *y, int n, int most) {
  HERE
  for (int j = 0; j < most; ++j) y[j * n + i] = fmaxf(x[j * n + i], -(float)most);
}
__global__ void below(const float *x, float *y, int n, int least) {
  HERE
  for (int j = 0; j < least + 3; ++j) y[j * n + i] = x[j * n + i] < (float)least ? x[j * n + i] : (float)least;
}
__global__ void signs(const float *x, float *y, int n, int sign) {
  HERE
  for (int j = 0; j < sign; ++j) y[j * n + i] = copysignf(x[j * n + i], (float)sign);
}
__global__ void means(const float *x, float *y, int n, int m) {
  HERE
  for (int j = 0; j < m; ++j) y[j * n + i] = x[j * n + i] / (float)m;
}
void run(float *a, float *b, float *c, double *d) {
  negated<<<8, 128>>>(a, b, c, 1024);
  halved<<<8, 128>>>(a, b, c, 1024);
  widened<<<8, 128>>>(a, d, c, 1024);
  largest<<<8, 128>>>(a, b, c, 1024);
  running<<<8, 128>>>(a, b, c, 1024);
  at_most<<<8, 128>>>(a, b, 1024, 3);
  at_most_fast<<<8, 128>>>(a, b, 1024, 3);
  below<<<8, 128>>>(a, b, 1024, 0);
  signs<<<8, 128>>>(a, b, 1024, 3);
  means<<<8, 128>>>(a, b, 1024, 3);
}
"""
FORCED = """
[plugins.constants]
pick = "always"
"""


def built(directory: Path, nvcc: str, *args: str) -> dict[str, str]:
    """By kernel, the code of the decision of the plugin that may have a version of it."""
    (directory / "a.cu").write_text(SOURCE)
    (directory / "toolchain.toml").write_text(switched_off("accumulators", "constants") + FORCED)
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "--gpuopt-gpu=h200", "-c", "a.cu", *args]
    env = {**os.environ, "GPUOPT_NVCC": nvcc}
    subprocess.run([*line, "--gpuopt-report=report.json"], cwd=directory, env=env, check=True, timeout=300)
    decisions = json.loads((directory / "report.json").read_text())["units"][0]["decisions"]
    asked = dict.fromkeys(("at_most", "at_most_fast", "below", "signs", "means"), "constants")
    return {
        one["kernel"]: one["code"] for one in decisions if one["plugin"] == asked.get(one["kernel"], "accumulators")
    }


def test_without_flushing(real_nvcc: str, tmp_path: Path) -> None:
    found = built(tmp_path, real_nvcc)
    assert found == {
        "negated": "GPUOPT020",
        "halved": "ACCUMULATORS001",
        "widened": "GPUOPT020",
        "largest": "GPUOPT020",
        "running": "ACCUMULATORS001",
        "at_most": "CONST002",
        "at_most_fast": "CONST002",
        "below": "GPUOPT020",  # min(x, 0.0f) gives -0 for -0
        "signs": "GPUOPT020",
        "means": "CONST002",
    }


def test_with_flushing_and_approximate_quotients(real_nvcc: str, tmp_path: Path) -> None:
    found = built(tmp_path, real_nvcc, "-use_fast_math")
    assert found == {
        "negated": "GPUOPT020",
        "halved": "ACCUMULATORS001",
        "widened": "GPUOPT020",
        "largest": "GPUOPT020",
        "running": "ACCUMULATORS001",
        "at_most": "GPUOPT020",
        "at_most_fast": "CONST002",
        "below": "GPUOPT020",  # min(x, 0.0f) gives -0 for -0
        "signs": "GPUOPT020",
        "means": "GPUOPT020",
    }
