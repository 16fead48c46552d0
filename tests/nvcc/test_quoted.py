"""Lines that compilers quote in messages about patched sources."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.overlaid import OverlaidFile
from gpuopt_driver.nvcc.quoted import as_written

CONFIG = "::gpuopt_rt::config("
DOOR = " static void k__gpuopt_launch(const ::gpuopt_rt::config &, int *x);"


def quoted(directory: Path, patched: str, written: str, said: str) -> str:
    """What becomes of a message about line 2 of a file; `said` ends with a line that has the caret."""
    original, copy = directory / "a.cu", directory / "copy.cu"
    original.write_text(f"// first\n{written}\n")
    copy.write_text(f"// first\n{patched}\n// a version\n")
    file = OverlaidFile(str(original), str(copy), 0, 0, 0, 0)
    return as_written(said.encode(), [file]).decode()


@pytest.mark.parametrize(
    ("patched", "written", "seen", "expected"),
    [
        (f"k__gpuopt_launch({CONFIG}1, 2), mark);", "k<<<1, 2>>>(mark);", None, None),
        (f"{{ k__gpuopt_launch({CONFIG}1, N), mark, y); }}", "{ k<<<1, N>>>(mark, y); }", "N=256", "N=256"),
        (f"k__gpuopt_launch<T>({CONFIG}dim3(1, 2), 3), mark);", "k<T><<<dim3(1, 2), 3>>>(mark);", None, None),
        (
            "(::gpuopt_rt::first(::gpuopt_rt::ordered(1, 2)), k__gpuopt_launch(::gpuopt_rt::taken(), mark, y));",
            "k<<<1, 2>>>(mark, y);",
            None,
            None,
        ),
        (f"__global__ void k(int *mark) {{ }}{DOOR}", "__global__ void k(int *mark) { }", "G", "G"),
        (f"namespace gpuopt_rt {{ int a[9]; }} {DOOR}void f(int *mark);", "void f(int *mark);", None, None),
        (f"a = b; k__gpuopt_launch({CONFIG}1, 2), mark); k__gpuopt_launch({CONFIG}3, 4), mark);",
         "a = b; k<<<1, 2>>>(mark); k<<<3, 4>>>(mark);", None, None),
    ],
)  # fmt: skip
def test_what_the_front_end_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patched: str, written: str, seen: str | None, expected: str | None
) -> None:
    """Macros are expanded in it; the caret stays under the same token."""
    monkeypatch.chdir(tmp_path)

    def shown(line: str, how: str | None) -> str:
        line = line.replace("__global__", "__attribute__((global))") if how == "G" else line
        line = line.replace(" N)", " 256)").replace(" N>", " 256>") if how and "=" in how else line
        return f'a.cu(2): warning #549-D: variable "x" is used\n    {line}\n    {" " * line.index("mark")}^\n\nlast\n'

    assert quoted(tmp_path, patched, written, shown(patched, seen)) == shown(written, expected)


def test_what_is_not_told_apart_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for said in (
        "a.cu(2): warning #1-D: w\n    other__gpuopt_launch(::gpuopt_rt::config(1), x);\n        ^\n",
        "b.cu(2): warning #1-D: w\n    k__gpuopt_launch(::gpuopt_rt::config(1), x);\n        ^\n",
        "a.cu(9): warning #1-D: w\n    k__gpuopt_launch(::gpuopt_rt::config(1), x);\n        ^\n",
        "ptxas info    : Compiling entry function '_Z15k__gpuopt_catt' for 'sm_90'\n",
    ):
        assert quoted(tmp_path, f"k__gpuopt_launch({CONFIG}1), x);", "k<<<1>>>(x);", said) == said


def test_what_the_host_compiler_quotes(tmp_path: Path) -> None:
    said = f"a.cu:2:3: warning: overflow\n    2 |         k__gpuopt_launch({CONFIG}1, 2), N);\n      |   ^~~\n"
    found = quoted(tmp_path, f"\tk__gpuopt_launch({CONFIG}1, 2), N); ", "\tk<<<1, 2>>>(N); ", said)
    assert found == "a.cu:2:3: warning: overflow\n    2 |         k<<<1, 2>>>(N);\n      |   ^~~\n"


@pytest.mark.nvcc
def test_warnings_about_launches(tmp_path: Path, real_nvcc: str) -> None:
    """nvcc's words about a source that gets versions are those about it without them.

    But for the columns of the host compiler's, which are those of what nvcc's front end writes: 13.5 writes a launch so
    that they are at its end, and none of the launch function's.
    """
    (tmp_path / "a.cu").write_text(
        "inline __global__ void k(int *x, short n) { x[blockIdx.x * blockDim.x + threadIdx.x] += n; }\n"
        "void run() { int *x; if (1) k<<<64, 256>>>(x, 70000); }\n"
    )
    said = []
    for command in ([real_nvcc], [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-report=report.json"]):
        line = [*command, "-arch=sm_90", "-c", "a.cu", "-o", "a.o"]
        env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=True, timeout=240)
        said.append(re.sub(rb"(a\.cu:2):\d+(: warning: .*\n.*\n +\|) +\^[~ ]*\n", rb"\1\2 ^\n", done.stderr))
    assert b"549-D" in said[0]
    assert re.search(rb"a\.cu:2: warning: .*Woverflow", said[0])
    assert said[1] == said[0]
    assert '"applied"' in (tmp_path / "report.json").read_text()
