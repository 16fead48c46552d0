"""Loops: symbols, bounds, steps, trip counts."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import evaluate, to_text

from .conftest import access, factor


@pytest.mark.parametrize(
    ("head", "values", "trips"),
    [
        ("for (int i = 0; i < n; i++)", {"n": 10}, 10),
        ("for (int i = 0; i < n; i++)", {"n": -4}, 0),
        ("for (int i = 2; i <= n; i += 3)", {"n": 11}, 4),
        ("for (int i = n; i > 0; --i)", {"n": 7}, 7),
        ("for (int i = n - 1; i >= 0; i -= 2)", {"n": 7}, 4),
        ("for (int i = 0; i != n; ++i)", {"n": 5}, 5),
        ("for (int i = 0; n > i; i = i + 1)", {"n": 5}, 5),
        ("for (int i = threadIdx.x; i < n; i += blockDim.x)", {"n": 100, "threadIdx.x": 3, "blockDim.x": 32}, 4),
        ("for (unsigned i = blockIdx.x * 4; i < 64; i += gridDim.x * 4)", {"blockIdx.x": 1, "gridDim.x": 5}, 3),
        ("for (int i = 0; i < 3 * n - 1; i++)", {"n": 2}, 5),
        ("for (size_t i = 0; i < (size_t)n; ++i)", {"n": 9}, 9),
    ],
)
def test_trip_counts(kernel, head, values, trips):
    found = kernel(f"__global__ void k(float *a, int n) {{ {head} a[i] = 0; }}")
    (loop,) = found.loops
    assert loop.trips is not None
    assert evaluate(loop.trips, values) == trips
    assert loop.variable == "i"
    assert factor(access(found, "a[i]").offset, loop.symbol) == 4


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < n; i++) { if (a[i] > 0) break; a[i] = 1; }",
        "for (int i = 0; i < n; i++) { if (a[i] > 0) return; a[i] = 1; }",
        "for (int i = 1; i < n; i *= 2) a[i] = 1;",
        "for (int i = 0; i < n; i += (int)a[i]) a[i] = 1;",
        "for (int i = 0; i < n; i++) { if (a[i] > 0) i++; a[i] = 1; }",
        "for (int i = 0; i < n && a[i] > 0; i++) a[i] = 1;",
        "for (int i = 0; i < n; i++) { n = n - 1; a[i] = 1; }",
        "while (a[0] > 0) a[0] = a[0] - 1;",
        "for (;;) { a[0] += 1; if (a[0] > 3) break; }",
    ],
)
def test_unknown_trip_counts(kernel, loop):
    found = kernel(f"__global__ void k(float *a, int n) {{ {loop} }}")
    assert found.loops[0].trips is None


def test_while_and_do_loops_count(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  int i = 4;
  while (i < n) { a[i] = 0; i += 2; }
  int j = 0;
  do { a[j + 1] = 0; j++; } while (j < n);
  a[j + 2] = 1;
  a[i + 3] = 1;
}""")
    first, second = found.loops
    assert evaluate(first.trips, {"n": 9}) == 3
    assert evaluate(second.trips, {"n": 9}) == 9
    assert evaluate(second.trips, {"n": -9}) == 1
    assert factor(access(found, "a[j + 1]").offset, second.symbol) == 4
    assert evaluate(access(found, "a[j + 2]").offset, {"n": 9}) == 4 * 11
    assert evaluate(access(found, "a[i + 3]").offset, {"n": 9}) == 4 * 13


def test_nesting(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  for (int i = 0; i < n; i++) { for (int j = i; j < n; j++) a[i * n + j] = 0; a[i] = 1; }
}""")
    outer, inner = found.loops
    assert (outer.depth, outer.parent, inner.depth, inner.parent) == (0, None, 1, outer.stmt)
    assert access(found, "a[i * n + j]").loops == (outer.stmt, inner.stmt)
    assert access(found, "a[i]").loops == (outer.stmt,)
    assert to_text(inner.start) == outer.symbol


def test_secondary_inductions(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  int off = threadIdx.x;
  for (int i = 0; i < n; i += 2) { a[off] = 0; off += 6; }
  a[off + 1] = 1;
}""")
    loop = found.loops[0].symbol
    assert factor(access(found, "a[off]").offset, loop) == 12
    assert factor(access(found, "a[off]").offset, "threadIdx.x") == 4
    assert evaluate(access(found, "a[off + 1]").offset, {"n": 5, "threadIdx.x": 2}) == 4 * (2 + 18 + 1)


def test_pointers_count(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  const float *end = a + n;
  float s = 0;
  for (const float *p = a + threadIdx.x; p < end; p += blockDim.x) s += *p;
  for (float *p = a + n; p > a; --p) *p = s;
}""")
    up, down = found.loops
    assert evaluate(up.trips, {"n": 10, "threadIdx.x": 3, "blockDim.x": 4}) == 2
    assert evaluate(up.trips, {"n": 2, "threadIdx.x": 3, "blockDim.x": 4}) == 0
    assert evaluate(down.trips, {"n": 7}) == 7


def test_irregular_steps_stay_unknown(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  int p = 0;
  for (int i = 0; i < n; i++) { if (a[i] > 0) p++; a[p] = 0; }
}""")
    assert factor(access(found, "a[p]").offset, found.loops[0].symbol) == 0
    assert "?" in to_text(access(found, "a[p]").offset)


def test_what_follows_a_lambda_with_implicit_captures_belongs_to_the_kernel(kernel) -> None:
    """libclang gives an implicit capture a parent that it never visits; the loop and the barrier must stay inside."""
    found = kernel(
        """__global__ void k(const unsigned *A, unsigned *y, int n) {
             int t = threadIdx.x;
             for (int r = 0; r < 3; r++) {
               auto l = [=](int q) { return (t & 3) + q + n; };
               for (int j = 0; j < n; j++) y[t] += A[t * n + j] + l(j);
               __syncthreads();
             }
           }"""
    )
    assert [param.name for param in found.params] == ["A", "y", "n"]
    outer, inner = found.loops
    assert inner.parent == outer.stmt
    (sync,) = found.syncs
    assert outer.stmt in {stmt.id for stmt in found.ancestors(sync.stmt)}
