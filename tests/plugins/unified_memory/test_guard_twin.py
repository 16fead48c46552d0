"""The guards in C++ against the Python that they are twins of: one emulated program, many launches, versions picked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gpuopt_plugins.cache_bypass.decide import Choice
from gpuopt_plugins.cache_bypass.decide import decide as choose_loads
from gpuopt_plugins.cache_bypass.options import Options
from gpuopt_plugins.cache_bypass.static import survey
from gpuopt_plugins.unified_memory.decide import decide

from gpuopt_driver.api import Context, Resources, loop_loads
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SMS = 132
BYPASS = [(blocks, threads) for threads in (128, 256) for blocks in (1, 2, 3, 4, 5, 6, 7, 8)]
CARVEOUT = [
    (1, 64, 65536),
    (4, 64, 4096),
    (8, 64, 12288),
    (2, 256, 12288),
    (4, 256, 24576),
    (2, 256, 90000),
    (8, 256, 1024),
]

SOURCE = """
__global__ void walk(const float *A, const float *u, const float *v, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; ++j)
        y[i] += A[i * 32 + j] + u[j * 300000 + i] + v[j * 300000 + i];
}

__global__ void share(const float *A, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; ++j)
        y[i] += A[i * 32 + j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}

__global__ void sums(const float *A, float *y, int columns)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < columns; ++j)
        sum += A[i * 32 + j];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[(threadIdx.x + 1) % blockDim.x];
}

int main()
{
    float *data;
    cudaMalloc(&data, sizeof(float) * 300000 * 32);
    cudaMemset(data, 0, sizeof(float) * 300000 * 32);
    cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
    cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
LAUNCHES
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def source() -> str:
    launches = [f"    walk<<<{SMS * blocks}, {threads}>>>(data, data, data, data);" for blocks, threads in BYPASS]
    launches += [f"    share<<<{SMS * blocks}, {threads}, {size}>>>(data, data);" for blocks, threads, size in CARVEOUT]
    launches += [
        f"    sums<<<{SMS * blocks}, {threads}, {size}>>>(data, data, 4);" for blocks, threads, size in CARVEOUT
    ]
    return SOURCE.replace("LAUNCHES", "\n".join(launches))


@pytest.fixture(scope="module")
def picks(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> dict[str, list[str]]:
    """The versions that the launches of each kernel got, in their order."""
    root = tmp_path_factory.mktemp("twins")
    (root / "twins.cu").write_text(source())
    (root / "toolchain.toml").write_text("[plugins.catt]\nenabled = false\n[plugins.vtb]\nenabled = false\n")
    environment = {**os.environ, "GPUOPT_BACKEND": "emulator", "GPUOPT_GPU": "h200", "GPUOPT_EMU_GPU": "h200"}
    environment |= {"GPUOPT_DISPATCH": "trace"}
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "twins.cu", "-o", "twins"]
    subprocess.run(driver, cwd=root, env=environment, check=True, capture_output=True, timeout=200)
    done = subprocess.run(
        ["./twins"], cwd=root, env=environment, check=True, capture_output=True, text=True, timeout=200
    )
    found: dict[str, list[str]] = {"walk": [], "share": [], "sums": []}
    for kernel, version in re.findall(r"^gpuopt: (\w+)<<<.*?>>>: (\w+) ", done.stderr, re.MULTILINE):
        found[kernel].append(version)
    return found


def contexts(tmp_path: Path, kernel: str) -> list[tuple[object, Context]]:
    """The kernel with each of its launches alone, registers few enough not to limit anything."""
    path = tmp_path / "twins.cu"
    path.write_text(source())
    unit = parse_unit(path, ParseOptions())
    found = next(one for one in unit.kernels if one.name == kernel)
    arch = load_arch("h200")
    return [
        (found, Context(unit, arch, None, (launch,), Resources(registers=32), has_host_code=True))
        for launch in unit.launches_of(found)
    ]


def test_launches_that_bypass(tmp_path: Path, picks: dict[str, list[str]]) -> None:
    wanted = []
    for kernel, context in contexts(tmp_path, "walk"):
        choice = choose_loads(kernel, context, Options(), survey(kernel, context))
        gains = isinstance(choice, Choice) and bool(choice.bypassed) and choice.gain >= Options().minimum_gain
        wanted.append("cache_bypass" if gains else "original")
        if isinstance(choice, Choice):
            assert set(choice.cached_by) == {"bypass-all", "cache-all", "choice", "exact", "heuristic"}
    assert picks["walk"] == wanted
    assert {"original", "cache_bypass"} == set(wanted)


@pytest.mark.parametrize("name", ["share", "sums"])
def test_launches_that_get_a_carveout(tmp_path: Path, picks: dict[str, list[str]], name: str) -> None:
    wanted = []
    for kernel, context in contexts(tmp_path, name):
        partition = context.arch.partition
        assert partition is not None
        loops = loop_loads.loop_loads(kernel, context.unit.files[kernel.span.file])
        verdict = decide(kernel, context, partition, loops, 1.25, fewer=True)
        wanted.append("unified_memory" if verdict is not None and verdict.best != verdict.default else "original")
    assert [pick for pick in picks[name] if pick != "cache_bypass"] == wanted
    assert {"original", "unified_memory"} == set(wanted)
