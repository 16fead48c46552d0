"""Kernels that are split where their barriers and warp operations are those of cooperative groups: which are, which
must not be, and that they compute the same."""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.random_calls import program
from tests.emulator.support import PROGRAMS, compile_with, run

KERNELS = range(100, 103)
ALIAS = "namespace cg = cooperative_groups;\n"
BLOCK = "cg::thread_block b = cg::this_thread_block();"
TILE = BLOCK + " auto t = cg::tiled_partition<32>(b);"
SUM = (
    "template <class G> __device__ int sum(const G &g, int v) { for (int h = g.size() / 2; h > 0; h /= 2)"
    " v += g.shfl_down(v, h); return v; }\n"
)


def _split(body: str, before: str = "") -> int:
    text = f"{ALIAS}{before}\n__global__ void k(int *p, int n) {{\n  __shared__ int s[64];\n  {body}\n}}\n"
    done = rewrite(text.encode())
    assert done.split == done.placed
    return done.split


@pytest.mark.parametrize(
    "body",
    [
        BLOCK + " s[b.thread_rank()] = n; cg::sync(b); p[b.size()] = s[n];",
        BLOCK + " b.sync(); p[b.group_index().x] = b.num_threads(); sync(b);",
        BLOCK + " dim3 i = b.thread_index(); b.sync(); p[i.x] = b.group_dim().y + b.dim_threads().x;",
        "const auto &b = cooperative_groups::this_thread_block(); if (n > 3) ::cooperative_groups::sync(b);",
        "auto b(cg::this_thread_block()); b.sync();",
        "cg::thread_group b{cg::this_thread_block()}; b.sync(); p[0] = b.size();",
        "cg::this_thread_block().sync(); cg::sync(::cg::this_thread_block());",
        "cg::thread_block::sync(); p[cg::thread_block::thread_rank()] = 1;",
        "using namespace cooperative_groups; thread_block b = this_thread_block(); sync(b);",
        "namespace own = cooperative_groups; own::thread_block b = own::this_thread_block(); b.sync();",
        BLOCK + " { auto c = b; c.sync(); }",
        TILE + " int v = n; for (int i = t.num_threads() / 2; i; i /= 2) v += t.shfl_xor(v, i); p[t.size()] = v;",
        TILE + " if (t.meta_group_rank() < t.meta_group_size() - 1) t.sync(); p[t.any(n)] = t.all(n) + t.ballot(n);",
        "cg::thread_block_tile<32> t = cg::tiled_partition<32>(cg::this_thread_block()); n = t.shfl(n, 3); p[n] = 1;",
        BLOCK + " cg::thread_block_tile<8, cg::thread_block> t = cg::tiled_partition<8U, cg::thread_block>(b);",
        TILE + " auto u = cg::tiled_partition<4>(t); n = u.shfl_up(n, 1) + u.any(n); p[u.meta_group_rank()] = n;",
        BLOCK + " cg::thread_group t = cg::tiled_partition(b, 16); t.sync(); p[t.size()] = t.thread_rank();",
        TILE + " p[n] = cg::reduce(t, s[n] + 1, cg::plus<int>()); n = reduce(t, n, cg::less<int>{}); p[0] = n;",
        TILE + " auto u = cg::tiled_partition<8>(b); p[0] = sum(t, n) + sum(u, 2);",
        BLOCK + " p[0] = block_sum(b, s, n);",
        BLOCK + " p[0] = both(b, n);",
        "p[0] = alone(n);",
    ],
)  # fmt: skip
def test_groups_that_are_told(body: str) -> None:
    before = SUM + (
        "__device__ int block_sum(cg::thread_block g, int *s, int v) { auto t = cg::tiled_partition<32>(g);"
        " v = sum(t, v); if (t.thread_rank() == 0) s[t.meta_group_rank()] = v; cg::sync(g); return s[0]; }\n"
        "__device__ int both(const cg::thread_block &g, int v) { g.sync(); return v + g.thread_rank(); }\n"
        "__device__ int alone(int v) { cg::thread_block g = cg::this_thread_block(); cg::sync(g); return v; }\n"
    )
    assert _split(body, before if "(b" in body or "alone" in body or "sum(" in body else "") == 1


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("cg::coalesced_group a = cg::coalesced_threads(); a.sync();", ""),
        ("cg::grid_group g = cg::this_grid(); g.sync();", ""),
        ("auto c = cg::this_cluster(); c.sync();", ""),
        (TILE + " auto l = cg::labeled_partition(t, n); p[0] = l.size();", ""),
        (TILE + " auto l = cg::binary_partition(t, n > 3); l.sync();", ""),
        (BLOCK + " auto t = cg::tiled_partition<64>(b); t.sync();", ""),
        (BLOCK + " auto t = cg::tiled_partition(b, n); t.sync();", ""),
        (TILE + " p[0] = t.match_any(n);", ""),
        (TILE + " p[0] = t.shfl(n + 1, 0);", ""),
        (TILE + " p[0] = cg::inclusive_scan(t, n);", ""),
        (TILE + " p[0] = cg::reduce(t, n, [](int x, int y) { return x + y; });", ""),
        (TILE + " p[0] = cg::reduce(t, n, std::plus<int>());", ""),
        (BLOCK + " { auto b = n; p[b] = 1; } b.sync();", ""),
        (BLOCK + " for (int b = 0; b < n; ++b) p[b] = 1; b.sync();", ""),
        ("{ " + BLOCK + " } p[b] = 1;", "__device__ int b;"),
        (BLOCK + " other(b); b.sync();", "template <class G> void other(G);"),
        (BLOCK + " Holder h{b}; b.sync();", "struct Holder { cg::thread_block b; };"),
        (BLOCK + " cg::thread_block *q = &b; q->sync();", ""),
        (BLOCK + " auto f = [&] { b.sync(); }; f();", ""),
        (BLOCK + " auto f = [] { return cg::this_thread_block().thread_rank(); }; b.sync(); p[0] = f();", ""),
        ("cg::thread_block b = n ? cg::this_thread_block() : cg::this_thread_block(); b.sync();", ""),
        ("cg::thread_block b = make(); b.sync();", "cg::thread_block make();"),
        (BLOCK + " auto token = b.barrier_arrive(); b.barrier_wait(cuda::std::move(token));", ""),
        ("const uint3 threadIdx = {1u, 2u, 3u}; " + BLOCK + " b.sync(); p[b.thread_rank()] = threadIdx.x;", ""),
        (BLOCK + " sync(b); p[0] = 1;", "__device__ void sync(int);"),
        ("using namespace cooperative_groups; thread_block b = this_thread_block(); sync(b);",
         "struct thread_block { void sync(); }; thread_block this_thread_block();"),
        (BLOCK + " b.sync();", "namespace cooperative_groups { thread_block this_thread_block(int = 0); }"),
        (BLOCK + " b.sync();", "namespace far { namespace cg { struct thread_block { void sync(); }; } }"),
        (BLOCK + " bool sync = n; b.sync(); if (sync) sync(b);", ""),
    ],
)  # fmt: skip
def test_groups_that_are_left(body: str, before: str) -> None:
    assert _split(body, before) == 0


