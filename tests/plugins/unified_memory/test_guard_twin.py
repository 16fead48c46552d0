"""The guards in C++ against the Python that they are twins of: one emulated program, many launches, versions picked."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gpuopt_plugins.cache_bypass.decide import Choice
from gpuopt_plugins.cache_bypass.decide import decide as choose_loads
from gpuopt_plugins.cache_bypass.options import Options
from gpuopt_plugins.cache_bypass.static import survey
from gpuopt_plugins.unified_memory.decide import decide
from gpuopt_plugins.unified_memory.propose import analyze

import gpuopt_driver
from gpuopt_driver.api import Context, Resources
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from tests.ours import switched_off

SMS = {"h200": 132, "gtx680": 8, "equation": 8}
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

SMALLER = [
    (1, 64, 16000),
    (8, 64, 5000),
    (8, 128, 5000),
    (8, 128, 8000),
    (8, 256, 12000),
    (8, 256, 5000),
    (2, 256, 8000),
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
        for (int k = 0; k < 3; ++k)
            sum += A[i * 32 + j] * (j + k);
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[(threadIdx.x + 1) % blockDim.x];
}

int main()
{
    float *data;
    cudaMalloc(&data, sizeof(float) * 300000 * 32);
    cudaMemset(data, 0, sizeof(float) * 300000 * 32);
    cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST);
    cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST);
LAUNCHES
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def source(gpu: str) -> str:
    sms, shared = SMS[gpu], CARVEOUT if gpu == "h200" else SMALLER
    launches = [f"    walk<<<{sms * blocks}, {threads}>>>(data, data, data, data);" for blocks, threads in BYPASS]
    launches += [f"    share<<<{sms * blocks}, {threads}, {size}>>>(data, data);" for blocks, threads, size in shared]
    launches += [f"    sums<<<{sms * blocks}, {threads}, {size}>>>(data, data, 4);" for blocks, threads, size in shared]
    most = 200000 if gpu == "h200" else 49152
    return SOURCE.replace("LAUNCHES", "\n".join(launches)).replace("MOST", f"{most}")


def file_of(gpu: str, folder: Path) -> str:
    """A bundled GPU, or one that has equation 1 alone."""
    if gpu != "equation":
        return gpu
    bundled = (Path(gpuopt_driver.__file__).parent / "arch" / "gtx680.toml").read_text()
    path = folder / "equation.toml"
    path.write_text(re.sub(r"^(instruction|sector) = .*\n", "", bundled, flags=re.MULTILINE))
    return str(path)


@functools.cache
def picked(gpu: str, root: Path) -> dict[str, list[str]]:
    """The versions that the launches of each kernel got, in their order."""
    (root / "twins.cu").write_text(source(gpu))
    (root / "toolchain.toml").write_text(switched_off("cache_bypass", "unified_memory"))
    emulated = "gtx680" if gpu == "equation" else gpu
    environment = {**os.environ, "GPUOPT_BACKEND": "emulator", "GPUOPT_GPU": file_of(gpu, root)}
    environment |= {"GPUOPT_EMU_GPU": emulated, "GPUOPT_DISPATCH": "trace"}
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "twins.cu", "-o", "twins", "-Xptxas", "-dlcm=ca"]
    subprocess.run(driver, cwd=root, env=environment, check=True, capture_output=True, timeout=200)
    done = subprocess.run(
        ["./twins"], cwd=root, env=environment, check=True, capture_output=True, text=True, timeout=200
    )
    found: dict[str, list[str]] = {"walk": [], "share": [], "sums": []}
    for kernel, version in re.findall(r"^gpuopt: (\w+)<<<.*?>>>: (\w+) ", done.stderr, re.MULTILINE):
        found[kernel].append(version)
    return found


@pytest.fixture(scope="module")
def picks(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Callable[[str], dict[str, list[str]]]:
    """What was picked on a GPU; built once for each."""
    folders = {gpu: tmp_path_factory.mktemp(gpu) for gpu in SMS}
    return lambda gpu: picked(gpu, folders[gpu])


def contexts(tmp_path: Path, kernel: str, gpu: str = "h200") -> list[tuple[object, Context]]:
    """The kernel with each of its launches alone, registers few enough not to limit anything."""
    path = tmp_path / "twins.cu"
    path.write_text(source(gpu))
    unit = parse_unit(path, ParseOptions())
    found = next(one for one in unit.kernels if one.name == kernel)
    arch = load_arch(file_of(gpu, tmp_path)).with_loads("ca")
    return [
        (found, Context(unit, arch, None, (launch,), Resources(registers=32), has_host_code=True))
        for launch in unit.launches_of(found)
    ]


def test_launches_that_bypass(tmp_path: Path, picks: Callable[[str], dict[str, list[str]]]) -> None:
    wanted = []
    for kernel, context in contexts(tmp_path, "walk"):
        choice = choose_loads(kernel, context, Options(), survey(kernel, context))
        gains = isinstance(choice, Choice) and bool(choice.bypassed) and choice.gain >= Options().minimum_gain
        wanted.append("cache_bypass" if gains else "original")
        if isinstance(choice, Choice):
            assert set(choice.cached_by) == {"bypass-all", "cache-all", "choice", "exact", "heuristic"}
    assert picks("h200")["walk"] == wanted
    assert {"original", "cache_bypass"} == set(wanted)


@pytest.mark.parametrize("name", ["share", "sums"])
@pytest.mark.parametrize("gpu", ["h200", "gtx680", "equation"])  # by waves, by instructions, by equation 1
def test_launches_that_get_a_carveout(
    tmp_path: Path, picks: Callable[[str], dict[str, list[str]]], gpu: str, name: str
) -> None:
    wanted = []
    for kernel, context in contexts(tmp_path, name, gpu):
        verdict = decide(kernel, context, analyze(kernel, context), 1.25, fewer=True)
        wanted.append("unified_memory" if verdict is not None and verdict.best != verdict.default else "original")
    assert [pick for pick in picks(gpu)[name] if pick != "cache_bypass"] == wanted
    assert {"original", "unified_memory"} == set(wanted)
