"""Killed at any point, a run leaves no object that is not whole, and the next one works."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.faults.support import PATCH, PATCHED, PLAIN, completed, end_group, group_is_gone, make_project, started

POINTS = 5
BY_COMPILER = (1, 255)  # where its preprocessor was ended, or itself
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.mark.parametrize("seed", range(POINTS))
@pytest.mark.parametrize("plan", [{}, PATCH], ids=["unpatched", "patched"])
def test_killed_at_random_points(tmp_path: Path, host_compiler: str, plan: dict, seed: int) -> None:
    env = make_project(tmp_path, seconds=0.1)
    points = random.Random(seed)
    expected = PATCHED if plan else PLAIN
    for _ in range(2):
        process = started(tmp_path, env, plan)
        time.sleep(points.uniform(0.0, 1.5))
        number = points.choice(SIGNALS)
        process.send_signal(number)
        process.communicate(timeout=60)
        assert group_is_gone(process.pid)
        assert process.returncode in (0, -number, *BY_COMPILER)
        if (tmp_path / "a.o").exists():
            assert (tmp_path / "a.o").read_bytes().endswith((PATCHED, PLAIN))
    status, err, made = completed(tmp_path, env, plan)
    assert (status, made.endswith(expected)) == (0, True)
    assert err == b"made something\n"
    leftovers = list((tmp_path / "cache").rglob(".new-*"))
    assert len(leftovers) <= 2  # at most what a killed writer could not take away; pruned after an hour


@pytest.mark.parametrize("seconds", [0.05, 0.4])
def test_the_analysis_is_killed_from_outside(tmp_path: Path, host_compiler: str, seconds: float) -> None:
    """The child alone, as the system does where memory is short."""
    env = make_project(tmp_path)
    status, err, made = completed(tmp_path, env, {**PATCH, "kill": "KILL"})
    assert (status, made.endswith(PLAIN)) == (0, True)
    assert err.count(b"gpuopt: warning: analysis: crashed (SIGKILL); compiled without patches") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL])
@pytest.mark.parametrize("whole_group", [True, False], ids=["group", "process"])
def test_ended_while_it_analyses(tmp_path: Path, host_compiler: str, number: signal.Signals, whole_group: bool) -> None:
    """nvcc, which runs beside the analysis, is ended too, and says with which status; no orphan, no traceback."""
    env = make_project(tmp_path, seconds=2.0)
    process = started(tmp_path, env, {"hang": 30})
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    begin = time.monotonic()
    try:
        if whole_group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert group_is_gone(process.pid)
    finally:
        end_group(process.pid)
    assert time.monotonic() - begin < 20  # the analysis is not waited for
    assert b"Traceback" not in err
    if number in (signal.SIGINT, signal.SIGQUIT) and not whole_group:  # nvcc does not hear of it either
        assert process.returncode == 0
        assert (tmp_path / "a.o").read_bytes().endswith(PLAIN)
    else:
        assert process.returncode in (-number, *BY_COMPILER)
        assert not (tmp_path / "a.o").exists() or number == signal.SIGKILL
    litter = [path.name for path in tmp_path.glob("*gpuopt*") if number != signal.SIGKILL]
    assert litter == []
