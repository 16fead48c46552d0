"""Patches through the overlay beside the same patches written into the files: nothing must tell them apart."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.differential.compare import without_stamp
from tests.driver.support import UNCOMPILABLE, gpuopt_nvcc, run

pytestmark = pytest.mark.nvcc

MAIN = """\
#include <cstdio>
#include <cassert>
#include "k é.cuh"
#include "sub/u.h"
#include "lib.h"
#include "next.h"
#include "kernels.cu"
#include "alias.h"
#include "two.h"
static int unused_here;
namespace { __global__ void hidden(float *a) { assert(a != nullptr); *a = __LINE__; } }
__device__ static float state;
int main() {
  float *p = 0;
  k<<<1, 32>>>(p); hidden<<<1, 1>>>(p); included<<<1, 1>>>(p);
  printf("%s %d %s %s %d %d %d\\n", __FILE__, __LINE__, __BASE_FILE__, where(), config(), twice(), next());
  int never_used = 1;
#if __has_include("sub/v.h") && __INCLUDE_LEVEL__ == 0
  return TWO;
#endif
}
"""
FILES = {
    "src é/main.cu": MAIN.encode(),
    "src é/k é.cuh": b"#pragma once\r\n__global__ void k(float *a) { a[threadIdx.x] *= 2; }\r\n",
    "src é/sub/u.h": b'#include "v.h"\n#warning seen\ninline const char *where() { return __FILE__ __TIMESTAMP__; }\n',
    "src é/sub/v.h": b"#define TWO 2\n",
    "src é/config.h": b"#error a decoy: only what stands beside main.cu finds it\n",
    "src é/kernels.cu": b"\xef\xbb\xbf__global__ void included(float *a) { *a = 1; } // caf\xe9 \xff\n",
    "src é/two.h": b"#pragma once\ninline int twice() { return 2; }\n",
    "inc dir/lib.h": b'#include "config.h"\ninline int config() { return CONFIG; }\n',
    "inc dir/next.h": b"#include_next <next.h>\ninline int next() { return NEXT + 1; }\n",
    "inc2/config.h": b"#define CONFIG 5\n",
    "inc2/next.h": b"#define NEXT 7\n",
}
REPLACE = [
    ("src é/main.cu", "*a = __LINE__;", "*a = 3 + __LINE__;"),
    ("src é/k é.cuh", "*= 2;", "*= 2; a[0] += 1;"),
    ("src é/sub/u.h", "#warning seen", "#warning seen twice"),
    ("src é/kernels.cu", "*a = 1;", "*a = 4;"),
    ("src é/two.h", "return 2", "return 3"),
    ("inc2/next.h", "NEXT 7", "NEXT 8"),
]
ARCHS = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"]
SOURCE = "src é/main.cu"
INCLUDES = ["-I", "inc dir", "-Iinc2"]
COMPILE = ["-c", SOURCE, "-o", "out/m.o", "-MD", "--keep", "--keep-dir", "out", *INCLUDES]
PREPROCESS = ["-E", f"./{SOURCE}", *INCLUDES]
LINES = [
    [*COMPILE, "-lineinfo", "-Xcompiler=-Wall,-Wextra"],
    ["-ptx", SOURCE, "-G", "-g", "-o", "out/g.ptx", *INCLUDES],
    PREPROCESS,
    ["-Xcompiler=-w", "-MM", SOURCE, *INCLUDES],
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Read-only sources in directories with blanks and accents, one of them reached by two names."""
    root = tmp_path / "a project"
    for name, data in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "src é" / "alias.h").symlink_to("two.h")
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (1_600_000_000, 1_600_000_000))
            path.chmod(0o444)
    return root


def apply_in_place(project: Path) -> None:
    for name, old, new in REPLACE:
        path = project / name
        status = path.stat()
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def products(project: Path) -> dict[str, str]:
    out = project / "out"
    return {path.name: hashlib.sha256(without_stamp(path.read_bytes())).hexdigest() for path in out.iterdir()}


def outcomes(
    project: Path, lines: Sequence[Sequence[str]], real_nvcc: str, env: dict[str, str] | None
) -> list[tuple[int, bytes, bytes, dict[str, str]]]:
    """What each command line does: with the overlay under `env`, without it (patched in place) if that is None."""
    seen = []
    for line in lines:
        shutil.rmtree(project / "out", ignore_errors=True)
        (project / "out").mkdir()
        if env is None:
            done = run([real_nvcc, *line], project)
        else:
            done = gpuopt_nvcc(*line, cwd=project, optimizer={"replace": REPLACE}, env=env)
        seen.append((done.returncode, without_stamp(done.stdout), done.stderr, products(project)))
    return seen


EARLIER = "-std=c++14"  # of which nvcc reads half as much of its headers
CASES = {
    "preload": LINES,
    "namespace": [[*LINES[0], EARLIER], PREPROCESS],
    "shim": [[*COMPILE, "-Xcompiler=-Wall,-Wextra", EARLIER], PREPROCESS],
    "clang": [[*COMPILE, EARLIER, "-ccbin", "clang++"], [*PREPROCESS, "-ccbin", "clang++"]],
}


@pytest.mark.parametrize("mechanism", CASES)
def test_same_as_patched_in_place(project: Path, real_nvcc: str, mechanism: str) -> None:
    """Object, kept intermediate files, dependency file, warnings, preprocessed text."""
    lines = CASES[mechanism]
    if mechanism == "clang" and not shutil.which("clang++"):
        pytest.skip("no clang on this machine")
    env = {"GPUOPT_NVCC": real_nvcc, "GPUOPT_OVERLAY": mechanism if mechanism != "clang" else "preload"}
    ours = outcomes(project, lines, real_nvcc, env)
    if mechanism == "namespace" and re.search(rb"(user|mount) namespace", ours[0][2]):
        pytest.skip("the system allows no namespaces")
    apply_in_place(project)
    theirs = outcomes(project, lines, real_nvcc, None)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == other
    assert ours[0][0] == 0
    assert b"seen twice" in ours[0][2]
    assert {"m.o", "m.d", "main.ptx"} <= ours[0][3].keys()


def test_two_architectures_and_a_link_run_with_every_spelling(project: Path, real_nvcc: str) -> None:
    """One patched header seen by two sources, one of them through a symbolic link; the program tells."""
    (project / "x").symlink_to(project / "src é")
    (project / "alias.h").symlink_to(project / "two.h")
    (project / "two.h").write_text("inline int two() { return 2; }\nstatic __global__ void q() {}\n")
    (project / "a.cu").write_text('#include "alias.h"\nint other();\nint main() { return two() * 10 + other(); }\n')
    (project / "b.cu").write_text('#include "x/../two.h"\nint other() { return two(); }\n')
    done = gpuopt_nvcc(
        *ARCHS,
        *(EARLIER, "-t2", "a.cu", "./b.cu", "-o", "app"),
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
    assert done.stderr == UNCOMPILABLE
    assert (project / "a.o").is_file()
