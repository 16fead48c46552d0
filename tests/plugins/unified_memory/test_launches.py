"""Carve-outs of launches in streams and graphs, of launches out of another file, beside the program's own preferences.

`launches.cu` loops over all devices; the emulator has one, an H200 with two GPUs ran the same (benchmarks/RESULTS.md).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.policy.options import ORDER

SOURCES = Path(__file__).parent
DRIVER = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-gpu=h200"]
FAST = {"GPUOPT_EMU_MODE": "fast", "GPUOPT_EMU_GPU": "h200"}
HERE = [
    "share<<<(528,1,1),(256,1,1),24576>>>: unified_memory",
    "share<<<(1056,1,1),(64,1,1),12288>>>: unified_memory",
    "share<<<(264,1,1),(256,1,1),40960>>>: unified_memory",  # while it is captured
]
THERE = [
    "share<<<(528,1,1),(256,1,1),24576>>>: unified_memory",  # while it is captured
    "deep::plain<<<(528,1,1),(256,1,1),24576>>>: unified_memory",  # the same
    "share<<<(924,1,1),(64,1,1),12288>>>: unified_memory",
    "deep::plain<<<(264,1,1),(256,1,1),40960>>>: unified_memory",  # by its address
    "share<<<(396,1,1),(256,1,1),24576>>>: unified_memory",  # cudaLaunchKernelEx
    "deep::plain<<<(396,1,1),(256,1,1),24576>>>: unified_memory",  # cudaLaunchKernelExC
    "preferred<<<(396,1,1),(256,1,1),24576>>>: unified_memory",  # and not once a cache configuration is preferred
]
PREFERENCES = [
    "wished<<<(528,1,1),(256,1,1),24576>>>: original",  # the kernel's own
    "share<<<(528,1,1),(256,1,1),24580>>>: original",  # the device's
]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """Both files, patched and as they are: launches1.o, launches0.o, another1.o, another0.o."""
    place = tmp_path_factory.mktemp("objects")
    (place / "0.toml").write_text("".join(f"[plugins.{name}]\nenabled = false\n" for name in ORDER))
    (place / "1.toml").write_text("[learn]\ncaptured = true\n[plugins.unified_memory]\nother_files = true\n")
    for name in ("launches", "another"):
        for number in "01":
            build = ["--gpuopt-backend=emulator", f"--gpuopt-policy={number}.toml", "-c", str(SOURCES / f"{name}.cu")]
            command = [*DRIVER, *build, "-o", f"{name}{number}.o"]
            subprocess.run(command, cwd=place, env={**os.environ, **FAST}, check=True, capture_output=True, timeout=300)
    return place


def run(place: Path, launches: int, another: int, dispatch: str) -> tuple[str, list[str]]:
    """What the program made of these objects prints, and which launches got what."""
    program = f"program{launches}{another}"
    link = [*DRIVER, "--gpuopt-backend=emulator", f"launches{launches}.o", f"another{another}.o", "-o", program]
    env = {**os.environ, **FAST, "GPUOPT_DISPATCH": dispatch}
    subprocess.run(link, cwd=place, env=env, check=True, capture_output=True, timeout=300)
    done = subprocess.run([f"./{program}"], cwd=place, env=env, check=True, capture_output=True, text=True, timeout=200)
    return done.stdout, re.findall(r"^gpuopt: ([\w:]+<<<\(\d+.*?,\d+>>>: \w+)", done.stderr, re.MULTILINE)


def test_every_way_to_launch(objects: Path) -> None:
    printed, picks = run(objects, 1, 1, "only:unified")
    assert picks == [*HERE, *THERE, *PREFERENCES]
    assert "the original's preference: -1\n" in printed
    assert "no error: 77853912 no error\n" in printed  # what cudaLaunchKernel returned
    assert "invalid argument\n" in printed
    assert run(objects, 1, 1, "original") == (printed, [])


def test_either_file_may_be_as_it_is(objects: Path) -> None:
    printed, picks = run(objects, 0, 0, "trace")
    assert picks == []
    assert run(objects, 0, 1, "only:unified") == (printed, [])
    assert run(objects, 1, 0, "only:unified") == (printed, [*HERE, *PREFERENCES])


@pytest.mark.nvcc
def test_nvcc_links_both_files(tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "asked.toml").write_text("[plugins.unified_memory]\nother_files = true\n")
    build = [*DRIVER, "--gpuopt-policy=asked.toml", "-arch=sm_90", "-Xcompiler=-Wall,-Wextra,-Werror", "-o", "two"]
    sources = [str(SOURCES / "launches.cu"), str(SOURCES / "another.cu")]
    subprocess.run([*build, *sources], cwd=tmp_path, check=True, timeout=300)
    symbols = subprocess.run(["nm", "two"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert len(re.findall(r" W gpuopt_door_", symbols)) == 4
