"""What -arch=native, all and all-major stand for: asked of the machine and of the nvcc at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.archs import majors
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.native import native_archs, with_actual_gpus
from gpuopt_driver.nvcc.toolkit import Toolkit
from tests.driver.support import gpuopt_nvcc, program

V11 = (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90)
KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"


def toolkit(root: Path) -> Toolkit:
    lists = "".join(f"echo compute_{number};" for number in V11)
    nvcc = program(root / "bin" / "nvcc", f'[ "$1" = --list-gpu-arch ] && {{ {lists} }}')
    return Toolkit(nvcc, (11, 8), "11.8.89", str(root), (), ())


def archs(root: Path, *argv: str, env: dict[str, str] | None = None) -> tuple[int, ...]:
    command = parse_command([*argv, "-c", "a.cu"], {}, "/project")
    return with_actual_gpus(command, toolkit(root), env or {"PATH": "/usr/bin:/bin"}).archs


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (V11, (35, 50, 60, 70, 80, 90)),
        ((50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90), (50, 60, 70, 80, 90)),
        ((75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121), (75, 80, 90, 100, 110, 120)),
    ],
)
def test_all_major_as_nvcc_11_12_and_13_have_it(known: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert majors(known) == expected


def test_this_nvccs_own_list_counts(tmp_path: Path) -> None:
    assert archs(tmp_path, "-arch=all") == V11
    assert archs(tmp_path, "-arch=all-major") == (35, 50, 60, 70, 80, 90)
    assert archs(tmp_path, "-arch=all-major", "-gencode", "arch=compute_86,code=sm_86") == (35, 50, 60, 70, 80, 86, 90)
    assert archs(tmp_path, "-arch=sm_90a") == (90,)


def test_native_is_what_nvccs_own_query_says(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "__nvcc_device_query", "printf 90")
    assert archs(tmp_path, "-arch=native") == (90,)
    program(tmp_path / "bin" / "__nvcc_device_query", "printf 80,90,90")
    assert archs(tmp_path, "-arch=native", "-gencode", "arch=compute_75,code=sm_75") == (75, 80, 90)


def test_nvidia_smi_is_asked_where_the_query_is_missing_or_fails(tmp_path: Path) -> None:
    program(tmp_path / "tools" / "nvidia-smi", "printf '8.6\\n12.0\\n'")
    env = {"PATH": f"{tmp_path / 'tools'}:/usr/bin:/bin"}
    assert archs(tmp_path, "-arch=native", env=env) == (86, 120)
    program(tmp_path / "bin" / "__nvcc_device_query", "echo no driver >&2; exit 1")
    assert native_archs(toolkit(tmp_path), env) == (86, 120)


def test_no_gpu_is_no_architecture(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "__nvcc_device_query", "echo no driver >&2; exit 1")
    program(tmp_path / "tools" / "nvidia-smi", "echo 'No devices were found'; exit 6")
    assert archs(tmp_path, "-arch=native", env={"PATH": f"{tmp_path / 'tools'}:/usr/bin:/bin"}) == ()


@pytest.mark.parametrize(("number", "gpu"), [("90", "h200"), ("80", "a100")])
def test_the_model_is_that_of_the_gpu_in_this_machine(number: str, gpu: str, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "__nvcc_device_query", f"printf {number}")
    said = f"echo '#$ TOP={tmp_path}' >&2; echo 'Cuda compilation tools, release 13.0, V13.0.88'"
    nvcc = program(tmp_path / "bin" / "nvcc", said)
    (tmp_path / "a.cu").write_text(KERNEL)
    env = {"GPUOPT_NVCC": nvcc, "PATH": os.environ["PATH"]}
    done = gpuopt_nvcc("-arch=native", "-c", "a.cu", "--gpuopt-report=r.json", cwd=tmp_path, env=env)
    assert done.returncode == 0
    assert json.loads((tmp_path / "r.json").read_text())["units"][0]["gpu"] == gpu
