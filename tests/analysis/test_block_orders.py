"""Orders of blocks: bijections of the grid, the papers' worked examples, and the C++ that kernels run."""

from __future__ import annotations

import itertools
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from gpuopt_driver.analysis.block_choice import Machine, Near, best_tile, traffic
from gpuopt_driver.analysis.block_orders import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    Order,
    cluster_size,
    invert,
    mapped,
    partition,
    place,
    round_robin,
)
from gpuopt_driver.analysis.block_traffic import Touch, dealt, gather, support, touched

GRIDS = ((5, 7, 3), (8, 8, 1), (1, 9, 2), (13, 1, 1))
TILES = ((0, 1, 1), (1, 0, 1), (4, 4, 1), (1, 3, 0), (2, 3, 2))
AXES = ("xyz xyz", "yzx zxy", "zyx yxz")


def _order(tile: tuple[int, int, int], axes: str) -> Order:
    outer, inner = (tuple("xyz".index(axis) for axis in word) for word in axes.split())
    return Order(tile, outer, inner)  # type: ignore[arg-type]


def test_every_order_runs_every_block_once() -> None:
    for grid, tile, axes in itertools.product(GRIDS, TILES, AXES):
        count = grid[0] * grid[1] * grid[2]
        blocks = {place(_order(tile, axes), grid, number) for number in range(count)}
        assert blocks == set(itertools.product(*map(range, grid)))


def test_rows_and_columns() -> None:
    assert [place(ROW_MAJOR, (3, 2, 1), number)[:2] for number in range(6)] == [
        (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1),
    ]  # fmt: skip
    assert [place(COLUMN_MAJOR, (3, 2, 1), number)[:2] for number in range(4)] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_matrix_product_of_the_clustering_paper() -> None:
    """Section 4.2: a grid of 3 x 2 blocks, two clusters along y."""
    number = next(v for v in range(6) if place(ROW_MAJOR, (3, 2, 1), v) == (0, 1, 0))
    assert number == 3
    assert partition(6, 2, number) == (0, 1)  # the first of cluster 1
    assert invert(6, 2, w=2, i=1) == 5
    assert round_robin(4, 2) == (2, 0)


def test_partition_and_inversion_belong_together() -> None:
    for blocks, clusters in itertools.product(range(1, 40), range(1, 9)):
        places = [partition(blocks, clusters, number) for number in range(blocks)]
        assert [invert(blocks, clusters, w, i) for w, i in places] == list(range(blocks))
        sizes = Counter(i for _, i in places)
        assert all(sizes[i] == cluster_size(blocks, clusters, i) for i in range(clusters))
        assert max(sizes.values()) - min(sizes.get(i, 0) for i in range(clusters)) <= 1


def test_figure_3_of_the_mapping_paper() -> None:
    """Four SMs, 5 x 5 blocks: one whole row (column) each, the fifth split evenly."""
    rows = mapped((5, 5), 4, "x")
    assert [[rows[x, y] for x in range(5)] for y in range(5)] == [
        [0] * 5, [1] * 5, [2] * 5, [3] * 5, [0, 0, 1, 1, 2],
    ]  # fmt: skip
    columns = mapped((5, 5), 4, "y")
    assert all(columns[y, x] == sm for (x, y), sm in rows.items())


def test_fewer_rows_than_sms_are_split_evenly() -> None:
    assert Counter(mapped((8, 2), 4, "x").values()) == {0: 4, 1: 4, 2: 4, 3: 4}


def _touches(n: int, x: int, y: int) -> tuple[Touch, ...]:
    """The matrices of a naive product of n rows with blocks of x * y threads."""
    row = 4 * n
    return (
        Touch(4, n, ((row, y), (4, n)), (0, row * y, 0)),
        Touch(4, n, ((4, x), (row, n)), (4 * x, 0, 0)),
        Touch(4, 1, ((4, x), (row, y)), (4 * x, row * y, 0)),
    )


def test_bytes_of_boxes_of_blocks() -> None:
    a, b, c = _touches(1024, 16, 16)
    assert touched(a, (1, 1, 1), 32) == 16 * 4096
    assert touched(a, (64, 1, 1), 32) == 16 * 4096  # all blocks of a row read the same
    assert touched(b, (64, 1, 1), 32) == 4096 * 1024
    assert touched(c, (2, 3, 1), 32) == 2 * 3 * 1024


