"""The script that builds under hostile circumstances beside nvcc: a few of its cases, and that it sees a difference."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.beside_nvcc import CASES, Case, differences
from tests.driver.support import program

pytestmark = pytest.mark.nvcc


@pytest.mark.parametrize(
    "name",
    ["all closed", "PYTHONPATH", "no directory", "visibility", "errors for warnings", "a header that is not there"],
)
def test_as_nvcc(name: str, tmp_path: Path, real_nvcc: str) -> None:
    ours = Path(sys.executable).with_name("gpuopt-nvcc")
    if not ours.is_file():
        pytest.skip("needs gpuopt-nvcc beside this Python")
    assert differences(CASES[name], real_nvcc, str(ours), tmp_path) == []


def test_a_difference_is_told(tmp_path: Path, real_nvcc: str) -> None:
    other = program(tmp_path / "other", f'echo more; exec {real_nvcc} "$@" -DX\n')
    lines = differences(Case(source="__global__ void k() {}\n"), real_nvcc, other, tmp_path / "scratch")
    assert [line.split(": ")[:2] for line in lines] == [["cold", "standard output"], ["warm", "standard output"]]
