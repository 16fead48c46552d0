"""What nvcc makes of the versions: bounds, registers, constants; and which versions its rounding forbids."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.ours import switched_off

pytestmark = pytest.mark.nvcc
SOURCE = """
__global__ void NAME(const int *x, int *y, int width, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i % width;
  for (int k = 0; k < taps; ++k) sum += x[i / width + k];
  y[i] = sum;
}
void run_NAME(const int *x, int *y) { NAME<<<64, BLOCK>>>(x, y, 96, 6); }
"""
FLOATS = """
__global__ void inverse(float *y, int n, int w) { y[threadIdx.x / w] = 1.0f / n; }
__global__ void quotient(const float *x, float *y, int n, int w) { y[threadIdx.x] = x[threadIdx.x / w] / n; }
__global__ void root(const float *x, float *y, int n, int w) { y[threadIdx.x] = x[threadIdx.x / w] + sqrtf(n + w); }
void run(float *x, float *y) {
  inverse<<<4, 64>>>(y, 6, 7);
  quotient<<<4, 64>>>(x, y, 6, 7);
  root<<<4, 64>>>(x, y, 6, 7);
}
"""


def source_of(blocks: Mapping[str, str]) -> str:
    """A kernel of each name, launched with such blocks."""
    return "".join(SOURCE.replace("NAME", name).replace("BLOCK", block) for name, block in blocks.items())


def built(directory: Path, nvcc: str, source: str, options: str, *args: str, others: str = "") -> dict[str, str]:
    """The plugin's decisions by kernel; nvcc says nothing and succeeds."""
    (directory / "a.cu").write_text(source)
    policy = f"[plugins.constants]\n{options}\n{switched_off('constants')}{others}"
    (directory / "toolchain.toml").write_text(policy)
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-std=c++14", "-c", "a.cu", "-o", "a.o", *args]
    line += ["--gpuopt-gpu=h200", "--gpuopt-report=report.json"]
    done = subprocess.run(
        line, cwd=directory, env={**os.environ, "GPUOPT_NVCC": nvcc}, capture_output=True, check=False, timeout=240
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    decisions = json.loads((directory / "report.json").read_text())["units"][0]["decisions"]
    return {one["kernel"]: f"{one['decision']} {one['code']}" for one in decisions if one["plugin"] == "constants"}


def version_of(directory: Path, kernel: str) -> str:
    """The PTX of a kernel's version, with what stands in front of its body."""
    text = next(directory.glob("*.ptx")).read_text()
    return re.search(rf"\.entry \w*{kernel}__gpuopt_constants.*?\n}}", text, re.DOTALL).group()


def test_what_becomes_of_each_form(tmp_path: Path, real_nvcc: str) -> None:
    bounds_of = {
        "plain": [],
        "capped": [".minnctapersm 4"],
        "spilling": [".minnctapersm 4", "enable_smem_spilling"],
    }
    source = source_of(dict.fromkeys(bounds_of, "dim3(16, 16)"))
    forms = "".join(f"[[kernel]]\nname = '{name}'\nconstants = {{ form = '{name}' }}\n" for name in bounds_of)
    told = built(tmp_path, real_nvcc, source, 'pick = "always"', "-arch=sm_90", "-keep", others=forms)
    assert told == dict.fromkeys(bounds_of, "applied CONST002")
    release = re.search(r"release (\d+)", subprocess.check_output([real_nvcc, "--version"], text=True))
    for name, bounds in bounds_of.items():
        text = version_of(tmp_path, name)
        assert ".maxntid 256" in text
        wanted = bounds if int(release.group(1)) >= 13 else [one for one in bounds if "spilling" not in one]
        assert [one for one in (".minnctapersm 4", "enable_smem_spilling") if one in text] == wanted
        assert re.findall(r"\b(?:div|rem)\.[su]\d+|%ntid|\bbra\b", text) == []


@pytest.mark.parametrize("args", [("-rdc=true",), ("-G",), ("-dc", "-lineinfo"), ("-Xptxas", "-O1")], ids=str)
def test_spills_are_asked_for_where_ptxas_takes_that(tmp_path: Path, real_nvcc: str, args: tuple[str, ...]) -> None:
    options = 'pick = "always"\nform = "spilling"'
    told = built(tmp_path, real_nvcc, source_of({"rows": "128"}), options, "-arch=sm_90", *args)
    assert told == {"rows": "applied CONST002"}


def test_no_gpu_is_asked_for_more_threads_than_it_holds(tmp_path: Path, real_nvcc: str) -> None:
    gpus = ("-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_86,code=sm_86")
    blocks = {"one": "1", "odd": "33", "hundred": "100", "third": "341", "plane": "dim3(17, 3)"}
    options = 'pick = "always"\nform = "capped"'
    told = built(tmp_path, real_nvcc, source_of(blocks), options, *gpus)
    assert told == dict.fromkeys(blocks, "applied CONST002")


@pytest.mark.parametrize("args", [(), ("-use_fast_math",), ("-prec-div=false", "-prec-sqrt=false")], ids=str)
def test_approximate_operations_on_constants_are_left_to_the_gpu(
    tmp_path: Path, real_nvcc: str, args: tuple[str, ...]
) -> None:
    told = built(tmp_path, real_nvcc, FLOATS, 'pick = "always"', "-arch=sm_90", *args)
    other = "declined GPUOPT020" if args else "applied CONST002"
    assert told == {"inverse": other, "quotient": other, "root": other}


@pytest.mark.parametrize("options", [["-O2"], ["-rdc=true"]], ids=" ".join)
def test_watching_programs_are_built_without_a_word(tmp_path: Path, real_nvcc: str, options: list[str]) -> None:
    """The linker has nothing to say either: names in templates are no relocations of code."""
    (tmp_path / "toolchain.toml").write_text("[plugins.constants]\nwatch = true\n")
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *options, "-Werror", "all-warnings", "-o", "p"]
    line += ["-Xcompiler=-Wall,-Wextra,-Wshadow", "-arch=sm_90", "--gpuopt-policy=toolchain.toml"]
    line.append(str(Path(__file__).with_name("watched.cu")))
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=False, timeout=240)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    program = (tmp_path / "p").read_bytes()
    assert all(f'"kernel":"{name}"'.encode() in program for name in ("outer::kinds", "typed", "many", "strided"))


