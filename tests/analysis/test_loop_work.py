"""How often loops in loops run, and what a warp executes in and around loops that make loads."""

from __future__ import annotations

from pathlib import Path

from gpuopt_driver.analysis import loop_loads, loop_work
from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.source.text import SourceFile

SOURCE = """
__global__ void k(const float *a, float *b, int n, int m)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += a[i];
        for (int j = 0; j < m; ++j)
            sum += a[i * m + j] * sum;
        for (int j = 0; j < 3; ++j)
            sum = sum * sum;
    }
    for (int e = (int)b[0]; e; e /= 2)
        sum += a[e];
    b[threadIdx.x] = sum;
}
"""


def _kernel(tmp_path: Path) -> tuple[Kernel, SourceFile]:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE, "utf-8")
    unit = parse_unit(path, ParseOptions())
    (kernel,) = unit.kernels
    return kernel, unit.files[kernel.span.file]


def test_iterations_of_nests_are_multiplied(tmp_path: Path) -> None:
    loops = loop_loads.loop_loads(*_kernel(tmp_path))
    counts = {item.line: evaluate(item.trips, {"n": 5, "m": 7}) for item in loops}
    assert counts == {5: 5, 7: 35, 12: loop_loads.TRIPS}
    assert {evaluate(item.trips, {"n": -1, "m": -1}) for item in loops if item.line == 7} == {0}


def test_every_statement_counts_in_the_innermost_loop_with_loads_around_it(tmp_path: Path) -> None:
    kernel, source = _kernel(tmp_path)
    loops = loop_loads.loop_loads(kernel, source)
    work = loop_work.work(kernel, source, loops)
    assert loop_work.is_writable(work)
    outer, inner, last = (evaluate(part, {}) for part in work.inside)
    assert outer is not None
    assert inner is not None
    assert last is not None
    assert 0 < last <= inner < outer  # the loop without loads is a part of the outer one, three times
    outside = loop_work.instructions(work, [0, 0, 0], {})
    assert outside > 0
    assert loop_work.instructions(work, [5, 35, 2], {}) == outside + 5 * outer + 35 * inner + 2 * last
