"""Clamped indices and those with quotients and remainders: what blocks share is seen, and nothing is proved by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.block_forms import accesses
from gpuopt_driver.analysis.block_independence import Obstacle, objection
from gpuopt_driver.analysis.block_survey import Kind, survey
from gpuopt_driver.analysis.clamps import unclamped
from gpuopt_driver.analysis.quotients import taken_apart
from gpuopt_driver.analysis.references import references
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, add, evaluate, mul
from gpuopt_driver.frontend.model import ParseLevel, Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

_T, _B = Sym("threadIdx.x", SymKind.THREAD), Sym("blockIdx.x", SymKind.BLOCK, uniform=True)
_W, _H = (Sym(name, SymKind.PARAM, uniform=True) for name in "wh")
_FLAT = add(mul(Const(256), _B), _T)

SOURCE = """
#define HEAD int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#define FLAT int i = blockIdx.x * blockDim.x + threadIdx.x;
__global__ void rows(int n, const float *in, float *out) {
  HEAD
  float s = 0;
  for (int a = -1; a <= 1; a++) s += in[max(0, min(y + a, n - 1)) * n + x];
  out[y * n + x] = s;
}
__global__ void edges(int n, const float *in, float *out) {
  HEAD
  out[y * n + x] = in[y * n + (x > 0 ? x - 1 : 0)] + in[y * n + (x < n - 1 ? x + 1 : n - 1)];
}
__global__ void bias(int n, const float *b, float *a) { FLAT a[i] += b[i % n]; }
__global__ void channel(int c, int size, const float *mean, float *a) { FLAT a[i] -= mean[i / size % c]; }
__global__ void lanes(const float *b, float *a) { FLAT a[i] += b[i & 31] + b[32 + (i >> 5)]; }
__global__ void turned(int w, int h, const float *a, float *b) { FLAT b[i] = a[i % h * w + i / h]; }
__global__ void own(const float *a, float *b) { FLAT b[i] = a[i / 4 * 8 + i % 4]; }
__global__ void wide(int n, const float *a, const int *at, float *b) { FLAT b[i] = a[i % n] + a[at[i]]; }
__global__ void writes(int n, float *a, const float *b) { FLAT a[i % n] = b[i]; }
__global__ void moves(int n, float *a) { FLAT a[i] = a[max(i - 1, 0)]; }
__global__ void last(int n, float *a, const float *b) { FLAT a[min(i, n - 1)] = b[i]; }
void run(int n, const int *at, float *a, float *b) {
  dim3 block(16, 16), grid(n / 16, n / 16);
  rows<<<grid, block>>>(n, a, b);
  edges<<<grid, block>>>(n, a, b);
  bias<<<n, 256>>>(n, a, b);
  channel<<<n, 256>>>(n, n, a, b);
  lanes<<<n, 256>>>(a, b);
  turned<<<n, 256>>>(n, n, a, b);
  own<<<n, 256>>>(a, b);
  wide<<<n, 256>>>(n, a, at, b);
  writes<<<n, 256>>>(n, a, b);
  moves<<<n, 256>>>(n, a);
  last<<<n, 256>>>(n, a, b);
}
"""


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Unit:
    path: Path = tmp_path_factory.mktemp("quotients") / "kernels.cu"
    path.write_text(SOURCE)
    return parse_unit(path, ParseOptions(level=ParseLevel.BUNDLED))


@pytest.mark.parametrize(
    ("name", "distances", "kind"),
    [
        ("rows", (1, 1, 0), Kind.ALGORITHM),
        ("edges", (3, 0, 0), Kind.ALGORITHM),  # blocks of 16 columns share a line of 128 bytes
        ("bias", (6, 0, 0), Kind.ALGORITHM),  # n is taken for 512: every second block of 256 threads
        ("channel", (7, 0, 0), Kind.ALGORITHM),
        ("lanes", (7, 0, 0), Kind.ALGORITHM),
        ("turned", (6, 0, 0), Kind.LINE),  # h is taken for 512, too
        ("own", (0, 0, 0), Kind.STREAMING),
        ("wide", (6, 0, 0), Kind.ALGORITHM),
    ],
)
def test_what_blocks_share(unit: Unit, name: str, distances: tuple[int, int, int], kind: Kind) -> None:
    kernel = next(one for one in unit.kernels if one.name == name)
    found = survey(kernel, unit.launches_of(kernel), 128, 32)
    assert (found.distances, found.kind) == (distances, kind)
    assert not found.exact


@pytest.mark.parametrize("name", ["writes", "moves", "last"])
def test_nothing_is_proved_by_it(unit: Unit, name: str) -> None:
    """Where a clamp takes hold, or a remainder comes again, blocks meet."""
    kernel = next(one for one in unit.kernels if one.name == name)
    found = survey(kernel, unit.launches_of(kernel), 128, 32)
    refused = objection(kernel, unit.files[kernel.span.file], found.found, found.grid)
    assert refused is not None
    assert refused.obstacle is Obstacle.RACES


def test_each_access_is_of_one_kind(unit: Unit) -> None:
    counts = {}
    for kernel in unit.kernels:
        found = accesses(kernel)
        counts[kernel.name] = tuple(map(len, (found.forms, found.near, found.divided, found.unclear)))
        assert len(found.irregular) >= len(found.unclear)
    assert counts == {
        "rows": (1, 1, 0, 0), "edges": (1, 2, 0, 0), "bias": (1, 0, 1, 0), "channel": (1, 0, 1, 0),
        "lanes": (1, 0, 2, 0), "turned": (1, 0, 1, 0), "own": (1, 0, 1, 0), "wide": (2, 0, 1, 1),
        "writes": (1, 0, 1, 0), "moves": (1, 1, 0, 0), "last": (1, 1, 0, 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    "offset",
    [
        Op("%", (_FLAT, _W)),
        add(mul(Op("%", (_FLAT, _H)), _W), Op("/", (_FLAT, _H))),
        Op("%", (Op("/", (_FLAT, _W)), _H)),
        Op("&", (_FLAT, Const(31))),
        add(mul(Const(3), Op(">>", (_FLAT, Const(5)))), Op("%", (_FLAT, Const(5)))),
    ],
)
def test_an_index_that_is_taken_apart_is_the_same(offset: Expr) -> None:
    found = taken_apart(offset, lambda part: all(one.kind is SymKind.PARAM for one in expr.symbols(part)), {})
    assert found is not None
    made, quotients = found
    for block, thread, w, h in ((0, 0, 3, 5), (1, 17, 64, 7), (900, 255, 100, 1000), (7, 31, 1, 1)):
        values = {"blockIdx.x": block, "threadIdx.x": thread, "w": w, "h": h}
        for one in quotients:  # inner ones first
            dividend, divisor = (evaluate(part, values) for part in (one.dividend, one.divisor))
            assert dividend is not None
            assert divisor is not None
            values[one.name] = dividend // divisor
        assert evaluate(made, values) == evaluate(offset, values)


@pytest.mark.parametrize(
    "offset",
    [
        _FLAT,
        Op("/", (_FLAT, _T)),  # by what threads do not agree on
        Op("%", (_FLAT, Const(-3))),
        Op("&", (_FLAT, Const(6))),
        Op("/", (_W, _H)),  # the same in the whole grid
    ],
)
def test_what_has_no_quotient_to_take_out(offset: Expr) -> None:
    is_parameter = lambda part: all(one.kind is SymKind.PARAM for one in expr.symbols(part))  # noqa: E731
    assert taken_apart(offset, is_parameter, {}) is None


def test_clamps_go_where_one_side_moves() -> None:
    assert unclamped(Op("max", (Const(0), Op("min", (_FLAT, _W))))) == _FLAT
    assert unclamped(Op("?:", (Op("<", (_T, _W)), _FLAT, Const(0)))) == _FLAT
    assert unclamped(Op("u32", (_FLAT,))) == _FLAT
    both = Op("min", (_T, _B))
    assert unclamped(both) == both


@pytest.mark.parametrize(
    ("index", "step"),
    [
        ("t * n + min(k, n - 1)", 4),
        ("max(0, min(t + k - 3, n - 1)) * 32", 128),
        ("(k < n ? k : n - 1) * 64 + t", 256),
        ("(unsigned)(t * 64 + k)", 4),
        ("t * n + k % 7", None),
        ("t * n + min(k, t)", None),
        ("at[k]", None),
    ],
)
def test_a_clamped_walk_has_its_stride(tmp_path: Path, index: str, step: int | None) -> None:
    path = tmp_path / "walk.cu"
    path.write_text(
        "__global__ void k(int n, const int *at, const float *a, float *b) { int t = threadIdx.x; float s = 0;\n"
        f"for (int k = 0; k < n; k++) s += a[{index}];\nb[t] = s; }}"
    )
    (kernel,) = parse_unit(path, ParseOptions(level=ParseLevel.BUNDLED)).kernels
    (found,) = (one for one in references(kernel, kernel.loops[0]) if one.array == "a")
    assert found.step == (None if step is None else Const(step))
