"""The whole way with the real optimizer: policy, parser, plugins, backend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.driver.support import gpuopt_nvcc, program, run

KERNEL = """\
#include <cstdio>
__global__ void twice(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
int main() {
  float *a;
  cudaMallocManaged(&a, 100 * sizeof(float));
  for (int i = 0; i < 100; i++) a[i] = i;
  twice<<<4, 32>>>(a, 100);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  std::printf("%g %g\\n", a[1], a[99]);
  return 0;
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(KERNEL)
    return tmp_path


@pytest.fixture
def fake(project: Path) -> dict[str, str]:
    text = 'case "$*" in --version) exit 0;; "--dryrun -c x.cu") exit 0;; esac\necho "nvcc $*"; echo >> built; exit 3'
    return {"GPUOPT_NVCC": program(project / "toolkit" / "nvcc", text)}


def test_every_kernel_gets_a_finding_from_every_plugin(project: Path, fake: dict[str, str]) -> None:
    (project / "toolchain.toml").write_text('[learn]\nmode = "off"\n')  # no version: what nvcc refuses is not reported
    done = gpuopt_nvcc("-c", "a.cu", "--gpuopt-report=r.json", cwd=project, env=fake)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"nvcc -c a.cu\n", b"")
    (unit,) = json.loads((project / "r.json").read_text())["units"]
    assert ("catt", "twice") in {(one["plugin"], one["kernel"]) for one in unit["decisions"]}


def test_an_unknown_plugin_in_the_policy_is_an_error(project: Path, fake: dict[str, str]) -> None:
    (project / "toolchain.toml").write_text("[plugins.cat]\nenabled = true\n")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, env=fake)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"gpuopt: error: toolchain.toml:1")
    assert b"catt" in done.stderr
    assert not (project / "built").exists()


def test_a_source_that_does_not_parse_is_nvccs_to_judge(project: Path, fake: dict[str, str]) -> None:
    (project / "a.cu").write_text("__global__ void k( {{{ <<< \n")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, env=fake)
    assert (done.returncode, done.stdout) == (3, b"nvcc -c a.cu\n")
    assert b"Traceback" not in done.stderr
    assert b"internal error" not in done.stderr


def test_the_emulator_builds_what_runs_here(project: Path, host_compiler: str) -> None:
    done = gpuopt_nvcc("-O2", "-arch=sm_90", "a.cu", "-o", "app", "--gpuopt-backend=emulator", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    ran = run([str(project / "app")], project)
    assert (ran.returncode, ran.stdout) == (0, b"2 198\n")


def test_objects_and_links_go_where_the_policy_says(project: Path, host_compiler: str) -> None:
    """A link line names no CUDA source; the policy sends it to the emulator all the same."""
    (project / "toolchain.toml").write_text("[driver]\nbackend = 'emulator'\n")
    assert gpuopt_nvcc("-c", "a.cu", cwd=project).returncode == 0
    done = gpuopt_nvcc("a.o", "-o", "app", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert run([str(project / "app")], project).stdout == b"2 198\n"


@pytest.mark.parametrize(
    ("more", "gpu"), [((), "titan-v"), (("-arch=sm_90",), "h200"), (("--gpuopt-gpu=a100",), "a100")]
)
def test_the_emulator_plays_the_gpu_that_is_decided_for(
    project: Path, host_compiler: str, more: tuple[str, ...], gpu: str
) -> None:
    options = ("--gpuopt-backend=emulator", "--gpuopt-report=r.json", *more)
    assert gpuopt_nvcc("-c", "a.cu", *options, cwd=project).returncode == 0
    (unit,) = json.loads((project / "r.json").read_text())["units"]
    assert (unit["backend"], unit["gpu"]) == ("emulator", gpu)
    assert b"\0%s\0" % gpu.encode() in (project / "a.o").read_bytes()  # which GPU the program plays


def test_no_compiler_at_all(project: Path) -> None:
    nothing = {"PATH": str(project), "CXX": "", "NVCC_CCBIN": ""}
    done = gpuopt_nvcc("a.cu", "-o", "app", "--gpuopt-backend=emulator", cwd=project, env=nothing)
    assert done.returncode != 0
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"gpuopt: error: ")
    assert b"compiler" in done.stderr
    assert sorted(path.name for path in project.iterdir()) == ["a.cu"]


@pytest.mark.nvcc
def test_the_real_nvcc_builds_it(project: Path, real_nvcc: str) -> None:
    done = gpuopt_nvcc("-arch=sm_90", "a.cu", "-o", "app", cwd=project, env={"GPUOPT_NVCC": real_nvcc})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (project / "app").stat().st_mode & 0o111
