"""Carve-outs of launches in streams and graphs, beside those of another file and the program's own preferences.

`launches.cu` loops over all devices; the emulator has one, an H200 with two GPUs ran the same (benchmarks/RESULTS.md).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parent


def test_every_way_to_launch(tmp_path: Path, host_compiler: str) -> None:
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-gpu=h200"]
    build = [*driver, "-rdc=true", str(SOURCES / "launches.cu"), str(SOURCES / "another.cu"), "-o", "launches"]
    fast = {**os.environ, "GPUOPT_EMU_MODE": "fast", "GPUOPT_EMU_GPU": "h200"}
    subprocess.run(build, cwd=tmp_path, env=fast, check=True, capture_output=True, timeout=300)

    def run(dispatch: str) -> tuple[str, list[str]]:
        done = subprocess.run(
            ["./launches"], cwd=tmp_path, env={**fast, "GPUOPT_DISPATCH": dispatch}, check=True, capture_output=True,
            text=True, timeout=200,
        )  # fmt: skip
        return done.stdout, re.findall(r"^gpuopt: (\w+<<<\(\d+.*?,\d+>>>: \w+)", done.stderr, re.MULTILINE)

    printed, picks = run("only:unified")
    assert picks == [
        "share<<<(528,1,1),(256,1,1),24576>>>: unified_memory",
        "share<<<(1056,1,1),(64,1,1),12288>>>: unified_memory",
        "share<<<(264,1,1),(256,1,1),40960>>>: unified_memory",  # while it is captured
        "wished<<<(528,1,1),(256,1,1),24576>>>: original",  # the kernel's own preference
        "share<<<(528,1,1),(256,1,1),24580>>>: original",  # the device's
    ]
    assert "the original's preference: -1\n" in printed
    assert "no error" in printed
    assert run("original") == (printed, [])
