"""Versions of several plugins on top of each other: what each sees is what those before it in the policy leave."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("joined")  # all look at one program

SOURCE = """
#include <cstdio>
// Loop 1: a matrix by rows beside three streams. Loop 2: two matrices by rows.
__global__ void both(int m, const float *A, const float *B, const float4 *s, const float4 *t, const float4 *u, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = s[(size_t)j * n + i];
        const float4 w = t[(size_t)j * n + i];
        const float4 z = u[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] + v.x + w.y + z.x;
    }
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * B[(size_t)i * m + j];
}

__global__ void row(int m, const float *A, const float4 *s, const float4 *t, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = s[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] + v.x;
    }
}

__global__ void share(int m, const float *A, const float4 *s, const float4 *t, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = s[(size_t)j * n + i];
        const float4 w = t[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] + v.x + w.y;
    }
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}

int main()
{
    const int m = 32, most = 132 * 8 * 256;
    float *A, *y;
    float4 *s;
    cudaMallocManaged(&A, sizeof(float) * most * m);
    cudaMallocManaged(&s, sizeof(float4) * most * m);
    cudaMallocManaged(&y, sizeof(float) * most);
    for (int k = 0; k < most * m; ++k) { A[k] = k % 7; s[k] = make_float4(k % 3, k % 11, 0, 0); }
    cudaMemset(y, 0, sizeof(float) * most);
    both<<<132 * 6, 256>>>(m, A, A, s, s, s, y);
    row<<<132 * 6, 256>>>(m, A, s, s, y);
    row<<<132 * 8, 256>>>(m, A, s, s, y);
    row<<<132 * 1, 256>>>(m, A, s, s, y);
    share<<<132 * 4, 256, 24576>>>(m, A, s, s, y);
    share<<<132 * 8, 256, 12288>>>(m, A, s, s, y);
    share<<<132 * 3, 256, 32768>>>(m, A, s, s, y);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    double sum = 0;
    for (int k = 0; k < most; ++k) sum += y[k] * (k % 13);
    std::printf("%.17g\\n", sum);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """The program, with all plugins, for the emulator as an H200."""
    root = tmp_path_factory.mktemp("joined")
    (root / "joined.cu").write_text(SOURCE)
    same_blocks = '[[kernel]]\nname = "share"\nunified_memory = { fewer_blocks = false }\n'
    (root / "toolchain.toml").write_text(same_blocks)
    settings = {"GPUOPT_BACKEND": "emulator", "GPUOPT_GPU": "h200", "GPUOPT_EMU_MODE": "fast"}
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "joined.cu", "-o", "joined"]
    subprocess.run(driver, cwd=root, env={**os.environ, **settings}, check=True, capture_output=True, timeout=300)
    return root / "joined"


def run(program: Path, dispatch: str) -> tuple[str, list[str]]:
    """What the program prints, and the versions and groups that its launches got."""
    environment = {**os.environ, "GPUOPT_DISPATCH": dispatch, "GPUOPT_EMU_GPU": "h200", "GPUOPT_EMU_MODE": "fast"}
    done = subprocess.run([str(program)], env=environment, check=True, capture_output=True, text=True, timeout=200)
    lines = re.findall(r"^gpuopt: (\w+)<<<.*?>>>: ([\w+]+) n=(\d+),(\d+)", done.stderr, re.MULTILINE)
    return done.stdout, [" ".join(line) for line in lines]


def test_what_stays_in_l1_is_what_later_plugins_see(program: Path) -> None:
    printed, picks = run(program, "trace")
    assert picks == [
        "both accumulators+cache_bypass+catt 1 2",  # what stays of loop 1 fits: all warps at once there
        "row accumulators+cache_bypass 1 1",  # fits without the stream
        "row accumulators+catt 2 1",  # does not, and half of the warps have it all
        "row accumulators 1 1",
        "share unified_memory+accumulators+cache_bypass 1 1",
        "share accumulators+catt 4 1",  # no division is better for all blocks
        "share unified_memory+accumulators 1 1",
    ]
    assert run(program, "original") == (printed, [])


def test_alone(program: Path) -> None:
    """What CATT does where no other plugin may: loop 1 has its turns, too."""
    assert run(program, "only:catt")[1][0] == "both catt 2 2"
    assert run(program, "only:cache")[1][0] == "both cache_bypass 1 1"
