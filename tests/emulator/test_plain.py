"""Which kernels are run as bare loops, and how warp operations without a mask are traced: without a compiler."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.rewrite import rewrite

PLAIN = re.compile("launch<gpuopt_emu_kernel,(1|5|129|133)>")  # with a survey for check mode: 4 more; with atomics: 128


def _body(text: str, *, relocatable: bool = False) -> str:
    return rewrite(text.encode(), relocatable=relocatable).text.decode()


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p) { p[threadIdx.x] = 1; }",
        "__device__ int f(int x) { return x + 1; } __global__ void k(int *p) { p[threadIdx.x] = f(2); }",
        "__global__ void k(int *p) { atomicAdd(p, 1); if (p[2]) atomicMax(&p[threadIdx.x], 2); else atomicOr(p, 1); }",
        "__global__ void k(long *p) { while (p[2]) ++p[1]; p[0] = clock64(); }",
        "__device__ void other() { __syncthreads(); } __global__ void k(int *p) { p[blockIdx.x] = sinf(1); }",
    ],
)
def test_kernels_that_never_wait(text: str) -> None:
    assert PLAIN.search(_body(text))


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p) { __syncthreads(); }",
        "__global__ void k(int *p) { p[1] = atomicAdd(p, 1); }",
        "__global__ void k(int *p) { for (; atomicAdd(p, 1);) p[1] = 2; }",
        "__global__ void k(int *p) { atomicAdd(p, 1); int x = 0; while (x == 0) x = p[1]; }",
        "__global__ void k(int *p) { atomicCAS(p, 1, 2); }",
        "__global__ void k(volatile int *p) { *p = 1; }",
        "__global__ void k(long *p) { long t = clock64(); while (clock64() - t < 9) {} p[0] = 1; }",
        "__device__ volatile int flag; __global__ void k() { while (flag == 0) {} }",
        "__global__ void k(int *p) { assert(p); }",
        "__global__ void k(int *p) { other<<<1, 1>>>(p); }",
        "__device__ void f() { __syncwarp(); } __global__ void k() { f(); }",
        "__device__ void f() { __syncwarp(); } __device__ void g() { f(); } __global__ void k() { g(); }",
        "__device__ int me() { return threadIdx.x; } __global__ void k(int *p) { p[me()] = 1; }",
        # A function whose address is taken may be what any kernel calls.
        "__device__ void f() { __syncthreads(); } __device__ void (*p)() = f; __global__ void k(int *q) { *q = 1; }",
        "struct S { __device__ void operator()() { __syncwarp();} }; template <class F> __global__ void k(F f){ f(); }",
        "void h() { run([=] __device__(int i) { __syncwarp();}); } template <class F> __global__ void k(F f) { f(1); }",
    ],
)
def test_kernels_that_may_wait_or_ask_who_they_are(text: str) -> None:
    assert not PLAIN.search(_body(text))


SUM = "__device__ float sum(float v) { __syncthreads(); return v; } typedef float (*Of)(float);"


@pytest.mark.parametrize(
    "text",
    [
        "int main() { float sum = 0; sum += 1; float *p = &sum; return use(sum, p); }",
        "int main() { float4 a, sum; sum = a; const T *p = q, *sum2 = &sum; return 0; }",
        "float total(float sum); float total(float sum, int n) { return n ? sum : 0; }",
        "struct Stats { float sum; float *sums; }; void add(Stats &s, Stats *t) { s.sum += t->sum; }",
        "float f(std::vector<float> v) { std::vector<float> sum(v), other; return g(sum, [&] { return sum[0]; }); }",
        "void f(int n) { switch (n) { case 1: { double sum{1}; use(sum); } default: long sum = 1; use(&sum); } }",
        "void f() { for (int i = 0, sum = 0; i < 9; sum += ++i) use(sum); try { int sum(3); sum++; } catch (...) {} }",
        "float f(const float *p) { return fold(p, [](float sum, float x) { return sum + x; }); }",
        "void f(std::vector<T> v) { for (T &sum : v) sum = 0; if (T *sum = g()) use(sum); else use(&sum); }",
        "__global__ void l(float *p) { float sum = p[0]; p[1] = sum; }",
    ],
)
def test_variables_and_members_with_the_name_of_a_function_that_waits(text: str) -> None:
    assert PLAIN.search(_body(SUM + text + "__global__ void k(float *p) { *p = 1; }"))


@pytest.mark.parametrize(
    "text",
    [
        "void f() { Of p = sum; use(p); }",
        "void f() { Of p = &sum; use(p); }",
        "__device__ Of table[] = {sum}; void f() { float sum = 0; use(sum); }",
        "template <Of F> __global__ void l(float *p) { *p = F(*p); } void f() { l<sum><<<1, 1>>>(p); }",
        # Outside of the variable's scope, and before it.
        "void f() { { float sum = 0; use(sum); } use(sum); }",
        "void f() { use(sum); float sum = 0; }",
        "void f() { for (int sum = 0; sum < 3; ++sum) {} use(sum); }",
        "void f(int n) { if (n) float sum = 1; else use(sum); }",
        "void f(float sum) {} void g() { use(sum); }",
        "void f() { g([](float sum) { return sum; }); use(sum); }",
        "void f(Of p = sum) { use(p); }",
        # Past the variable.
        "void f() { float sum = 0; use(::sum); }",
        "void f() { float v = 0; auto p = [v, sum = sum] { return sum; }; use(p); }",
        "struct S { static __device__ float sum(float v) { __syncthreads(); return v; } }; void f(S s) { use(s.sum); }",
        # What declares no variable, or may not.
        "void f() { float sum(float); use(sum); }",
        "void f() { float sum = 0; { float sum(float); use(sum); } }",
        "typedef float Like(float); void f() { Like sum; use(sum); }",
        "using Like = float(float); using Too = Like; void f() { Too sum; use(sum); }",
        "void f() { decltype(g) sum; use(sum); }",
        "void f(Out out) { out & sum; use(sum); }",
        "void f(Out out) { out * sum; use(sum); }",
        "void f(Out out) { if (out * sum) use(sum); }",
        "void f(Out out, Out b) { out < b > sum; use(sum); }",
        "void f(int n) { not sum(n); use(sum); }",
    ],
)
def test_functions_that_wait_whose_address_may_be_taken(text: str) -> None:
    assert not PLAIN.search(_body(SUM + text + "__global__ void k(float *p) { *p = 1; }"))


def test_functions_of_other_units_may_wait() -> None:
    text = "__device__ void f(); __global__ void k() { f(); }"
    assert PLAIN.search(_body(text))
    assert not PLAIN.search(_body(text, relocatable=True))


def test_calls_and_loops_that_lead_to_operations_without_a_mask_are_traced() -> None:
    text = (
        "__device__ unsigned who() { return __activemask(); }\n"
        "__global__ void k(unsigned *p, int n) {\n  for (int i = 0; i < n; ++i)\n    p[i] = who();\n  p[n] = n;\n}\n"
    )
    body = _body(text)
    assert "::gpuopt_emu::activemask_at<" in body
    assert "(::gpuopt_emu::Path(" in body
    assert body.count("gpuopt_turns.next();") == 1
    assert body.count("\n") == text.count("\n")


def test_branches_labels_and_registers_of_inline_ptx() -> None:
    text = (
        '__device__ int f(int n) { int s; asm("{ .reg .pred p; .reg .u32 t<2>; mov.u32 t0, %1; L: sub.u32 t0, t0, 1;'
        ' setp.gt.s32 p, t0, 0; @p bra L; mov.u32 %0, t0; }" : "=r"(s) : "r"(n)); return s; }'
    )
    result = rewrite(text.encode())
    assert result.errors == ()
    assert b"__label__ gpuopt_l_L;" in result.text
    assert b"goto gpuopt_l_L" in result.text
