"""Sources that reach nvcc in unusual ways are patched like others: standard input, options files, the environment."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.pipeline import optimize
from gpuopt_driver.policy.load import load_policy
from tests.differential.compare import without_stamp
from tests.driver.support import UNCOMPILABLE, command_line, gpuopt_nvcc, program, run
from tests.ours import switched_off

KERNEL = b"__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
PATCH = {"everywhere": [("*= 2", "*= 3")]}
ABOUT = """
case "$*" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;;
  "--dryrun -c x.cu") exit 0;;
  *"-E probe.cu") exec g++ -E -x c++ probe.cu;;
esac
"""


def nvcc_of(tmp_path: Path, text: str) -> dict[str, str | None]:
    return {"GPUOPT_NVCC": program(tmp_path / "toolkit" / "bin" / "nvcc", ABOUT + text), "GPUOPT_DEBUG": None}


def test_standard_input_is_patched(tmp_path: Path) -> None:
    argv = ["-x", "cu", "-c", "-", "-o", "x.o", "--gpuopt-report=r.json"]
    fake = nvcc_of(tmp_path, 'echo "$@"; cat')
    done = gpuopt_nvcc(*argv, cwd=tmp_path, optimizer=PATCH, env=fake, stdin=KERNEL)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"-x cu -c - -o x.o\n" + KERNEL.replace(b"*= 2", b"*= 3")
    (unit,) = json.loads((tmp_path / "r.json").read_text())["units"]
    assert unit["source"] == "<stdin>"
    assert {item["file"] for item in unit["decisions"]} == {"<stdin>"}


def test_standard_input_is_there_again_when_the_patched_text_fails(tmp_path: Path) -> None:
    fake = nvcc_of(tmp_path, "text=$(cat); case $text in *'*= 3'*) exit 2;; esac; echo \"$text\"")
    done = gpuopt_nvcc("-x", "cu", "-c", "-", cwd=tmp_path, optimizer=PATCH, env=fake, stdin=KERNEL)
    assert (done.returncode, done.stdout) == (0, KERNEL)
    assert done.stderr == UNCOMPILABLE


@pytest.mark.parametrize("plan", [{}, {"raise": "broken"}], ids=["nothing to patch", "broken"])
@pytest.mark.parametrize("stdin", [KERNEL, b"", b"int main() {}\n", KERNEL + b"\0\xff" * 100_000], ids=len)
def test_standard_input_that_is_not_patched_arrives_whole(stdin: bytes, plan: dict[str, str], tmp_path: Path) -> None:
    fake = nvcc_of(tmp_path, "cat")
    done = gpuopt_nvcc("-x", "cu", "-c", "-", cwd=tmp_path, optimizer=plan, env=fake, stdin=stdin)
    assert (done.returncode, done.stdout) == (0, stdin)


@pytest.mark.parametrize("words", ["-x c++ -c -", "-c -", "-x cu - -", "-x cu -M -"])
def test_other_standard_input_is_left_to_nvcc(words: str, tmp_path: Path) -> None:
    """It is not even read: the pipe itself arrives."""
    fake = nvcc_of(tmp_path, "readlink /proc/self/fd/0 | cut -d: -f1")
    done = gpuopt_nvcc(*words.split(), cwd=tmp_path, optimizer=PATCH, env=fake, stdin=KERNEL)
    assert done.stdout == b"pipe\n"


def test_a_closed_standard_input_is_nvccs_to_complain_about(tmp_path: Path) -> None:
    fake = nvcc_of(tmp_path, "cat 2>/dev/null; echo $?")
    shell = program(tmp_path / "sh", 'exec "$@" <&-')
    line, env = _line("-x", "cu", "-c", "-", env=fake)
    assert run([shell, *line], tmp_path, env).stdout == b"1\n"


def _line(*argv: str, env: dict[str, str | None]) -> tuple[list[str], dict[str, str]]:
    line, surroundings = command_line(*argv, optimizer=PATCH)
    return line, {**surroundings, **{name: value for name, value in env.items() if value is not None}}


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.parametrize("where", ["file", "environment"])
def test_run_from_elsewhere_is_rehearsed_and_run_once(where: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    said = '"$* ${NVCC_APPEND_FLAGS-}"'
    text = f"echo {said} >> {log}; case {said} in *flags*|*-run*) exit 42;; esac"
    fake = nvcc_of(tmp_path, text)
    (tmp_path / "a.cu").write_bytes(KERNEL)
    (tmp_path / "flags").write_text('-run -run-args "a b" -DX="1 2"\n')
    if where == "environment":
        fake["NVCC_APPEND_FLAGS"] = "-run -DX=1"
    argv = ["-optf", "flags", "a.cu"] if where == "file" else ["a.cu"]
    done = gpuopt_nvcc(*argv, cwd=tmp_path, optimizer=PATCH, env=fake)
    assert (done.returncode, done.stdout, done.stderr) == (42, b"", b"")
    rehearsal, real = (line for line in log.read_text().splitlines() if "a.cu" in line)
    expected = "-DX=1 2 a.cu -o " if where == "file" else "a.cu -DX=1 -o "
    assert rehearsal.startswith(expected)
    assert "-run" not in rehearsal
    assert real.strip() == " ".join([*argv, "-run -DX=1"] if where == "environment" else argv)


MAIN = """\
#include <cstdio>
__global__ void k(float *a) { a[threadIdx.x] *= 2; }
float host();
int main(int n, char **v) { k<<<1, 32>>>(0); printf("%s %d\\n", n > 1 ? v[1] : "-", int(host())); return 5; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(MAIN)
    (tmp_path / "b.cu").write_text(
        "__global__ void j(float *a) { a[threadIdx.x] *= 2; }\nfloat other() { return 2; }\n"
    )
    (tmp_path / "h.cpp").write_text("float other();\nfloat host() { return other() * 2; }\n")
    (tmp_path / "quoted dir").mkdir()
    (tmp_path / "inner.rsp").write_text('-DQ="x y"\r\n-I"quoted dir"\r\n')
    (tmp_path / "compile.rsp").write_text("-c -O2\n -optf inner.rsp b.cu")
    return tmp_path


ARCHS = ["-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"]
EARLIER = "-std=c++14"  # of which nvcc reads half as much of its headers
LINES = (
    ["-optf", "compile.rsp", "a.cu", "h.cpp", "--keep"],
    ["-c", "a.cu", "b.cu", "-MD", "--keep", EARLIER, *ARCHS],
    ["-x", "cu", "-dc", "h.cpp", "b.cu", "--keep", EARLIER],
    ["-ptx", "b.cu", "-o", "-"],
    ["-t2", "-fatbin", "-arch=all-major", "b.cu", "--keep", EARLIER],
)


@pytest.mark.nvcc
@pytest.mark.parametrize("argv", LINES, ids=" ".join)
def test_same_as_patched_in_place(argv: list[str], project: Path, real_nvcc: str) -> None:
    """Several inputs of several kinds, options files, lists of architectures: objects, kept files, output."""
    env = {"GPUOPT_NVCC": real_nvcc}
    before = {path.name for path in project.iterdir()}

    def products() -> dict[str, str]:
        made = [path for path in project.iterdir() if path.name not in before]
        found = {path.name: hashlib.sha256(without_stamp(path.read_bytes())).hexdigest() for path in made}
        for path in made:
            path.unlink()
        return found

    done = gpuopt_nvcc(*argv, cwd=project, optimizer=PATCH, env=env)
    ours = (done.returncode, done.stdout, done.stderr, products())
    for name in ("a.cu", "b.cu"):
        path = project / name
        path.write_text(path.read_text().replace("*= 2", "*= 3"))
    done = run([real_nvcc, *argv], project)
    assert ours == (done.returncode, done.stdout, done.stderr, products())
    assert done.returncode == 0


@pytest.mark.nvcc
def test_standard_input_as_patched_text_would_be(project: Path, real_nvcc: str) -> None:
    argv = ["-x", "cu", "-ptx", "-", "-o", "-"]
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=PATCH, env={"GPUOPT_NVCC": real_nvcc}, stdin=KERNEL)
    theirs = run([real_nvcc, *argv], project, stdin=KERNEL.replace(b"*= 2", b"*= 3"))
    ids = re.compile(rb"tmpxft_[0-9a-f]+_[0-9a-f]+")
    assert (done.returncode, ids.sub(b"", done.stdout), done.stderr) == (0, ids.sub(b"", theirs.stdout), theirs.stderr)
    assert b"0f40400000" in done.stdout  # 3.0f


