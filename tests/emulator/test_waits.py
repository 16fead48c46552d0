"""Which kernels may wait for what happens outside their grid: without a compiler."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.rewrite import rewrite

WAITING = re.compile(r"launch<gpuopt_emu_kernel,8>")


def _body(text: str, *, relocatable: bool = False) -> str:
    return rewrite(text.encode(), relocatable=relocatable).text.decode()


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(volatile int *p) { while (*p == 0) {} }",
        "__global__ void k(int *p) { do {} while (atomicAdd(p, 0) == 0); }",
        "__global__ void k(unsigned *p) { while (atomicCAS(p, 0u, 1u)); *p = 0; }",
        "__global__ void k(volatile int *p) { for (; *p == 0;) {} }",
        "__global__ void k(volatile int *p, int n) { for (int i = 0; i < n && !*p; ++i) {} }",
        "__global__ void k(int *p) { for (bool done = false; !done;) done = atomicCAS(p, 0, 1) == 0; }",
        "__global__ void k(int *p) { again: if (!*(volatile int *)p) goto again; }",
        '__global__ void k(int *p) { int x; do asm("ld.acquire.gpu.s32 %0, [%1];":"=r"(x):"l"(p)); while (!x); }',
        "__device__ int f(int *p) { return atomicOr(p, 0); } __global__ void k(int *p) { while (!f(p)); }",
        "__device__ void f(int *p) { while (!atomicOr(p, 0)); } __global__ void k(int *p) { f(p); }",
        "__device__ volatile int flag; __global__ void k() { while (flag == 0) {} }",
        "typedef volatile int Flag; __global__ void k(Flag *p) { while (*p == 0) {} }",
        "struct S { volatile int x; }; __global__ void k(S *p) { while (p->x == 0) {} }",
        "using A = cuda::atomic<int>; __global__ void k(A *a) { while (*a == 0); }",  # by a conversion
        "using A = cuda::atomic<int>; __global__ void k(A *a, int *p) { a->wait(0); p[0] = 5; }",
        "using S = cuda::counting_semaphore<>; __global__ void k(S *s, int *p) { s->acquire(); p[0] = 5; }",
        "struct P { int *f; __device__ explicit operator bool() const { return atomicAdd(f, 0) != 0; } };"
        "__global__ void k(int *f, int *p) { P q{f}; for (int i = 0; !q; ++i) ; p[0] = 5; }",
        "__device__ int f(int *p) { return atomicOr(p, 0); }"
        "struct P { int *p; __device__ operator int() { return f(p); } };"
        "__global__ void k(P p) { while (p < 1) ; }",
        "struct P { int *p; __device__ operator bool() { return atomicOr(p, 0); } }; struct Q { P p; };"
        "template <class T> __device__ void f(T &t) { while (!t.p) ; } __global__ void k(Q q) { f(q); }",
        "struct P { int *p; __device__ operator bool(); };"
        "__device__ P::operator bool() { while (!atomicOr(p, 0)) ; return 1; }"
        "typedef P Q; __global__ void k(Q q, int *p) { p[q] = 5; }",
        # A function whose address is taken may be what any loop calls.
        "__device__ int f(int *p) { return atomicOr(p, 0); } __device__ int (*g)(int *) = f;"
        "__global__ void k(int (*h)(int *), int *p) { __syncwarp(); while (!h(p)); }",
    ],
)
def test_loops_until_others_have_written(text: str) -> None:
    assert WAITING.search(_body(text))


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p) { p[threadIdx.x] = 1; }",
        "using A = cuda::atomic<int>; __global__ void k(A *a, int *p) { p[threadIdx.x] = 1; }",
        "__global__ void k(int *p) { while (*p) --*p; __syncwarp(); }",
        "__global__ void k(int *p, int n) { for (int i = 0; i < n; ++i) p[atomicAdd(p, 1)] = i; }",
        "__global__ void k(int *p) { volatile __shared__ int s[8]; for (int i = 4; i > 0; i >>= 1) s[0] += s[i]; }",
        "__global__ void k(int *p) { if (atomicCAS(p, 0, 1) == 0) *p = 2; __syncwarp(); }",
        "__device__ void f(int *p) { while (!atomicOr(p, 0)); } __global__ void k(int *p) { __syncwarp(); *p = 1; }",
        "struct P { int *f; __device__ operator bool() const { return *f != 0; } };"
        "__global__ void k(P q, int *p) { while (q) --*q.f; __syncwarp(); atomicAdd(p, 1); }",
        "struct P { int *f; __device__ operator bool() const { return atomicAdd(f, 0) != 0; } };"
        "__global__ void k(P q, int *p, int n) { for (int i = 0; i < n; ++i) p[i] = q; __syncwarp(); }",
    ],
)
def test_loops_that_end_by_themselves(text: str) -> None:
    assert not WAITING.search(_body(text))


def test_functions_of_other_units_may_read_so() -> None:
    text = "__device__ int f(); __global__ void k() { while (!f()); }"
    assert not WAITING.search(_body(text))
    assert WAITING.search(_body(text, relocatable=True))
