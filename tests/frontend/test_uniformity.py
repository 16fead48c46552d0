"""Which conditions are the same for a block, and where all its threads come together."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.model import StmtKind, SyncKind

PREFIX = """
__device__ int mystery(int);
__device__ int first(int t, int n) { for (int i = 0; i < t; i++) { if (n > 3) return i; } return -1; }
struct Base { __device__ virtual bool test() { return true; } };
__global__ void k(float *a, const int *__restrict__ idx, int *w, volatile int *v, int n) {
  __shared__ int flag;
  int t = threadIdx.x;
"""


def barrier(kernel) -> bool:
    """Whether every barrier is reached by all threads together."""
    return all(kernel.stmt(sync.stmt).reached_uniformly for sync in kernel.syncs if sync.text == "__syncthreads()")


REACHED = {
    "plain": "__syncthreads();",
    "parameter": "if (n > 3) __syncthreads();",
    "block index": "if (blockIdx.x == 0 && n) { __syncthreads(); }",
    "counted loop": "for (int i = 0; i < n; i++) { a[t] = i; __syncthreads(); }",
    "halving loop": "for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (t < s) a[t] += a[t + s]; __syncthreads(); }",
    "while loop": "int s = n; while (s > 1) { s = s / 2; __syncthreads(); }",
    "do loop": "int s = 0; do { s++; __syncthreads(); } while (s < n);",
    "behind a divergent if": "if (t < 3) a[t] = 1; __syncthreads();",
    "behind an early return": "if (t >= n) return; __syncthreads();",
    "return in a loop": "for (int i = 0; i < n; i++) { if (a[t] > i) return; __syncthreads(); }",
    "uniform break": "for (int i = 0; i < n; i++) { if (i == n / 2) break; __syncthreads(); }",
    "uniform continue": "for (int i = 0; i < n; i++) { if (i & 1) continue; __syncthreads(); }",
    "behind a divergent loop": "for (int i = t; i < n; i += 32) a[i] = 0; __syncthreads();",
    "read-only data, same address": "int m = idx[blockIdx.x]; for (int i = 0; i < m; i++) __syncthreads();",
    "uniform switch": "switch (n) { case 1: a[0] = 1; break; default: __syncthreads(); }",
    "variable used again": "int i = t; a[i] = 0; for (i = 0; i < n; i++) __syncthreads();",
    "both ways the same": "int z = 1; if (t & 1) z = 1; if (z) __syncthreads();",
    "vote of the block": "int any = __syncthreads_or(t); if (any) __syncthreads();",
    "float of uniform values": "float x = n * 0.5f; if (x > 3.f) __syncthreads();",
    "helper of uniform value": "if (max(n, 3) > 5) __syncthreads();",
    "shared flag between barriers": "if (t == 0) flag = w[3]; __syncthreads(); if (flag) __syncthreads();",
    "loop on a shared flag": """do { __syncthreads(); if (t == 0) flag = w[n]; __syncthreads(); int f = flag;
      __syncthreads(); if (!f) break; } while (true);""",
    "nested loops": "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) __syncthreads();",
    "barrier first, then continue": "for (int i = 0; i < n; i++) { __syncthreads(); if (a[t] > 0) continue; a[t] = 1; "
    "}",
}

NOT_REACHED = {
    "thread index": "if (t == 0) __syncthreads();",
    "copied thread index": "int u = t * 2 + 1; if (u > n) __syncthreads();",
    "else of a divergent if": "if (t) a[0] = 1; else __syncthreads();",
    "loop from the thread index": "for (int i = t; i < n; i += 32) __syncthreads();",
    "loop to the thread index": "for (int i = 0; i < t; i++) __syncthreads();",
    "loaded from varying address": "if (idx[t]) __syncthreads();",
    "loaded from data that is written": "w[t] = 1; if (w[0]) __syncthreads();",
    "volatile": "if (v[0]) __syncthreads();",
    "atomic result": "int old = atomicAdd(w, 1); if (old == 0) __syncthreads();",
    "assigned under divergent control": "int z = 0; if (t & 1) z = 1; if (z) __syncthreads();",
    "float assigned under divergent control": "float z = 0; if (t & 1) z = 1; if (z > 0.5f) __syncthreads();",
    "left undefined by some": "int z; if (t & 1) z = 1; if (z) __syncthreads();",
    "behind a divergent break": "for (int i = 0; i < n; i++) { if (a[t] > i) break; __syncthreads(); }",
    "before a divergent break": "for (int i = 0; i < n; i++) { __syncthreads(); if (a[t] > i) break; }",
    "behind a divergent continue": "for (int i = 0; i < n; i++) { if (a[t] > i) continue; __syncthreads(); }",
    "divergent do loop": "int i = 0; do { i++; __syncthreads(); } while (i < t);",
    "counter of a divergent loop": "int i = 0; while (i < t) i++; if (i > 3) __syncthreads();",
    "count of divergent iterations": "int c = 0; for (int i = t; i < n; i += 2) c++; if (c) __syncthreads();",
    "warp vote": "if (__any_sync(~0u, t)) __syncthreads();",
    "shuffle": "if (__shfl_sync(~0u, n, 0)) __syncthreads();",
    "lane id": 'int l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); if (l) __syncthreads();',
    "unknown function": "if (mystery(n)) __syncthreads();",
    "shared flag without barrier": "if (t == 0) flag = n; if (flag) __syncthreads();",
    "flag overwritten": "if (t == 0) flag = n; __syncthreads(); int f = flag; if (t == 1) flag = 0; if (f) "
    "__syncthreads();",
    "flag written at a loop's end": "flag = 1; __syncthreads(); while (flag) { __syncthreads(); "
    "if (t == 0) flag = w[0]; }",
    "flag of the other branch": "int f = 0; if (t) flag = 1; else f = flag; if (n) { if (f) __syncthreads(); }",
    "returned from a loop that some leave early": "int m = first(t, n); if (m >= 0) __syncthreads();",
    "reinterpreted": "float f = 0; *(int *)&f = t; int z = f > 0; if (z) __syncthreads();",
    "reinterpreted reference": "int z = 0; reinterpret_cast<unsigned &>(z) = t; if (z) __syncthreads();",
    "union": "union { float f; int i; } u; u.i = 0; u.f = t; if (u.i) __syncthreads();",
    "backward goto": "int z = 0; again: if (z) { __syncthreads(); return; } z = t; if (n) goto again;",
    "virtual method": "Base *p = (Base *)a; if (p->test()) __syncthreads();",
    "divergent switch": "switch (t) { case 1: __syncthreads(); break; default: a[0] = 1; }",
    "divergent operand": "if (n > 2 && t > 2) __syncthreads();",
    "changed through a pointer": "int z = 0; int *p = &z; if (t) *p = 1; if (z) __syncthreads();",
    "loop carried": "int z = 0; for (int i = 0; i < n; i++) { if (z) __syncthreads(); z = t; }",
    "carried twice": "int y = 0, z = 0; for (int i = 0; i < n; i++) { if (z) __syncthreads(); z = y; y = t; }",
    "goto": "if (n) goto out; __syncthreads(); out: a[0] = 1;",
    "clock": "if (clock64() & 1) __syncthreads();",
    "inner bound": "for (int i = 0; i < n; i++) { int m = idx[t]; for (int j = 0; j < m; j++) __syncthreads(); }",
    "ternary": "int m = t > 3 ? 5 : n; for (int i = 0; i < m; i++) __syncthreads();",
}


@pytest.mark.parametrize("body", REACHED.values(), ids=REACHED.keys())
def test_reached_by_all(kernel, body):
    assert barrier(kernel(f"{PREFIX}  {body}\n}}\n"))


@pytest.mark.parametrize("body", NOT_REACHED.values(), ids=NOT_REACHED.keys())
def test_not_reached_by_all(kernel, body):
    assert not barrier(kernel(f"{PREFIX}  {body}\n}}\n"))


def test_conditions_of_statements(kernel):
    found = kernel(f"{PREFIX} if (n) {{ if (t) a[0] = 1; }} while (n > 2) {{ n--; }} }}")
    uniform = {stmt.kind: stmt.uniform for stmt in found.stmts if stmt.kind in (StmtKind.WHILE,)}
    assert uniform == {StmtKind.WHILE: True}
    first, second = [stmt for stmt in found.stmts if stmt.kind is StmtKind.IF]
    assert (first.uniform, second.uniform) == (True, False)
    assert (first.reached_uniformly, second.reached_uniformly) == (True, True)


def test_waits_for_others_than_the_block_may_be_any_barrier(parse):
    unit = parse("""
#include <cuda.h>
__global__ void k(float *a) {
  cudaGridDependencySynchronize();
  a[threadIdx.x] += 1;
  cudaTriggerProgrammaticLaunchCompletion();
  __barrier_sync(1);
}
void check(CUresult result) {
  const char *name;
  cuGetErrorName(result, &name);
}""")
    assert unit.diagnostics == ()
    (found,) = unit.kernels
    assert {sync.kind for sync in found.syncs} == {SyncKind.UNKNOWN}
    assert len({sync.stmt for sync in found.syncs}) == 3
