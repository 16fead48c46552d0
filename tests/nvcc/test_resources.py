"""Registers and shared memory of kernels: reading ptxas, names of symbols, and asking the real nvcc once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.mangling import qualified_name
from gpuopt_driver.nvcc.resources import by_name, device_arguments, kernel_resources, parse_resources

OUTPUT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN2ns2tkIdLi64EEEvPT_' for 'sm_80'
ptxas info    : Function properties for _ZN2ns2tkIdLi64EEEvPT_
    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_ZN2ns2tkIfLi32EEEvPT_' for 'sm_80'
ptxas info    : Function properties for _ZN2ns2tkIfLi32EEEvPT_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 1 barriers, 128 bytes smem, 360 bytes cmem[0]
ptxas info    : Function properties for _Z3devi
    99 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'cc' for 'sm_90a'
ptxas info    : Function properties for _Z3devi
    77 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for cc
    400 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 480 bytes cumulative stack size, 360 bytes cmem[0]
"""


def test_reading_ptxas() -> None:
    found = [
        (item.name, item.arch, item.registers, item.static_shared_bytes, item.local_bytes, item.spill_bytes)
        for item in parse_resources(OUTPUT)
    ]
    assert found == [("ns::tk", 80, 12, 512, 0, 12), ("ns::tk", 80, 20, 128, 0, 0), ("cc", 90, 32, 0, 480, 0)]
    assert by_name(parse_resources(OUTPUT))["ns::tk"].registers == 20


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("cc", "cc"),
        ("_Z1kPf", "k"),
        ("_ZL4statPi", "stat"),
        ("_ZN2ns2tkIdLi64EEEvPT_", "ns::tk"),
        ("_ZN31_GLOBAL__N__55a7db67_5_t2_cu_cc4anonEPi", "anon"),
        ("_ZN29_INTERNAL_55a7db67_5_t2_cu_cc4statEPi", "stat"),
        ("_Z1uI1SEvT_Pi", "u"),
        ("_ZN1a1bIN1c1dIiEEE6kernelIfSt4pairIiiEEEvv", "a::b::kernel"),
        ("_Z4copyILb1ELin1EEvv", "copy"),
        ("_Z1kIXadL_Z1fvEEEvv", ""),
        ("_ZN2ns", ""),
        ("_Z", ""),
    ],
)
def test_names_of_symbols(symbol: str, name: str) -> None:
    assert qualified_name(symbol) == name


def test_arguments_that_bear_on_device_code() -> None:
    argv = [
        *(
            '-DMSG="a, b"',
            "-DA=1\\,2",
            "-Iinc,two",
            "-O3",
            "-MD",
            "-o",
            "x.o",
            "-dc",
            "-arch=sm_80",
            "-lm",
            "-G",
            "-Xptxas=-O1",
        ),
        *("-std=c++14", "--keep", "-Xcompiler", "-fopenmp,-DX", "-maxrregcount", "32", "-x", "cu", "a.cpp"),
    ]
    command = parse_command(argv, {"NVCC_APPEND_FLAGS": "-DLATE"}, "/")
    assert device_arguments(command) == [
        *(
            "-D",
            'MSG="a, b"',
            "-D",
            "A=1\\,2",
            "-I",
            "inc",
            "-I",
            "two",
            "-O",
            "3",
            "-G",
            "-Xptxas",
            "-O1",
            "-std",
            "c++14",
        ),
        *("-Xcompiler", "-fopenmp", "-Xcompiler", "-DX", "-maxrregcount", "32", "-x", "cu", "-D", "LATE", "-rdc=true"),
    ]


SOURCE = """\
#include "size.h"
namespace ns { template <class T, int N> __global__ void t(T *a) {
  __shared__ T s[N]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[0] = s[5]; } }
namespace { __global__ void hidden(int *a) { *a = MESSAGE[0]; } }
void f() { ns::t<float, SIZE><<<1, 32>>>(0); ns::t<double, SIZE><<<1, 32>>>(0); hidden<<<1, 1>>>(0); }
"""


@pytest.mark.nvcc
def test_asking_the_real_nvcc(tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "a b.cu").write_text(SOURCE)
    (tmp_path / "size.h").write_text("#define SIZE 64\n")
    command = parse_command(['-DMESSAGE="x, y"', "-c", "a b.cu", "-o", "a.o"], {}, str(tmp_path))
    nvcc = RealNvcc(real_nvcc, "test")

    def ask() -> dict[str, tuple[int, int]]:
        found = kernel_resources(command, "a b.cu", nvcc, [90], os.environ)
        assert all(item.registers > 0 for item in found)
        return {item.symbol: (item.arch, item.static_shared_bytes) for item in found if item.name == "ns::t"}

    before = sorted(path.name for path in tmp_path.iterdir())
    first = ask()
    assert sorted(first.values()) == [(90, 256), (90, 512)]
    start = sum(os.times()[:4])
    assert ask() == first
    assert sum(os.times()[:4]) - start < 0.3  # CPU seconds, children's included: nvcc takes more
    (tmp_path / "size.h").write_text("#define SIZE 32\n")
    assert sorted(ask().values()) == [(90, 128), (90, 256)]
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.nvcc
def test_a_source_that_does_not_compile(tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() { oops; }\n")
    command = parse_command(["-c", "a.cu"], {}, str(tmp_path))
    with pytest.raises(ToolchainError, match="oops") as caught:
        kernel_resources(command, "a.cu", RealNvcc(real_nvcc, "test"), [], os.environ)
    assert "\n" not in str(caught.value)