UNDEFINED = """
#define LEFT(x, by) ((x) << (by))
__global__ void rotations(const unsigned *x, unsigned *y, int n) {
  unsigned sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 + ((x[threadIdx.x] << (32 - k)) | (x[threadIdx.x] >> k));
  y[threadIdx.x] = sum;
}
__global__ void quotients(const int *x, int *y, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 + x[threadIdx.x] / k;
  y[threadIdx.x] = sum;
}
__global__ void hidden(const unsigned *x, unsigned *y, int n, int by) {
  unsigned sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 + (LEFT(x[k], by) | x[threadIdx.x + k]);
  y[threadIdx.x] = sum;
}
__global__ void from_one_on(const unsigned *x, unsigned *y, int n) {
  unsigned sum = 0;
  for (int k = 1; k < n; ++k) sum = sum * 3 + ((x[threadIdx.x] << (32 - k)) | (x[threadIdx.x] >> k)) / k;
  y[threadIdx.x] = sum;
}
__global__ void random(const int *x, int *y, int by, int n, int most) {
  for (int k = 0; k < n; ++k) y[threadIdx.x] += x[k] * by / most;
}
// Of these nvcc made a shift less, a division without a sign, and a comparison with 1.
__global__ void scaled(const int *x, int *y, short by, int n) {
  for (int k = 0; k < n; ++k) y[threadIdx.x] += x[k] * (by + 1) / 64;
}
__global__ void hashed(const unsigned char *x, int *y, int prime, int n) {
  for (int k = 0; k < n; ++k) y[threadIdx.x] += (x[k] * prime ^ x[threadIdx.x]) % 1000;
}
__global__ void equal(const int *x, int *y, int by, int n) {
  for (int k = 0; k < n; ++k) y[threadIdx.x] += x[k] * by == 64;
}
__global__ void pixels(const unsigned char *x, int *y, int by, int n) {  // which cannot wrap
  for (int k = 0; k < n; ++k) y[threadIdx.x] += x[k] * by / 3;
}
void run(unsigned *x, unsigned *y) {
  random<<<1, 32>>>((int *)x, (int *)y, 65536, 8, 64);
  scaled<<<1, 32>>>((int *)x, (int *)y, 63, 8);
  hashed<<<1, 32>>>((unsigned char *)x, (int *)y, 73856093, 8);
  equal<<<1, 32>>>((int *)x, (int *)y, 64, 8);
  pixels<<<1, 32>>>((unsigned char *)x, (int *)y, 1000, 8);
  rotations<<<1, 32>>>(x, y, 8);
  quotients<<<1, 32>>>((int *)x, (int *)y, 8);
  hidden<<<1, 32>>>(x, y, 8, 32);
  from_one_on<<<1, 32>>>(x, y, 8);
}
"""


def test_what_a_gpu_defines_and_nvcc_does_not(tmp_path: Path, real_nvcc: str) -> None:
    """Versions of the first three computed something else, shifted by 10 where a product wraps, and stored nothing."""
    assert built(tmp_path, real_nvcc, UNDEFINED, 'pick = "always"', "-arch=sm_90") == {
        **dict.fromkeys(("random", "scaled", "hashed", "equal"), "declined GPUOPT022"),
        "pixels": "applied CONST002",
        "rotations": "declined GPUOPT022",
        "quotients": "declined GPUOPT022",
        "hidden": "declined GPUOPT022",
        "from_one_on": "applied CONST002",
    }
