"""What is counted of a launch is counted once, whatever shared memory it may have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gpuopt_plugins.unified_memory import decide, predict
from gpuopt_plugins.unified_memory.propose import analyze

from gpuopt_driver.api import Context, Resources
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = """
__global__ void share(const float *A, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 64; ++j) tile[threadIdx.x] += A[i * 64 + j];
    y[i] = tile[threadIdx.x];
}
void run(const float *A, float *y, int blocks, int bytes) { share<<<blocks, 256, bytes>>>(A, y); }
"""


def test_launches_of_unknown_shared_memory_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "share.cu"
    source.write_text(SOURCE, "utf-8")
    unit = parse_unit(str(source), ParseOptions())
    (kernel,) = unit.kernels
    context = Context(unit, load_arch("h200"), None, unit.launches_of(kernel), Resources(), True)
    survey = analyze(kernel, context)
    counted: list[Any] = []
    asked: list[tuple[int, int]] = []
    count, demand_of = predict.counts, predict.demand_of

    def counts(arch: Any, survey: Any, site: Any) -> Any:
        counted.append(count(arch, survey, site))
        return counted[-1]

    def demands(arch: Any, loops: Any, known: predict.Counts, blocks: int, l1_bytes: int) -> predict.Demand:
        asked.append((blocks, l1_bytes))
        fresh = predict.Counts(known.loops, known.instructions)
        found = demand_of(arch, loops, known, blocks, l1_bytes)
        assert found == demand_of(arch, loops, fresh, blocks, l1_bytes)
        return found

    monkeypatch.setattr(decide, "counts", counts)
    monkeypatch.setattr(predict, "demand_of", demands)
    assert decide.decide(kernel, context, survey, 1.1, fewer=True) is not None
    shared = len(decide.GUESSED_SHARED) + 1
    assert len(list(decide._sites(kernel, context))) == shared * len(counted)
    assert sum(len(one.demands) for one in counted) < len(asked) / 2
