"""Which threads are known to come to an operation of a warp together."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import Const, Op, Sym, SymKind, op
from gpuopt_driver.frontend.model import Convergence, SyncKind
from gpuopt_driver.frontend.warps import same_in_warp

PREFIX = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned voted(unsigned v) { return __popc(__ballot_sync(~0u, v)); }
__device__ unsigned some(unsigned v, bool yes) { return yes ? __popc(__ballot_sync(~0u, v)) : v; }
__device__ unsigned first(unsigned v) { if (threadIdx.x < 32) v = voted(v); return v; }
__device__ unsigned left(unsigned v) { if (v > 3) return v; return voted(v); }
template <class F> __device__ void apply(F f) { f(); }
__global__ void k(unsigned *a, const unsigned *b, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / warpSize, lane = t & 31;
  const int rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned v = b[i];
"""

BLOCK = {
    "plain": "v += voted(v);",
    "behind a divergent if": "if (v > 3) v = 1; v += voted(v);",
    "behind a divergent loop": "for (int q = t; q < n; q += 32) v += b[q]; v += voted(v);",
    "uniform condition": "if (n > 3) v += some(v, n > 5);",
    "of those that are there": "if (v > 3) v += __shfl_sync(__activemask(), v, 0);",
    "a coalesced group": "if (v > 3) { auto g = cg::coalesced_threads(); v += g.shfl(v, 0); }",
}
WARPS = {
    "first warp": "if (threadIdx.x < 32) v += voted(v);",
    "first two warps": "if (!(t >= 64)) v += voted(v);",
    "up to a lane": "if (t <= 31) v += voted(v);",
    "number of the warp": "if (warp == 0) v += voted(v);",
    "shifted": "if ((t >> 5) & 1) v += voted(v);",
    "of the grid": "if (i / 32 < n) v += voted(v);",
    "of the block": "if (rank / 64 == 1) v += voted(v);",
    "row of threads": "if (threadIdx.y == 0) v += voted(v);",
    "in a callee": "v += first(v);",
    "argument of a callee": "v += some(v, warp == 2);",
    "loop over warps": "for (int row = warp; row < n; row += blockDim.x / 32) v += voted(v + row);",
    "and": "if (n > 3 && warp < n && voted(v)) v = 3;",
    "choice": "v += warp ? voted(v) : 1u;",
    "switch": "switch (warp) { case 1: v += voted(v); break; default: v = 1; }",
    "tile's number": "auto tile = cg::tiled_partition<32>(cg::this_thread_block());"
    "if (tile.meta_group_rank() == 0) v += tile.shfl(v, 0);",
}
DIVERGENT = {
    "data": "if (v > 3) v += voted(v);",
    "half a warp": "if (lane < 16) v += voted(v);",
    "thread": "if (t < 16) v += voted(v);",
    "not all warps of a limit": "if (t < n) v += voted(v);",
    "up to another lane": "if (t <= 32) v += voted(v);",
    "limit of the grid": "if (i < n) v += voted(v);",
    "division by less": "if (t / 16 == 1) v += voted(v);",
    "division of an offset": "if ((t + 8) / 32 == 1) v += voted(v);",
    "rounded to zero": "if (((int)t - 32) / 32 == 0) v += voted(v);",
    "wrapped and rounded to zero": "if ((int)(threadIdx.x - 32u) / 32 == 0) v += voted(v);",
    "of a negative offset": "if ((n * 32 + (int)t) / 32 == 0) v += voted(v);",
    "and": "if (v > 3 && voted(v)) v = 1;",
    "or": "if (lane == 0 || voted(v)) v = 1;",
    "choice": "v += v > 3 ? voted(v) : 1u;",
    "while": "while (v > 3) v -= voted(v);",
    "do": "do v = v / 2 + voted(v) / 64; while (v > 3);",
    "loop of some": "for (int q = lane; q < n; q += 32) v += voted(q);",
    "behind a break": "for (int q = 0; q < n; q++) { if (b[q + t]) break; v += voted(v); }",
    "behind a continue": "for (int q = 0; q < n; q++) { if (b[q + t]) continue; v += voted(v); }",
    "switch": "switch (v) { case 1: v += voted(v); break; default: v = 1; }",
    "lambda": "auto f = [&] { if (v & 1) v += voted(v); }; f();",
    "handed lambda": "if (v & 1) apply([&] { v += voted(v); });",
    "return of a callee": "v += left(v);",
    "warp's barrier": "if (v) __syncwarp();",
    "tile": "auto tile = cg::tiled_partition<16>(cg::this_thread_block()); if (tile.thread_rank() == 0) tile.sync();",
    "parts of a tile": "auto tile = cg::tiled_partition<32>(cg::this_thread_block());"
    "if (v & 1) { auto part = cg::binary_partition(tile, v > 3); v += part.size(); }",
}
CASES = {
    f"{level.name.lower()}, {name}": (level, body)
    for level, bodies in zip(Convergence, (DIVERGENT, WARPS, BLOCK), strict=True)
    for name, body in bodies.items()
}


@pytest.mark.parametrize(("level", "body"), CASES.values(), ids=CASES)
def test_who_comes_together(kernel, level: Convergence, body: str) -> None:
    syncs = kernel(PREFIX + body + " a[i] = v; }").syncs
    found = [sync.convergence for sync in syncs if sync.kind is SyncKind.WARP and sync.text != "__activemask()"]
    assert found
    assert min(found) is level


def test_a_signed_number_may_be_negative_behind_an_unsigned_one() -> None:
    """`(int)(threadIdx.x - 32u) / 32` is -1 for the first lane alone; without the conversion it is one number."""
    wrapped = op("u32", op("-", Sym("threadIdx.x", SymKind.THREAD), Const(32)))
    assert same_in_warp(Op("/", (wrapped, Const(32))))
    assert not same_in_warp(Op("/", (Op("i32", (wrapped,)), Const(32))))
