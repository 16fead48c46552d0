"""Versions whose sums nvcc rounds in another way than their kernel's are left out of the build, with a finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nvcc
TWO_SUMS = """
__global__ void two_sums(const float *a, const float *b, const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float s = 0, t = 0;
    for (int c = 0; c < columns; c++) {
      s += a[(size_t)row * columns + c] * x[c];
      t += b[(size_t)row * columns + c] * x[c];
    }
    y[row] = RESULT;
  }
}
void run(const float *a, const float *b, const float *x, float *y) {
  two_sums<<<64, 256>>>(a, b, x, y, 16384, 333);
}
"""
SOON = ("-arch=sm_90", "-std=c++14")  # of which nvcc reads half as much of its headers
POLICY = """
[driver]
rounding = "{rounding}"
[plugins.catt]
fixed_tlp = [4, 8]
[plugins.launch_shape]
enabled = false
[plugins.coarsening]
enabled = false
[plugins.cta_clustering]
enabled = false
"""


def built(directory: Path, nvcc: str, result: str, *args: str, rounding: str = "same") -> tuple[dict[str, str], bytes]:
    """The codes of CATT's decision by kernel, and the object."""
    (directory / "a.cu").write_text(TWO_SUMS.replace("RESULT", result))
    (directory / "toolchain.toml").write_text(POLICY.format(rounding=rounding))
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "-o", "a.o"]
    line += ["--gpuopt-gpu=h200", "--gpuopt-report=report.json", *args]
    env = {**os.environ, "GPUOPT_NVCC": nvcc}
    done = subprocess.run(line, cwd=directory, env=env, capture_output=True, check=False, timeout=240)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    decisions = json.loads((directory / "report.json").read_text())["units"][0]["decisions"]
    told = {one["kernel"]: f"{one['decision']} {one['code']}" for one in decisions if one["plugin"] == "catt"}
    return told, (directory / "a.o").read_bytes()


def test_a_version_that_nvcc_rounds_otherwise_is_left_out(tmp_path: Path, real_nvcc: str) -> None:
    told, made = built(tmp_path, real_nvcc, "1.25f * s + 3.5f * t")
    assert told == {"two_sums": "declined GPUOPT020"}
    assert b"__gpuopt_" not in made


@pytest.mark.parametrize("args", [(), ("-rdc=true",), ("-lineinfo",), ("-gencode", "arch=compute_80,code=compute_80")])
def test_a_version_that_nvcc_rounds_alike_stays(tmp_path: Path, real_nvcc: str, args: tuple[str, ...]) -> None:
    told, made = built(tmp_path, real_nvcc, "s - t", *args)
    assert told == {"two_sums": "applied CATT005"}
    assert b"two_sums__gpuopt_catt" in made


def test_the_policy_may_allow_other_rounding(tmp_path: Path, real_nvcc: str) -> None:
    told, made = built(tmp_path, real_nvcc, "1.25f * s + 3.5f * t", rounding="any")
    assert told == {"two_sums": "applied CATT005"}
    assert b"two_sums__gpuopt_catt" in made


def test_without_fma_contraction_nothing_differs(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, "1.25f * s + 3.5f * t", "-fmad=false")
    assert told == {"two_sums": "applied CATT005"}


def test_what_is_rounded_at_link_time_cannot_be_compared(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, "s - t", "-dlto")
    assert told == {"two_sums": "declined GPUOPT020"}


@pytest.mark.parametrize("mechanism", ["preload", "namespace", "shim"])
def test_every_overlay_lets_versions_be_compared(
    tmp_path: Path, real_nvcc: str, mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUOPT_OVERLAY", mechanism)
    told, _ = built(tmp_path, real_nvcc, "1.25f * s + 3.5f * t")
    assert told == {"two_sums": "declined GPUOPT020"}
    told, _ = built(tmp_path, real_nvcc, "s - t")
    assert told == {"two_sums": "applied CATT005"}


def test_printed_steps_have_no_version_that_is_rounded_otherwise(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, "s - t")
    assert told == {"two_sums": "applied CATT005"}
    (tmp_path / "a.cu").write_text(TWO_SUMS.replace("RESULT", "1.25f * s + 3.5f * t"))
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "--dryrun"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=True, timeout=240)
    assert b"GPUOPT_VFS_MAP" not in done.stderr, "nothing is left to show"
