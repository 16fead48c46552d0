"""`gpuopt-nvcc` in front of an nvcc, as CMAKE_CUDA_COMPILER_LAUNCHER and ccache's prefix put it there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.driver.support import ROOT, gpuopt_nvcc, program, run

SAY = 'echo "$0:$*"'


@pytest.mark.parametrize("name", ["nvcc", "nvcc-13.0"])
def test_the_nvcc_that_is_named_is_taken(name: str, tmp_path: Path) -> None:
    path = program(tmp_path / "bin" / name, SAY)
    program(tmp_path / "other" / "nvcc", "echo wrong")
    env = {"PATH": f"{tmp_path / 'other'}:{os.environ['PATH']}", "GPUOPT_NVCC": None}
    done = gpuopt_nvcc(path, "--version", cwd=tmp_path, env=env)
    assert done.stdout.decode() == f"{path}:--version\n"


def test_a_name_alone_is_looked_up_in_path(tmp_path: Path) -> None:
    path = program(tmp_path / "bin" / "nvcc", SAY)
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "GPUOPT_NVCC": None}
    done = gpuopt_nvcc("nvcc", "-lib", "x.o", cwd=tmp_path, env=env)
    assert done.stdout.decode() == f"{path}:-lib x.o\n"


@pytest.mark.parametrize("word", ["nvcc.cu", "nvcc-x.o", "nvcc", "my-nvcc", "./nvcc"])
def test_what_is_no_nvcc_stays_an_argument(word: str, tmp_path: Path) -> None:
    real = program(tmp_path / "real" / "nvcc", SAY)
    (tmp_path / word).write_text("int x;\n")  # no program
    env = {"PATH": "/usr/bin:/bin", "GPUOPT_NVCC": real}
    done = gpuopt_nvcc(word, "-E", cwd=tmp_path, env=env)
    assert done.stdout.decode() == f"{real}:{word} -E\n"


@pytest.mark.nvcc
def test_programs_that_nvcc_starts_have_the_callers_environment(tmp_path: Path, real_nvcc: str) -> None:
    """The host compiler sees nothing of ours (the differential test has a program behind -run print it)."""
    said = run([real_nvcc, "--dryrun", "-c", "x.cu"], tmp_path).stderr.decode()
    nvcc = re.search(r"^#\$ _HERE_=(.*)$", said, re.MULTILINE).group(1) + "/nvcc"  # it may stand behind a script
    log = tmp_path / "log"
    shim = program(tmp_path / "shim" / "g++", f'env >> "{log}"; exec g++ "$@"')
    (tmp_path / "a.cpp").write_text("int main() {}\n")
    env = {"GPUOPT_NVCC": nvcc, "GPUOPT_OFF": "1", "NVCC_CCBIN": shim, "PYTHONPATH": str(ROOT)}

    def seen() -> set[str]:
        lines = {line for line in log.read_text().splitlines() if not line.startswith(("_=", "SHLVL="))}
        log.unlink()
        return lines

    assert run([nvcc, "-c", "a.cpp"], tmp_path, {**os.environ, **env}).returncode == 0
    theirs = seen()
    assert gpuopt_nvcc("-c", "a.cpp", cwd=tmp_path, env=env).returncode == 0
    assert seen() == theirs