def _in_groups(text: str) -> str:
    """A random program with groups' barriers and warp operations in place of plain ones."""
    barriers = cycle(["cg::sync(block);", "block.sync();", "cg::this_thread_block().sync();", "tile_sync(block);"])
    text = re.sub(r"__syncthreads\(\);", lambda _: next(barriers).replace("tile_sync", "cg::sync"), text)
    text = re.sub(r"__(shfl\w*|ballot)_sync\(0xffffffff, ", r"tile.\1(", text)
    declared = (
        "const cg::thread_block block = cg::this_thread_block(); const auto tile = cg::tiled_partition<32>(block);"
        " (void)tile.size(); (void)block.size();\n"
    )
    given = "const cg::thread_block &block, const cg::thread_block_tile<32> tile"
    for name in sorted(set(re.findall(r"\b(k\d+_f\d*[13579])(?=[<(])", text))):  # these are given the groups
        text = re.sub(rf"(__device__ \w+ {name})\((\)?)", lambda m: f"{m[1]}({given}{m[2] or ', '}", text)
        text = re.sub(rf"(?<!\w )({name}(?:<\w+>)?)\((\)?)", lambda m: f"{m[1]}(block, tile{m[2] or ', '}", text)
    text = re.sub(r"((?:__device__ \w+ k\d+_f\d*[02468]|__global__ void \w+)\([^)]*\) \{\n)", rf"\1{declared}", text)
    return "#include <cooperative_groups.h>\n" + ALIAS + text


