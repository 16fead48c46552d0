"""How many operators a call of a device function executes."""

from __future__ import annotations

from pathlib import Path

from gpuopt_driver.analysis.function_cost import operations_of_calls
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = """\
__device__ float inner(float a) { return a * a; }
__device__ float outer(float a, int n)
{
    for (int i = 0; i < 4; ++i)
        for (int k = 1; k < 16; k *= 2) a = a + inner(a);
    for (int i = 0; i < n; ++i) a += 1;
    return a;
}
__global__ void kernel(float *p, int n)
{
    float twice = outer(p[0], n) + outer(p[1], n);
    p[threadIdx.x] = twice;
}
"""


def test_loops_between_literals_count_as_often_as_they_run(tmp_path: Path) -> None:
    path = tmp_path / "calls.cu"
    path.write_text(SOURCE)
    unit = parse_unit(str(path), ParseOptions())
    (kernel,) = unit.kernels
    source = unit.files[kernel.span.file]
    found = {stmt.id: operations_of_calls(kernel, source, stmt.id) for stmt in kernel.stmts}
    # Twice sixteen turns of at least an assignment, a sum, a call's bracket and the product in it.
    (calls,) = [count for count in found.values() if count]
    assert calls % 2 == 0
    assert 16 * 4 <= calls // 2 < 16 * 4 + 40
