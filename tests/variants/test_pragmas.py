"""What stands in front of loops: versions keep it in front of what it is about, and nothing is said of them for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ours import switched_off

FORMS = {
    "none": "",
    "unroll": "\n#pragma unroll\n",
    "factor": "\n#pragma unroll 4  // at a time\n",
    "expression": "\n#pragma unroll (2 * 2)\n",
    "operator": '_Pragma("unroll") ',
    "macro": "UNROLLED ",
    "called": "UNROLL(2) ",
    "off": "\n#pragma nounroll\n",
    "gcc": "\n#pragma GCC unroll 4\n",
    "unknown": "\n#pragma somebody elses\n",
    "diagnostic": "\n#pragma nv_diag_suppress 550\n",
    "both": "\n#pragma nv_diag_suppress 550\n#pragma unroll\n",
    "attribute": "[[likely]] ",
    "mixed": "\n#pragma unroll 4\n[[unlikely]] ",
    "comment": "/* of four */ // or more\n",
}
HEAD = """
#define UNROLLED _Pragma("unroll")
#define SAID(text) _Pragma(#text)
#define UNROLL(times) SAID(unroll times)
"""
KERNELS = """
__global__ void stage_NAME(const float *a, float *y)
{
    __shared__ float tile[1024];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    FORM for (int r = 0; r < 4; ++r) tile[t + r * 256] = a[i * 4 + r] * 2.0f;
    __syncthreads();
    y[i] = tile[1023 - t] + tile[t];
}
__global__ void behind_NAME(int rows, int width, const float *a, const float *b, float *y)
{
    __shared__ float tile[1024], other[1024];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = 0;
    for (int r = 0; r < rows; ++r) other[t * rows + r] = b[i * rows + r];
    FORM for (int r = 0; r < width; r++) tile[t * width + r] = a[t * width + r];
    __syncthreads();
    y[i] = tile[255 - t] + other[t];
}
__global__ void walk_NAME(int n, const float *A, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        FORM for (int j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
    int k = 0;
    switch (n) {
    case 1:
        FORM do y[i] -= A[i * n + k] * x[k]; while (++k < n);
        break;
    default: FORM while (k < n) y[i] *= A[i * n + k++];
    }
}
"""
MAIN = """
int main()
{
    float *p = nullptr;
CALLS}
"""
LAUNCHES = """\
    stage_{0}<<<8, 256>>>(p, p);
    behind_{0}<<<8, 256>>>(3, 3, p, p, p);
    walk_{0}<<<8, 256>>>(9, p, p, p);
"""
FORCED = {
    "vtb": 'form = "pipe"\nfactor = 2\nmargin = 0.0\n',
    "accumulators": "enabled = true\n",
    "catt": "fixed_tlp = [1, 0]\nminimum_trips = 0\n",
    "launch_shape": 'form = "join"\nfactor = 2\n',
    "coarsening": "factors = [2]\nforced = true\n",
}
KINDS = {
    "vtb": ("stage", "behind"),
    "catt": ("stage", "behind", "walk"),
    "coarsening": ("stage", "behind", "walk"),
}  # of kernels; walk alone for others


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All kernels with all forms, and their launches."""
    kernels = "".join(KERNELS.replace("NAME", name).replace("FORM", form) for name, form in FORMS.items())
    path = tmp_path_factory.mktemp("pragmas") / "a.cu"
    path.write_text(HEAD + kernels + MAIN.replace("CALLS", "".join(map(LAUNCHES.format, FORMS))))
    return path


def compiled(source: Path, *command: str) -> str:
    """What a compiler says of it, each message once: nvcc says much twice, of host and device."""
    words = [*command, "-arch=sm_90", "-std=c++20", "-Xcompiler=-Wall,-Wextra", "-c", source.name, "-o", "a.o"]
    done = subprocess.run(words, cwd=source.parent, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def said(source: Path, real_nvcc: str) -> str:
    """nvcc's own words."""
    return compiled(source, real_nvcc)


@pytest.mark.parametrize("plugin", FORCED)
def test_a_version_brings_no_warning(plugin: str, source: Path, said: str, tmp_path: Path) -> None:
    policy, report = tmp_path / "toolchain.toml", tmp_path / "report.json"
    anyhow = '[driver]\nrounding = "any"\n[learn]\nversions = 200\n'
    policy.write_text(f"{anyhow}{switched_off(plugin)}[plugins.{plugin}]\n{FORCED[plugin]}")
    ours = [sys.executable, "-m", "gpuopt_driver.nvcc_main", f"--gpuopt-policy={policy}", f"--gpuopt-report={report}"]
    assert compiled(source, *ours) == said
    units = json.loads(report.read_text())["units"]
    found = [one for unit in units for one in unit["decisions"] if one["plugin"] == plugin]
    taken = {one["kernel"] for one in found if one["decision"] == "applied"}
    assert taken == {f"{kind}_{name}" for kind in KINDS.get(plugin, ("walk",)) for name in FORMS}
