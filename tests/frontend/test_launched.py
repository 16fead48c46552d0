"""Launches that name no kernel: what variables, tables and parameters of helpers hold is launched, how is known."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import to_text
from gpuopt_driver.frontend.launch_sites import LaunchKind

_BEFORE = """
__global__ void a(float *o) { o[threadIdx.x] = 1; }
__global__ void b(float *o) { o[threadIdx.x] = 2; }
template <int N> __global__ void t(float *o) { o[threadIdx.x] = N; }
typedef void (*Fn)(float *);
static const Fn table[] = {a, t<3>};
struct Entry { int n; Fn f; };
static Entry entries[] = {{1, b}, {2, &t<4>}};
Fn chosen = b;
template <class K, class... A> void go(K k, dim3 g, A... args) { k<<<g, 64>>>(args...); }
template <class K> void twice(K k, float *o) { go(k, dim3(2), o); }
void plainly(Fn f, float *o) { f<<<3, 64>>>(o); }
template <class F> void each(F f) { f(); }
void run(float *o, int n, int which, Fn unknown) {
    BODY
}
"""


@pytest.mark.parametrize(
    ("body", "kernels", "kind"),
    [
        ("auto k = a; k<<<5, 64>>>(o);", "a", LaunchKind.POINTER),
        ("auto k = &t<8>; k<<<5, 64>>>(o);", "t", LaunchKind.POINTER),
        ("Fn k; if (n) k = a; else k = b; k<<<5, 64>>>(o);", "ab", LaunchKind.POINTER),
        ("Fn k = n ? a : b; k<<<5, 64>>>(o);", "ab", LaunchKind.POINTER),
        ("Fn ks[2] = {a, b}; ks[n]<<<5, 64>>>(o);", "ab", LaunchKind.POINTER),
        ("table[which]<<<5, 64>>>(o);", "at", LaunchKind.POINTER),
        ("entries[which].f<<<5, 64>>>(o);", "bt", LaunchKind.POINTER),
        ("chosen<<<5, 64>>>(o);", "b", LaunchKind.POINTER),
        ("go(a, dim3(5), o);", "a", LaunchKind.POINTER),
        ("go(t<7>, dim3(5), o); go(b, dim3(6), o);", "bt", LaunchKind.POINTER),
        ("twice(b, o);", "b", LaunchKind.POINTER),
        ("plainly(a, o);", "a", LaunchKind.POINTER),
        ("for (int i = 0; i < 2; i++) { auto k = i ? a : b; k<<<5, 64>>>(o); }", "ab", LaunchKind.POINTER),
        ("int gs[] = {1, 2}; for (int g : gs) a<<<g, 64>>>(o);", "a", LaunchKind.CHEVRON),
        ("auto l = [&](int g) { b<<<g, 64>>>(o); }; l(3);", "b", LaunchKind.CHEVRON),
        ("each([=] { a<<<7, 64>>>(o); });", "a", LaunchKind.CHEVRON),
        ("void *p[] = {&o}; auto k = (const void *)b; cudaLaunchKernel(k, 5, 64, p, 0, 0);", "b", LaunchKind.RUNTIME),
        ("void *p[] = {&o}; cudaLaunchCooperativeKernel((void *)t<7>, 5, 64, p);", "t", LaunchKind.COOPERATIVE),
    ],
)
def test_the_kernels_that_a_launch_may_mean(parse, body, kernels, kind):
    unit = parse(_BEFORE.replace("BODY", body))
    assert unit.diagnostics == ()
    seen = [one for one in unit.launches if one.kernel]
    named = {kernel.usr: kernel.name for kernel in unit.kernels}
    assert "".join(sorted(named.get(one.kernel, "t") for one in seen)) == kernels
    assert {one.kind for one in seen} == {kind}
    assert {to_text(one.block.x) for one in seen if one.block.x is not None} == {"64"}


def test_what_is_not_seen_has_no_name(parse):
    unit = parse(_BEFORE.replace("BODY", "unknown<<<5, 64>>>(o); a<<<1, 32>>>(o);"))
    assert [one.kernel for one in unit.launches if "unknown" in one.callee_name] == [""]


@pytest.mark.parametrize(
    ("config", "grid", "block", "shared"),
    [
        ("cudaLaunchConfig_t c = {dim3(n, 2), 96, 48, 0, nullptr, 0};", "n 2", "96", "48"),
        ("cudaLaunchConfig_t c{}; c.gridDim = 7; c.blockDim = dim3(32, 8); c.dynamicSmemBytes = n;", "7 1", "32", "n"),
        ("cudaLaunchConfig_t c; c.gridDim = dim3(n, 3); c.blockDim = 128; c.attrs = nullptr;", "n 3", "128", "?"),
        ("dim3 g(4, 5); cudaLaunchConfig_t c = {g, 64, 0}; c.numAttrs = 0;", "4 5", "64", "0"),
        ("cudaLaunchConfig_t c = {4, 64, 0}; if (n) c.gridDim = 9;", "? ?", "64", "0"),
    ],
)
def test_the_configuration_of_an_extensible_launch(parse, config, grid, block, shared):
    unit = parse(_BEFORE.replace("BODY", config + " cudaLaunchKernelEx(&c, a, o);"))
    (launch,) = [one for one in unit.launches if one.kernel]

    def said(*parts):
        return " ".join("?" if part is None else to_text(part) for part in parts)

    assert said(launch.grid.x, launch.grid.y) == grid
    assert (said(launch.block.x), said(launch.shared)) == (block, shared)
