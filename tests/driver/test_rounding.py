"""Versions whose sums nvcc rounds in another way than their kernel's are left out of the build, with a finding."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.caches import with_what_builds_share
from tests.ours import switched_off

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
ONE_SUM = """
__global__ void one_sum(const float *a, const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float s = 0;
    for (int c = 0; c < columns; c++) s += a[(size_t)row * columns + c] * x[c];
    y[row] = s;
  }
}
void run_one(const float *a, const float *x, float *y) { one_sum<<<64, 256>>>(a, x, y, 16384, 333); }
"""
SOON = ("-arch=sm_90", "-std=c++14")  # of which nvcc reads half as much of its headers
POLICY = """
[driver]
rounding = "{rounding}"
[plugins.catt]
fixed_tlp = [4, 8]
{others}"""


def built(directory: Path, nvcc: str, result: str, *args: str, rounding: str = "same") -> tuple[dict[str, str], bytes]:
    """The codes of CATT's decision by kernel, and the object."""
    (directory / "a.cu").write_text(TWO_SUMS.replace("RESULT", result))
    (directory / "toolchain.toml").write_text(POLICY.format(rounding=rounding, others=switched_off("catt")))
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "-o", "a.o"]
    line += ["--gpuopt-gpu=h200", "--gpuopt-report=report.json", *args]
    env = {**os.environ, "GPUOPT_NVCC": nvcc}
    done = subprocess.run(line, cwd=directory, env=env, capture_output=True, check=False, timeout=240)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return told_of((directory / "report.json").read_bytes()), (directory / "a.o").read_bytes()


def told_of(report: bytes) -> dict[str, str]:
    decisions = json.loads(report)["units"][0]["decisions"]
    return {one["kernel"]: f"{one['decision']} {one['code']}" for one in decisions if one["plugin"] == "catt"}


# nvcc fuses neither of these products in the kernel, where paths meet between them and the sum; in the version it does.
MET = "1.25f * s + 3.5f * t"
ALIKE = (
    "s * s + t * t"  # which of these it fuses is told by what is added up, of which a loop that is unrolled shows less
)
READABLE = "-no-compress"


def sums_of(made: bytes, kernel: bytes) -> set[bytes]:
    """The sums of no product in the PTX of a kernel that an object has."""
    found = re.search(rb"\.entry \S*" + kernel + rb"\w*\(\n.*?\n}", made, re.DOTALL)
    assert found is not None
    body = found.group()
    return {line.split()[0] for line in body.splitlines() if line.strip().startswith((b"add.f32", b"add.rn.f32"))}


@pytest.mark.parametrize("args", [(), ("-rdc=true",), ("-lineinfo",), ("-gencode", "arch=compute_80,code=compute_80")])
def test_a_version_that_nvcc_rounds_otherwise_gets_the_form_of_its_kernel(
    tmp_path: Path, real_nvcc: str, args: tuple[str, ...]
) -> None:
    told, made = built(tmp_path, real_nvcc, MET, *args, READABLE)
    assert told == {"two_sums": "applied CATT005"}
    assert sums_of(made, b"_Z8two_sums") == {b"add.f32"}, "the kernel is nvcc's own"
    assert sums_of(made, b"two_sums__gpuopt_catt") == {b"add.rn.f32"}


def test_every_later_build_has_that_form(tmp_path: Path, real_nvcc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = with_what_builds_share(tmp_path / "cache")
    monkeypatch.setenv("GPUOPT_CACHE_DIR", str(cache))
    for lost, left in (("", ""), ("", ""), ("ptx-body", ""), ("ptx-body", "3F800000"), ("ptx-map", "")):
        for path in (cache / lost).rglob("*") if lost else ():  # of what the first has kept
            if path.is_file() and left:
                path.write_text(path.read_text().replace("3FA00000", left))
            elif path.is_file():
                path.unlink()
        told, made = built(tmp_path, real_nvcc, MET, READABLE)
        assert told == {"two_sums": "applied CATT005"}
        assert sums_of(made, b"two_sums__gpuopt_catt") == {b"add.rn.f32"}
        assert b"0f3F800000" not in made, "what is damaged is not used"


def test_a_version_that_cannot_get_it_is_left_out(tmp_path: Path, real_nvcc: str) -> None:
    told, made = built(tmp_path, real_nvcc, ALIKE)
    assert told == {"two_sums": "declined GPUOPT020"}
    assert b"__gpuopt_" not in made


def code_sizes(cubin: bytes) -> dict[str, int]:
    """The bytes of machine code by the mangled names of kernels, of an ELF file."""
    (sections,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<3H", cubin, 58)
    heads = [struct.unpack_from("<2I4Q", cubin, sections + size * number) for number in range(count)]
    texts = heads[names][4]
    told = {cubin[texts + head[0] :].partition(b"\0")[0].decode(): head[5] for head in heads}
    return {name.removeprefix(".text."): found for name, found in told.items() if name.startswith(".text.")}


def test_others_of_the_file_stay_and_nothing_is_built_again(tmp_path: Path, real_nvcc: str) -> None:
    """A version that is refused gets no body while nvcc runs; who remembers that builds the same."""
    nvcc, made = tmp_path / "nvcc", tmp_path / "made"
    nvcc.write_text(f'#!/bin/sh\ncase " $* " in *.o*) echo run >> {made}/runs;; esac\nexec {real_nvcc} "$@"\n')
    nvcc.chmod(0o755)
    made.mkdir()
    (tmp_path / "a.cu").write_text(ONE_SUM + TWO_SUMS.replace("RESULT", ALIKE))
    (tmp_path / "toolchain.toml").write_text(POLICY.format(rounding="same", others=switched_off("catt")))
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "-o", "made/a.o", "--keep"]
    line += [
        "--keep-dir",
        "made",
        "--gpuopt-gpu=h200",
        "--gpuopt-report=made/report.json",
    ]  # its names are in the object
    env = {**os.environ, "GPUOPT_NVCC": str(nvcc), "GPUOPT_CACHE_DIR": str(with_what_builds_share(made / "cache"))}
    results = []
    for _ in range(2):
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=False, timeout=240)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        results.append(((made / "report.json").read_bytes(), (made / "a.o").read_bytes()))
    assert results[0] == results[1], "its times are those of the first run"
    assert told_of(results[0][0]) == {"one_sum": "applied CATT005", "two_sums": "declined GPUOPT020"}
    assert (made / "runs").read_text() == "run\n" * 2
    sizes = code_sizes((made / "a.sm_90.cubin").read_bytes())
    versions = {name: size for name, size in sizes.items() if "__gpuopt_" in name}
    assert {"two_sums" in name for name, size in versions.items() if size <= 256} == {True}
    assert {"one_sum" in name for name, size in versions.items() if size > 256} == {True}


