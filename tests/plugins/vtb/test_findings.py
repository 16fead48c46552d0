"""Kernels with shared memory of which little is understood: none may be told that it uses none."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.learning.runtime import Learning
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.kernels import unit_lines

LAUNCH = "void run(int *p) { k<<<64, 64>>>(p); }\n"
ROWS = """
__device__ void clear(int rows[4][64]) { ((int *)rows)[threadIdx.x] = 0; }
__global__ void k(int *p)
{
    __shared__ int all[4][64];
    clear(all);
    __syncthreads();
    p[threadIdx.x] = atomicAdd(&all[threadIdx.x & 3][1], 1);
}
"""
WHERE = """
__global__ void k(int *p)
{
    __shared__ int all[4][64], *where;
    where = all[1];
    __syncthreads();
    where[threadIdx.x] = 0;
    __syncthreads();
    p[threadIdx.x] = all[1][63 - threadIdx.x];
}
"""
PATTERN = """
template <class T> struct shared {
    __device__ operator T *() { extern __shared__ int bytes[]; return (T *)bytes; }
};
template <class T> __global__ void k(T *p)
{
    T *s = shared<T>();
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
"""
CALLED = "template <class T> void run(T *p) { k<T><<<64, 64, 64 * sizeof(T)>>>(p); }\n"
# As cuda-samples' nbody: what launches the kernel speaks of OpenGL.
OPENGL = (
    "#include <cuda_gl_interop.h>\n"
    + PATTERN
    + """
template <class T> void run(cudaGraphicsResource **both, GLuint buffer, T *p)
{
    cudaGraphicsGLRegisterBuffer(both, buffer, cudaGraphicsMapFlagsNone);
    cudaGraphicsMapResources(2, both, 0);
    k<T><<<64, 64, 64 * sizeof(T)>>>(p);
    cudaGraphicsUnmapResources(2, both, 0);
}
template void run<float>(cudaGraphicsResource **, GLuint, float *);
"""
)
DAMAGED = """
__global__ void k(int *p)
{
    __shared__ unheard::of<int> all;
    all.put(threadIdx.x, p);
}
"""
UNUSED = "__global__ void k(int *p) { __shared__ int s[64]; p[threadIdx.x] = 0; }\n"


HEADER = "\n" * 98 + "__device__ inline void wait_for(volatile int *p) { while (*p == 0) { } }\n"
WAITS = """#include "far.h"
__global__ void k(int *p)
{
    __shared__ int s[64];
    wait_for(p + 64);
    s[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
"""


def test_a_line_of_a_header_is_none_of_the_kernel_s_file(tmp_path: Path) -> None:
    (tmp_path / "far.h").write_text(HEADER)
    path = tmp_path / "a.cu"
    path.write_text(WAITS + LAUNCH)
    report = examine(str(path), [], Policy(learn=Learning(mode="off")), "h200").report
    assert not report.problems
    (found,) = (one for one in report.findings if one.plugin == "vtb")
    assert (found.code, found.file, found.line) == ("VTB026", str(path), 2)
    assert found.message.endswith(": blocks may wait for each other (line 99 of far.h)")
    said = [one.message for one in report.findings if one.plugin == "cta_mapping"]
    assert "line 99 of far.h" in said[0]
    (waiting,) = (one for one in report.facts[0]["accesses"] if one["line"] == 99)  # type: ignore[union-attr]
    assert waiting["file"] == str(tmp_path / "far.h")  # type: ignore[index]
    assert any("(line 99 of far.h" in line for line in unit_lines(report))


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        (ROWS + LAUNCH, "VTB010", "left alone: "),
        (WHERE + LAUNCH, "VTB024", " may go to shared memory"),
        (PATTERN + CALLED, "VTB020", "no instantiation of the template is seen"),
        (PATTERN, "GPUOPT016", "nothing in this file launches it"),
        (OPENGL, "VTB010", "left alone: "),
        (DAMAGED + LAUNCH, "VTB021", "line 4: "),
        (UNUSED + LAUNCH, "VTB001", "the kernel does not use shared memory"),
    ],
    ids=["rows", "where", "pattern", "idle", "opengl", "damaged", "unused"],
)
def test_the_reason_is_true(source: str, code: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(source)
    findings = [
        one
        for one in examine(str(path), [], Policy(learn=Learning(mode="off")), "h200").report.findings
        if one.plugin == "vtb"
    ]
    assert [one.code for one in findings] == [code], findings
    assert message in findings[0].message
