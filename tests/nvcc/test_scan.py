"""The byte scan that keeps sources without kernels away from the parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.scan import may_have_kernels


def scan(root: Path, *argv: str) -> bool:
    command = parse_command([*argv, "-c", "a.cu"], {}, str(root))
    return may_have_kernels(command, str(root / "a.cu"))


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


def test_a_source_that_cannot_be_read_is_left_to_others(tmp_path: Path) -> None:
    assert scan(tmp_path)
