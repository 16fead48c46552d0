"""Instantiations start with what others of their template have learnt, and end with what they find when alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest

from gpuopt_driver.frontend.interpreter import Interpreter
from gpuopt_driver.frontend.model import Kernel

PREFIX = """
__device__ int mystery(int *);
template <int N> __device__ void bump(int &x, int *a) { for (int j = 0; j < N; j++) x += a[j]; }
template <bool B> __device__ int choose(int t, int n) { return B ? t : n; }
template <int N, bool B> __global__ void k(int *a, const int *__restrict__ w, int n) {
  __shared__ int s[32 * N];
  int t = threadIdx.x;
"""
ALIKE = {  # and how often the second one is run
    "strides": ("for (int i = t; i < n; i += blockDim.x) a[i] = w[i] * N;", 1),
    "data": ("int x = t; for (int i = 0; i < n; i++) { x = w[x]; a[x] = N; }", 1),
    "nested": ("for (int i = t; i < n; i += N) { int p = i; for (int j = i; j < n; j += i) p = w[p]; a[p] = 1; }", 2),
    "pointers": ("const int *p = w + t; for (int i = 0; i < n; i++) { a[i] = *p; p += n; }", 1),
    "callee": ("int x = 0; for (int i = 0; i < n; i++) { bump<4>(x, a); a[x] = t; }", 2),
    "called before": ("int x = 0; bump<4>(x, a); for (int i = 0; i < n; i++) { bump<4>(x, a); a[x] = t; }", 2),
    "address": ("int x = t; for (int i = 0; i < n; i++) { mystery(&x); a[x] = N; }", 1),
    "shared": ("for (int i = 0; i < n; i++) { s[t] = w[i]; if (s[0] > 3) a[t] = s[0]; }", 1),
}
UNLIKE = {
    "stride": "int x = 0; for (int i = 0; i < n; i++) { x += N == 2 ? t : 2; a[x] = w[i]; }",
    "only one changes": "int x = n; for (int i = 0; i < n; i++) { if (N == 2) x = w[x + t]; a[x] = w[i]; }",
    "uniform in one": "int x = n; for (int i = 0; i < n; i++) { x = w[x + (B ? t : 0)]; if (x) __syncthreads(); }",
    "called": "int x = n; for (int i = 0; i < n; i++) { x = w[x + choose<B>(t, n)]; if (x) __syncthreads(); }",
    "left by some": "for (int i = 0; i < n; i++) { if (B && t == i) break; __syncthreads(); a[i] = N; }",
    "address in one": "int x = n; for (int i = 0; i < n; i++) { if (B) mystery(&x); a[x] = i; }",
    "other function": "int x = 0; for (int i = 0; i < n; i++) { bump<N>(x, a); a[x] = t; }",
    "other step": "for (int i = t; i < n; i += N * blockDim.x) a[i] = w[i];",
    "memory": "for (int i = 0; i < n; i++) { if (B) a[t] = i; if (a[0]) __syncthreads(); }",
}


def source(body: str, *launches: str) -> str:
    launched = " ".join(f"k<{one}><<<1, 32>>>(a, w, n);" for one in launches)
    return f"{PREFIX}  {body}\n}}\nvoid f(int *a, const int *w, int n) {{ {launched} }}\n"


def found(kernel: Kernel) -> dict[str, object]:
    """The model of a kernel."""
    return {one.name: getattr(kernel, one.name) for one in fields(kernel)}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often kernels are run."""
    counted: Counter[str] = Counter()
    real = Interpreter.run_kernel

    def run_kernel(self, *given):
        counted["runs"] += 1
        real(self, *given)

    monkeypatch.setattr(Interpreter, "run_kernel", run_kernel)
    return counted


@pytest.mark.parametrize(("body", "again"), ALIKE.values(), ids=ALIKE)
def test_what_one_has_learnt_is_not_learnt_again(body, again, parse, runs):
    alone = [parse(source(body, one)).kernels[0] for one in ("2, true", "3, true")]
    needed = runs["runs"]
    runs.clear()
    kernels = parse(source(body, "2, true", "3, true")).kernels
    assert [one.facts_of.arguments for one in kernels] == [("2", "1"), ("3", "1")]
    assert [found(one) for one in kernels] == [found(one) for one in alone]
    assert runs["runs"] == needed // 2 + again < needed


@pytest.mark.parametrize("launches", [("2, true", "3, false"), ("3, false", "2, true")], ids=["first", "last"])
@pytest.mark.parametrize("body", UNLIKE.values(), ids=UNLIKE)
def test_each_is_what_it_is_alone(body, launches, parse):
    alone = [parse(source(body, one)).kernels[0] for one in launches]
    kernels = parse(source(body, *launches)).kernels
    assert len(kernels) == 2
    for one in alone:
        again = next(other for other in kernels if other.facts_of == one.facts_of)
        assert found(again) == found(one)
