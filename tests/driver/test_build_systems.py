"""Real build tools with `gpuopt-nvcc` in place of nvcc: they build, the patch is in, a second run has nothing to do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.driver.support import run, wrapper

pytestmark = pytest.mark.nvcc

PATCH = {"everywhere": [("return 1;", "return 7;")]}

MAKEFILE = """\
NVCC = nvcc
OBJECTS = main.o other.o
app: $(OBJECTS)
\t$(NVCC) $^ -o $@
%.o: %.cu
\t$(NVCC) -MD -c $< -o $@
-include $(OBJECTS:.o=.d)
"""

CMAKELISTS = """\
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(app main.cu other.cu)
target_compile_definitions(app PRIVATE "TEXT=\\"a b\\"")
set_target_properties(app PROPERTIES CUDA_ARCHITECTURES 80 CUDA_SEPARABLE_COMPILATION ON)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real_nvcc: str) -> Path:
    root = tmp_path / "project dir"
    root.mkdir()
    (root / "main.cu").write_text('#include "shared.cuh"\nint other();\nint main() { return one() * 10 + other(); }\n')
    (root / "other.cu").write_text('#include "shared.cuh"\nint other() { return one() + 1; }\n')
    (root / "shared.cuh").write_text("#pragma once\nstatic __global__ void k() {}\ninline int one() { return 1; }\n")
    monkeypatch.setenv("GPUOPT_NVCC", real_nvcc)
    return root


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} on this machine")
    return found


def test_make(project: Path, tmp_path: Path) -> None:
    """Parallel, with dependency files: up to date at once, and a touched header rebuilds."""
    make = [tool("make"), "-j8", f"NVCC={wrapper(tmp_path / 'bin' / 'gpuopt-nvcc', PATCH)}"]
    (project / "Makefile").write_text(MAKEFILE)
    done = run(make, project)
    assert (done.returncode, done.stderr) == (0, b"")
    assert run([str(project / "app")], project).returncode == 78
    assert os.fsencode(os.environ["GPUOPT_CACHE_DIR"]) not in (project / "main.d").read_bytes()
    assert b"is up to date" in run(make, project).stdout
    os.utime(project / "shared.cuh")
    assert run([*make, "-n"], project).stdout.count(b" -c ") == 2


def test_cmake_with_ninja(project: Path, tmp_path: Path) -> None:
    """Configures as with nvcc, builds with separable compilation; the second build has no work."""
    cmake, _ = tool("cmake"), tool("ninja")
    (project / "CMakeLists.txt").write_text(CMAKELISTS)
    compiler = wrapper(tmp_path / "bin" / "gpuopt-nvcc", PATCH)
    configured = run([cmake, "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={compiler}"], project)
    assert configured.returncode == 0, configured.stdout + configured.stderr
    built = run([cmake, "--build", "build"], project)
    assert built.returncode == 0, built.stdout + built.stderr
    assert b"gpuopt: " not in built.stdout
    assert run([str(project / "build" / "app")], project).returncode == 78
    assert b"no work to do" in run([cmake, "--build", "build"], project).stdout
