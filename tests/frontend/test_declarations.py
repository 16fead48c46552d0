"""Declarations in units: instantiations, records, what templates lead to, what an error spoils."""

from __future__ import annotations

import os

import pytest

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.expr import Const
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit


def test_of_very_many_instantiations_one_stands_for_all(parse):
    """Libraries of variants have hundreds, each as dear as a kernel; a change must suit every one."""
    launches = "".join(f"  k<{number}><<<1, 32>>>(p);\n" for number in range(65))
    kernel = "template <int N> __global__ void k(float *p) { p[threadIdx.x] += N; }\n"
    unit = parse(f"{kernel}__global__ void other(float *p) {{ *p = 1; }}\nvoid f(float *p) {{\n{launches}}}\n".encode())
    assert [one.name for one in unit.kernels] == ["k", "other"]
    assert unit.kernels[0].problems == ("65 instantiations, more than the 64 looked into",)
    assert unit.kernels[1].problems == ()
    few = parse(f"{kernel}void f(float *p) {{\n{launches.partition(';')[2]}}}\n".encode())
    assert [one.problems for one in few.kernels] == [()] * 64


RECORDS = """
struct V { float x, y; __device__ V(float a, float b) : x(a), y(b) {} };
__device__ V operator+(const V &a, const V &b) { return V(a.x + b.x, a.y + b.y); }
__device__ float4 made(float f) { return make_float4(f, f, f, f); }
__global__ void k(float *a, float4 *q, int n) {
  for (int i = 0; i < n; ++i) {
    float4 v = made(a[i * 33 + threadIdx.x]);
    V w = V(v.x, v.y) + V(v.z, 1.f);
    __syncthreads();
    q[threadIdx.x] = make_float4(w.x, w.y, 0, 0);
  }
}
void f(float *a, float4 *q) { k<<<10, 32>>>(a, q, 100); }
"""


@pytest.mark.parametrize("std", ["c++11", "c++14", "c++20"])
def test_copies_that_nobody_wrote_change_nothing(parse, std):
    """Before C++17, what returns a record by value is copied, by a call in the syntax tree."""
    usual, other = parse(RECORDS), parse(RECORDS, std=std)
    assert other == usual
    (launch,) = other.launches
    assert (launch.grid.x, launch.block.x) == (Const(10), Const(32))
    assert [call.name for call in other.kernels[0].calls if not call.known] == []


def test_libclang_is_not_heard_when_it_crashes_and_survives(capfd):
    with libclang._unheard():
        os.write(2, b"libclang: crash detected\n")
    os.write(2, b"heard\n")
    assert capfd.readouterr().err == "heard\n"


@pytest.mark.parametrize(
    ("body", "is_spoilt"),
    [
        ("int i = n; a[i] = 0;", False),
        ("for (int i = 0; i < n; ++i) a[i] = 0;", False),
        ("for (int i = 0; i < n; ++i) a[i] = 0; a[sizeof(i)] = 1;", True),
        ("a[sizeof(i)] = 1; int i = n; a[i] = 0;", True),
    ],
)
def test_a_broken_declaration_spoils_only_kernels_that_mean_it(parse, body, is_spoilt):
    unit = parse(f"lost::type i, a, n;\n__global__ void k(float *a, int n) {{ {body} }}\n")
    assert bool(unit.kernels[0].problems) == is_spoilt


def test_templates_lead_to_launches_only_through_what_their_texts_name(parse):
    unit = parse(
        "template <class T> __global__ void k(T *a) { a[0] = 0; }\n"
        "template <class T> struct Idle { void run(T *a); };\n"
        "template <class T> void Idle<T>::run(T *a) { *a = 1; }\n"
        "template <class T> struct Launcher { void run(T *a); };\n"
        "template <class T> void Launcher<T>::run(T *a) { k<T><<<1, 64>>>(a); }\n"
        "template <class F, class T> void apply(F f, T *a) { f.run(a); }\n"
        "typedef Launcher<float> (Chosen);\n"
        "void go(float *a) { apply(Chosen(), a); apply(Idle<int>(), (int *)a); }\n"
    )
    (kernel,) = unit.kernels
    assert kernel.facts_of.arguments == ("float",)


def test_matrix_fragments_need_no_toolkit(parse):
    unit = parse(
        "#include <mma.h>\nusing namespace nvcuda;\n"
        "__global__ void product(const half *a, const half *b, float *c)\n{\n"
        "    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;\n"
        "    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;\n"
        "    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;\n"
        "    wmma::fill_fragment(sum, 0.0f);\n"
        "    for (int k = 0; k < 64; k += 16) {\n"
        "        wmma::load_matrix_sync(left, a + k, 64);\n        wmma::load_matrix_sync(right, b + k, 64);\n"
        "        wmma::mma_sync(sum, left, right, sum);\n    }\n"
        "    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;\n"
        "    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);\n}\n"
    )
    (kernel,) = unit.kernels
    assert unit.diagnostics == ()
    assert kernel.problems == ()