@pytest.mark.parametrize("args", [(), ("-rdc=true",), ("-lineinfo",), ("-gencode", "arch=compute_80,code=compute_80")])
def test_a_version_that_nvcc_rounds_alike_stays(tmp_path: Path, real_nvcc: str, args: tuple[str, ...]) -> None:
    told, made = built(tmp_path, real_nvcc, "s - t", *args)
    assert told == {"two_sums": "applied CATT005"}
    assert b"two_sums__gpuopt_catt" in made


def test_the_policy_may_allow_other_rounding(tmp_path: Path, real_nvcc: str) -> None:
    told, made = built(tmp_path, real_nvcc, MET, rounding="any")
    assert told == {"two_sums": "applied CATT005"}
    assert b"two_sums__gpuopt_catt" in made


def test_where_nothing_is_optimized_nothing_is_fused(tmp_path: Path, real_nvcc: str) -> None:
    told, made = built(tmp_path, real_nvcc, MET, "-G")
    assert told == {"two_sums": "applied CATT005"}
    assert b"two_sums__gpuopt_catt" in made


def test_without_fma_contraction_nothing_differs(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, MET, "-fmad=false")
    assert told == {"two_sums": "applied CATT005"}


def test_what_is_rounded_at_link_time_cannot_be_compared(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, "s - t", "-dlto")
    assert told == {"two_sums": "declined GPUOPT020"}


@pytest.mark.parametrize("mechanism", ["preload", "namespace", "shim"])
def test_every_overlay_lets_versions_be_compared(
    tmp_path: Path, real_nvcc: str, mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUOPT_OVERLAY", mechanism)
    told, _ = built(tmp_path, real_nvcc, MET)
    assert told == {"two_sums": "applied CATT005" if mechanism == "preload" else "declined GPUOPT020"}
    told, _ = built(tmp_path, real_nvcc, "s - t")
    assert told == {"two_sums": "applied CATT005"}


TWICE = """
struct Complex { float re, im; };
__device__ Complex times(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ float magnitude(Complex a) { return sqrtf(a.re * a.re + a.im * a.im); }
__global__ void powers(const Complex *x, float *y, float exponent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Complex a = x[i], b = times(a, a), c = times(a, b);
    y[i] = powf(magnitude(b), exponent) - fabsf(magnitude(c) - magnitude(a) * magnitude(b));
  }
}
__global__ void rows(const float *a, const float *x, float *y, float alpha, float beta, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float s = 0;
    for (int c = 0; c < n; c++) s += a[(size_t)c * n + row] * x[c];
    y[row] = alpha * s + beta * y[row];
  }
}
void run(const Complex *x, const float *a, float *y, int n) {
  powers<<<4096, 256>>>(x, y, 1.5f, n);
  rows<<<4096, 256>>>(a, y + n, y, 1.5f, 2.5f, n);
}
"""


def test_a_kernel_that_is_repeated_is_compared_sum_by_sum(tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "a.cu").write_text(TWICE)
    (tmp_path / "toolchain.toml").write_text(
        f"[plugins.coarsening]\nforced = true\nfactors = [2]\n{switched_off('coarsening')}"
    )
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "-o", "a.o", "--gpuopt-report=r.json"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    subprocess.run(line, cwd=tmp_path, env=env, check=True, timeout=240)
    decisions = json.loads((tmp_path / "r.json").read_text())["units"][0]["decisions"]
    told = {one["kernel"]: one["code"] for one in decisions if one["plugin"] == "coarsening"}
    assert told == {"powers": "COARSE002", "rows": "COARSE002"}


def test_printed_steps_have_no_version_that_is_rounded_otherwise(tmp_path: Path, real_nvcc: str) -> None:
    told, _ = built(tmp_path, real_nvcc, "s - t")
    assert told == {"two_sums": "applied CATT005"}
    (tmp_path / "a.cu").write_text(TWO_SUMS.replace("RESULT", MET))
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *SOON, "-c", "a.cu", "--dryrun"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=True, timeout=240)
    assert b"GPUOPT_VFS_MAP" not in done.stderr, "nothing is left to show"
