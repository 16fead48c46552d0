"""Which forms a kernel gets: by its registers where nvcc was asked, else by what a thread has of its own."""

from __future__ import annotations

from pathlib import Path

import gpuopt_plugins.constants as constants
import pytest

from gpuopt_driver.hooks import Resources
from gpuopt_driver.learning.runtime import Learning
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.schema import DEFAULT, PluginPolicy, Policy
from gpuopt_driver.testing.check import only

SOURCE = """\
__global__ void %s k(int *x, int n)
{
    %s
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i / n;
}
void run(int *x) { %s k<<<64, %s>>>(x, 96); }
"""


def versions(
    directory: Path,
    resources: Resources | None = None,
    *,
    bounds: str = "",
    own: str = "",
    before: str = "",
    config: str = "256",
) -> list[str]:
    """The names of the versions, without the numbers."""
    source = directory / "a.cu"
    source.write_text(SOURCE % (bounds, own, before, config))
    name, plugins = only(constants)
    policy = Policy(gpu="h200", plugins={name: PluginPolicy(origins={"enabled": DEFAULT})}, learn=Learning(mode="on"))
    given = {} if resources is None else {"k": resources}
    (said,) = examine(str(source), (), policy, plugins=plugins, resources=given).report.findings
    return [one.split("_")[1] for one in said.figures["versions"]]


@pytest.mark.parametrize(
    ("registers", "expected"),
    [
        (32, ["b256"]),  # eight blocks, all that the threads allow
        (72, ["b256", "cap4", "spill4"]),
        (128, ["b256", "cap3", "spill3"]),
        (48, ["b256"]),  # a sixth block: more threads than every GPU holds
    ],
)
def test_one_more_block_where_registers_are_known(tmp_path: Path, registers: int, expected: list[str]) -> None:
    assert versions(tmp_path, Resources(registers, 0, 0, "nvcc")) == expected


def test_not_where_shared_memory_allows_no_other_block(tmp_path: Path) -> None:
    assert versions(tmp_path, Resources(128, 100_000, 0, "nvcc")) == ["b256"]


def test_many_registers_are_likely_where_threads_have_arrays(tmp_path: Path) -> None:
    assert versions(tmp_path) == ["b256"]
    assert versions(tmp_path, own="int a[40]; for (int j = 0; j < 40; ++j) a[j] = j;") == ["b256", "cap4", "spill4"]


def test_bounds_of_the_kernels_own_stay_alone(tmp_path: Path) -> None:
    array = "int a[40]; for (int j = 0; j < 40; ++j) a[j] = j;"
    assert versions(tmp_path, own=array, bounds="__launch_bounds__(256)") == ["b256"]
    assert versions(tmp_path, own=array, bounds="/* no __maxnreg__ */") == ["b256"]


def test_spills_need_shared_memory_that_nobody_else_sets(tmp_path: Path) -> None:
    many = Resources(128, 0, 0, "nvcc")
    limit = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);"
    assert versions(tmp_path, many, before=limit) == ["b256", "cap3"]
    assert versions(tmp_path, many, own="extern __shared__ int s[]; s[0] = 1;", config="256, 64") == ["b256", "cap3"]


def test_spills_need_whole_warps(tmp_path: Path) -> None:
    """ptxas reserves shared memory for the threads of a block, and addresses it by warps."""
    many = Resources(128, 0, 0, "nvcc")
    for threads, whole in ((33, False), (96, True), (200, False), (224, True)):
        found = versions(tmp_path, many, config=str(threads))
        assert any(name.startswith("cap") for name in found)
        assert any(name.startswith("spill") for name in found) == whole, threads
