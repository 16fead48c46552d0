"""What the environment asks of the versions in a built program: what means nothing is said once, and left aside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ours import switched_off

KERNEL = """
#include <cstdio>
__global__ void NAME(const float *a, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += a[i * n + j];
  out[i] = sum;
}
void call_NAME(float *p) {
  NAME<<<4, 128>>>(p, p + 512 * 64, 64);
  NAME<<<2, 128>>>(p, p + 512 * 64, 64);
}
"""
MAIN = """
void call_second(float *);
int main() {
  float *p;
  cudaMalloc(&p, (512 * 64 + 512) * sizeof(float));
  call_first(p);
  call_second(p);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""
POLICY = "[plugins.catt]\nfixed_tlp = [1, 0]\nminimum_trips = 0\n" + switched_off("catt")
NOTHING = "gpuopt: warning: GPUOPT_DISPATCH={}: expected original, trace, only:NAME or arm:NUMBER; it is left aside"
SLIP = "gpuopt: warning: {}: no such variable; did you mean 'GPUOPT_DISPATCH'?"
UNKNOWN = "gpuopt: warning: {}: no such variable; docs/variables.md names those that there are"
BUILD = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-gpu=h200", "--gpuopt-policy=p.toml"]


def write(place: Path) -> list[str]:
    (place / "first.cu").write_text(KERNEL.replace("NAME", "first") + MAIN)
    (place / "second.cu").write_text(KERNEL.replace("NAME", "second"))
    (place / "p.toml").write_text(POLICY)
    return ["first.cu", "second.cu"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """Two units with versions, and the code for each mode of the emulator."""
    place = tmp_path_factory.mktemp("asked")
    build = [*BUILD, "--gpuopt-backend=emulator", *write(place), "-o", "program"]
    env = {**os.environ, "GPUOPT_EMU_MODE": ""}
    subprocess.run(build, cwd=place, check=True, capture_output=True, timeout=300, env=env)
    return place / "program"


def said(program: Path, **env: str) -> list[str]:
    """Standard error of a run that does what every run does, whatever earlier ones have measured."""
    known = {**os.environ, "GPUOPT_LEARN": "off", **env}
    done = subprocess.run([program], env=known, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "no error\n"
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    "value", ["orignal", "traces", "only", "1", "Original", "o", "arm:", "arm:x", "arm:1x", "arm:-1"]
)
def test_a_value_that_means_nothing_is_said_once(program: Path, value: str) -> None:
    assert said(program, GPUOPT_DISPATCH=value) == [NOTHING.format(value)]


@pytest.mark.parametrize("name", ["GPUOPT_DISPTACH", "GPUOPT_DISPATCHS", "GPUOPT_DSPATCH", "GPUOPT_DISPACH"])
def test_a_name_that_is_nearly_the_right_one_is_said_once(program: Path, name: str) -> None:
    assert said(program, **{name: "original"}) == [SLIP.format(name)]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LEARM", "LEARN"),
        ("LEARN_BUGET", "LEARN_BUDGET"),
        ("CHOICE", "CHOICES"),
        ("NUMBER", "NUMBERS"),
    ],
)
def test_so_is_one_of_another_variable(program: Path, name: str, meant: str) -> None:
    expected = SLIP.format(f"GPUOPT_{name}").replace("DISPATCH", meant)
    assert said(program, **{f"GPUOPT_{name}": "off"}) == [expected]


@pytest.mark.parametrize("value", ["much", "1%", "0,01", "-1", "nan"])
def test_a_budget_that_is_no_number_is_left_aside(program: Path, tmp_path: Path, value: str) -> None:
    learns = {"GPUOPT_LEARN": "on", "GPUOPT_EMU_MODE": "model", "GPUOPT_CHOICES": f"{tmp_path}/"}
    (line,) = (one for one in said(program, GPUOPT_LEARN_BUDGET=value, **learns) if "BUDGET" in one)
    assert line.startswith(
        f"gpuopt: warning: GPUOPT_LEARN_BUDGET={value}: expected a part of a kernel's time, 0 to 1, "
    )
    assert not any("BUDGET" in line for line in said(program, GPUOPT_LEARN_BUDGET="1000", **learns))


