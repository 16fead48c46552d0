"""Killed at any point, a run leaves no object that is not whole, and the next one works."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.driver.support import ROOT, command_line, program
from tests.faults.kills import campaign
from tests.faults.support import (
    KERNEL,
    PATCH,
    PATCHED,
    PLAIN,
    completed,
    end_group,
    group_is_gone,
    make_project,
    started,
)

POINTS = 5
BY_COMPILER = (1, 255)  # where its preprocessor was ended, or itself
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.mark.parametrize("seed", range(POINTS))
@pytest.mark.parametrize("plan", [{}, PATCH], ids=["unpatched", "patched"])
def test_killed_at_random_points(tmp_path: Path, host_compiler: str, plan: dict, seed: int) -> None:
    env = make_project(tmp_path, seconds=0.1, empty=True)
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


def wait_for(mark: Path) -> None:
    """Until a compiler has begun."""
    deadline = time.monotonic() + 60
    while not mark.exists() or not mark.read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# A build with nvcc beside the analysis, one without patches whose words are kept back, and a patched one.
KINDS: dict[str, tuple[dict[str, object], dict[str, str | None]]] = {
    "ahead": ({"hang": 60}, {}),
    "supervised": ({"raise": "a warning"}, {"GPUOPT_AHEAD": "0"}),
    "patched": (dict(PATCH), {"GPUOPT_AHEAD": "0"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_killed_run_has_started_ends_by_itself(tmp_path: Path, host_compiler: str, kind: str) -> None:
    """And has no say in what a later run makes: its compiler would have written the same object later."""
    plan, extra = KINDS[kind]
    env = {**make_project(tmp_path, seconds=45), **extra}
    process = started(tmp_path, env, plan)
    try:
        wait_for(tmp_path / "started")
        process.kill()
        process.communicate(timeout=60)
        later = {"replace": [("a.cu", "*= 2", "*= 4")]}
        quick = {**env, **make_project(tmp_path)}
        status, err, made = completed(tmp_path, quick, later)
        assert (status, err, made.endswith(b"*= 4; }\nEND\n")) == (0, b"made something\n", True)
        assert group_is_gone(process.pid)
    finally:
        end_group(process.pid)
    assert (tmp_path / "a.o").read_bytes() == made
    assert not list(tmp_path.glob(".gpuopt-*"))


def test_a_killed_emulated_build(tmp_path: Path, host_compiler: str) -> None:
    """The host compiler's own processes end, too: the one that we start is not the one that writes."""
    (tmp_path / "a.cu").write_text(KERNEL)
    begun = tmp_path / "begun"
    slow = program(
        tmp_path / "slow/g++",
        f'case "$*" in *"-o a.o"*) echo > {begun}; sleep 45; echo late > a.o;; esac; exec g++ "$@"',
    )
    line, env = command_line("--gpuopt-backend=emulator", "--gpuopt-off", "-ccbin", slow, "-c", "a.cu", "-o", "a.o")
    process = subprocess.Popen(line, cwd=tmp_path, env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        wait_for(begun)
        process.kill()
        process.communicate(timeout=60)
        assert group_is_gone(process.pid)
    finally:
        end_group(process.pid)
    assert not (tmp_path / "a.o").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_emulated_build_that_is_ended_leaves_nothing(tmp_path: Path, host_compiler: str, number: int) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "scratch").mkdir()
    begun = tmp_path / "begun"
    slow = program(tmp_path / "slow/g++", f'case "$*" in *"-o a.o"*) echo > {begun}; sleep 45;; esac; exec g++ "$@"')
    line, env = command_line("--gpuopt-backend=emulator", "--gpuopt-off", "-ccbin", slow, "-c", "a.cu", "-o", "a.o")
    env = {**env, "TMPDIR": str(tmp_path / "scratch")}
    process = subprocess.Popen(line, cwd=tmp_path, env=env, start_new_session=True, stderr=subprocess.PIPE)
    try:
        wait_for(begun)
        assert list((tmp_path / "scratch").iterdir())
        process.send_signal(number)  # to us alone, as a build tool does it
        _, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (-number, b"")
        assert group_is_gone(process.pid)
    finally:
        end_group(process.pid)
    assert not list((tmp_path / "scratch").iterdir())
    assert not (tmp_path / "a.o").exists()


def test_a_watch_ends_what_holds_its_files_and_nothing_else(tmp_path: Path) -> None:
    """Also what has left its parents, its group and its session, and ignores all signals that can be ignored."""
    code = (
        "import os, subprocess, sys, time\nfrom gpuopt_driver.backends.watch import Watch\n"
        "mark, other = os.memfd_create('a'), os.memfd_create('b')\n"
        "(open(sys.argv[1] + '/litter/x', 'w').close())\nwatch = Watch((mark,), sys.argv[1] + '/litter')\n"
        "start = lambda text, fd: subprocess.run(['sh', '-c', text], pass_fds=(fd,), check=True)\n"
        "start(\"trap '' INT TERM HUP; (setsid sleep 61 & echo $! > marked)\", mark)\n"
        "start('(setsid sleep 62 >/dev/null 2>&1 & echo $! > other)', other)\n"
        "print('ready', flush=True); os.kill(os.getpid(), 9)\n"
    )
    (tmp_path / "litter").mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=tmp_path, env=env, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.stdout.read()  # nobody holds it any more: the watch does not, and what holds the file is gone
    marked, other = (int((tmp_path / name).read_text()) for name in ("marked", "other"))
    try:
        deadline = time.monotonic() + 30  # files are closed a moment before a process has ended
        while is_running(marked) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not is_running(marked)
        assert is_running(other)
        deadline = time.monotonic() + 30
        while (tmp_path / "litter").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not (tmp_path / "litter").exists()
    finally:
        os.kill(other, signal.SIGKILL)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


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


def test_a_part_of_the_campaign(tmp_path: Path, host_compiler: str) -> None:
    assert campaign(tmp_path, 4, seed=3) == []
