"""Every example, built for the CPU by gpuopt-nvcc: right by itself, and bit for bit the same in its patched form."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.cu"))
looks_at_gesummv = pytest.mark.xdist_group("gesummv")

# Other sizes than the defaults: blocks that do not divide the work, one warp, whole blocks.
SIZES = {
    "atax": ("1000 37 96", "1 1 1", "700 20 1024"),
    "atax_fixed": ("2",),
    "bicg": ("1000 37 96", "1 1 1", "700 20 1024"),
    "gesummv": ("1000 37 96", "1 1 1", "700 20 1024", "33 5 1000"),
    "mvt": ("1000 37 96", "1 1 1", "700 20 1024"),
    "kmeans": ("700 20 3 1024", "65 3 2 33"),
    "syr2k": ("48 24 32 32", "13 7 3 5"),
    "gemm": ("40 72 24 32 16", "13 7 5 3 5"),
    "conv2d": ("70 90 32 16", "13 7 3 5"),
    "reduce": ("20000 4 256", "5 1 32"),
    "periodic": ("2",),
}

# Every loop that may be throttled is, whatever the model says: four warps of a block at a time.
EVERYTHING = "[plugins.catt]\nfixed_tlp = [4, 1]\nminimum_trips = 0\n"


def build(source: Path, output: Path, *flags: str) -> Path:
    """`gpuopt-nvcc` for the CPU; anything on stderr is a failure."""
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-gpu=titan-v"]
    done = subprocess.run(
        [*command, "-arch=sm_90", *flags, "-o", str(output), str(source)],
        env={**os.environ, "GPUOPT_EMU_MODE": "fast"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return output


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> dict[str, Path]:
    """Programs by example, filled as tests ask for them."""
    return {"": tmp_path_factory.mktemp("examples")}


def program(programs: dict[str, Path], name: str) -> Path:
    """The example with everything throttled that may be."""
    if name not in programs:
        policy = programs[""] / "toolchain.toml"
        policy.write_text(EVERYTHING)
        programs[name] = build(EXAMPLES / f"{name}.cu", programs[""] / name, f"--gpuopt-policy={policy}")
    return programs[name]


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {"GPUOPT_EMU_GPU": "titan-v", **environment}
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def checksum(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"checksum ([0-9a-f]{16})", done.stdout)
    assert found
    return found.group(1)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NAMES])
def test_the_original_is_right_and_the_patched_one_computes_the_same_bits(programs: dict[str, Path], name: str) -> None:
    binary = program(programs, name)
    usual = run(binary, GPUOPT_DISPATCH="original")
    assert usual.returncode == 0, usual.stdout + usual.stderr
    assert usual.stdout.endswith(f"{name}: ok\n")
    assert re.search(rf"^{name}: \w+ [0-9.]+ ms, [0-9.]+ GB/s$", usual.stdout, re.MULTILINE)
    traces = ""
    for arguments in ("", *SIZES[name]):
        original = run(binary, *arguments.split(), GPUOPT_DISPATCH="original") if arguments else usual
        patched = run(binary, *arguments.split(), GPUOPT_DISPATCH="trace")
        assert checksum(original) == checksum(patched), arguments
        traces += patched.stderr
    assert re.search(r": (accumulators\+)?catt n=", traces), "no throttled version ran"


def test_default_policy_throttles_what_does_not_fit(programs: dict[str, Path]) -> None:
    binary = build(EXAMPLES / "gesummv.cu", programs[""] / "gesummv-default")
    full = ("10240", "24", "1024")  # 32 warps on a multiprocessor: 256 KB of lines for 128 KB of L1
    original = run(binary, *full, GPUOPT_DISPATCH="original")
    patched = run(binary, *full, GPUOPT_DISPATCH="trace")
    small = run(binary, "640", "24", "64", GPUOPT_DISPATCH="trace")
    assert checksum(original) == checksum(patched)
    throttled = r"gpuopt: gesummv<<<\(10,1,1\),\(1024,1,1\),0>>>: accumulators\+catt n=[2-9]"
    assert re.search(throttled, patched.stderr), patched.stderr
    assert re.search(r"gpuopt: gesummv<<<.*: accumulators n=1", small.stderr), small.stderr


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("gesummv", "j < columns; ++j) {\n            tmp", "j < columns - 1; ++j) {\n            tmp"),
        ("reduce", "shared[threadIdx.x + half]", "shared[threadIdx.x]"),
        ("kmeans", "distance < best_distance", "distance > best_distance"),
    ],
)
def test_a_wrong_kernel_is_noticed(tmp_path: Path, host_compiler: str, name: str, right: str, wrong: str) -> None:
    source = (EXAMPLES / f"{name}.cu").read_text()
    assert source.count(right) == 1
    (tmp_path / "wrong.cu").write_text(source.replace(right, wrong))
    shutil.copy(EXAMPLES / "example.h", tmp_path)
    done = run(build(tmp_path / "wrong.cu", tmp_path / "wrong", "--gpuopt-off"))
    assert done.returncode == 1
    assert f"{name}: wrong: " in done.stdout
    assert "ok" not in done.stdout


@looks_at_gesummv
def test_sampled_check_still_checks(programs: dict[str, Path]) -> None:
    done = run(program(programs, "gesummv"), "300", "20", "64", "2", "--no-check")
    assert done.returncode == 0
    assert done.stdout.endswith("gesummv: ok\n")


@looks_at_gesummv
@pytest.mark.parametrize("arguments", [("0",), ("1", "2", "3", "4", "5"), ("many",)])
def test_wrong_arguments_print_the_usage(programs: dict[str, Path], arguments: tuple[str, ...]) -> None:
    done = run(program(programs, "gesummv"), *arguments)
    assert done.returncode == 2
    assert done.stderr == "usage: gesummv [rows] [columns] [threads per block] [repeat] [--no-check]\n"


def test_makefile(tmp_path: Path, host_compiler: str) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make on this machine")
    nvcc = f"{sys.executable} -m gpuopt_driver.nvcc_main --gpuopt-backend=emulator"
    done = subprocess.run(
        [make, "-C", str(EXAMPLES), f"BUILD={tmp_path}", f"NVCC={nvcc}", "ARCH=sm_90", f"{tmp_path}/gemm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "gemm").returncode == 0


@pytest.mark.nvcc
@pytest.mark.parametrize("name", NAMES)
def test_nvcc_has_nothing_to_warn_about(tmp_path: Path, real_nvcc: str, name: str) -> None:
    done = subprocess.run(
        [real_nvcc, "-std=c++14", "-arch=sm_90", "-Xcompiler=-Wall", "-c", str(EXAMPLES / f"{name}.cu"), "-o", "x.o"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
