"""Instances of a template share one text: what they want to be written is the same."""

from __future__ import annotations

from pathlib import Path

from gpuopt_plugins.vtb.options import Options
from gpuopt_plugins.vtb.order import Order, order_of
from gpuopt_plugins.vtb.propose import propose
from gpuopt_plugins.vtb.rewrite import turns
from gpuopt_plugins.vtb.survey import survey

from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Context, Resources

SOURCE = """
template <int SIZE> __global__ void sums(const float *x, float *y)
{
    __shared__ float tile[SIZE];
    int t = threadIdx.x;
    float sum = x[blockIdx.x * SIZE + t];
    tile[t] = sum;
    __syncthreads();
    if (SIZE >= 128 && t < 64) tile[t] = sum = sum + tile[t + 64];
    __syncthreads();
    if (SIZE >= 64 && t < 32) sum += tile[t + 32];
    __syncthreads();
    if (t == 0) y[blockIdx.x] = sum;
}
__global__ void rounds(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    for (int r = 0; r < n; ++r) {
        tile[threadIdx.x] = x[(blockIdx.x * n + r) * 64 + threadIdx.x] * x[r] + sqrtf(x[r + 1]);
        __syncthreads();
        y[(blockIdx.x * n + r) * 64 + threadIdx.x] = tile[63 - threadIdx.x];
        __syncthreads();
    }
}
__global__ void some(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    float other = tile[63 - threadIdx.x];
    if (threadIdx.x >= n) return;
    y[blockIdx.x * 64 + threadIdx.x] = other;
}
void run(const float *x, float *y)
{
    sums<32><<<64, 32>>>(x, y); sums<64><<<64, 64>>>(x, y); sums<128><<<64, 128>>>(x, y);
    rounds<<<64, 64>>>(x, y, 9); some<<<64, 64>>>(x, y, 5);
}
"""


def test_instances_take_turns_alike_and_orders_are_told_apart(tmp_path: Path) -> None:
    source = tmp_path / "sums.cu"
    source.write_text(SOURCE)
    unit = parse_unit(str(source), ParseOptions())
    texts, orders = set(), {}
    for kernel in unit.kernels:
        context = Context(unit, load_arch("h200"), Options(factor=2), unit.launches_of(kernel), Resources(), True)
        facts = survey(kernel, context)
        assert facts is not None
        assert not facts.scheme.use.problem
        orders[kernel.name] = order_of(kernel, facts.scheme.use.regions)
        (variant,) = propose(kernel, context, facts).variants
        if kernel.name == "sums":
            made = turns(kernel, unit.files[kernel.span.file], facts.scheme, Order.TOLD)
            texts.add(tuple((edit.start, edit.end, edit.text) for edit in made))
        if kernel.name == "rounds":
            assert not any(b"over()" in edit.text for edit in variant.edits)
    assert len(texts) == 1
    assert orders == {"sums": Order.TOLD, "rounds": Order.ALIKE, "some": Order.ALIKE}
