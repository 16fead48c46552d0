"""Launches that CUDA refuses: no plugin stumbles over them, and each says something of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy

SOURCE = """\
__global__ void kernel(int n, const float *A, const float *x, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += A[i * n + j] * x[j];
    tile[threadIdx.x] = sum;
    __syncthreads();
    y[i] = tile[threadIdx.x ^ 1];
}
void run(int n, float *A, float *x, float *y)
{
    %s
}
"""
REFUSED = ("0, 256, 16384", "dim3(4, 0), 256, 16384", "4, 0, 16384", "4, 2048, 16384", "4, 256, 300000")
CODES = {"cache_bypass": "BYP014", "catt": "CATT020", "cta_clustering": "CLUSTER015", "unified_memory": "UNI013"}


@pytest.mark.parametrize("configurations", [*((one,) for one in REFUSED), REFUSED], ids=str)
def test_launches_that_cannot_run(tmp_path: Path, configurations: tuple[str, ...]) -> None:
    source = tmp_path / "a.cu"
    source.write_text(SOURCE % "\n    ".join(f"kernel<<<{one}>>>(n, A, x, y);" for one in configurations))
    report = process(Job(str(source), ParseOptions(), Policy(gpu="h200"))).report
    assert not report.problems
    said = {finding.plugin: finding.code for finding in report.findings}
    assert {plugin: said[plugin] for plugin in CODES} == CODES
    assert said.keys() == {*CODES, "vtb", "cta_mapping", "launch_shape", "coarsening"}
    assert not any(finding.code.startswith("GPUOPT") for finding in report.findings)