@pytest.mark.nvcc
def test_the_program_of_a_run_from_an_options_file(project: Path, real_nvcc: str) -> None:
    """Its output, its status, its arguments; the patched build is one that nvcc -run made."""
    (project / "run.rsp").write_text("-run -run-args hello b.cu h.cpp")
    patch = {"replace": [("b.cu", "return 2", "return 3")]}
    env = {"GPUOPT_NVCC": real_nvcc}
    done = gpuopt_nvcc("-optf", "run.rsp", "a.cu", cwd=project, optimizer=patch, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (5, b"hello 6\n", b"")
    assert shutil.which("a.out", path=str(project)) is not None


FORCED = "[plugins.catt]\nfixed_tlp = [2, 1]\nminimum_trips = 0\n" + switched_off("catt")
COLUMNS = """\
__global__ void %s(const float *a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}
void run_%s(const float *a, const float *x, float *y, int n) { %s<<<n / 256, 256>>>(a, x, y, n); }
"""


@pytest.mark.nvcc
def test_what_catt_patches_in_several_inputs_is_as_in_place(project: Path, real_nvcc: str) -> None:
    """Options files, mixed kinds, a kernel in a header; nothing of the optimizer is replaced."""
    (project / "toolchain.toml").write_text(FORCED)
    (project / "one.cu").write_text(COLUMNS % (("first",) * 3) + 'extern "C" int other() { return 1; }\n')
    (project / "two.cu").write_text('#include "kernel.cuh"\n')
    (project / "kernel.cuh").write_text(COLUMNS % (("second",) * 3))
    (project / "all.rsp").write_text('-c -O2 -arch=sm_90 -std=c++14 --keep -DQ="x y"\none.cu -optf inner.rsp')
    argv = ["-optf", "all.rsp", "two.cu", "h.cpp"]
    done = gpuopt_nvcc(*argv, "--gpuopt-report=r.json", cwd=project, env={"GPUOPT_NVCC": real_nvcc})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    units = json.loads((project / "r.json").read_text())["units"]
    made = [item["decision"] for unit in units for item in unit["decisions"] if item["plugin"] == "catt"]
    assert made == ["applied", "applied"]
    names = ["one.o", "two.o", "h.o", "one.ptx", "two.ptx", "two.cudafe1.cpp"]
    ours = {name: (project / name).read_bytes() for name in names}

    policy = load_policy([str(project / "one.cu")], env={}, cwd=str(project))
    command = parse_command(argv, {}, str(project))
    toolkit = describe_toolkit(RealNvcc(real_nvcc, "the test"), os.environ)
    outcome = optimize(command, policy, "nvcc", cuda_include=toolkit.runtime_header_dir)
    assert {Path(path).name for path in outcome.patched} == {"one.cu", "kernel.cuh"}
    for path, data in outcome.patched.items():
        Path(path).write_bytes(data)
    theirs = run([real_nvcc, *argv], project)
    assert theirs.returncode == 0, theirs.stderr
    assert {name: (project / name).read_bytes() == data for name, data in ours.items()} == dict.fromkeys(names, True)
