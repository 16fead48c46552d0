"""`gpuopt-nvcc` beside the real nvcc, nothing patched: same status, output, error text and files."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest

from tests.differential.compare import without_stamp
from tests.driver.support import gpuopt_nvcc, run

pytestmark = pytest.mark.nvcc

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\nint main() { k<<<1, 32>>>(0); return 0; }\n"

LINES = [
    [],
    ["--version"],
    ["-V"],
    ["-h"],
    ["--list-gpu-arch"],
    ["-code-ls"],
    ["-v", "__cmake_determine_cuda"],
    ["--dryrun", "-c", "a.cu"],
    ["--dryrun", "a.cu", "b.cpp", "-o", "app", "-lm"],
    ["-dryrun", "-dc", "a.cu", "-o", "out.o"],
    ["--dryrun", "-rdc=true", "-c", "a.cu", "b.cu"],
    ["--dryrun", "-c", "a.cu", "b.cu", "-o", "x.o"],
    ["--dryrun", "-ptx", "a.cu"],
    ["--dryrun", "-cubin", "-arch=sm_90a", "a.cu"],
    ["--dryrun", "-fatbin", "-arch=all-major", "a.cu"],
    ["--dryrun", "-c", "-arch=native", "a.cu"],
    ["--dryrun", "-c", "--generate-code=arch=compute_75,code=[compute_75,sm_75]", "a.cu"],
    ["--dryrun", "-c", "-arch=sm_80", "-gencode", "arch=compute_90,code=sm_90", "a.cu"],
    ["--dryrun", "-c", '-DMSG="hello, world"', "-DF(x)=7", "-DQ='x'", "-I", "a b", "a.cu"],
    ["--dryrun", "-c", "-Xcompiler", ',"-fPIC","-O2"', "-Xptxas", "-v", "a.cu"],
    ["--dryrun", "-forward-unknown-to-host-compiler", "-fopenmp", "-c", "a.cu"],
    ["--dryrun", "-x", "cu", "h.cpp", "-c"],
    ["--dryrun", "-c", "-x=cu", "a b é.cpp"],
    ["--dryrun", "-c", "a \udcff.cu", "-DX=\udcfe"],
    ["--dryrun", "-optf", "args.rsp", "a.cu"],
    ["--dryrun", "-optf", "missing.rsp", "a.cu"],
    ["--dryrun", "-MD", "-MF", "a.d", "-MT", "t", "-c", "a.cu"],
    ["--dryrun", "-lib", "a.cu", "-o", "liba.a"],
    ["--dryrun", "-shared", "-Xcompiler=-fPIC", "a.cu"],
    ["--dryrun", "-dlink", "x.o", "-o", "y.o"],
    ["--dryrun", "-O3", "-G", "-lineinfo", "-maxrregcount=32", "-use_fast_math", "-c", "a.cu"],
    ["--dryrun", "-ccbin", "g++", "-c", "a.cu"],
    ["--dryrun", "-ccbin", "/nowhere/g++", "-c", "a.cu"],
    ["--dryrun", "-o", "x", "-o", "y", "-c", "a.cu"],
    ["--dryrun", "--keep", "-c", "a.cu"],
    ["--dryrun", "-run", "a.cu"],
    ["-c", "-no-such-option", "a.cu"],
    ["-arch=sm_1", "-c", "a.cu"],
    ["-fPIC", "-c", "a.cu"],
    ["-c", "missing.cu"],
    ["-c", "a.cu", "-o", "no/such/dir/a.o"],
    ["-c", "@file"],
    ["-MF", "x.d", "-c", "a.cu"],
    ["-M", "a.cu"],
    ["-E", "-P", "a.cu"],
    ["-x", "cu", "-E", "-"],
    ["-c", "bad.cu"],
    ["x.o"],
    ["a.cuh"],
    ["--clean-targets", "-c", "a.cu"],
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("a.cu", "b.cu", "h.cpp", "a b é.cpp"):
        (tmp_path / name).write_text(KERNEL)
    (tmp_path / "b.cpp").write_text("int f() { return 1; }\n")
    (tmp_path / "bad.cu").write_text("__global__ void k(float *a) { a[threadIdx.x] *= ; }\n")
    (tmp_path / "a.cuh").write_text(KERNEL)
    (tmp_path / "args.rsp").write_text('-c -DA="x y" -O2\n')
    return tmp_path


def normal(text: bytes) -> bytes:
    """Without the process id in the names of temporary files."""
    return re.sub(rb"tmpxft_[0-9a-f]+_[0-9a-f]+", b"tmpxft", text)


def files(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(without_stamp(path.read_bytes())).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("argv", LINES, ids=lambda argv: ascii(" ".join(argv)))
def test_same_as_nvcc(argv: list[str], project: Path, real_nvcc: str) -> None:
    stdin = KERNEL.encode()
    before = files(project)
    theirs = run([real_nvcc, *argv], project, stdin=stdin)
    their_files = files(project)
    for name in their_files.keys() - before.keys():
        (project / name).unlink()
    ours = gpuopt_nvcc(*argv, cwd=project, optimizer={}, env={"GPUOPT_NVCC": real_nvcc}, stdin=stdin)
    assert ours.returncode == theirs.returncode
    assert normal(without_stamp(ours.stdout)) == normal(theirs.stdout)
    assert normal(ours.stderr) == normal(theirs.stderr)
    assert files(project).keys() == their_files.keys()


def test_same_objects_and_dependency_files(project: Path, real_nvcc: str) -> None:
    """Several sources at once, flags from the environment, kept intermediate files."""
    argv = ["-c", "a.cu", "b.cpp", "-MD", "--keep", "-O1"]
    flags = {"NVCC_APPEND_FLAGS": "-DEXTRA=1", "GPUOPT_NVCC": real_nvcc}
    theirs = run([real_nvcc, *argv], project, {**os.environ, **flags})
    their_files = files(project)
    ours = gpuopt_nvcc(*argv, cwd=project, optimizer={}, env=flags)
    assert (
        (ours.returncode, ours.stdout, ours.stderr)
        == (theirs.returncode, theirs.stdout, theirs.stderr)
        == (0, b"", b"")
    )
    assert files(project) == their_files
    assert {"a.o", "b.o", "a.d", "b.d", "a.ptx"} <= their_files.keys()


def test_compile_and_link_and_run(project: Path, real_nvcc: str) -> None:
    env = {"GPUOPT_NVCC": real_nvcc}
    assert gpuopt_nvcc("-dc", "a.cu", "-o", "x.o", cwd=project, optimizer={}, env=env).returncode == 0
    done = gpuopt_nvcc("x.o", "b.cpp", "-o", "app", cwd=project, optimizer={}, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert run([str(project / "app")], project).returncode == 0
