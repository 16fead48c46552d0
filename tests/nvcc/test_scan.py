"""The byte scan that keeps sources without kernels away from the parser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuopt_driver import foreign, nvcc_main
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.scan import may_patch
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


@pytest.mark.parametrize(
    ("text", "header", "expected"),
    [
        ("__global__ void k() {}\nvoid f() { k<<<1, 2>>>(); }", "", True),
        ("__global__ void k() {}\nvoid f() { k<< <1, 2>>>(); }", "", True),
        ("void f() { k<<<1, 2>>>(); }", "__global__ void k() {}", True),
        ("__global__ void k() {}\n", "", False),
        ("__global__ void k() {}\nvoid f() { cudaLaunchKernel(k, 1, 2, 0); }", "", False),
        ("__global__ void k() {}\n// k<<<1, 2>>>();\n", "", False),
        ("__global__ void k() {}\nint a; // k<<<1, 2>>>();\n", "", True),  # may be in a string there
        (
            "__global__ void k() {}\nvoid f() { RUN(k); }",
            "#define RUN(k) do { \\\n  k<<<1, 2>>>(); \\\n} while (0)",
            False,
        ),
        ("__global__ void k() {}\nvoid f() { RUN(k); }", "# define RUN(k) \\\r\n  k<<<1, 2>>>()", False),
        ("__global__ void k() {}\nvoid f() { RUN((k<<<1, 2>>>())); }", "#define RUN(x) x", True),
        ("#define N 1\n__global__ void k() {}\nvoid f() { k<<<N, 2>>>(); }", "", True),
        ("void f() { k<<<1, 2>>>(1); }", "__global__ void k(int a);\nextern __global__ void l();", False),
        ("void f() { k<<<1, 2>>>(1); }", "__global__ void k(int a /* ; */) {}", True),
        ("void f() { k<<<1, 2>>>(1); }", "#define KERNEL __global__ void\nint a;\nKERNEL k(int a) {}", True),
        ("void f() { k<<<1, 2>>>(1); }", "__global__ void k(int a)", True),
        ("void f() { k<<<1, 2>>>(1); }", "__attribute__((global)) void k(int a);", True),
        ("__global__ void k() {}\n#pragma gpuopt of\n", "", True),
        ("__global__ void k() {}\n#include NAME\n", "", True),
    ],
)
def test_what_is_not_analysed_at_all(tmp_path: Path, text: str, header: str, expected: bool) -> None:
    (tmp_path / "a.cu").write_text(f'#include "h.h"\n{text}', newline="")
    (tmp_path / "h.h").write_text(header, newline="")
    assert may_patch(str(tmp_path / "a.cu"), []) is expected


@pytest.mark.parametrize(
    ("argv", "env", "nothing"),
    [
        ([], {}, True),
        (["-Iinc", "-O3", "-arch=sm_90"], {"GPUOPT_NVCC": "/x/nvcc", "GPUOPT_CACHE_DIR": "/x"}, True),
        (["launches.cu"], {}, False),
        (["missing.cu"], {}, False),
        (["-include", "x.h"], {}, False),
        (["-optf", "x.rsp"], {}, False),
        (["--gpuopt-report=x.json"], {}, False),
        (["-MD"], {}, False),  # what is written names a policy that is yet to be
        (["-MMD", "-MT", "a.o", "-MF", "a.d"], {}, False),
        (["--generate-nonsystem-dependencies-with-compile"], {}, False),
        (["-E"], {}, False),
        ([], {"GPUOPT_REPORT": "x.json"}, False),
        ([], {"NVCC_APPEND_FLAGS": "-Ix"}, False),
    ],
)
def test_who_hears_nothing_of_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], env: dict[str, str], nothing: bool
) -> None:
    monkeypatch.setattr(foreign, "has_foreign_plugins", lambda: False)
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "launches.cu").write_text("__global__ void k() {}\nvoid f() { k<<<1, 2>>>(); }\n")
    monkeypatch.chdir(tmp_path)
    assert nvcc_main._can_patch_nothing(["-c", "a.cu", *argv], env) is nothing
    (tmp_path / "toolchain.toml").write_text("[plugins.unified_memory]\nother_files = true\n")
    assert not nvcc_main._can_patch_nothing(["-c", "a.cu", *argv], env)


@pytest.mark.parametrize(
    ("lists", "found"),
    [
        (["[gpuopt.plugins]\ncatt = gpuopt_plugins.catt\n\n[x]\ny = z\n"], False),
        (["[console_scripts]\na = b\n", "[gpuopt.plugins]\ncatt = gpuopt_plugins.catt"], False),
        (["[gpuopt.plugins]\ncatt = gpuopt_plugins.catt\nmine = mine.plugin\n"], True),
        (["[gpuopt.plugins]\ncatt = gpuopt_plugins.catt\n", "[x]\ny = z\n[gpuopt.plugins]\nmine=mine\n"], True),
        ([], False),
    ],
)
def test_plugins_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lists: list[str], found: bool) -> None:
    for number, text in enumerate(lists):
        (tmp_path / f"p{number}.dist-info").mkdir()
        (tmp_path / f"p{number}.dist-info" / "entry_points.txt").write_text(text)
    monkeypatch.setattr("sys.path", ["", "/nowhere", str(tmp_path)])
    assert foreign.has_foreign_plugins() is found
