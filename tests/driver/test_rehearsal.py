"""An nvcc that is started for its memory alone, to be compared with that of an analysis."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from gpuopt_driver.backends.memory import WITHOUT_NVCC, Rehearsal
from gpuopt_driver.nvcc.command import parse_command

MEGABYTE = 1_000_000


def state(process: int) -> str:
    """The letter that the system has for what a process does, "" for none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def becomes(process: int, *wanted: str) -> bool:
    for _ in range(3000):
        if state(process) in wanted:
            return True
        time.sleep(0.01)
    return False


def test_it_goes_no_further_than_is_needed(tmp_path: Path) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!{sys.executable} -E\nimport time\nheld = bytearray(60_000_000)\ntime.sleep(600)\n")
    nvcc.chmod(0o755)
    command = parse_command(["-c", "a.cu", "-o", "a.o"], {}, str(tmp_path))
    rehearsal = Rehearsal(command, str(nvcc), os.environ)
    try:
        for _ in range(3000):
            so_far, is_all = rehearsal.look(50 * MEGABYTE)
            if so_far >= 50 * MEGABYTE:
                break
            time.sleep(0.01)
        assert so_far >= 50 * MEGABYTE
        assert not is_all
        process = rehearsal._program
        assert becomes(process, "T")
        so_far, is_all = rehearsal.look(50 * MEGABYTE)  # it may have got a page more before it was held
        assert not is_all
        assert rehearsal.look(50 * MEGABYTE) == (so_far, False)
        assert becomes(process, "T")
        rehearsal.look(500 * MEGABYTE)
        assert becomes(process, "S", "R")
        rehearsal.look(50 * MEGABYTE)
        assert becomes(process, "T")
    finally:
        rehearsal.close()
    assert state(process) == ""


def test_an_nvcc_that_refuses_the_source_shows_nothing(tmp_path: Path) -> None:
    """What it took until then is not what an analysis may take, which tells what is wrong with the source."""
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\nexit 2\n")
    nvcc.chmod(0o755)
    rehearsal = Rehearsal(parse_command(["-c", "a.cu", "-o", "a.o"], {}, str(tmp_path)), str(nvcc), os.environ)
    try:
        for _ in range(3000):
            found = rehearsal.look(50 * MEGABYTE)
            if found[1]:
                break
            time.sleep(0.01)
        assert found == (WITHOUT_NVCC, True)
    finally:
        rehearsal.close()