def test_what_is_right_is_not(program: Path) -> None:
    assert said(program) == []
    for name in ("GPUOPT_CHOICES", "GPUOPT_LEARN_BUDGET", "GPUOPT_CACHE_DIR", "GPUOPT_POLICY", "GPUOPT_REPORT"):
        assert said(program, **{name: "0"}) == []
    for name in ("GPUOPT_EMU_DISPATCH", "GPUOPT_NVCC", "GPUOPT_SOMETHING_LONG", "GPUOPT_", "MY_GPUOPT_DISPTACH"):
        assert said(program, **{name: "x" if name != "GPUOPT_EMU_DISPATCH" else "demand"}) == []
    assert said(program, GPUOPT_DISPATCH="") == said(program, GPUOPT_DISPATCH="original") == []
    for value in ("trace", "only:catt", "only:", "arm:1"):
        lines = said(program, GPUOPT_DISPATCH=value)
        assert len(lines) == 4
        assert all(": catt " in line for line in lines)
    assert all(": original " in line for line in said(program, GPUOPT_DISPATCH="arm:0"))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("only:NOSUCH", "no kernel that was launched has such a version (there are: catt)"),
        ("arm:2", "no launch has that arm (there are arm:0, the original, to arm:1)"),
        ("arm:99999999999999999999", "no launch has that arm (there are arm:0, the original, to arm:1)"),
    ],
)
def test_what_no_launch_has_is_said_once_at_the_end(program: Path, value: str, why: str) -> None:
    lines = said(program, GPUOPT_DISPATCH=value)
    assert len(lines) == 5
    assert all(": original " in line for line in lines[:4])
    assert lines[4] == f"gpuopt: warning: GPUOPT_DISPATCH={value}: {why}; the original kernels ran"


def test_a_version_that_no_guard_chose_is_said_to_be_there(tmp_path: Path, host_compiler: str) -> None:
    write(tmp_path)
    text = (tmp_path / "first.cu").read_text().replace("call_second(p)", "first<<<1, 32>>>(p, p, 4)")
    (tmp_path / "first.cu").write_text(text.replace("4, 128", "1, 32").replace("2, 128", "2, 32"))
    build = [*BUILD, "--gpuopt-backend=emulator", "first.cu", "-o", "program"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    program = tmp_path / "program"
    guards = "no launch got that version (its guard said no, or it is for measurements only: arm:NUMBER has these)"
    for value, why in (("only:catt", guards), ("arm:1", "no launch has another arm than arm:0, the original")):
        last = said(program, GPUOPT_DISPATCH=value)[-1]
        assert last == f"gpuopt: warning: GPUOPT_DISPATCH={value}: {why}; the original kernels ran"


def test_the_emulator_says_names_of_its_own_that_it_does_not_know(program: Path) -> None:
    assert said(program, GPUOPT_EMU_MOD="check") == [UNKNOWN.format("GPUOPT_EMU_MOD")]


@pytest.mark.nvcc
def test_units_of_nvcc_share_what_was_said(tmp_path: Path, real_nvcc: str) -> None:
    build = [*BUILD, "-arch=sm_90", "-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror", *write(tmp_path), "-o", "program"]
    for extra in ((), ("-rdc=true",)):
        subprocess.run([*build, *extra], cwd=tmp_path, check=True, timeout=300)
    symbols = subprocess.run(["nm", "program"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    # "V" by GNU's ld; gold calls what is hidden "b". One of them in each object would be two.
    assert [line.split()[-1] for line in symbols.splitlines() if "gpuopt_rt_told" in line] == ["gpuopt_rt_told"]
