"""Calls that an instantiation never makes do not count; those that may be made by any way do."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.model import Kernel, Unit

_WRITES = "__device__ void a(float &r) { r = 1; }\n__device__ void b(float &r) { __syncthreads(); r = 2; }\n"
NOT_RUN = {
    "other branch": "if (M == 0) b(x);",
    "both branches": "if (M == 1) { a(x); } else { b(x); }",
    "nested": "if (M == 1) { if (M > 1) { for (int i = 0; i < n; ++i) { b(x); } } a(x); }",
    "chain": "if (M == 0) b(x); else if (M == 2) b(x); else a(x);",
    "behind a return": "if (M == 1) { o[0] = x; return; } b(x); o[1] = x;",
    "behind a continue": "for (int i = 0; i < n; ++i) { if (M == 1) continue; b(x); }",
    "in a function": "auto f = [&](float &r) { if (M == 0) b(r); }; f(x);",
    "a switch in it": "if (M == 0) { switch (n) { default: break; } }",
}
RUN = {
    "by its value": "if (M == 1) b(x);",
    "not known": "if (n == 0) b(x);",
    "by a label": "if (n) goto there; if (M == 0) { there: b(x); }",
    "by a case": "switch (n) { case 0: if (M == 0) { case 1: b(x); } default: break; }",
    "by another call": "auto f = [&](int m) { if (m == 0) b(x); }; f(1); f(0);",
    "before a return": "if (n) { b(x); return; }",
}


def _source(body: str) -> str:
    return (
        f"{_WRITES}template <int M> __global__ void k(float *o, int n) {{ float x = 0; {body} o[threadIdx.x] = x; }}\n"
        "void run(float *o, int n) { k<1><<<n, 64>>>(o, n); }\n"
    )


@pytest.mark.parametrize("body", NOT_RUN.values(), ids=NOT_RUN.keys())
def test_what_is_never_run_has_no_effects(kernel, body: str) -> None:
    found: Kernel = kernel(_source(body))
    assert [call.name for call in found.calls if not call.known] == []
    assert found.syncs == ()


@pytest.mark.parametrize("body", RUN.values(), ids=RUN.keys())
def test_what_may_be_run_has_its_effects(kernel, body: str) -> None:
    found: Kernel = kernel(_source(body))
    assert found.syncs


def test_instantiations_are_told_apart(parse) -> None:
    text = _source("if (M == 0) b(x);").replace(
        "k<1><<<n, 64>>>(o, n);", "k<1><<<n, 64>>>(o, n); k<0><<<n, 64>>>(o, n);"
    )
    unit: Unit = parse(text)
    syncs = {one.facts_of.arguments: len(one.syncs) for one in unit.kernels if one.facts_of is not None}
    assert syncs == {("1",): 0, ("0",): 1}


_VECTOR = (
    "template <class T> struct V {{ T x, y; V() = default; V(const V &) = default;"
    " __device__ V(T a, T b) : x(a), y(b) {{}} V &operator=(const V &) = default;"
    " template <class U> __device__ V &operator=(const V<U> &o) {{ {set} return *this; }} }};\n"
    "struct Two {{ V<float> a, b; }};\n"
    "__global__ void k(float *o, const Two *t) {{ {body} o[threadIdx.x] = s.a.x; }}\n"
)


def test_nobody_assigns_by_a_template_without_saying_so(kernel) -> None:
    """A class is copied by its own assignment; a template of one runs where it is named."""
    waits = "__syncthreads(); x = o.x;"
    copied = kernel(_VECTOR.format(set=waits, body="Two s = *t; s = *t;"))
    assert all(call.known for call in copied.calls)
    assert copied.syncs == ()
    named = kernel(_VECTOR.format(set=waits, body="Two s = *t; s.a = V<int>(1, 2);"))
    assert named.syncs
