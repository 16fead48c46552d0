"""Plugins and modules that lie where a build is started are not loaded: they are to be built, and not to be run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driver.support import ROOT, program

MODULES = ("argparse", "json", "dataclasses", "pluggy", "tomli", "clang", "gpuopt_plugins", "sitecustomize")
OURS = Path(sys.executable).parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with a plugin as installers leave them, and with modules that have the names of others."""
    place = tmp_path / "project"
    (place / "evil-1.0.dist-info").mkdir(parents=True)
    (place / "evil-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (place / "evil-1.0.dist-info/entry_points.txt").write_text("[gpuopt.plugins]\nevil = evil\n")
    (place / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('plugin')\n")
    (place / "a.cu").write_text("__global__ void k(float *a) { a[0] = 1; }\n")
    program(tmp_path / "toolkit/bin/nvcc", "exit 0")
    return place


def start(line: list[str], project: Path, python_path: str | None) -> str:
    """What was said; nothing in the directory must have run."""
    env = {**os.environ, "GPUOPT_NVCC": str(project.parent / "toolkit/bin/nvcc"), "GPUOPT_AHEAD": "0"}
    env.pop("PYTHONPATH", None)
    if python_path is not None:
        env["PYTHONPATH"] = python_path
    done = subprocess.run(line, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (project.parent / "ran").exists(), line
    assert "Traceback" not in done.stderr
    return done.stdout


WAYS = {
    "gpuopt": ["-m", "gpuopt_driver", "plugins"],
    "gpuopt-nvcc": ["-m", "gpuopt_driver.nvcc_main", "-c", "a.cu", "-o", "a.o"],
}


@pytest.mark.parametrize("way", WAYS)
def test_neither_plugins_nor_modules_when_started_as_a_module(project: Path, way: str) -> None:
    for name in MODULES:
        (project / f"{name}.py").write_text(f"open({str(project.parent / 'ran')!r}, 'a').write({name!r})\n")
    said = start([sys.executable, *WAYS[way]], project, str(ROOT))
    assert "evil" not in said
    assert way != "gpuopt" or "catt" in said


@pytest.mark.parametrize("python_path", ["", ":{root}", "{root}:", ".:{root}", "{root}:../project"])
@pytest.mark.parametrize("way", WAYS)
def test_no_plugins_by_relative_parts_of_pythonpath(project: Path, way: str, python_path: str) -> None:
    start([sys.executable, *WAYS[way]], project, python_path.format(root=ROOT))


@pytest.mark.parametrize("python_path", [None, ":{root}", "."])
@pytest.mark.parametrize("name", ["gpuopt", "gpuopt-nvcc"])
def test_no_plugins_by_the_programs(project: Path, name: str, python_path: str | None) -> None:
    path = OURS / name
    if not path.exists() or shutil.which(str(path)) is None:
        pytest.skip(f"{name} is not installed beside this Python")
    arguments = ["plugins"] if name == "gpuopt" else ["-c", "a.cu", "-o", "a.o"]
    start([str(path), *arguments], project, python_path and python_path.format(root=ROOT))


def test_what_pythonpath_names_in_full_is_taken(project: Path) -> None:
    env = {**os.environ, "PYTHONPATH": f".:{project}:{ROOT}"}
    line = [sys.executable, "-m", "gpuopt_driver", "plugins"]
    subprocess.run(line, cwd=project, env=env, capture_output=True, check=False)
    assert (project.parent / "ran").read_text() == "plugin"


def test_a_python_that_has_the_working_directory_in_its_path(project: Path) -> None:
    """As with `python -c`: nobody has installed what lies there."""
    code = "from gpuopt_driver.installation import find_points; print([point.name for point in find_points()])"
    assert "evil" not in start([sys.executable, "-c", code], project, str(ROOT))
