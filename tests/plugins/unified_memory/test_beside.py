"""What UNI004 says of resident blocks: how many there are, how many there could be, and in good grammar."""

from __future__ import annotations

from pathlib import Path

from gpuopt_driver.hooks import Resources
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Finding

SOURCE = """__global__ void __launch_bounds__(256) render(const int *ranges, const float *x, float *y)
{
    __shared__ float s[2816];
    float sum = 0;
    for (int i = ranges[blockIdx.x]; i < ranges[blockIdx.x + 1]; i++) sum += x[ranges[i] + threadIdx.x];
    s[threadIdx.x] = sum;
    __syncthreads();
    y[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
void run(const int *ranges, const float *x, float *y, int tiles) { render<<<TILES, 256>>>(ranges, x, y); }
"""


def said(place: Path, tiles: str) -> Finding:
    """The finding for a kernel of 62 registers and 11 KB: registers leave room for four blocks of 256 threads."""
    (place / "a.cu").write_text(SOURCE)
    taken = {"render": Resources(62, 11264, 0, "a test")}
    done = examine(str(place / "a.cu"), [f"-DTILES={tiles}"], Policy(), "h200", resources=taken)
    (finding,) = (one for one in done.report.findings if one.plugin == "unified_memory")
    return finding


def test_a_grid_that_is_not_known_may_leave_fewer_blocks_than_fit(tmp_path: Path) -> None:
    finding = said(tmp_path, "tiles")
    assert finding.code == "UNI004"
    assert finding.figures["most_resident_blocks"] == 4
    assert finding.figures["resident_blocks"] == 1
    assert " B where the grid leaves 1 block on an SM, which has room for 4; " in finding.message


def test_a_grid_that_is_known(tmp_path: Path) -> None:
    finding = said(tmp_path, "132")
    assert finding.code == "UNI004"
    assert (finding.figures["resident_blocks"], finding.figures["most_resident_blocks"]) == (1, 1)
    assert " B beside 1 block on an SM; " in finding.message


def test_more_blocks_leave_nothing_to_choose(tmp_path: Path) -> None:
    assert said(tmp_path, "528").code == "UNI013"
