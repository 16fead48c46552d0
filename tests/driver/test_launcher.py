"""The script that stands before Python: it becomes nvcc where Python would, and leaves everything else to Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc_main import passes_straight

SCRIPTS = Path(__file__).parents[2] / "scripts"
SHELLS = [shell for shell in ("/bin/dash", "/bin/bash") if Path(shell).exists()]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Our script, a Python that says that it was asked, and a binary that says what it was given."""
    for name in ("ours", "toolkit", "wrapped", "work/deep"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(SCRIPTS / "gpuopt-nvcc", tmp_path / "ours")
    closer = tmp_path / "ours/gpuopt-nvcc-python"
    closer.write_text('#!/bin/sh\necho python "$@"\n')
    closer.chmod(0o755)
    shutil.copy(shutil.which("echo") or "/bin/echo", tmp_path / "toolkit/nvcc")
    (tmp_path / "toolkit/nvcc.profile").touch()
    wrapper = tmp_path / "wrapped/nvcc"
    wrapper.write_text(f"#!/bin/sh\nexec {tmp_path}/toolkit/nvcc\n")
    wrapper.chmod(0o755)
    (tmp_path / "wrapped/nvcc.profile").touch()
    return tmp_path


def said(place: Path, shell: str, argv: list[str], env: dict[str, str], cwd: Path) -> str:
    line = [shell, str(place / "ours/gpuopt-nvcc"), *argv]
    done = subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.rstrip("\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_it_decides_as_python_does(place: Path, shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {"PATH": f"{place}/nothing:{place}/toolkit/:/usr/bin:/bin"}
    straight = [
        (["--list-gpu-arch"], usual),
        (["-c", "a b.cpp", "-o", "*.o", ""], usual),
        ([], usual),
        (["x.o", "-o", "x"], {"GPUOPT_NVCC": f"{place}/toolkit/nvcc", "PATH": "/bin", "GPUOPT_BACKEND": "auto"}),
    ]
    closer = [
        (["-c", "a.cu"], usual),
        (["-x", "cu", "a.cpp"], usual),
        (["--gpuopt-off", "a.cpp"], usual),
        (["--options-file", "a"], usual),
        (["nvcc", "a.cpp"], usual),
        (["/x/nvcc-13", "a.cpp"], usual),
        (["a.cpp", "-run"], usual),
        (["a.cpp"], {**usual, "NVCC_APPEND_FLAGS": "a.cu"}),
        (["a.cpp"], {**usual, "GPUOPT_BACKEND": "emulator"}),
        (["a.cpp"], {**usual, "GPUOPT_POLICY": "some.toml"}),
        (["a.cpp"], {**usual, "GPUOPT_NVCC": "wheels"}),
        (["a.cpp"], {**usual, "GPUOPT_NVCC": f"{place}/absent/nvcc"}),
        (["a.cpp"], {**usual, "GPUOPT_NVCC_TRIED": "/x/nvcc"}),
        (["a.cpp"], {"PATH": f":{usual['PATH']}"}),
        (["a.cpp"], {"PATH": f"{place}/wrapped:{usual['PATH']}"}),
        (["a.cpp"], {"PATH": "/nothing"}),
    ]
    monkeypatch.chdir(place / "work/deep")
    for argv, env in straight:
        assert said(place, shell, argv, env, place / "work/deep") == " ".join(argv)
        assert passes_straight(argv, env)
        found = find_nvcc(env)
        assert found is not None
        assert found.path == f"{place}/toolkit/nvcc"
    for argv, env in closer:
        expected = " ".join(["python", f"{place}/ours/gpuopt-nvcc", *argv])
        assert said(place, shell, argv, {**env, "PATH": env["PATH"]}, place / "work/deep") == expected


def test_a_policy_above_is_read_by_python(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"PATH": f"{place}/toolkit:/usr/bin:/bin", "PWD": str(place / "link")}
    (place / "link").symlink_to("work/deep")
    assert said(place, "/bin/sh", ["a.cpp"], env, place / "link") == "a.cpp"
    (place / "work/toolchain.toml").touch()
    assert said(place, "/bin/sh", ["a.cpp"], env, place / "link").startswith("python ")


def test_links_to_it_and_directories_of_toolkits(place: Path) -> None:
    env = {"PATH": f"{place}/toolkit:/usr/bin:/bin"}
    link = place / "nvcc"
    link.symlink_to("ours/gpuopt-nvcc")
    done = subprocess.run([link, "a b"], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"python {link} a b\n"
    (place / "gpuopt-toolkit.json").touch()
    assert said(place, "/bin/sh", ["a.cpp"], env, place).startswith("python ")


@pytest.mark.parametrize("shell", SHELLS)
def test_it_starts_the_python_that_the_other_script_names(place: Path, shell: str) -> None:
    """Also where the system would not: a blank in the path, or a long one."""
    python = place / ("a b" * 50) / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    closer = place / "ours/gpuopt-nvcc-python"
    closer.write_text(f"#!{python}\nimport sys\nprint(*sys.argv[1:])\n")
    env = {"PATH": "/usr/bin:/bin"}
    assert said(place, shell, ["a b.cu"], env, place) == f"{place}/ours/gpuopt-nvcc a b.cu"
    closer.write_text("#!/usr/bin/env sh\necho by the system\n")
    assert said(place, shell, ["a.cu"], env, place) == "by the system"
    closer.unlink()
    done = subprocess.run([place / "ours/gpuopt-nvcc", "a.cu"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"gpuopt-nvcc: error: {closer}: cannot be read; install gpuopt-driver again\n"


def test_the_rest_is_python(place: Path) -> None:
    """The second script takes the first one's name, and becomes nvcc where the first one was not sure."""
    script = SCRIPTS / "gpuopt-nvcc-python"
    env = {**os.environ, "PYTHONPATH": str(SCRIPTS.parent), "GPUOPT_NVCC": f"{place}/toolkit/nvcc"}
    line = [sys.executable, str(script), "/x/gpuopt-nvcc", f"{place}/toolkit/nvcc", "a.cpp"]
    done = subprocess.run(line, env=env, cwd=place, capture_output=True, text=True, check=True)
    assert done.stdout == "a.cpp\n"
    (place / "a.cu").write_text("int x;\n")
    line = [sys.executable, str(script), "/x/gpuopt-nvcc", "-c", "a.cu"]
    done = subprocess.run(line, env=env, cwd=place, capture_output=True, text=True, check=True)
    assert done.stdout == "-c a.cu\n"
