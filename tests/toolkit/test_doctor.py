"""`gpuopt doctor` says what is there, and what does not work, of everything that builds depend on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.nvcc import find

# An nvcc whose toolkit is around it, and that builds if it is told to.
FAKE = """#!/bin/sh
case "$*" in
*--version*) echo 'Cuda compilation tools, release 12.4, V12.4.99' ;;
*--dryrun*) echo "#\\$ TOP=$(dirname "$0")/.."; echo "#\\$ INCLUDES=\\"-I$(dirname "$0")/../include\\"" ;;
*) echo "nvcc: note: something"; echo "host_config.h:1: error: unsupported GNU version"; exit ${FAKE_STATUS:-0} ;;
esac >&2
"""
PARTS = ("ptxas", "nvlink", "fatbinary", "crt/link.stub")
LIBRARIES = ("libcudart_static.a", "libcudadevrt.a", "libcudart.so")

Facts = dict[str, dict[str, object]]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NVCC_CCBIN", raising=False)


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "cuda"
    for name in (
        *(f"bin/{part}" for part in PARTS),
        *(f"lib64/{library}" for library in LIBRARIES),
        "nvvm/bin/cicc",
        "nvvm/libdevice/libdevice.10.bc",
        "include/cuda_runtime.h",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "bin" / "nvcc").write_text(FAKE)
    (root / "bin" / "nvcc").chmod(0o755)
    monkeypatch.setenv("GPUOPT_NVCC", str(root / "bin" / "nvcc"))
    return root


def look(capsys: pytest.CaptureFixture[str]) -> tuple[int, Facts, dict[str, object]]:
    """Exit status, checks by name, everything."""
    status = main(["doctor", "--json"])
    everything = json.loads(capsys.readouterr().out)
    return status, {check["name"]: check for check in everything["checks"]}, everything


def test_a_whole_toolkit(toolkit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, checks, everything = look(capsys)
    assert status == 0
    assert everything["backend"] == "nvcc"
    assert checks["nvcc"]["detail"] == f"12.4.99, {toolkit}/bin/nvcc (from GPUOPT_NVCC)"
    assert checks["toolkit"] == {**checks["toolkit"], "found": True, "detail": str(toolkit)}
    assert checks["toolkit headers"]["detail"] == str(toolkit / "include")
    assert checks["nvcc build"]["found"]
    assert all(check["needed_for"] and check["remedy"] for check in everything["checks"] if not check["found"])


def test_parts_that_are_missing_are_told_with_what_they_are_for(
    toolkit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("bin/nvlink", "lib64/libcudart.so", "include/cuda_runtime.h"):
        (toolkit / name).unlink()
    _, checks, _ = look(capsys)
    lacking = "bin/nvlink (device functions in other files), lib64/libcudart.so (-cudart shared, CMake's CUDAToolkit)"
    assert checks["toolkit"]["detail"] == f"{toolkit} lacks {lacking}"
    assert not checks["toolkit headers"]["found"]


def test_an_nvcc_that_builds_nothing_is_not_usable(
    toolkit: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_STATUS", "1")
    status, checks, everything = look(capsys)
    assert status == 1
    assert not everything["backends"]["nvcc"]
    assert checks["nvcc build"]["detail"] == "host_config.h:1: error: unsupported GNU version"
    monkeypatch.setenv("GPUOPT_BACKEND", "emulator")
    status, _, everything = look(capsys)
    assert (status, everything["backend"]) == (0 if everything["backends"]["emulator"] else 1, "emulator")


@pytest.mark.usefixtures("host_compiler")
def test_without_nvcc_builds_take_the_emulator(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUOPT_NVCC", "none")
    status, checks, everything = look(capsys)
    assert (status, everything["backend"], everything["backends"]) == (0, "emulator", {"nvcc": False, "emulator": True})
    assert "switched off" in str(checks["nvcc"]["detail"])
    assert "gpuopt-driver[cuda13]" in str(checks["nvcc"]["remedy"])
    assert "nvcc build" not in checks
    monkeypatch.setenv("GPUOPT_BACKEND", "nvcc")
    assert look(capsys)[0] == 1


def test_loops_are_told(
    tmp_path: Path, toolkit: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "nvcc"
    wrapper.write_text('#!/bin/sh\nexec gpuopt-nvcc "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("GPUOPT_NVCC", str(wrapper))
    status, checks, everything = look(capsys)
    assert (status, everything["backends"]) == (1, {"nvcc": False, "emulator": False})
    assert "leads back to gpuopt-nvcc" in str(checks["nvcc"]["detail"])
    monkeypatch.delenv("GPUOPT_NVCC")
    monkeypatch.setattr(find, "_candidates", lambda env: iter(()))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert f"{wrapper} is gpuopt-nvcc" in str(look(capsys)[1]["nvcc"]["detail"])


def test_wheels_that_are_not_complete_or_do_not_fit(
    tmp_path: Path, toolkit: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "nvidia" / "cu13"
    package.parent.mkdir(parents=True)
    toolkit.rename(package)
    (package / "lib64").rename(package / "lib")
    (package / "bin" / "nvcc.profile").write_text("")
    (package / "include" / "crt").mkdir()
    monkeypatch.setattr(find, "wheel_directories", lambda: [str(package)])
    monkeypatch.setattr("gpuopt_driver.commands.builds.wheel_directories", lambda: [str(package)])
    monkeypatch.setattr(find, "_candidates", find._from_wheels)
    monkeypatch.delenv("GPUOPT_NVCC")
    assert str(look(capsys)[1]["nvcc"]["detail"]).endswith(f"{package} lacks nvidia-cuda-crt")
    (package / "include" / "crt" / "host_config.h").write_text("")
    for name in ("nvidia_cuda_nvcc-12.4.99", "nvidia_nvvm-12.2.1"):
        (package.parents[1] / f"{name}.dist-info").mkdir()
    check = look(capsys)[1]["nvcc"]
    assert not check["found"]
    assert str(check["detail"]).endswith(
        "(from the nvidia-cuda-nvcc package): other releases beside it: nvidia-nvvm 12.2.1"
    )
    assert "brings parts that fit" in str(check["remedy"])


def test_a_wrong_policy_ends_every_build(toolkit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "toolchain.toml").write_text("[driver]\nbackned = 1\n")
    status, checks, everything = look(capsys)
    assert (status, everything["backends"]) == (1, {"nvcc": False, "emulator": False})
    assert not checks["policy"]["found"]


def test_text_says_the_same(toolkit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toolkit / "bin" / "nvlink").unlink()
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"toolkit          not ok: {toolkit} lacks bin/nvlink (device functions in other files)" in lines
    assert "                 needed for programs that use what is missing; install the whole toolkit" in lines
    assert lines[-1].endswith("usable; builds here take nvcc")
