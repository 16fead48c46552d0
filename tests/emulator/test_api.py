"""The runtime API beyond tests/conformance: what CUDA removed, libraries that are there or not, programs in a tree."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.emulator.libraries import explain_missing, find_cccl
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

THRUST = b"""#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <cstdio>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
struct square { __host__ __device__ int operator()(int x) const { return x * x; } };
int main() {
  thrust::device_vector<int> v(4);
  for (int i = 0; i < 4; ++i) v[i] = 4 - i;
  twice<<<1, 4>>>(thrust::raw_pointer_cast(v.data()));
  thrust::transform(v.begin(), v.end(), v.begin(), square());
  thrust::sort(v.begin(), v.end());
  printf("%d %d\\n", thrust::reduce(v.begin(), v.end()), (int)v[0]);
}
"""


def test_what_cuda_removed(tmp_path: Path) -> None:
    assert compile_with(PROGRAMS / "legacy.cu", "-o", "program", cwd=tmp_path, gpu="titan-v") == 0
    done = run(tmp_path / "program")
    assert done.stdout.splitlines()[-1:] == ["ok"], done.stdout + done.stderr


def test_properties_are_what_attributes_say(tmp_path: Path) -> None:
    pairs = {"ECCEnabled": "EccEnabled", "memoryBusWidth": "GlobalMemoryBusWidth", "l2CacheSize": "L2CacheSize"}
    asks = "".join(f"cudaDeviceGetAttribute(&v, cudaDevAttr{a}, 0); said += v == p.{one};" for one, a in pairs.items())
    (tmp_path / "device.cu").write_text(
        "#include <cstdio>\nint main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int v, said = 0;"
        + asks
        + 'printf("%d %d %d", said, p.ECCEnabled, p.memoryBusWidth); }\n'
    )
    assert compile_with("device.cu", "-o", "device", cwd=tmp_path) == 0
    said = {gpu: run(tmp_path / "device", GPUOPT_EMU_GPU=gpu).stdout for gpu in ("h200", "titan-v")}
    assert said == {"h200": "3 1 6016", "titan-v": "3 0 3072"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"texture<float, 2> t;\n", b"::gpuopt_emu::texture_reference<float, 2> t;\n"),
        (b"static surface<void, 2> s;\n", b"static ::gpuopt_emu::surface_reference<void, 2> s;\n"),
        (b"texture<int, 1> &get(void);\n", b"::gpuopt_emu::texture_reference<int, 1> &get(void);\n"),
        (b"template <class T> struct texture {}; texture<int> t;\n", None),
        (b"int texture; bool f(int x) { return texture < x; }\n", None),
        (b"void f(int texture) { if (1) ; texture < 3 > (2); }\n", None),
    ],
    ids=["texture", "surface", "function", "own type", "variable", "comparison"],
)
def test_references_get_a_name_where_the_program_has_none(source: bytes, expected: bytes | None) -> None:
    assert rewrite(source).text == (source if expected is None else expected)


def test_device_functions_declared_as_the_hosts_stay_external() -> None:
    source = b"int f(int);\n__device__ int f(int x) { return x; }\n__device__ int g(int x) { return f(x); }\n"
    text = rewrite(source).text.decode()
    assert [line.startswith("static ") for line in text.splitlines()[1:3]] == [False, True]


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        ("cublas_v2.h", "the emulator has no GPU libraries"),
        ("thrust/sort.h", "install CCCL (pip install nvidia-cuda-cccl)"),
        ("nvrtc.h", "the emulator cannot compile device code while a program runs"),
        ("curand_mtgp32_host.h", "the emulator has no MTGP32 in device code"),
    ],
)
def test_missing_headers_say_what_to_do(
    header: str, advice: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(f"#include <{header}>\n")
    env = {"GPUOPT_CCCL": str(tmp_path)}  # where there is nothing
    assert compile_with("-c", "a.cu", cwd=tmp_path, env=env) != 0
    lines = capfd.readouterr().err.splitlines()
    assert lines[0].startswith("a.cu:1:10: fatal error: ")
    assert lines[-1].startswith(f"gpuopt: error: {header}: {advice}")


@pytest.mark.parametrize(("options", "expected"), [((), "-O0"), (("-O2",), "-O2")], ids=["default", "chosen"])
def test_host_sources_are_optimized_as_nvcc_would(
    options: tuple[str, ...], expected: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cpp").write_text("int x;\n")
    assert compile_with("-c", "a.cpp", "-dryrun", *options, cwd=tmp_path, soon=False) == 0
    assert [word for word in capfd.readouterr().err.split() if word.startswith("-O")] == [expected]


def test_loading_gpu_code_is_a_compile_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text("#include <cuda.h>\nint main() {\n  CUmodule m;\n  return cuModuleLoad(&m, 0);\n}\n")
    assert compile_with("-c", "a.cu", cwd=tmp_path) != 0
    said = [line for line in capfd.readouterr().err.splitlines() if "cuModuleLoad" in line and "error:" in line]
    assert said
    assert said[0].startswith("a.cu:4:")
    assert "the emulator loads no GPU code (cubin, PTX, fatbin): compile the kernels with the program" in said[0]


def test_other_errors_get_no_advice(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text('#include "mine.h"\n')
    assert compile_with("-c", "a.cu", cwd=tmp_path) != 0
    assert "gpuopt: error" not in capfd.readouterr().err
    assert explain_missing(b"a.cu:1: error: nonsense") == ""


def test_cccl_is_found_where_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_cccl({"GPUOPT_CCCL": str(tmp_path)}) == tmp_path
    assert find_cccl({**_without_nvcc(tmp_path), "GPUOPT_CCCL": "/no/such"}) != Path("/no/such")
    wheel = _cccl(tmp_path / "nvidia/cu99/include/cccl")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert find_cccl(_without_nvcc(tmp_path)) == wheel


def _cccl(place: Path, version: str = "") -> Path:
    """An include directory that looks like CCCL's."""
    (place / "cuda/std/__cccl").mkdir(parents=True)
    (place / "cuda/std/__cccl/compiler.h").touch()
    if version:
        (place / "cuda/std/__cccl/version.h").write_text(f"#define CCCL_VERSION {version} // MMMmmmppp\n")
    return place


