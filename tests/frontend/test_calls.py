"""Calls wherever C++ lets them stand: each is listed, or something unknown is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuopt_driver.frontend.model import Kernel, SyncKind

BEFORE = """
__device__ int lane(int a) { return a + blockIdx.x; }
struct Box { int w; __device__ Box() : w(2) {} __device__ explicit Box(int v) : w(v) {} __device__ ~Box() {}
  __device__ int twice() const { return w * 2; } };
struct Two { int a, b; };
__device__ Two two(int a) { __syncthreads(); return Two{a, 1}; }
enum { N = 2 };
template <int M> struct Size { static constexpr int of = M; };
"""


@pytest.mark.parametrize(
    "text",
    [
        "int a[2] = {lane(1), Box(2).twice()}; U[0] = a[0];",
        "int a[N][Size<3>::of] = {{lane(1)}, {Box(4).w}}; U[0] = a[0][0];",
        "Two a = {lane(1), Box(1).w}; U[0] = a.a;",
        "Two a{lane(1), 0}; U[0] = a.a;",
        "Two a[2] = {{lane(1), Box(2).w}}; U[0] = a[0].a;",
        "Box a(lane(1)); U[0] = a.w;",
        "const int &a = lane(1); U[0] = a;",
        "U[0] = (Box(3), lane(1));",
        "U[0] = Two{lane(1), Box(4).w}.a;",
        "switch (int q = lane(1)) { case 1: U[0] = q; }",
        "U[lane(1)] = 0;",
        "auto [a, b] = two(lane(1)); U[0] = a;",
        "const auto &[a, b] = two(lane(1)); U[0] = a;",
        "auto [a, b] = Two{lane(1), Box(3).w}; U[0] = a;",
        "if (auto [a, b] = two(lane(1)); a) U[0] = b;",
    ],
)
def test_a_call_is_listed(kernel: Callable[..., Kernel], text: str) -> None:
    found = kernel(f"{BEFORE}__global__ void k(int *U) {{ {text} }}")
    assert "lane" in [call.name for call in found.calls]
    assert "lane" in [function.name for function in found.functions]


def test_a_structured_binding_s_initialiser_is_run(kernel: Callable[..., Kernel]) -> None:
    found = kernel(f"{BEFORE}__global__ void k(int *U) {{ auto [a, b] = two(U[3]); U[0] = a; }}")
    assert [sync.text for sync in found.syncs] == ["__syncthreads()"]
    assert "U[3]" in [access.text for access in found.accesses]


@pytest.mark.parametrize("capture", ["x = lane(1)", "x = Box(lane(1))", "x = 1 + lane(1)", "&x = first(U)"])
def test_a_call_that_is_not_shown_is_unknown(kernel: Callable[..., Kernel], capture: str) -> None:
    before = BEFORE + "__device__ int &first(int *p) { return p[blockIdx.x]; }\n"
    found = kernel(f"{before}__global__ void k(int *U) {{ auto l = [{capture}] {{ return 0; }}; U[0] = l(); }}")
    assert not all(call.known for call in found.calls)


def test_a_capture_without_a_call_is_none(kernel: Callable[..., Kernel]) -> None:
    text = "__global__ void k(int *U, int n) { auto l = [x = n + 1, n] { return x + n; }; U[0] = l(); }"
    assert all(call.known for call in kernel(text).calls)


def test_a_function_that_is_a_template_argument_is_entered(parse):
    """What it does is known: the call may not synchronise, unless the function does."""
    unit = parse("""
using F = int (*)(int, const int *);
__device__ int plain(int i, const int *s) { return s[i]; }
__device__ int waits(int i, const int *s) { __syncthreads(); return s[i]; }
template <int N> __device__ int scaled(int i, const int *s) { return N * s[i]; }
extern __device__ int elsewhere(int i, const int *s);
template <F f = plain> __global__ void k(int *a, const int *b) { a[threadIdx.x] = f(threadIdx.x + 7, b); }
void go(int *a, int *b) {
    k<><<<1, 32>>>(a, b); k<waits><<<1, 32>>>(a, b); k<&scaled<3>><<<1, 32>>>(a, b); k<elsewhere><<<1, 32>>>(a, b);
}
""")
    assert [[sync.kind for sync in kernel.syncs] for kernel in unit.kernels] == [
        [],
        [SyncKind.BLOCK],
        [],
        [SyncKind.UNKNOWN],
    ]
    assert [call.name for call in unit.kernels[0].calls] == ["plain"]
    read = [next((a for a in kernel.accesses if a.array.name == "b"), None) for kernel in unit.kernels]
    assert [access is not None and access.is_read for access in read] == [True, True, True, False]
