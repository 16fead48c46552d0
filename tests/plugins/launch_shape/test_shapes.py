"""Which block sizes a launch is offered, and that all threads of the program's launch run once, as themselves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ours import switched_off

SOURCE = """
#include <cstdio>
__global__ void places(unsigned long long *out)
{
    const unsigned long long b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned long long place = ((b * 64 + threadIdx.z) * 1024 + threadIdx.y) * 1024 + threadIdx.x;
    atomicAdd(&out[b * blockDim.x * blockDim.y * blockDim.z + t], place + 1);
}
int main(int n, char **v)
{
    unsigned a[6];
    for (int i = 0; i < 6; i++) sscanf(v[i + 1], "%u", &a[i]);
    const dim3 grid(a[0], a[1], a[2]), block(a[3], a[4], a[5]);
    const size_t threads = block.x * block.y * block.z, all = threads * grid.x * grid.y * grid.z;
    unsigned long long *out;
    cudaMallocManaged(&out, all * sizeof *out);
    for (size_t i = 0; i < all; i++) out[i] = 0;
    places<<<grid, block>>>(out);
    cudaDeviceSynchronize();
    for (size_t i = 0; i < all; i++) {
        const size_t t = i % threads;
        const unsigned long long x = t % block.x, y = t / block.x % block.y, z = t / block.x / block.y;
        if (out[i] != ((i / threads * 64 + z) * 1024 + y) * 1024 + x + 1) { printf("thread %zu\\n", i); return 1; }
    }
    puts("ok");
}
"""
# Grid and block, and the numbers of all ways: a split's log2, 8 + that of a join.
OFFERED = {
    "1000 1 1 256 1 1": {1, 2, 3, 9, 10},
    "1001 1 1 128 1 1": {1, 2, 9, 10},
    "1000 1 1 1024 1 1": {1, 2, 3},
    "300 1 1 512 1 1": {1, 2, 3, 9},  # 132 multiprocessors get a block each still
    "3 1 1 1024 1 1": {1, 2, 3, 4, 5},
    "1 600 1 256 1 1": {1, 2, 3},
    "40 20 1 32 8 1": {1, 2, 3, 9, 10},
    "70 3 2 8 4 4": {1, 2, 9},
    "300 2 1 16 16 1": {1, 2, 3, 9, 10},
    "600 1 1 48 2 1": {9, 10},  # an axis of two, of which one part would be a warp and a half
    "600 1 1 64 3 1": {9, 10},
    "600 1 1 32 1 3": set(),  # a depth of three
    "600 1 1 100 1 1": set(),
    "20000 1 1 1 1 1": {9, 10, 11, 12, 13, 14},
    "5001 1 1 4 2 1": {9, 10, 11, 12},
    "1 1 1 32 1 1": set(),
}


@pytest.fixture(scope="module")
def program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shapes")
    (folder / "a.cu").write_text(SOURCE)
    (folder / "toolchain.toml").write_text(f'{switched_off("launch_shape")}[learn]\nmode = "on"\n')
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-gpu=h200"]
    subprocess.run([*command, "-arch=sm_90", "a.cu", "-o", "a"], cwd=folder, check=True, timeout=300)
    return folder / "a"


@pytest.mark.parametrize("launch", OFFERED)
def test_all_ways_that_a_launch_is_offered(program: Path, launch: str) -> None:
    ways: list[str] = []
    for arm in range(1, 12):
        env = {**os.environ, "GPUOPT_EMU_GPU": "h200", "GPUOPT_DISPATCH": f"arm:{arm}"}
        done = subprocess.run([program, *launch.split()], env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "ok\n"
        found = re.search(r"places<<<.*?>>>: (\w+)(?: n=(\d+))?", done.stderr)
        assert found is not None, done.stderr
        if found[1] == "original":
            break
        ways.append(found[2])
    assert {_number(int(code)) for code in ways} == OFFERED[launch]
    assert len(set(ways)) == len(ways)


def _number(code: int) -> int:
    """A way's number, from the plan's first slot."""
    return code & 7 or 8 + (code >> 3 & 7)
