"""An nvcc that is started for its memory alone, to be compared with that of an analysis."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from gpuopt_driver import forked, text_read, unanalysed
from gpuopt_driver.backends.base import NVCC
from gpuopt_driver.backends.memory import LEAST, WITHOUT_NVCC, Rehearsal, taken_for
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.policy.schema import DriverPolicy

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


def test_what_nvcc_takes_at_least_for_so_much_text_needs_no_nvcc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unanalysed, "LEAST", LEAST)  # other tests begin with more
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\necho started >>{tmp_path}/started\nexec sleep 600\n")
    nvcc.chmod(0o755)
    command = parse_command(["-c", "a.cu", "-o", "a.o"], {}, str(tmp_path))
    memory = unanalysed.memory_of(DriverPolicy(), NVCC, command, RealNvcc(str(nvcc), "a test"), os.environ)
    with memory as (least, allowance):
        assert least == LEAST
        assert allowance is not None
        assert text_read.so_far() == 0
        assert forked.call(lambda: text_read.note(14_500_000), 30, (), debug=False).value is None
        assert allowance(430 * MEGABYTE) == (taken_for(14_500_000), False) == (430 * MEGABYTE, False)
        assert not (tmp_path / "started").exists()
        assert allowance(431 * MEGABYTE)[1] is False
        assert becomes_there(tmp_path / "started")


def becomes_there(path: Path) -> bool:
    for _ in range(3000):
        if path.exists():
            return True
        time.sleep(0.01)
    return False
