"""A policy that others could have written is left aside: it names programs that are run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver.policy import load_policy
from gpuopt_driver.policy.schema import DriverPolicy
from tests.driver.support import ROOT, gpuopt_nvcc, program
from tests.faults.support import PATCH, PATCHED, completed, make_project

STRANGER = 54321
HOWS: dict[str, Callable[[Path], object]] = {
    "world": lambda file: file.chmod(0o666),
    "directory": lambda file: file.parent.chmod(0o777),
    "above": lambda file: file.parents[1].chmod(0o777),
    "link": lambda file: (file.rename(file.parents[1] / "elsewhere"), (file.parents[1] / "elsewhere").chmod(0o666),
                          file.symlink_to(file.parents[1] / "elsewhere")),
}  # fmt: skip
if os.geteuid() == 0:
    HOWS |= {
        "a stranger's": lambda file: os.chown(file, STRANGER, 0),
        "a stranger's directory": lambda file: os.chown(file.parent, STRANGER, 0),
        "group": lambda file: (os.chown(file, 0, STRANGER), file.chmod(0o664)),
    }
SAID = "toolchain.toml: not used as a policy: "
WAY_OUT = "; make it yours alone, or name it with GPUOPT_POLICY"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "above/project").mkdir(parents=True)
    return tmp_path / "above/project"


@pytest.mark.parametrize("how", HOWS)
def test_left_aside_unless_it_is_named(project: Path, how: str) -> None:
    file = project / "toolchain.toml"
    file.write_text('[driver]\nnvcc = "/evil/nvcc"\nhost_compiler = "/evil/g++"\nplugin_seconds = 3\n')
    trusted = load_policy(["a.cu"], env={}, cwd=str(project))
    assert (trusted.driver.nvcc, trusted.refused) == ("/evil/nvcc", "")
    HOWS[how](file)
    policy = load_policy(["a.cu"], env={}, cwd=str(project))
    assert (policy.driver, policy.path) == (DriverPolicy(), "")
    assert policy.refused.startswith(SAID)
    assert policy.refused.endswith(WAY_OUT)
    below = project / "src"
    below.mkdir()
    assert load_policy(["src/a.cu"], env={}, cwd=str(project)).refused == policy.refused
    assert load_policy([], env={}, cwd=str(below)).refused.startswith(str(file))
    for named in (
        load_policy(["a.cu"], env={}, cwd=str(project), explicit="toolchain.toml"),
        load_policy(["a.cu"], env={"GPUOPT_POLICY": str(file)}, cwd=str(project)),
    ):
        assert (named.driver, named.refused) == (trusted.driver, "")


def test_it_is_not_so_much_as_read(project: Path) -> None:
    file = project / "toolchain.toml"
    file.write_text("no toml")
    file.chmod(0o666)
    assert load_policy(["a.cu"], env={}, cwd=str(project)).refused.startswith(SAID)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_who_called_sudo_may_tell_root(project: Path) -> None:
    file = project / "toolchain.toml"
    file.write_text("[driver]\nplugin_seconds = 3\n")
    os.chown(file, STRANGER, STRANGER)
    os.chown(project, STRANGER, STRANGER)
    policy = load_policy(["a.cu"], env={"SUDO_UID": str(STRANGER)}, cwd=str(project))
    assert (policy.driver.plugin_seconds, policy.refused) == (3.0, "")
    assert load_policy(["a.cu"], env={"SUDO_UID": "1"}, cwd=str(project)).refused


def test_a_build_runs_none_of_its_programs(tmp_path: Path, host_compiler: str) -> None:
    """And is remembered neither with nor without it."""
    env: dict[str, str | None] = {**make_project(tmp_path)}
    nvcc = env.pop("GPUOPT_NVCC")
    assert nvcc
    env["PATH"] = f"{Path(nvcc).parent}:{os.environ['PATH']}"
    evil = program(tmp_path / "evil/nvcc", f"touch {tmp_path / 'ran'}; exit 1")
    file = tmp_path / "toolchain.toml"
    file.write_text(f'[driver]\nnvcc = "{evil}"\n')
    file.chmod(0o666)
    for _ in range(2):
        status, err, made = completed(tmp_path, {**env, "GPUOPT_NVCC": None}, PATCH)
        lines = err.decode().splitlines()
        assert (status, len(lines), lines[-1]) == (0, 2, "made something")
        assert lines[0] == f"gpuopt: warning: {SAID}can be written to by all users{WAY_OUT}"
        assert made.endswith(PATCHED)
    assert not (tmp_path / "ran").exists()
    named = {**env, "GPUOPT_NVCC": None, "GPUOPT_POLICY": "toolchain.toml"}
    assert gpuopt_nvcc("-c", "a.cu", cwd=tmp_path, env=named).returncode == 1
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", [["explain", "a.cu"], ["doctor"]])
def test_commands_say_so(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "toolchain.toml").write_text("")
    (tmp_path / "toolchain.toml").chmod(0o666)
    line = [sys.executable, "-m", "gpuopt_driver", *command]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert SAID in done.stdout + done.stderr
