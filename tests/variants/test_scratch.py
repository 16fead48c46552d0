"""Scratch memory of a version: zeroed for every launch, alive as long as the launch, in the order of its stream."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpuopt_driver.hooks import Proposal
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import examine, run_program

SOURCE = """\
#include <cstdio>
__global__ void number(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = /*number*/-1;
}
int main()
{
    int *out, host[128];
    cudaStream_t streams[2];
    cudaMalloc(&out, 3 * sizeof host);
    for (int s = 0; s < 2; ++s) cudaStreamCreate(&streams[s]);
    for (int launch = 0; launch < 3; ++launch) number<<<4, 32, 0, streams[launch % 2]>>>(out + 128 * launch);
    for (int launch = 0; launch < 3; ++launch) {
        long long sum = 0;
        int most = -1;
        cudaMemcpy(host, out + 128 * launch, sizeof host, cudaMemcpyDeviceToHost);
        for (int value : host) { sum += value; most = value > most ? value : most; }
        std::printf("%lld %d\\n", sum, most);
    }
    std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


def counting() -> ModuleType:
    """A plugin whose version numbers the threads of a launch through a counter in scratch memory."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        data = context.unit.files[kernel.span.file].data
        at = data.index(b"/*number*/-1")
        text = b"atomicAdd(static_cast<int *>(gpuopt_plan.scratch), 1)"
        edit = Edit(kernel.span.file, at, at + len(b"/*number*/-1"), text)
        guard = "gpuopt_c.scratch = sizeof(int); return true;"
        return Proposal((finding("count", kernel, Decision.APPLIED),), (), (Variant(kernel.usr, "n", (edit,), guard),))

    return plugin("count", propose)


@pytest.mark.usefixtures("host_compiler")
def test_every_launch_has_its_own_zeroed_scratch(tmp_path: Path) -> None:
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    result = examine(source, counting())
    assert run_program(tmp_path, dict(result.patched)).stdout == "8128 127\n" * 3 + "cudaSuccess\n"
    assert run_program(tmp_path, dict(result.patched), GPUOPT_DISPATCH="original").stdout.startswith("-128 -1\n" * 3)