def test_tiles_pay_where_the_second_matrix_exceeds_l2() -> None:
    machine = Machine(132, 8, 8, 40 << 20, 32, 2400)
    for n, pays in ((1024, False), (2048, False), (4096, True), (8192, True)):
        assert best_tile(_touches(n, 16, 16), (n // 16, n // 16, 1), machine, 0.013).pays(1.5, 0.013) is pays


def test_agents_gather_blocks_that_share() -> None:
    """A product's tiles are as square as can be; stencils go along their rows."""
    product = _touches(512, 16, 16)[:2]
    assert gather(product, (32, 32, 1), 8, 32) == (2, 4, (4 + 2) * 16 * 2048 / 8)
    assert gather(product, (32, 1, 1), 8, 32)[:2] == (0, 1)
    assert gather(product, (32, 1, 1), 8, 32, columns=True)[:2] == (8, 1)
    # 24 SMs and rows of 16 blocks: an SM's blocks lie in two columns and eight rows by accident, on 21 SMs anywhere.
    assert dealt(product, (16, 16, 1), 24, 8, 32) == (2 + 8) * 16 * 2048 / 8
    assert dealt(product, (16, 16, 1), 21, 8, 32) == (8 + 8) * 16 * 2048 / 8
    row = 4 * 512
    stencil = [Touch(4, 1, ((4, 36), (row, 12)), (128, 8 * row, 0))]
    assert gather(stencil, (16, 64, 1), 6, 128)[:2] == (0, 1)


_TWIN = """
#include <cstdio>
#include <cstddef>
#define __host__
#define __device__
#define __shared__ static
#define asm(...)
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
struct uint3 { unsigned x, y, z; };
static uint3 blockIdx, threadIdx;
static dim3 gridDim;
namespace real {
static unsigned block_x() { return blockIdx.x; }
static unsigned block_y() { return blockIdx.y; }
static unsigned block_z() { return blockIdx.z; }
}
static uint3 make_uint3(unsigned x, unsigned y, unsigned z) { uint3 v = { x, y, z }; return v; }
static void __syncthreads() {}
static unsigned atomicAdd(unsigned *p, unsigned n) { unsigned old = *p; *p += n; return old; }
struct plan { unsigned short n[8]; void *scratch; };
struct launch { dim3 grid, block; int sms; unsigned warps, blocks_per_sm; size_t l2_bytes; };
struct choice { unsigned short n[8]; };
"""


def _program(body: str) -> str:
    text = support().replace('asm volatile("mov', 'sm = 0; asm("mov').replace("asm volatile", "asm")
    return f"{_TWIN}{text}\nint main() {{\n{body}\n}}\n"


def _forms(touches: tuple[Touch, ...]) -> str:
    return " ".join(
        f"{{ form &f = o.add(); f.bytes = {one.bytes}; f.requests = {one.requests}; "
        + " ".join(f"f.walk({by}, {times});" for by, times in one.steps)
        + " ".join(f"f.block[{axis}] = {by};" for axis, by in enumerate(one.blocks))
        + " }"
        for one in touches
    )


def _run(tmp_path: Path, compiler: str, body: str) -> list[str]:
    source, program = tmp_path / "twin.cpp", tmp_path / "twin"
    source.write_text(_program(body))
    command = [compiler, "-std=c++11", "-Wall", "-Wextra", "-Wno-unused-variable", "-o", str(program), str(source)]
    subprocess.run(command, check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def test_the_code_of_kernels_agrees(tmp_path: Path, host_compiler: str) -> None:
    """Redirection, inversion, mapping, agents and the model, each against Python."""
    lines: list[str] = []
    expected: list[str] = []
    for grid, tile, axes in itertools.product(GRIDS, TILES, AXES):
        order = _order(tile, axes)
        arguments = ", ".join(map(str, (*order.outer, *order.inner[:2])))
        sizes = ", ".join(map(str, grid))
        lines.append(
            f"  {{ gridDim = dim3({sizes}); plan p = {{ {{ {tile[0]}, {tile[1]}, {tile[2]}, 1 }}, 0 }};\n"
            f"    for (blockIdx.z = 0; blockIdx.z < {grid[2]}; ++blockIdx.z)\n"
            f"    for (blockIdx.y = 0; blockIdx.y < {grid[1]}; ++blockIdx.y)\n"
            f"    for (blockIdx.x = 0; blockIdx.x < {grid[0]}; ++blockIdx.x) {{\n"
            f'      uint3 v = redirected<{arguments}>(p); printf("%u,%u,%u ", v.x, v.y, v.z); }} puts(""); }}'
        )
        count = grid[0] * grid[1] * grid[2]
        expected.append("".join("{},{},{} ".format(*place(order, grid, number)) for number in range(count)))
    for (grid, edge), (x, y, held), near in itertools.product(
        (((64, 64, 1), 2048), ((512, 512, 1), 2048), ((16, 64, 64), 64), ((40, 3, 1), 64)),
        ((16, 16, 4), (64, 1, 8)),
        (Near(0, 32, 31), Near(100 << 10, 32, 31), Near(8 << 20, 128, 4)),
    ):
        machine = Machine(132, held, x * y // 32, 8 << 20, 32, 2400, near if near.bytes else None)
        touches = _touches(edge, x, y)
        lines.append(
            f"  {{ launch l; l.grid = dim3({', '.join(map(str, grid))}); l.sms = 132; l.warps = {x * y // 32};\n"
            f"    l.blocks_per_sm = {held}; l.l2_bytes = 8 << 20;\n"
            f"    rules r = {{ 32, 1500, 13, 0, 0, {near.unit}, {near.bytes}, {near.rate} }}; orders o(l, r);\n"
            f"    {_forms(touches)} choice c; const bool pays = o.choose(c, 2400);\n"
            f"    const bytes rows = o.traffic(0, 1, 1), best = o.traffic(c.n[0], c.n[1], c.n[2]);\n"
            f'    printf("%u %u %u %d %.3f %.3f %.3f %.3f\\n", c.n[0], c.n[1], c.n[2], pays, rows.memory, rows.asked, '
            f"best.memory, best.asked);\n"
            f"    unsigned w = 0, h = 1; const double each = o.gather(6, w, h);\n"
            f'    printf("%u %u %.3f %.3f\\n", w, h, each, o.dealt(6)); }}'
        )
        found = best_tile(touches, grid, machine, 0.013)
        assert (found.base.memory_bytes, found.base.l2_read_bytes) == traffic(touches, grid, (0, 1, 1), machine)
        costs = [value or 0 for one in (found.base, found.best) for value in (one.memory_bytes, one.l2_read_bytes)]
        said = (*found.tile, int(found.pays(1.5, 0.013)), *(f"{value:.3f}" for value in costs))
        waits = grid[0] * grid[1] * grid[2] > machine.wave
        expected.append(" ".join(map(str, said)) if waits else "")
        w, h, each = gather(touches, grid, 6, 32)
        expected.append(f"{w} {h} {each:.3f} {dealt(touches, grid, 132, 6, 32):.3f}")
    huge = (1 << 20, 1 << 13, 3)  # more than 2^34 blocks
    for x, y, z in ((0, 0, 0), (1048575, 8191, 2), (123456, 4567, 1)):
        lines.append(
            f"  {{ gridDim = dim3({huge[0]}, {huge[1]}, {huge[2]}); plan p = {{ {{ 3, 5, 2, 1 }}, 0 }};\n"
            f"    blockIdx.x = {x}; blockIdx.y = {y}; blockIdx.z = {z}; uint3 v = redirected<0, 1, 2, 0, 1>(p);\n"
            f'    printf("%u,%u,%u\\n", v.x, v.y, v.z); }}'
        )
        number = x + huge[0] * (y + huge[1] * z)
        expected.append("{},{},{}".format(*place(Order((3, 5, 2)), huge, number)))
    # Algorithm 2 on a matrix product of 4096 columns in blocks of 16 x 16: a warp has 2 rows of A, blocks above each
    # other share a line of B, blocks beside each other 16 lines of A.
    lines.append(
        "  { warp_forms w; w.add(4, 0, 16384, 0, 0, 262144, 0); w.add(4, 4, 0, 0, 64, 0, 0); dim3 b(16, 16);\n"
        '    printf("%lld %lld %lld %lld\\n", w.fitting(b, 1, 64, 16384, 128), w.fitting(b, 1, 56, 16384, 128), '
        "w.fitting(b, 0, 64, 16384, 128), w.fitting(b, 0, 64, 1000, 128)); }"
    )
    expected.append("56 0 0 3")
    for blocks, clusters in ((6, 2), (25, 4), (3, 8), (100, 7)):
        lines.append(
            f"  for (unsigned i = 0; i < {clusters}; ++i)\n"
            f"    for (unsigned w = 0; w < cluster_size({blocks}, {clusters}, i); ++w) "
            f'printf("%u ", invert({blocks}, {clusters}, w, i)); puts("");'
        )
        expected.append("".join(f"{number} " for number in range(blocks)))
    for width, height, sms in ((5, 5, 4), (8, 2, 4), (3, 9, 2)):
        lines.append(
            f"  for (unsigned i = 0; i < {sms}; ++i) {{ unsigned n;\n"
            f"    for (unsigned w = 0; row_mapped({width}, {height}, {sms}, "
            f'w, i, n); ++w) printf("%u ", n); printf("| "); }} puts("");'
        )
        where = mapped((width, height), sms, "x")
        texts = [
            "".join(f"{y * width + x} " for y in range(height) for x in range(width) if where[x, y] == sm)
            for sm in range(sms)
        ]
        expected.append("".join(f"{text}| " for text in texts))
    printed = _run(tmp_path, host_compiler, "\n".join(lines))
    for line, wanted in zip(printed, expected, strict=True):
        if wanted:
            assert line == wanted


@pytest.mark.parametrize("agent", ["agent<false, false>", "agent<true, false>", "agent<true, true>"])
def test_agents_run_every_block_once_wherever_they_are(tmp_path: Path, host_compiler: str, agent: str) -> None:
    """All agents on one SM of four, one of three throttled: what the other SMs should have done is done too."""
    body = f"""
  unsigned counters[8] = {{ 0 }};
  plan p = {{ {{ 5, 0, 7, 1, 4, 2, 1, 2 }}, counters }};
  {agent} a(p), b(p), c(p);
  uint3 v;
  for (bool more = true; more;) {{
    more = a.next(v); if (more) printf("%u,%u ", v.x, v.y);
    if (b.next(v)) {{ more = true; printf("%u,%u ", v.x, v.y); }}
  }}
  printf("%d\\n", c.next(v));
"""
    (line,) = _run(tmp_path, host_compiler, body)
    *blocks, throttled = line.split()
    assert throttled == "0"
    assert Counter(blocks) == Counter(f"{x},{y}" for x in range(5) for y in range(7))


_SIZES = "  static const unsigned sizes[] = { 1, 2, 3, 4, 5, 7, 16 }, few[] = { 1, 2, 3, 4, 8, 132 };\n"
_EVERY = """
  for (unsigned x : sizes) for (unsigned y : sizes) for (unsigned z : sizes) {
    const unsigned all = x * y * z;
    const dim3 g(x, y, z);
"""


def test_agents_run_every_block_of_every_grid_once(tmp_path: Path, host_compiler: str) -> None:
    """Grids in three dimensions that SMs, tiles and rows do not divide; blocks behind each other along z, too."""
    kinds = ("agent<false, false>", "agent<true, false>", "agent<true, true>")
    body = "\n".join(
        f"""{_EVERY}
    for (unsigned sms : few) for (unsigned active = 1; active < 4; active += 2) {{
      unsigned counters[264] = {{ 0 }};
      plan p = {{ {{ (unsigned short)x, 0, (unsigned short)y, (unsigned short)z, (unsigned short)sms,
                   (unsigned short)active, {tile[0]}, {tile[1]} }}, counters }};
      {kind} first(p), second(p);
      marks seen(g); unsigned run = 0; bool more = true;
      for (uint3 v; more;) {{
        more = first.next(v); if (more) run += seen.once(v.x, v.y, v.z) ? 1 : all;
        if (second.next(v)) {{ more = true; run += seen.once(v.x, v.y, v.z) ? 1 : all; }}
      }}
      if (run != all) {{ std::printf("{kind} %u,%u,%u on %u: %u of %u\\n", x, y, z, sms, run, all); return 1; }}
    }}
  }}"""
        for kind in kinds
        for tile in ((1, 1), (0, 1), (1, 0), (3, 2))
    )
    assert _run(tmp_path, host_compiler, f'{_SIZES}{body}\n  std::puts("all");') == ["all"]


def test_redirected_blocks_run_every_block_of_every_grid_once(tmp_path: Path, host_compiler: str) -> None:
    """All axes, tiles in all three dimensions, and clusters to which blocks are bound."""
    axes = [("012"[a], "012"[b], "012"[c]) for a, b, c in itertools.permutations(range(3))]
    body = "\n".join(
        f"""{_EVERY}
    for (unsigned clusters : few) for (unsigned t = 0; t < 27; ++t) {{
      plan p = {{ {{ (unsigned short)(t % 3), (unsigned short)(t / 3 % 3 * 2), (unsigned short)(t / 9 * 3),
                   (unsigned short)clusters }}, 0 }};
      gridDim = g; marks seen(g); unsigned run = 0;
      for (blockIdx.z = 0; blockIdx.z < z; ++blockIdx.z) for (blockIdx.y = 0; blockIdx.y < y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < x; ++blockIdx.x) {{
          const uint3 v = redirected<{", ".join((*outer, *inner[:2]))}>(p);
          run += seen.once(v.x, v.y, v.z) ? 1 : all;
        }}
      if (run != all) {{ std::printf("%u,%u,%u: tile %u, %u clusters\\n", x, y, z, t, clusters); return 1; }}
    }}
  }}"""
        for outer, inner in itertools.product(axes, axes[:3])
    )
    assert _run(tmp_path, host_compiler, f'{_SIZES}{body}\n  std::puts("all");') == ["all"]
