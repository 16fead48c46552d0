"""Where the model puts a warp's arithmetic: at barriers, between windows of accesses, at reads of constants."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.emulator.support import compile_with, run

SOURCE = """
#include <cstdio>
__constant__ float table[64];
__device__ inline __attribute__((always_inline)) float computed(float v)
{
#pragma GCC unroll 64
    for (int i = 0; i < 64; ++i) v = v * v - 0.75f;
    return v;
}
template <bool IN_FRONT> __global__ void step(const float *x, float *y)
{
    __shared__ float s[64];
    unsigned piece;
    float v = x[threadIdx.x];
    if (IN_FRONT) v = computed(v);
    __syncthreads(1, &piece, sizeof s);
    if (!IN_FRONT) v = computed(v);
    s[threadIdx.x] = v;
    __syncthreads();
    v = s[63 - threadIdx.x];
    __syncthreads(-1, &piece, sizeof s);
    y[threadIdx.x] = v;
}
template <bool NAMED> __global__ void two(const float *x, float *y)
{
    __shared__ float s[64];
    float v = x[threadIdx.x];
    if (threadIdx.x < 32) v = computed(v);
    s[threadIdx.x] = v;
    if (NAMED) asm volatile("bar.sync 1, 64;" ::: "memory");
    else __syncthreads();
    v = s[63 - threadIdx.x];
    if (threadIdx.x >= 32) v = computed(v);
    if (NAMED) asm volatile("bar.sync 1, 64;" ::: "memory");
    else __syncthreads();
    y[threadIdx.x] = v;
}
__device__ __noinline__ void turn(float *a) { a[0] = a[1] * 0.5f; a[1] = a[0] + 1.0f; }
__global__ void registers(const float *x, float *y, int turns)
{
    float a[2] = {x[threadIdx.x], 0};
    for (int i = 0; i < turns; ++i) turn(a);
    y[threadIdx.x] = a[0];
}
template <int STEP> __global__ void constants(float *y)
{
    float sum = 0;
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sum += table[threadIdx.x * STEP + i];
    y[threadIdx.x] = sum;
}
int main()
{
    float *x, *y, sum = 0, numbers[64];
    cudaMallocManaged(&x, 64 * sizeof(float));
    cudaMallocManaged(&y, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) x[i] = numbers[i] = i / 64.0f;
    cudaMemcpyToSymbol(table, numbers, sizeof numbers);
    step<true><<<1, 64>>>(x, y);
    step<false><<<1, 64>>>(x, y);
    two<false><<<1, 64>>>(x, y);
    two<true><<<1, 64>>>(x, y);
    registers<<<1, 32>>>(x, y, 10);
    registers<<<1, 32>>>(x, y, 1000);
    constants<0><<<1, 32>>>(y);
    constants<1><<<1, 32>>>(y);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) sum += y[i];
    printf("%g\\n", sum);
}
"""
LAUNCH = 5000  # cycles of a launch on a GTX 480
LATENCY = 18  # of arithmetic there


@pytest.fixture(scope="module")
def launches(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> list[dict[str, Any]]:
    scratch = tmp_path_factory.mktemp("time")
    (scratch / "step.cu").write_text(SOURCE)
    assert compile_with(scratch / "step.cu", "-o", "program", cwd=scratch, check=True) == 0
    report = scratch / "report.json"
    settings = {"GPUOPT_EMU_GPU": "gtx480", "GPUOPT_EMU_SMM": "0", "GPUOPT_EMU_REPORT": str(report)}
    done = run(scratch / "program", GPUOPT_EMU_MODE="model", **settings)
    assert done.stdout == run(scratch / "program").stdout
    told: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["launches"]
    return told


def test_work_in_front_of_a_barrier_is_done_there(launches: list[dict[str, Any]]) -> None:
    front, behind, block, named = launches[:4]
    assert front["flops"] == behind["flops"] == 64 * 64 * 2
    assert front["warp_instructions"] == pytest.approx(behind["warp_instructions"], rel=0.02)
    assert behind["shared_held"] > 2 * front["shared_held"] > 0
    # The second warp computes when the first one has: both take their time, whatever the barrier is.
    for launch in (block, named):
        assert launch["cycles"] > LAUNCH + 2 * 64 * LATENCY  # products and sums of one warp, one after the other


def test_registers_that_the_host_keeps_in_memory_take_no_time(launches: list[dict[str, Any]]) -> None:
    few, many = launches[4:6]
    assert many["cycles"] < few["cycles"] + 200  # of 2000 stores to them


def test_words_of_constants_come_one_right_after_the_other(launches: list[dict[str, Any]]) -> None:
    one, each = launches[6:8]
    assert each["warp_instructions"] == one["warp_instructions"] + 16 * 31
    assert each["cycles"] - one["cycles"] == pytest.approx(16 * 31 * 2, rel=0.1)  # two cycles of a scheduler for each
