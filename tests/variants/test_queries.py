"""Occupancy queries and attribute calls of kernels with versions: they reach the version that runs."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin, together
from tests.variants.test_emit import run_program

SOURCE = """\
#include <cstdio>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) std::printf("%s\\n", cudaGetErrorName(e)); } while (0)
#define IN_BODY(n) cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, a::plain, 128, 0)
struct nothing { __host__ __device__ size_t operator()(int) const { return 0; } };
namespace a {
__global__ void plain(int *out) { extern __shared__ int room[]; room[0] = 0; out[0] = /*step*/1; }
template <class T, int N> __global__ void many(T *out) { out[0] = N * /*step*/1; }
__global__ void untouched(int *out) { out[0] = 1; }
}
using a::plain;
template <class T> int ask()
{
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a::many<T, 2>, 128, 0));
    return blocks;
}
int main()
{
    int *out, host = 0, blocks = 0, grid = 0, block = 0;
    cudaMalloc(&out, sizeof host);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a::plain, 128, 0));
    std::printf("plain %d\\n", blocks);
    CHECK(::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)(a::many<int, 2>), 128, 0));
    std::printf("many %d %d\\n", blocks, ask<int>());
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &a::many<int, 3>, 128, 0, 0));
    std::printf("not a version %d\\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a::untouched, 128, 0));
    std::printf("untouched %d\\n", blocks);
    CHECK(IN_BODY(blocks));
    std::printf("out of a macro %d\\n", blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
    std::printf("grid %d for blocks of %d\\n", grid, block);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, plain, nothing(), 256));
    std::printf("grid %d for blocks of %d\\n", grid, block);
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CHECK(cudaFuncSetCacheConfig(reinterpret_cast<const void *>(&plain), cudaFuncCachePreferL1));
    plain<<<2, 32, 65536>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("ran %d\\n", host);
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    cudaGetLastError();
    plain<<<2, 32, 65536>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("ran %d\\n", host);
    a::many<int, 2><<<2, 32>>>(out);
    a::many<int, 3><<<2, 32>>>(out);
}
"""
# Two blocks of the program's in one of the version's: the emulated Titan V holds 32 blocks of 128 threads, or 16 of
# 128; here a version takes 48 KB of shared memory more, which leaves 2 blocks, for 2 of the program's each.
ANSWER = "gpuopt_c.shared += 40960; gpuopt_c.grid = dim3((gpuopt_l.grid.x + 1) / 2); return gpuopt_l.threads == 128;"


def doubling(answer: str) -> ModuleType:
    """A plugin whose versions write 100 instead of 1 and answer queries with `answer`."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(b"/*step*/1", kernel.span.start, kernel.span.end)
        if context.undispatchable or at < 0 or (kernel.facts_of and kernel.facts_of.arguments[1] == "3"):
            return Proposal((finding("two", kernel, Decision.DECLINED, context.undispatchable),))
        edit = Edit(kernel.span.file, at + 8, at + 9, b"100")
        variant = Variant(kernel.usr, "two", (edit,), "return gpuopt_l.grid.x > 1;", occupancy=answer)
        return Proposal((finding("two", kernel, Decision.APPLIED),), (), (variant,))

    return plugin("two", propose)


def patch(tmp_path: Path, answer: str) -> Examination:
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    return process(Job(str(source), ParseOptions(), Policy()), together(doubling(answer)))


def answers(directory: Path, result: Examination, **env: str) -> dict[str, str]:
    """What the program printed, by the words in front of the last number of each line."""
    lines = run_program(directory, dict(result.patched), **env).stdout.splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("grid"))


def test_a_query_is_answered_for_the_version_that_a_full_device_gets(tmp_path: Path, host_compiler: str) -> None:
    result = patch(tmp_path, ANSWER)
    output = run_program(tmp_path, dict(result.patched)).stdout
    assert output == (
        "plain 4\nmany 4 4\nnot a version 16\nuntouched 16\nout of a macro 16\ngrid 160 for blocks of 1024\n"
        "grid 640 for blocks of 256\nran 100\ncudaErrorInvalidValue\nran 100\n"
    )
    plain = run_program(tmp_path, {}, GPUOPT_DISPATCH="original").stdout
    assert plain.startswith("plain 16\nmany 16 16\nnot a version 16\n")
    assert plain.endswith("ran 1\ncudaErrorInvalidValue\nran 1\n")


def test_without_an_answer_of_the_version_the_query_stays_as_it_is(tmp_path: Path) -> None:
    text = patch(tmp_path, "").patched[str(tmp_path / "combined.cu")].decode()
    assert "gpuopt_rt::all::cudaOccupancy" not in text.split("#ifndef GPUOPT_VARIANTS_")[0]
    assert "CHECK(gpuopt_rt::all::cudaFuncSetAttribute(::a::plain__gpuopt_versions, cudaFuncAttributeMax" in text
    assert "gpuopt_rt::all::cudaFuncSetCacheConfig(reinterpret_cast<const void *>(&::a::plain__gpuopt_versions)" in text


@pytest.mark.nvcc
def test_nvcc_compiles_it_without_a_word(tmp_path: Path, real_nvcc: str) -> None:
    result = patch(tmp_path, ANSWER)
    (tmp_path / "combined.cu").write_bytes(result.patched[str(tmp_path / "combined.cu")])
    words = [real_nvcc, "-arch=sm_90", "-Xcompiler=-Wall,-Wextra,-Wshadow", "-c", "combined.cu", "-o", "combined.o"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
