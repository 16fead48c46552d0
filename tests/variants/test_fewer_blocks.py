"""Versions of which fewer blocks are resident: taken where their guard says that this is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin, together
from tests.variants.test_emit import run_program

SOURCE = """\
#include <cstdio>
__global__ void full(int *out) { /*here*/ out[threadIdx.x] = 1; }
int main()
{
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    full<<<16000, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", host[5]);
}
"""
LARGE = b" __shared__ volatile int large[8192]; large[threadIdx.x] = 2; out[threadIdx.x] = large[threadIdx.x]; return; "


@pytest.mark.parametrize(
    ("guard", "printed"),
    [
        ("gpuopt_c.grid.x /= 2; return true;", "1\n"),
        ("return true;", "1\n"),
        ("gpuopt_c.grid.x /= 2; gpuopt_c.fewer_blocks = true; return true;", "2\n"),
        ("gpuopt_c.fewer_blocks = true; return true;", "2\n"),
    ],
)
def test_fewer_blocks_are_resident_where_that_is_meant(
    tmp_path: Path, host_compiler: str, guard: str, printed: str
) -> None:
    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(b"/*here*/", kernel.span.start, kernel.span.end)
        made = Variant(kernel.usr, "large", (Edit(kernel.span.file, at, at, LARGE),), guard)
        return Proposal((finding("large", kernel, Decision.APPLIED),), (), (made,))

    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    result = process(Job(str(source), ParseOptions(), Policy()), together(plugin("large", propose)))
    assert run_program(tmp_path, dict(result.patched)).stdout == printed