def test_constants_of_the_runtime(parse):
    """Streams with names, capturing, advice and compute modes: programs that speak of them are understood whole."""
    unit = parse(
        "__global__ void k(float *a) { a[0] = 0; }\n"
        "int run(float *a, cudaStream_t s, cudaGraph_t g, cudaDeviceProp p)\n{\n"
        "    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};\n"
        "    cudaMemAdvise(a, 4, cudaMemAdviseSetReadMostly, where);\n"
        "    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
        "    k<<<1, 32, 0, cudaStreamPerThread>>>(a);\n"
        "    cudaStreamEndCapture(s, &g);\n"
        "    const bool idle = cudaStreamQuery(cudaStreamLegacy) == cudaSuccess;\n"
        "    return idle && p.computeMode == cudaComputeModeProhibited;\n}\n"
    )
    assert unit.diagnostics == ()
    (launch,) = unit.launches
    assert launch.config_texts[3] == "cudaStreamPerThread"


def test_noinline_in_all_its_spellings(parse):
    unit = parse("""
__noinline__ __device__ int a(int i) { return i; }
__device__ __attribute__((__noinline__)) int b(int i) { return i; }
__device__ __attribute__((noinline, __used__)) int c(int i) { return i; }
[[gnu::noinline]] __device__ int d(int i) { return i; }
static __device__ int __noinline__ e(int i) { return i; }
__global__ void k(int *p) { p[0] = a(1) + b(2) + c(3) + d(4) + e(5); }
""")
    assert unit.diagnostics == ()
    assert unit.kernels[0].problems == ()


@pytest.mark.parametrize(
    ("main", "can"),
    [
        ('#include "k.cuh"\nstruct Op {{}};\n{go}', False),
        ('struct Op {{}};\n#include "k.cuh"\n{go}', True),
        ('#include "op.cuh"\n#include "k.cuh"\n{go}', True),
        ('#include "k.cuh"\n#include "op.cuh"\n{go}', False),
        ('#include "k.cuh"\n#include "op.cuh"\nvoid go(int *a) {{ k<Op **><<<1, 1>>>(a); }}', False),
        ('#include "k.cuh"\nenum Op {{ one }};\n{go}', False),
        ('#include "k.cuh"\n#include "op.cuh"\nvoid go(int *a) {{ k<Holds<Op>><<<1, 1>>>(a); }}', False),
        ('#include "k.cuh"\nvoid go(int *a) {{ k<Holds<int>><<<1, 1>>>(a); k<half><<<1, 1>>>(a); }}', True),
        ('#include "all.cuh"\n{go}', False),
        ("struct Op {{}};\ntemplate <class T> __global__ void k(int *a) {{ a[0] = sizeof(T); }}\n{go}", True),
        ("template <class T> __global__ void k(int *a) {{ a[0] = sizeof(T); }}\nstruct Op {{}};\n{go}", True),
    ],
)
def test_types_that_are_declared_behind_a_templates_file_cannot_be_written_in_it(tmp_path, main, can):
    (tmp_path / "k.cuh").write_text(
        "#pragma once\n#include <cuda_fp16.h>\ntemplate <class T> struct Holds {};\n"
        "template <class T> __global__ void k(int *a) { a[0] = sizeof(T); }\n"
    )
    (tmp_path / "op.cuh").write_text("struct Op {};\n")
    (tmp_path / "all.cuh").write_text('#include "k.cuh"\n#include "op.cuh"\n')
    path = tmp_path / "main.cu"
    path.write_text(main.format(go="void go(int *a) { k<Op><<<1, 1>>>(a); }\n"))
    unit = parse_unit(path, ParseOptions())
    assert {kernel.facts_of.spellable for kernel in unit.kernels} == {can}


def test_a_macro_right_behind_a_literal(parse):
    """nvcc's preprocessor takes the macro for one, where C++11 would have the suffix of a literal."""
    text = 'extern "C"__global__ void k(int *x) { x[threadIdx.x] = 1; }\nvoid f(int *x) { k<<<1, 32>>>(x); }\n'
    unit = parse(text)
    (kernel,) = unit.kernels
    assert unit.diagnostics == ()
    assert (kernel.problems, kernel.links_c_alone, kernel.span.start) == ((), True, 0)
    assert len(unit.launches_of(kernel)) == 1
