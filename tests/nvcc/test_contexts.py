"""Where the front end says that a message came up: no launch function, no version."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.contexts import as_written

SOURCE = Path(__file__).parent / "contexts.cu"
CONFIG = "const gpuopt_rt::v0_1_0::config &, "
KERNEL = 'instantiation of "void k<T,N>(T *, int) [with T=float, N=2]" at line {}'
LAUNCHED = f'instantiation of "void k__gpuopt_launched<T,N>({CONFIG}T *, int) [with T=float, N=2]" at line 160'
LAUNCH = f'instantiation of "void k__gpuopt_launch<T,N>({CONFIG}T *, int) [with T=float, N=2]" at line {{}}'
PLAN = "gpuopt_rt::v0_1_0::plan, "
VERSION = f'instantiation of "void k__gpuopt_coarsening2<T,N>({PLAN}T *, int) [with T=float, N=2]" at line 150'
CALLED = 'instantiation of "T half(T) [with T=float]" at line 20'
ALL = 'instantiation of "void all(T *) [with T=float]" at line 30'


def message(*places: str, line: int = 5, quoted: str = "return left + v;") -> str:
    """A message about a line of `a.cu` that came up there, the innermost place first."""
    head = f'a.cu({line}): warning #549-D: variable "left" is used before its value is set\n    {quoted}\n    ^\n'
    if len(places) == 1:
        return f"{head}          detected during {places[0]}\n\n"
    inner = "".join(f"            {place}\n" for place in places)
    return f"{head}          detected during:\n{inner}\n" if places else f"{head}\n"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ((), ()),
        ((LAUNCHED, LAUNCH.format(24)), ()),
        ((KERNEL.format(150), LAUNCHED, LAUNCH.format(24)), (KERNEL.format(24),)),
        ((CALLED, KERNEL.format(150), LAUNCHED, LAUNCH.format(24)), (CALLED, KERNEL.format(24))),
        ((KERNEL.format(150), LAUNCHED, LAUNCH.format(24), ALL), (KERNEL.format(24), ALL)),
        ((VERSION, LAUNCHED, LAUNCH.format(24), ALL), (KERNEL.format(24), ALL)),
        ((CALLED, ALL), (CALLED, ALL)),
        ((ALL,), (ALL,)),
    ],
)
def test_places(shown: tuple[str, ...], expected: tuple[str, ...]) -> None:
    other = message(ALL, line=9)
    assert as_written((other + message(*shown) + other).encode()).decode() == other + message(*expected) + other


def test_what_is_said_of_a_version_is_said_once() -> None:
    """Of what nvcc says twice by itself both are left."""
    told = message(KERNEL.format(150), LAUNCHED, LAUNCH.format(24))
    again = message(VERSION, LAUNCHED, LAUNCH.format(24), quoted="gpuopt_e0 = left + v;")
    elsewhere = message(VERSION, LAUNCHED, LAUNCH.format(28))
    shown = message() + told + again + elsewhere + again + told
    left = message(KERNEL.format(24))
    expected = message() + left + message(KERNEL.format(28)) + left
    assert as_written(shown.encode()).decode() == expected
    assert as_written(shown.removesuffix("\n").encode()).decode() == expected.removesuffix("\n")


def test_others_words_stay() -> None:
    words = 'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\nptxas info    : 0\n'
    assert as_written(words.encode()).decode() == words


@pytest.mark.nvcc
def test_nvcc_says_the_same_of_a_source_with_versions(real_nvcc: str, tmp_path: Path) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_REPORT": str(tmp_path / "report.json")}
    line = ["-O3", "-arch=sm_90", "-std=c++17", "-c", SOURCE.name, "-o", str(tmp_path / "a.o")]
    done = [
        subprocess.run([*first, *line], cwd=SOURCE.parent, env=env, capture_output=True, text=True, check=False)
        for first in ([real_nvcc], [sys.executable, "-m", "gpuopt_driver.nvcc_main"])
    ]
    assert "detected during" in done[0].stderr
    assert [(one.returncode, one.stdout, one.stderr) for one in done[1:]] == [
        (done[0].returncode, done[0].stdout, done[0].stderr)
    ]
    assert '"applied"' in (tmp_path / "report.json").read_text()
