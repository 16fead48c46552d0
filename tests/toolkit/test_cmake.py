"""One CMake project, on a machine without CUDA: it configures, builds, and passes its tests with the emulator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.emulator.standin import VERSION
from tests.ours import DISABLED
from tests.toolkit.support import gpuopt, our_nvcc

PROJECT = Path(__file__).parent / "project"


def cmakes() -> dict[str, str]:
    """Every CMake in PATH, by version."""
    found: dict[str, str] = {}
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        program = shutil.which("cmake", path=directory)
        if program:
            done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
            version = re.search(r"version (\S+)", done.stdout)
            if version:
                found.setdefault(version.group(1), program)
    return found


CMAKES = cmakes()
# Both ways to name the compiler, both generators, device code in several files or not; older versions once.
ALL = [("Ninja", "ON", "directory"), ("Unix Makefiles", "OFF", "command"), ("Ninja", "OFF", "command")]
CASES = [
    (version, *case)
    for number, version in enumerate(sorted(CMAKES, reverse=True))
    for case in (ALL[:2] if number == 0 else ALL[2:])
]


def run(*words: str, env: dict[str, str]) -> str:
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def without_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without CUDA."""
    monkeypatch.setenv("GPUOPT_NVCC", "none")
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT", "CUDACXX", "CUDAHOSTCXX", "CUDAFLAGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.skipif(not CMAKES, reason="no cmake on this machine")
@pytest.mark.usefixtures("without_cuda", "host_compiler")
@pytest.mark.parametrize(("version", "generator", "separable", "way"), CASES)
def test_a_project_builds_and_passes_its_tests(
    tmp_path: Path, version: str, generator: str, separable: str, way: str
) -> None:
    if not shutil.which("ninja" if generator == "Ninja" else "make"):
        pytest.skip(f"no program for {generator} on this machine")
    cmake, env = CMAKES[version], {**os.environ, "GPUOPT_EMU_MODE": "fast"}
    if way == "directory":
        # no blank in the name: CMake has ld list the libraries, ld 2.47 splits such names, and all is linked again
        gpuopt("toolkit", "--backend=emulator", str(tmp_path / "toolkit"))
        nvcc = str(tmp_path / "toolkit" / "bin" / "nvcc")
    else:
        nvcc = our_nvcc(tmp_path / "bin" / "gpuopt-nvcc")
        env |= {"GPUOPT_BACKEND": "emulator", "GPUOPT_DISABLE_PLUGINS": DISABLED}
    source, build = tmp_path / "project", str(tmp_path / "build")
    shutil.copytree(PROJECT, source)
    options = [f"-DSEPARABLE={separable}", f"-DCMAKE_CUDA_COMPILER={nvcc}"]
    configured = run(cmake, "-S", str(source), "-B", build, "-G", generator, *options, env=env)
    found = re.search(r"-- toolkit: (.*) (\d\S*) (/.*)\n", configured)
    assert found is not None
    assert found.group(2) == VERSION
    assert found.group(1) == str(Path(found.group(3)).parent)
    if way == "directory":
        assert found.group(3) == nvcc
    run(cmake, "--build", build, "-j2", env=env)
    tests = run(str(Path(cmake).parent / "ctest"), "--test-dir", build, env=env)
    assert re.search(r"100% tests passed.* of 6|100% tests passed, 0 tests failed out of 6", tests)

    again = run(cmake, "--build", build, env=env)
    assert "Building" not in again
    assert "Linking" not in again
    os.utime(source / "local.cu")
    rebuilt = set(re.findall(r"Building CUDA object \S*?([a-z]+)\.cu\.o", run(cmake, "--build", build, env=env)))
    assert rebuilt == {"local"}
    (source / "kernels.h").write_text("#pragma once\nbroken\n")
    assert subprocess.run([cmake, "--build", build], env=env, capture_output=True, check=False).returncode != 0
