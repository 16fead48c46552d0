"""The runtime is there before the program's global objects, behind them, and in libraries that are loaded late."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

LIBRARY = """
#include <cstdio>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
extern "C" int filled(int v) {
  int *p, h[4];
  cudaMalloc(&p, 16);
  fill<<<1, 4>>>(p, v);
  cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return cudaGetLastError() ? -1 : h[3];
}
"""
LOADED = "import ctypes, sys; print([ctypes.CDLL(path).filled(number) for number, path in enumerate(sys.argv[1:])])"


def test_global_objects(tmp_path: Path) -> None:
    source = PROGRAMS / "global_objects.cu"
    for _ in range(3):  # from then on with precompiled headers
        assert compile_with(source, "-o", "program", cwd=tmp_path, gpu="h200", check=True) == 0
    for mode in ("fast", "check", "model"):
        done = run(tmp_path / "program", GPUOPT_EMU_MODE=mode)
        assert done.stdout.splitlines() == [
            "main has 288",
            "late ends with 576",
            "plain ends with 448",
            "first ends with 448",
        ], done.stdout + done.stderr
        assert done.returncode == 0
        assert mode != "check" or "0 errors" in done.stderr


def test_libraries_are_loaded_by_programs_that_run(tmp_path: Path) -> None:
    """Each has a runtime of its own, and little storage for threads, as there is little room for it."""
    names = [f"./lib{number}.so" for number in range(4)]
    (tmp_path / "lib.cu").write_text(LIBRARY)
    assert compile_with("-Xcompiler", "-fPIC", "-shared", "lib.cu", "-o", names[0], cwd=tmp_path) == 0
    for name in names[1:]:
        (tmp_path / name).write_bytes((tmp_path / names[0]).read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *names], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[3, 4, 5, 6]\n", "")