def test_random_kernels(tmp_path: Path, host_compiler: str) -> None:
    text, expected = program(KERNELS)
    text = _in_groups(text)
    assert text.count("tile.") > 20
    (tmp_path / "groups.cu").write_text(text)
    done = rewrite(text.encode())
    assert done.placed > 0.8 * len(KERNELS)
    assert compile_with("groups.cu", "-o", "groups", cwd=tmp_path, plain=True) == 0
    assert (tmp_path / "groups").read_bytes().count(b"run_split") >= done.placed
    found = run(tmp_path / "groups", GPUOPT_EMU_ERROR_STATUS="9")
    assert found.returncode == 0, found.stderr
    for seed, line, values in zip(KERNELS, found.stdout.splitlines(), expected, strict=True):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"


def test_tiles_and_reductions(tmp_path: Path, host_compiler: str) -> None:
    """Tiles of all sizes, lanes that part, threads that are missing, sums of floats: in loops, on fibers, checked."""
    found = []
    for options, splits in ((["-DON_FIBERS"], False), ([], True)):
        assert (
            compile_with(PROGRAMS / "group_tiles.cu", *options, "-o", "tiles", cwd=tmp_path, check=splits, plain=True)
            == 0
        )
        assert (b"run_split" in (tmp_path / "tiles").read_bytes()) == splits
        found.append(run(tmp_path / "tiles").stdout)
    checked = run(tmp_path / "tiles", GPUOPT_EMU_MODE="check")
    assert "0 errors" in checked.stderr, checked.stderr
    assert found[0].count("no error") == 5
    assert found[0] == found[1] == checked.stdout


def test_tiles_of_tiles_that_are_kept_as_tiles(tmp_path: Path, host_compiler: str) -> None:
    """They count their ranks in the tile that was divided; votes of small ones are ints."""
    (tmp_path / "part.cu").write_text(
        "#include <cooperative_groups.h>\n#include <cstdio>\nnamespace cg = cooperative_groups;\n"
        "__device__ int kind(int) { return 1; } __device__ int kind(bool) { return 2; }\n"
        "__global__ void k(int *p) { auto b = cg::this_thread_block(); MAY_STAY\n"
        "  auto t = cg::tiled_partition<32>(b); cg::thread_block_tile<4> u = cg::tiled_partition<4>(t); u.sync();\n"
        "  p[threadIdx.x] = u.meta_group_rank() * 100 + u.meta_group_size() * 10 + kind(u.any(1)); }\n"
        "int main() { int *p; cudaMallocManaged(&p, 400); k<<<1, 96>>>(p);\n"
        '  printf("%d: %d %d %d", cudaDeviceSynchronize(), p[0], p[31], p[95]); }\n'
    )
    for stays in ("", "if (blockDim.x == 0) cg::coalesced_threads().sync();"):
        assert compile_with("part.cu", f"-DMAY_STAY={stays}", "-o", "part", cwd=tmp_path) == 0
        assert (b"run_split" in (tmp_path / "part").read_bytes()) == (not stays)
        assert run(tmp_path / "part").stdout == "0: 81 781 781"
