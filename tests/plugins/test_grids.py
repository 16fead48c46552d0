"""Every order and form runs every block of grids in three dimensions once, on the emulator."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emulator.support import run
from tests.ours import switched_off

GRIDS = ((3, 1, 2), (2, 2, 2), (3, 2, 2), (4, 3, 3), (1, 1, 3), (3, 3, 1), (1, 2, 3), (5, 7, 3), (1, 9, 4), (2, 1, 7))
ORDERS = {
    "cta_clustering": (
        'order = "row"',
        'order = "column"',
        'order = "direction"',
        'order = "tile", tile = [2, 2, 1]',
        'order = "tile", tile = [3, 0, 2], axes = "zyx yxz"',
        'order = "tile", tile = [0, 2, 5], axes = "yzx zxy"',
        'order = "column", form = "clusters"',
        'order = "tile", tile = [2, 3, 2], form = "clusters"',
        'order = "row", form = "agents"',
        'order = "column", form = "agents"',
        'order = "tile", tile = [2, 2, 1], form = "agents", active_agents = 1',
        'order = "custom", custom = ["gx - 1 - x", "(y + 1) % gy", "(z + n) % gz"]',
        'order = "custom", custom = ["n / gy / gz", "n / gz % gy", "n % gz"]',
    ),
    "cta_mapping": (
        'form = "agents", direction = "x"',
        'form = "agents", direction = "y"',
        'form = "register", direction = "x"',
        'form = "register", direction = "y"',
    ),
    "coarsening": (
        *("factors = [2], forced = true", "factors = [3], forced = true"),
        'form = "neighbours", forced = true',
    ),
    "launch_shape": ('form = "join", factor = 2', 'form = "join", factor = 4'),
}
_KERNEL = """
__global__ void %s(int n, const int *x, int *y)
{
    int s = 0;
    for (int k = 0; k < n; k++) s += x[k + blockIdx.y] * x[k + blockIdx.z];
    y[((blockIdx.z * 16 + blockIdx.y) * 16 + blockIdx.x) * 32 + threadIdx.x] += s;
}
"""
_MAIN = """
int main() {
    static int given[64], got[16 * 16 * 16 * 32];
    int *x, *y;
    for (int i = 0; i < 64; i++) given[i] = i %% 7 + 1;
    cudaMalloc(&x, sizeof given);
    cudaMalloc(&y, sizeof got);
    cudaMemcpy(x, given, sizeof given, cudaMemcpyHostToDevice);
    const dim3 grids[] = { %s };
    for (const dim3 &grid : grids) {
%s
    }
}
"""
_LAUNCH = """        cudaMemset(y, 0, sizeof got);
        %s<<<grid, 32>>>(4, x, y);
        cudaDeviceSynchronize();
        cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost);
        for (int b = 0; b < 16 * 16 * 16; b++) {
            const int bx = b % 16, by = b / 16 % 16, bz = b / 256;
            int s = 0;
            for (int k = 0; k < 4; k++) s += given[k + by] * given[k + bz];
            if (bx >= (int)grid.x || by >= (int)grid.y || bz >= (int)grid.z) s = 0;
            for (int t = 0; t < 32; t++)
                if (got[b * 32 + t] != s) { printf("%s %u,%u,%u: block %d\\n", grid.x, grid.y, grid.z, b); break; }
        }"""


@pytest.mark.parametrize("plugin", ORDERS)
def test_every_block_of_every_grid_runs_once(tmp_path: Path, host_compiler: str, plugin: str) -> None:
    orders = {f"k{number}": given for number, given in enumerate(ORDERS[plugin])}
    launches = "\n".join(_LAUNCH.replace("%s", name) for name in orders)
    grids = ", ".join(f"dim3({x}, {y}, {z})" for x, y, z in GRIDS)
    kernels = "".join(_KERNEL.replace("%s", name) for name in orders)
    (tmp_path / "grids.cu").write_text(f"#include <cstdio>\n{kernels}{_MAIN % (grids, launches)}")
    tables = [f'[[kernel]]\nname = "{name}"\n{plugin} = {{ {given} }}\n' for name, given in orders.items()]
    (tmp_path / "toolchain.toml").write_text(switched_off(plugin) + "".join(tables))
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-std=c++11", "grids.cu", "-o", "program"]
    settings = {"GPUOPT_BACKEND": "emulator", "GPUOPT_POLICY": str(tmp_path / "toolchain.toml"), "GPUOPT_GPU": "p100"}
    subprocess.run(driver, cwd=tmp_path, env={**os.environ, **settings}, check=True, capture_output=True, timeout=300)
    for gpu in ("p100", "c2050"):
        done = run(tmp_path / "program", GPUOPT_EMU_GPU=gpu, GPUOPT_DISPATCH="trace", GPUOPT_EMU_MODE="fast")
        assert done.stdout == ""
        picks = re.findall(r"^gpuopt: (\w+)<<<.*?>>>: (\w+)", done.stderr, re.MULTILINE)
        assert {kernel for kernel, version in picks if version.startswith(plugin)} == orders.keys()
