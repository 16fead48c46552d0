"""nvcc beside the analysis: when it may, which file it writes, and that only what counts is seen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpuopt_driver.backends.ahead import is_worthwhile, redirected
from gpuopt_driver.nvcc.command import parse_command
from tests.faults.support import PATCH, PATCHED, PLAIN, completed, make_project, started


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["-c", "a.cu", "-o", "d/a.o"], ["-c", "a.cu", "-o", "d/a.gpuopt-1.o"]),
        (["-ptx", "a.cu", "--output-file=a.ptx"], ["-ptx", "a.cu", "--output-file=a.gpuopt-1.ptx"]),
        (["-MD", "-MF", "a.d", "-MT", "a.o", "-c", "a.cu", "-o=a.o"], None),
        (["-MD", "-MF", "a.d", "-c", "a.cu", "-o", "a.o"], None),  # the target in a.d is named after the object
        (["-c", "a.cu"], None),
        (["-c", "a.cu", "-o", "a.o", "-o", "b.o"], None),
        (["-c", "a.cu", "-o"], None),
        (["-c", "a.cu", "-o", "a"], None),
        (["-c", "a.cu", "-o", "/dev/null"], None),
        (["-c", "a.cu", "-o", "a.o", "-Xcompiler", "-gsplit-dwarf"], None),
    ],
)
def test_another_name_for_the_result(tmp_path: Path, argv: list[str], expected: list[str] | None) -> None:
    words = redirected(parse_command(argv, {}, str(tmp_path)), "-1")
    if argv[0] == "-MD" and "-MT" in argv:
        expected = [*argv[:-1], "-o=a.gpuopt-1.o"]
    assert (words[0] if words else None) == expected


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "a.o").symlink_to("elsewhere.o")
    assert redirected(parse_command(["-c", "a.cu", "-o", "a.o"], {}, str(tmp_path)), "-1") is None


@pytest.mark.parametrize("plan", [{}, PATCH], ids=["unpatched", "patched"])
def test_only_the_result_that_counts_is_seen(tmp_path: Path, host_compiler: str, plan: dict) -> None:
    env = make_project(tmp_path, seconds=0.2)
    (tmp_path / "a.o").write_text("old")
    status, err, made = completed(tmp_path, env, plan)
    assert (status, err) == (0, b"made something\n")
    assert made.endswith(PATCHED if plan else PLAIN)
    assert [path.name for path in tmp_path.glob("*.o*")] == ["a.o"]
    runs = len((tmp_path / "started").read_text().split())
    assert runs == (2 if plan else 1)
    assert not list((tmp_path / "tmp").iterdir())


def test_it_runs_beside_the_analysis(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    process = started(tmp_path, env, {"hang": 2})
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("a.gpuopt-*.o")) and time.monotonic() < deadline:
        assert not (tmp_path / "a.o").exists()
        time.sleep(0.02)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "a.o").read_bytes().endswith(PLAIN)


def test_it_can_be_switched_off(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    assert completed(tmp_path, {**env, "GPUOPT_AHEAD": "0"}, PATCH)[2].endswith(PATCHED)
    assert len((tmp_path / "started").read_text().split()) == 1


def test_a_failing_compilation_says_what_it_says(tmp_path: Path, host_compiler: str) -> None:
    """Where nvcc's words name the file of its own choice, it is asked again."""
    env = make_project(tmp_path)
    nvcc = Path(env["GPUOPT_NVCC"])
    nvcc.write_text("#!/bin/sh\necho cannot write $4 >&2; exit 3\n")
    status, err, made = completed(tmp_path, env, {})
    assert (status, err, made) == (3, b"cannot write a.o\n", b"")
    nvcc.write_text("#!/bin/sh\necho wrong >&2; exit 2\n")
    assert completed(tmp_path, env, {})[:2] == (2, b"wrong\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.cu", "cache", "tmp", "toolkit"]


def test_nobody_gets_it_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = parse_command(["-c", "a.cu", "-o", "a.o"], {}, str(tmp_path))
    monkeypatch.setattr("os.isatty", lambda _: False)
    assert is_worthwhile(command, {"GPUOPT_AHEAD": "1"})
    assert not is_worthwhile(command, {})
    assert not is_worthwhile(command, {"GPUOPT_AHEAD": "0"})
    assert not is_worthwhile(command, {"GPUOPT_AHEAD": "1", "LD_PRELOAD": "/usr/lib/bear/libexec.so"})
    monkeypatch.setattr("os.isatty", lambda _: True)
    assert not is_worthwhile(command, {"GPUOPT_AHEAD": "1"})
