"""Patches through the overlay beside the same patches written into the files: nothing must tell them apart."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from tests.driver.support import gpuopt_nvcc, run

pytestmark = pytest.mark.nvcc

MAIN = """\
#include <cstdio>
#include "k é.cuh"
#include "sub/u.h"
static int unused_here;
namespace { __global__ void hidden(float *a) { *a = __LINE__; } }
__device__ static float state;
int main() {
  float *p = 0;
  k<<<1, 32>>>(p); hidden<<<1, 1>>>(p);
  printf("%s %d %s %s\\n", __FILE__, __LINE__, __BASE_FILE__, where());
  int never_used = 1;
#if __has_include("sub/v.h") && __INCLUDE_LEVEL__ == 0
  return TWO;
#endif
}
"""
KERNEL = "#pragma once\r\n__global__ void k(float *a) { a[threadIdx.x] *= 2; }\r\n"
HEADER = '#include "v.h"\n#warning seen\ninline const char *where() { return __FILE__ " " __TIMESTAMP__; }\n'

REPLACE = [
    ("dir with space/main.cu", "*a = __LINE__;", "*a = 3 + __LINE__;"),
    ("dir with space/k é.cuh", "*= 2;", "*= 2; a[0] += 1;"),
    ("dir with space/sub/u.h", "#warning seen", "#warning seen twice"),
]
ARCHS = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"]
SOURCE = "dir with space/main.cu"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "dir with space"
    (root / "sub").mkdir(parents=True)
    (root / "main.cu").write_text(MAIN)
    (root / "k é.cuh").write_bytes(KERNEL.encode())
    (root / "sub" / "u.h").write_text(HEADER)
    (root / "sub" / "v.h").write_text("#define TWO 2\n")
    for path in root.rglob("*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return tmp_path


def apply_in_place(project: Path) -> None:
    for name, old, new in REPLACE:
        path = project / name
        status = path.stat()
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def products(project: Path) -> dict[str, str]:
    out = project / "out"
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}


def test_same_as_patched_in_place(project: Path, real_nvcc: str) -> None:
    """Object, kept intermediate files, dependency file, warnings, preprocessed text."""
    compile_line = ["-c", SOURCE, "-o", "out/m.o", "-MD", "-lineinfo", "--keep", "--keep-dir", "out"]
    lines = [compile_line, ["-E", f"./{SOURCE}"], ["-Xcompiler=-w", "-MM", SOURCE]]
    env = {"GPUOPT_NVCC": real_nvcc}

    def outcomes(patched_by_us: bool) -> list[object]:
        shutil.rmtree(project / "out", ignore_errors=True)
        (project / "out").mkdir()
        seen: list[object] = []
        for line in lines:
            if patched_by_us:
                done = gpuopt_nvcc(*line, cwd=project, optimizer={"replace": REPLACE}, env=env)
            else:
                done = run([real_nvcc, *line], project)
            seen.append((done.returncode, done.stdout, done.stderr, products(project)))
        return seen

    ours = outcomes(patched_by_us=True)
    apply_in_place(project)
    theirs = outcomes(patched_by_us=False)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == other
    assert b"seen twice" in ours[0][2]  # type: ignore[index]
    assert {"m.o", "m.d", "main.ptx"} <= products(project).keys()


def test_two_architectures_and_a_link_run_with_every_spelling(project: Path, real_nvcc: str) -> None:
    """One patched header seen by two sources, one of them through a symbolic link; the program tells."""
    (project / "x").symlink_to(project / "dir with space")
    (project / "alias.h").symlink_to(project / "two.h")
    (project / "two.h").write_text("inline int two() { return 2; }\nstatic __global__ void q() {}\n")
    (project / "a.cu").write_text('#include "alias.h"\nint other();\nint main() { return two() * 10 + other(); }\n')
    (project / "b.cu").write_text('#include "x/../two.h"\nint other() { return two(); }\n')
    done = gpuopt_nvcc(
        *ARCHS,
        *("-t2", "a.cu", "./b.cu", "-o", "app"),
        cwd=project,
        optimizer={"replace": [("two.h", "return 2;", "return 3;")]},
        env={"GPUOPT_NVCC": real_nvcc},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert run([str(project / "app")], project).returncode == 33


def test_errors_of_the_users_own_are_nvccs_own(project: Path, real_nvcc: str) -> None:
    (project / "bad.cu").write_text("__global__ void k(float *a) { a[0] = 1; }\nint x = y;\n")
    theirs = run([real_nvcc, "-c", "bad.cu"], project)
    patch = {"replace": [("bad.cu", "a[0] = 1;", "a[0] = 2;")]}
    ours = gpuopt_nvcc("-c", "bad.cu", cwd=project, optimizer=patch, env={"GPUOPT_NVCC": real_nvcc})
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_an_uncompilable_patch_costs_one_warning(project: Path, real_nvcc: str) -> None:
    (project / "a.cu").write_text("__global__ void k(float *a) { a[0] = 1; }\n")
    patch = {"replace": [("a.cu", "a[0] = 1;", "a[0] = oops;")]}
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=patch, env={"GPUOPT_NVCC": real_nvcc})
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"gpuopt: warning: the patched source does not compile; it was compiled as it was\n"
    assert (project / "a.o").is_file()
