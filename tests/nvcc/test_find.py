"""Which nvcc is taken: the user's word, PATH, CUDA_HOME; never ourselves or a way back to ourselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc import find
from gpuopt_driver.nvcc.find import GUARD, RealNvcc, find_nvcc, guarded
from gpuopt_driver.nvcc.toolkit import describe_toolkit


def script(path: Path, text: str = "exit 0") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_versions", lambda root: [])
    monkeypatch.setattr(find, "wheel_directories", list)
    monkeypatch.setattr(find, "_is_program", lambda path: not path.startswith(("/usr", "/opt")) and _program(path))


def _program(path: str) -> bool:
    return Path(path).is_file() and os.access(path, os.X_OK)


def test_none(tmp_path: Path) -> None:
    assert find_nvcc({"PATH": str(tmp_path)}) is None


def test_order_of_places(tmp_path: Path) -> None:
    home = script(tmp_path / "home" / "bin" / "nvcc")
    path = script(tmp_path / "path" / "nvcc")
    configured = script(tmp_path / "configured" / "nvcc")
    named = script(tmp_path / "named" / "nvcc")
    env = {"PATH": str(tmp_path / "empty"), "CUDA_HOME": str(tmp_path / "home")}

    def found(env: dict[str, str], configured: str = "") -> str:
        nvcc = find_nvcc(env, configured)
        assert nvcc is not None
        return nvcc.path

    assert found(env) == home
    env["PATH"] += f"{os.pathsep}{tmp_path / 'path'}"
    assert found(env) == path
    assert found(env, configured) == configured
    assert found({**env, "GPUOPT_NVCC": named}, configured) == named


def test_a_file_that_cannot_be_run_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "nvcc").write_text("not a program")
    assert find_nvcc({"PATH": str(tmp_path)}) is None


def test_we_are_passed_over_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = script(tmp_path / "venv" / "gpuopt-nvcc", "exec python")
    (tmp_path / "venv" / "nvcc").symlink_to(ours)
    script(tmp_path / "wrapper" / "nvcc", 'exec gpuopt-nvcc "$@"')
    real = script(tmp_path / "real" / "nvcc")
    monkeypatch.setattr("sys.argv", [ours])
    env = {"PATH": os.pathsep.join(str(tmp_path / name) for name in ("venv", "wrapper", "real"))}
    nvcc = find_nvcc(env)
    assert nvcc is not None
    assert nvcc.path == real


def test_one_that_was_tried_leads_back_to_us(tmp_path: Path) -> None:
    first = script(tmp_path / "a" / "nvcc")
    second = script(tmp_path / "b" / "nvcc")
    env = {"PATH": f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}"}
    for expected in (first, second):
        nvcc = find_nvcc(env)
        assert nvcc is not None
        assert nvcc.path == expected
        env = guarded(env, nvcc.path)
    assert env[GUARD] == f"{first}{os.pathsep}{second}"
    with pytest.raises(ToolchainError, match=r"b/nvcc leads back to gpuopt-nvcc, .* set GPUOPT_NVCC"):
        find_nvcc(env)


@pytest.mark.parametrize("how", ["missing", "ours", "tried"])
def test_a_wrong_nvcc_that_the_user_named_is_an_error(tmp_path: Path, how: str) -> None:
    path = str(tmp_path / "nvcc")
    if how != "missing":
        script(tmp_path / "nvcc", "exec gpuopt-nvcc" if how == "ours" else "exit 0")
    env = {"GPUOPT_NVCC": path, "PATH": "", **({GUARD: path} if how == "tried" else {})}
    with pytest.raises(ToolchainError, match=r"GPUOPT_NVCC: .*unset it"):
        find_nvcc(env)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ('exec gpuopt-nvcc "$@"', True),
        ('exec /opt/venv/bin/gpuopt-nvcc "$@"', True),
        ("from gpuopt_driver.nvcc_main import main", True),
        ('exec python3 -m gpuopt_driver.nvcc_main "$@"', True),
        ('exec /home/me/gpuopt-nvcc/cuda/bin/nvcc "$@"', False),
        ('exec /home/me/gpuopt/cuda/bin/nvcc "$@"', False),
        ('exec /data/gpuopt_driver_tests/nvcc "$@"', False),
    ],
)
def test_scripts_that_start_us(tmp_path: Path, text: str, ours: bool) -> None:
    assert find.is_ours(script(tmp_path / "nvcc", text)) is ours


def test_none_means_none(tmp_path: Path) -> None:
    script(tmp_path / "nvcc")
    assert find_nvcc({"PATH": str(tmp_path), "GPUOPT_NVCC": "none"}) is None
    assert find_nvcc({"PATH": str(tmp_path)}, "none") is None


def test_a_name_is_looked_for_in_path(tmp_path: Path) -> None:
    path = script(tmp_path / "nvcc-12")
    nvcc = find_nvcc({"PATH": str(tmp_path), "GPUOPT_NVCC": "nvcc-12"})
    assert nvcc is not None
    assert nvcc.path == path
    with pytest.raises(ToolchainError, match="GPUOPT_NVCC: nvcc-11: no such program"):
        find_nvcc({"PATH": str(tmp_path), "GPUOPT_NVCC": "nvcc-11"})


def test_a_link_from_elsewhere_is_followed_to_its_toolkit(tmp_path: Path) -> None:
    real = script(tmp_path / "cuda" / "bin" / "nvcc")
    (tmp_path / "cuda" / "bin" / "nvcc.profile").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").symlink_to(real)
    nvcc = find_nvcc({"PATH": str(tmp_path / "bin")})
    assert nvcc is not None
    assert nvcc.path == real


def test_versions_are_tried_from_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name in ("cuda-9.2", "cuda-13.0", "cuda-12.9", "other"):
        (tmp_path / name).mkdir()
    assert [Path(path).name for path in find._versions(str(tmp_path))] == ["cuda-13.0", "cuda-12.9", "cuda-9.2"]


def test_what_is_no_nvcc_is_an_error(tmp_path: Path) -> None:
    path = script(tmp_path / "nvcc", "echo hello")
    with pytest.raises(ToolchainError, match="does not print a version"):
        describe_toolkit(
            RealNvcc(path, "PATH"), {"GPUOPT_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}
        )


@pytest.mark.nvcc
def test_the_toolkit_of_a_real_nvcc(real_nvcc: str) -> None:
    first = describe_toolkit(RealNvcc(real_nvcc, "PATH"), os.environ)
    again = describe_toolkit(RealNvcc(real_nvcc, "PATH"), os.environ)
    assert first == again
    assert first.version >= (11, 0)
    assert first.full_version.startswith(f"{first.version[0]}.{first.version[1]}.")
    assert Path(first.runtime_header_dir, "cuda_runtime.h").is_file()
