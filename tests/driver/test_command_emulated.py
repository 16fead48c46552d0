"""nvcc's command line with the emulator behind it: every phase answers, what cannot be is one clear line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.driver.support import gpuopt_nvcc, run

pytestmark = pytest.mark.usefixtures("host_compiler")
ENV = {"GPUOPT_BACKEND": "emulator", "GPUOPT_NVCC": "none"}
MAIN = b"""\
#include <cstdio>
__global__ void k(float *a) { *a = 2; }
int main(int n, char **v) {
  float *d, x = 0;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  cudaMemcpy(&x, d, 4, cudaMemcpyDeviceToHost);
  printf("%g %s\\n", x, n > 1 ? v[1] : "-");
  return n > 1 ? 7 : 0;
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "m.cu").write_bytes(MAIN)
    (tmp_path / "p.cpp").write_text("int f() { return 1; }\n")
    (tmp_path / "bad.cu").write_text("__global__ void k(float *a) { *a = ; }\n")
    (tmp_path / "out").mkdir()
    return tmp_path


REJECTED = [  # as nvcc rejects them: its words, status 1, nothing written
    ("", "No input files specified"),
    ("-c", "No input files specified"),
    ("-c --no-such-option m.cu", "Unknown option '--no-such-option'"),
    ("-fopenmp -c m.cu", "Unknown option '-fopenmp'"),
    ("-c=1 m.cu", "Unknown option '-c=1'"),
    ("-c m.cu -std", "argument expected after '-std'"),
    ("-optf nope m.cu", "Could not open options file 'nope'"),
    ("-c x.cuh", "Don't know what to do with 'x.cuh'"),
    ("-x ada -c m.cu", "Value 'ada' is not defined for option 'x'"),
    ("-c m.cu p.cpp -o x.o", "A single input file is required"),
    ("-MF x.d -c m.cu", "requires one of '-M', '-MM', '-MD' or '-MMD'"),
]
IMPOSSIBLE = [
    *((f"-{phase} m.cu", f"-{phase} makes GPU code") for phase in ("ptx", "cubin", "fatbin", "optix-ir", "ltoir")),
    ("-c k.ptx", "k.ptx: the emulator cannot use GPU code"),
    ("-dlink k.cubin", "k.cubin: the emulator cannot use GPU code"),
]


@pytest.mark.parametrize(("words", "message"), REJECTED)
def test_rejected_as_nvcc_does(words: str, message: str, project: Path) -> None:
    before = sorted(project.iterdir())
    done = gpuopt_nvcc(*words.split(), cwd=project, env=ENV)
    assert (done.returncode, done.stdout) == (1, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("gpuopt: error: ")
    assert message in line
    assert sorted(project.iterdir()) == before


@pytest.mark.nvcc
@pytest.mark.parametrize(("words", "message"), REJECTED)
def test_nvcc_rejects_them_too(words: str, message: str, project: Path, real_nvcc: str) -> None:
    done = run([real_nvcc, *words.split()], project)
    assert done.returncode == 1
    assert message in done.stderr.decode() or words.startswith("-c=1")


@pytest.mark.parametrize(("words", "message"), IMPOSSIBLE)
def test_gpu_code_is_not_made_and_the_line_says_so(words: str, message: str, project: Path) -> None:
    done = gpuopt_nvcc(*words.split(), cwd=project, env=ENV)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert message in line


def test_versions_and_architectures_are_told(project: Path) -> None:
    """What CMake, Meson, ccache and sccache look for in `--version`."""
    text = gpuopt_nvcc("--version", cwd=project, env=ENV).stdout.decode()
    assert re.search(r"nvcc: [^\n]+ Cuda compiler driver", text)
    assert re.search(r", release (\d+)\.(\d+), V(\d+\.\d+\.\d+)", text)
    assert re.fullmatch(r"\d+\.\d+\.\d+", text.rpartition("V")[2].strip())
    listed = gpuopt_nvcc("--list-gpu-arch", cwd=project, env=ENV).stdout.decode().split()
    assert "compute_90" in listed


def test_standard_input(project: Path) -> None:
    done = gpuopt_nvcc("-x", "cu", "-run", "-", "-run-args", "arg", cwd=project, env=ENV, stdin=MAIN)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"2 arg\n", b"")
    done = gpuopt_nvcc("-x", "cu", "-c", "-", cwd=project, env=ENV, stdin=MAIN)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (project / "stdin.o").is_file()
    done = gpuopt_nvcc("-x", "c++", "-E", "-", cwd=project, env=ENV, stdin=b"int two = 1 + 1;\n")
    assert b"int two = 1 + 1;" in done.stdout


def test_clean_deletes_what_would_be_made(project: Path) -> None:
    for name in ("m.o", "p.o", "a.out", "keep.o"):
        (project / name).write_text("")
    assert gpuopt_nvcc("-clean", "-c", "m.cu", "p.cpp", cwd=project, env=ENV).returncode == 0
    assert not (project / "m.o").exists()
    assert not (project / "p.o").exists()
    assert gpuopt_nvcc("-clean", "m.cu", "keep.o", cwd=project, env=ENV).returncode == 0
    assert not (project / "a.out").exists()
    assert (project / "keep.o").exists()
    assert (project / "m.cu").exists()


def test_a_syntax_check_makes_nothing(project: Path) -> None:
    before = sorted(project.iterdir())
    done = gpuopt_nvcc("-fdevice-syntax-only", "m.cu", cwd=project, env=ENV)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = gpuopt_nvcc("-fdevice-syntax-only", "bad.cu", cwd=project, env=ENV)
    assert done.returncode != 0
    assert b"bad.cu:1" in done.stderr
    assert sorted(project.iterdir()) == before


def test_phases_from_sources_to_a_program(project: Path) -> None:
    """Options of GPU code generation are taken and have no meaning; outputs are named as nvcc names them."""
    options = "-dc -MD -arch=all-major -gencode arch=compute_80,code=sm_80 -maxrregcount=32 -Xptxas -v -t4 --keep"
    assert gpuopt_nvcc(*options.split(), "m.cu", "p.cpp", "-odir", "out", cwd=project, env=ENV).returncode == 0
    assert {path.name for path in (project / "out").iterdir()} == {"m.o", "m.d", "p.o", "p.d"}
    steps = (
        "-dlink out/m.o -o link.o",
        "-lib out/p.o -o libp.a",
        "out/m.o link.o -L. -lp -lcudart -lcudadevrt -o app",
        "-M m.cu -o deps",
        "-cuda m.cu",
    )
    for step in steps:
        done = gpuopt_nvcc(*step.split(), cwd=project, env=ENV)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), step
    assert run([str(project / "app")], project).stdout == b"2 -\n"
    assert (project / "deps").read_text().startswith("m.o: m.cu")
    assert (project / "m.cu.cpp.ii").is_file()
