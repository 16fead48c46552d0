"""The script that builds under hostile circumstances beside nvcc: a few of its cases, and that it sees a difference."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.beside_nvcc import CASES, HEAD, Case, differences
from tests.driver.support import program
from tests.ours import switched_off

pytestmark = pytest.mark.nvcc


@pytest.mark.parametrize(
    "name", ["all closed", "PYTHONPATH", "no directory", "visibility", "a header that is not there"]
)
def test_as_nvcc(name: str, tmp_path: Path, real_nvcc: str) -> None:
    ours = Path(sys.executable).with_name("gpuopt-nvcc")
    if not ours.is_file():
        pytest.skip("needs gpuopt-nvcc beside this Python")
    case = CASES[name]
    if case.head == HEAD:  # no matter of how versions are written: those of one plugin, where all are loaded
        case = replace(case, files={**case.files, "toolchain.toml": switched_off("catt")})
    assert differences(case, real_nvcc, str(ours), tmp_path) == []


def test_a_difference_is_told(tmp_path: Path, real_nvcc: str) -> None:
    other = program(tmp_path / "other", f'echo more; exec {real_nvcc} "$@" -DX\n')
    lines = differences(Case(source="__global__ void k() {}\n"), real_nvcc, other, tmp_path / "scratch")
    assert [line.split(": ")[:2] for line in lines] == [["cold", "standard output"], ["warm", "standard output"]]