def _without_nvcc(tmp_path: Path) -> dict[str, str]:
    """An environment in which nvcc is a program that is no nvcc, and beside no headers."""
    (tmp_path / "nvcc").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "nvcc").chmod(0o755)
    return {"GPUOPT_NVCC": str(tmp_path / "nvcc"), "PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize("layout", ["include/cccl", "include", "targets/x86_64-linux/include/cccl"])
def test_the_cccl_of_the_nvcc_that_is_found_comes_before_wheels(
    layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = tmp_path / "toolkit"
    for name in ("bin/nvcc", "bin/nvcc.profile", "include/cuda_runtime.h"):
        (toolkit / name).parent.mkdir(parents=True, exist_ok=True)
        (toolkit / name).write_bytes(b"\x7fELF")
        (toolkit / name).chmod(0o755)
    own = _cccl(toolkit / layout, "3000001")
    wheels = tmp_path / "site"
    _cccl(wheels / "nvidia/cu13/include/cccl", "3000000")
    monkeypatch.setattr(sys, "path", [str(wheels)])
    assert find_cccl({"GPUOPT_NVCC": str(toolkit / "bin/nvcc")}) == own


def test_of_wheels_that_is_taken_which_fits_the_emulators_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = _cccl(tmp_path / "nvidia/cu13/include/cccl", "3005000")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(Path, "glob", _only_below(tmp_path))
    env = _without_nvcc(tmp_path)
    assert find_cccl(env) == newest
    missing = b"a.cu:1:10: fatal error: thrust/sort.h: No such file or directory"
    older = _cccl(tmp_path / "nvidia/cuda_cccl/include", "2007000")
    assert find_cccl(env) == older
    assert "install CCCL" in explain_missing(missing)


def _only_below(root: Path) -> Any:
    """Path.glob that finds nothing elsewhere: this machine may have toolkits."""
    found = Path.glob
    return lambda path, pattern: found(path, pattern) if path.is_relative_to(root) else iter(())


def test_thrust_runs_on_the_cpu(tmp_path: Path) -> None:
    if find_cccl({}) is None:
        pytest.skip("no CCCL here")
    (tmp_path / "a.cu").write_bytes(THRUST)
    env = {"GPUOPT_EMU_MODE": "fast"}
    assert compile_with("-std=c++17", "-O0", "a.cu", "-o", "a", cwd=tmp_path, env=env) == 0
    assert run(tmp_path / "a").stdout == "120 4\n"
