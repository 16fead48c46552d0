"""Where a host compiler puts the tables of launches: never into code, which programs would change when they start.

nvcc's GPU code is an `asm` that ends in the section for code. GCC, told to keep the order of a source, does not see
that and puts there what it has for the section it was in.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """\
__global__ void plain(float *x, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; j++) sum += x[(i * 33 + j * m) % 4096];
    x[i] = sum;
}
template <class T> __global__ void each(T *x, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int j = 0; j < n; j++) sum += x[(i * 33 + j * m) % 4096];
    x[i] = sum;
}
void launch(float *x, double *y)
{
    plain<<<8, 64>>>(x, 100, 3);
    each<<<8, 64>>>(x, 100, 3);
    each<<<8, 64>>>(y, 100, 3);
}
"""


@pytest.mark.parametrize("options", ["-O0", "-O2", "-G"])
def test_libraries_link_without_relocations_in_code(tmp_path: Path, real_nvcc: str, options: str) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    report = tmp_path / "report.json"
    argv = [sys.executable, "-m", "gpuopt_driver.nvcc_main", f"--gpuopt-report={report}", "a.cu", "-o", "a.so", options]
    link = ["-arch=sm_90", "-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-z,text"]
    done = subprocess.run([*argv, *link], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert report.read_text().count('"applied"') >= 2
