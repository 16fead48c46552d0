"""Loops that are split where an array is cut: their first iterations need no turn (CO-VTB)."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpuopt_plugins.vtb.collaborate import divided
from gpuopt_plugins.vtb.options import Options
from gpuopt_plugins.vtb.scheme import Ahead
from gpuopt_plugins.vtb.survey import known_shapes

from gpuopt_driver.api import Division
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Context, Resources

KERNEL = """
__device__ int twice(int a) {{ return a * 2; }}
__global__ void exchange(const int *x, int *y, int n)
{{
    __shared__ int v[16 * 64];
    int t = threadIdx.x, at = blockIdx.x * 64 + t, kept = x[at], more[2] = {{0, 0}};
    int &named = kept;
    {store}
    {between}
    {read}
    __syncthreads();
    y[at] = kept + sum + more[1] + named + n;
}}
void run(const int *x, int *y) {{ exchange<<<64, 64>>>(x, y, 3); }}
"""
STORE = "for (int w = 0; w < 16; ++w) v[w * 64 + t] = kept + w;"
BETWEEN = "__syncthreads(); int sum = 0;"
READ = "for (int w = 0; w < 16; ++w) sum = sum * 3 + v[w * 64 + (t * 5 + w) % 64];"
CUT = 6  # of 16 iterations
LATE = "int sum = 0; " + STORE

# name -> (store, between, read): what must stay one loop
WHOLE = {
    "places that are data": (STORE, BETWEEN, "for (int w = 0; w < 16; ++w) sum += v[(x[w] & 15) * 64 + t];"),
    "iterations that read on both sides": (
        STORE,
        BETWEEN,
        "for (int w = 0; w < 16; ++w) sum += v[w * 64 + t] + v[(15 - w) * 64 + t];",
    ),
    "own rows are read last": (STORE, BETWEEN, "for (int w = 15; w >= 0; --w) sum += v[w * 64 + t];"),
    "no barrier in between": (LATE, "", READ),
    "a variable that stores need": (
        "int sum = 3; for (int w = 0; w < 16; ++w) v[w * 64 + t] = kept + sum;",
        "__syncthreads();",
        READ,
    ),
    "an argument that stores need": (
        "for (int w = 0; w < 16; ++w) v[w * 64 + t] = kept + n;",
        BETWEEN,
        "for (int w = 0; w < 16; ++w) sum += v[w * 64 + t], n += sum;",
    ),
    "a reference is changed": (STORE, BETWEEN, "for (int w = 0; w < 16; ++w) named += v[w * 64 + t];"),
    "memory is written": (STORE, BETWEEN, "for (int w = 0; w < 16; ++w) y[at] = v[w * 64 + t];"),
    "an array is written": (STORE, BETWEEN, "for (int w = 0; w < 16; ++w) more[w & 1] += v[w * 64 + t];"),
    "a function of the program's": (STORE, BETWEEN, READ.replace("sum * 3", "twice(sum)")),
    "it may end early": (
        STORE,
        BETWEEN,
        "for (int w = 0; w < 16; ++w) { sum += v[w * 64 + t]; if (sum > 9) break; }",
    ),
    "threads meet in it": (
        STORE,
        BETWEEN,
        "for (int w = 0; w < 16; ++w) { sum += v[w * 64 + t]; __syncthreads(); }",
    ),
    "something else comes first": (STORE, "__syncthreads(); int sum = v[1000 - t];", READ),
    "as many iterations as an argument says": (STORE, BETWEEN, READ.replace("w < 16; ++w) sum", "w < n; ++w) sum")),
}


def found(tmp_path: Path, store: str, between: str, read: str, spare: int = 0) -> tuple[Ahead, float]:
    """What comes before the turn, and the estimate of cycles in turns."""
    source = tmp_path / "exchange.cu"
    source.write_text(KERNEL.format(store=store, between=between, read=read))
    unit = parse_unit(str(source), ParseOptions())
    (kernel,) = unit.kernels
    context = Context(unit, load_arch("gtx480"), Options(), unit.launches_of(kernel), Resources(), True)
    rows = CUT * 64
    scheme = divided(kernel, context, known_shapes(context), Division((), "v", rows, 4, rows * 4), spare)
    (region,) = scheme.use.regions
    ahead = scheme.ahead(kernel, unit.files[kernel.span.file], region)
    return ahead, float(evaluate(scheme.split.shared.cycles, {}) or 0)


def texts(tmp_path: Path, store: str, between: str, read: str) -> tuple[str, str, float]:
    """The loop's texts before the turn and in it (empty: not split), and the estimate of cycles in turns."""
    ahead, cycles = found(tmp_path, store, between, read)
    return (ahead.leads.before, ahead.leads.behind, cycles) if ahead.leads is not None else ("", "", cycles)


def test_iterations_on_own_rows_come_before_the_turn(tmp_path: Path) -> None:
    before, behind, cycles = texts(tmp_path, STORE, BETWEEN, READ)
    assert before == (
        "gpuopt_at.sync(); int sum = 0; for (int w = 0; w != 6; ++w) "
        "sum = sum * 3 + v.gpuopt_rows[w * 64 + (t * 5 + w) % 64];"
    )
    assert behind == "for (int w = 6; w < 16; ++w) sum = sum * 3 + v.gpuopt_rest(w * 64 + (t * 5 + w) % 64);"
    whole = texts(tmp_path, *WHOLE["own rows are read last"])[2]
    assert cycles < whole * 0.85


@pytest.mark.parametrize("name", WHOLE)
def test_loops_that_stay_whole(tmp_path: Path, name: str) -> None:
    assert texts(tmp_path, *WHOLE[name])[:2] == ("", "")


DATA = "for (int k = 0; k < 9; ++k) { int w = x[(at + k) & 63] & 15; sum += v[w * 64 + t]; }"


@pytest.mark.parametrize(("spare", "held"), [(0, 0), (12, 2), (40, 9)])
def test_places_are_loaded_before_the_turn_as_far_as_registers_are_left(tmp_path: Path, spare: int, held: int) -> None:
    """Ten values of the stores wait, too."""
    ahead, cycles = found(tmp_path, STORE, BETWEEN, DATA, spare)
    assert ahead.first[0].values == 16 - CUT
    assert (ahead.later.values if ahead.later is not None else 0) == held
    assert cycles < found(tmp_path, STORE, BETWEEN, DATA)[1] or held < 9


@pytest.mark.parametrize(
    "read",
    [
        DATA.replace("x[(at + k)", "x[(sum + k)"),  # the next place depends on what was read
        DATA.replace("x[(at + k)", "y[(at + k)").replace("sum += v", "y[at] = v"),  # memory is written
        DATA.replace("int w", "at += k; int w"),
        DATA.replace("sum += v", "if (w > 3) sum += v"),
    ],
)
def test_places_that_depend_on_the_turn_are_not(tmp_path: Path, read: str) -> None:
    assert found(tmp_path, STORE, BETWEEN, read, 40)[0].later is None
