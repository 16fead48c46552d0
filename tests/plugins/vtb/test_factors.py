"""Any number of blocks in one, in turns and as a pipe, of a kernel with static and dynamic shared memory."""

from __future__ import annotations

import os
from pathlib import Path

import gpuopt_plugins.vtb as vtb
import pytest

from gpuopt_driver.testing import Case
from gpuopt_driver.testing.check import examine_case
from tests.emulator.support import compile_with, run

MOST = 15  # hardware barriers that a block has beside its own: one for each of the blocks in one
PIPE = 2  # of blocks of a warp each: their turns are barriers, too

SOURCE = """
#include <cstdio>
__device__ int mirrored(const int *part, int i) { return part[31 - i]; }
__global__ void mixed(int n, const int *table, int *y)
{
    __shared__ int near[32];
    extern __shared__ int room[];
    int *first = room, *second = room + 32;
    int t = threadIdx.x, at = blockIdx.x * 32 + t;
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < 6; ++k) at = table[(at + k) & 1023];
        near[t] = at;
        first[t] = at + r;
        second[t] = at ^ t;
        __syncthreads();
        at += near[(t + 5) & 31] + mirrored(first, t) + second[(t * 3) & 31];
        __syncthreads();
    }
    y[blockIdx.x * 32 + t] = at;
}
int main()
{
    int *table, *y;
    cudaMallocManaged(&table, 1024 * sizeof(int));
    cudaMallocManaged(&y, 23 * 32 * sizeof(int));
    for (int i = 0; i < 1024; ++i) table[i] = i * 37 % 1021;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    mixed<<<23, 32, 64 * sizeof(int), stream>>>(5, table, y);
    cudaStreamSynchronize(stream);
    unsigned sum = 7;
    for (int i = 0; i < 23 * 32; ++i) sum = sum * 31 + y[i];
    printf("%u\\n", sum);
}
"""

ASIDE = "gpuopt: warning: GPUOPT_VTB=fast: expected FACTOR FORM, two numbers; it is left aside\n"


def test_every_factor_computes_the_same(tmp_path: Path, host_compiler: str) -> None:
    source = tmp_path / "mixed.cu"
    source.write_text(SOURCE)
    examined = examine_case(Case(source, gpu="h200", options={"margin": 0, "most": MOST}), vtb)
    (patched,) = examined.patched.values()
    source.write_bytes(patched)
    assert compile_with(source, "-o", tmp_path / "program", cwd=tmp_path) == 0
    os.environ.pop("GPUOPT_VTB", None)
    settings = {"GPUOPT_EMU_GPU": "h200", "GPUOPT_DISPATCH": "trace"}
    plain = run(tmp_path / "program", GPUOPT_VTB="1", **settings)
    assert plain.returncode == 0
    assert ">>>: original" in plain.stderr
    for form, most in ((0, MOST), (1, PIPE)):
        for factor in range(2, most + 1):
            done = run(tmp_path / "program", GPUOPT_VTB=f"{factor} {form}", **settings)
            assert done.stdout == plain.stdout, (factor, form)
            assert ">>>: vtb" in done.stderr, (factor, form)
    refused = run(tmp_path / "program", GPUOPT_VTB=f"{PIPE + 1} 1", **settings)
    assert refused.stdout == plain.stdout
    assert ">>>: original" in refused.stderr
    wrong = run(tmp_path / "program", GPUOPT_VTB="fast", **settings)
    usual = run(tmp_path / "program", **settings)
    assert (wrong.stdout, wrong.stderr.replace(ASIDE, "", 1)) == (usual.stdout, usual.stderr)
    assert ASIDE in wrong.stderr


def test_sources_that_ask_for_the_architecture_build_silently(
    tmp_path: Path, host_compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "asks.cu"
    source.write_text("#if __CUDA_ARCH__ >= 700\n#define SPREAD 1\n#endif\n" + SOURCE)
    examined = examine_case(Case(source, gpu="h200", options={"margin": 0, "factor": 2}), vtb)
    (patched,) = examined.patched.values()
    assert b"bar.sync" in patched
    assert (
        compile_with("-arch=sm_90", source, "-o", tmp_path / "asks", cwd=tmp_path, patched={str(source): patched}) == 0
    )
    assert capfd.readouterr().err == ""
