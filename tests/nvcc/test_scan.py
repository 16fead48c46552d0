"""The byte scan that keeps sources without kernels away from the parser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuopt_driver import nvcc_main
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.patching import has_kernels


def scan(root: Path, *argv: str) -> bool:
    """As the driver sees it; the quick look before it may only err towards looking closer."""
    argv = (*argv, "-c", "a.cu")
    found = has_kernels(parse_command(argv, {}, str(root)), str(root / "a.cu"))
    before = Path.cwd()
    os.chdir(root)
    try:
        quick = nvcc_main._has_kernels(argv, {})
    finally:
        os.chdir(before)
    assert quick or not found or not (root / "a.cu").exists()
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int main() { return 0; }", False),
        ("__global__ void k();", True),
        ("void f() { k<<<1, 2>>>(); }", True),
        ("__attribute__((global)) void k();", True),
        ("#include <vector>\n#include <cuda_runtime.h>\nint x;", False),
        ('#include "not_there.h"\n', False),
        ("#include NAME\n", True),
        ('#include "h.h"\n', True),
        ('  #  include "h.h"\n', True),
        ("#include <h.h>\n", False),
        ('#include "loop.h"\n', False),
        ("", False),
        ("\xff\xfe\x00 binary", False),
    ],
)
def test_words_and_includes(tmp_path: Path, text: str, found: bool) -> None:
    (tmp_path / "a.cu").write_text(text, encoding="latin-1")
    (tmp_path / "h.h").write_text('#include "deep/k.cuh"\n')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "k.cuh").write_text("template <class T> __global__ void k(T *a) {}\n")
    (tmp_path / "loop.h").write_text('#include "loop.h"\n')
    assert scan(tmp_path) is found


@pytest.mark.parametrize("argv", [["-I", "inc"], ["-Iinc"], ["-include", "inc/k.cuh"], ["-DKERNEL=__global__", "-I."]])
def test_what_the_command_line_brings_in(tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "a.cu").write_text("#include <k.cuh>\n")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "k.cuh").write_text("__global__ void k() {}\n")
    assert scan(tmp_path, *argv)
    assert not scan(tmp_path)


@pytest.mark.parametrize("writing", ["-I{}", "-isystem={}"])
def test_a_toolkit_is_none_of_the_projects(tmp_path: Path, writing: str) -> None:
    """Makefiles name it with -I; its headers are many, and have kernels of their own."""
    toolkit = tmp_path / "cuda" / "include"
    toolkit.mkdir(parents=True)
    (toolkit / "cuda_runtime_api.h").write_text("#define __global__ __attribute__((global))\n")
    kernel = "__global__ void of_the_toolkit();\n"
    (toolkit / "large.h").write_text(f"#include <cuda_runtime_api.h>\n{kernel}// {'x' * 200_000}\n")
    (tmp_path / "a.cu").write_text("#include <large.h>\n")
    option = writing.format(toolkit)
    assert not scan(tmp_path, option)
    assert not nvcc_main._gets_versions([option, "-c", str(tmp_path / "a.cu")])
    (tmp_path / "k.cuh").write_text("__global__ void k();\n")
    (tmp_path / "a.cu").write_text('#include "k.cuh"\n#include <large.h>\nvoid f() { k<<<1, 2>>>(); }\n')
    assert scan(tmp_path, option)
    assert nvcc_main._gets_versions([option, "-c", str(tmp_path / "a.cu")])
    (toolkit / "cuda_runtime_api.h").unlink()  # no toolkit: a header of the project
    assert nvcc_main._gets_versions([option, "-c", str(tmp_path / "a.cu")]) is not writing.startswith("-I")


@pytest.mark.parametrize(
    ("text", "header", "expected"),
    [
        ("__global__ void k();\nvoid f() { k<<<1, 2>>>(); }\n", "", True),
        ("__global__ void k();\nvoid f() { k<<<1, 2>>>(); }\n", "x" * 900_000, True),
        ("__global__ void k();\nvoid f() { k<<<1, 2>>>(); }\n" + "/" * 200_000, "", False),
        ("__global__ void k();\nvoid f() { k<<<1, 2>>>(); }\n#include NAME\n", "", True),
        ("void f() { k<<<1, 2>>>(); }\n", "__global__ void k();\n", True),
        ("void f() { k<<<1, 2>>>(); }\n", "__global__ void k();\n" + "x" * 199_000, True),
        ("void f() { k<<<1, 2>>>(); }\n", "__global__ void k();\n" + "x" * 200_000, False),
        ("void f() { k<<<1, 2>>>(); }\n#include NAME\n", "__global__ void k();\n", False),
        ("void f() { k<<<1, 2>>>(); }\n", "x" * 200_000, False),
        ("__global__ void k();\n", "", False),
        ("void f() { k<<<1, 2>>>(); }\n", "", False),
    ],
)
def test_what_is_analysed_before_nvcc_starts(tmp_path: Path, text: str, header: str, expected: bool) -> None:
    (tmp_path / "a.cu").write_text(f'#include "h.h"\n{text}')
    (tmp_path / "h.h").write_text(header)
    assert nvcc_main._gets_versions(["-c", str(tmp_path / "a.cu")]) is expected


@pytest.mark.parametrize(
    ("argv", "straight"),
    [
        (["-c", "host.cu", "-Iinc", "-I", "two", "--include-path=three", "-O2"], True),
        (["-c", "host.cu", "-include", "x.h"], False),
        (["-c", "host.cu", "-Ia,b"], False),
        (["-c", "host.cu", "-x", "cu"], False),
        (["-c", "host.cu", "kernel.cu"], False),
        (["-c", "missing.cu"], True),
    ],
)
def test_the_quick_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], straight: bool) -> None:
    (tmp_path / "host.cu").write_text("#include <vector>\nint main() { return 0; }\n")
    (tmp_path / "kernel.cu").write_text("__global__ void k();\n")
    monkeypatch.chdir(tmp_path)
    assert nvcc_main.passes_straight(argv, {}) is straight


def test_a_source_that_cannot_be_read_is_left_to_others(tmp_path: Path) -> None:
    assert scan(tmp_path)
