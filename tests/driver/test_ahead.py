"""nvcc beside the analysis: for which command lines, and that only what counts is seen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuopt_driver import memo, nvcc_main
from gpuopt_driver.backends.ahead import is_wanted, start
from gpuopt_driver.nvcc.simple import may_be_replaced, only_result
from tests.driver.support import ROOT
from tests.faults.support import PATCH, PATCHED, PLAIN, completed, make_project, started

CMAKE = "-forward-unknown-to-host-compiler -DN=1 -I/x -O3 -std=c++17 --generate-code=arch=compute_90,code=[sm_90] -fPIC"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-c a.cu -o d/a.o", "-c a.cu -o d/.new/a.o"),
        ("-ptx a.cu --output-file=a.ptx", "-ptx a.cu --output-file=.new/a.ptx"),
        ("-O3 a.cu b.cpp -lm -o /x/program", "-O3 a.cu b.cpp -lm -o /x/.new/program"),
        (f"{CMAKE} -MD -MT a.o -MF a.d -x cu -c a.cu -o a.o", f"{CMAKE} -MD -MT a.o -MF a.d -x cu -c a.cu -o .new/a.o"),
        ("--options-file good.rsp -c a.cu -o a.o", "--options-file good.rsp -c a.cu -o .new/a.o"),
        ("--options-file keeps.rsp -c a.cu -o a.o", None),
        ("--options-file absent.rsp -c a.cu -o a.o", None),
        ("-MD -MF a.d -c a.cu -o a.o", None),  # the target in a.d is named after the object
        ("-c a.cu", None),
        ("-c a.cu -o a.o -o b.o", None),
        ("-c a.cu b.cu -o a.o", None),
        ("-c -ptx a.cu -o a.o", None),
        ("-c a.cu -o", None),
        ("-c - -o a.o", None),
        ("-c a.cu -o a.o -keep", None),
        ("-c a.cu -o a.o -v", None),
        ("-c a.cu -o a.o -jobserver", None),
        ("-c a.cu -o a.o -Xcompiler -gsplit-dwarf", None),
        ("-c a.cu -o a.o -Xcompiler -Wall,-ofoo", None),
        ("-c a.cu -o a.o -fPIC", None),  # nvcc refuses it
        ("-lib a.cu -o a.a", None),
        ("-run a.cu -o a", None),
        ("-c a.cu -o a.o --some-new-option", None),
    ],
)
def test_simple_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, expected: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.rsp").write_text("-I/y -isystem /z\n")
    (tmp_path / "keeps.rsp").write_text("-I/y --keep\n")
    argv = line.split()
    result = only_result(argv)
    assert (result.elsewhere(argv, ".new") if result else None) == (expected.split() if expected else None)


@pytest.mark.parametrize(
    "name", ["link.o", "missing/a.o", "directory", "a$b.o", "/dev/null", "shared.ptx", "private.ptx"]
)
def test_files_that_only_nvcc_may_write(tmp_path: Path, name: str) -> None:
    (tmp_path / "link.o").symlink_to("elsewhere.o")
    (tmp_path / "directory").mkdir()
    for file in ("shared.ptx", "private.ptx", "plain.ptx", "plain.o"):
        (tmp_path / file).write_text("old")
    os.link(tmp_path / "shared.ptx", tmp_path / "other.ptx")
    (tmp_path / "private.ptx").chmod(0o600)
    for other in ("plain.ptx", "plain.o", "new.o", name):
        phase = "-ptx" if other.endswith("ptx") else "-c"
        result = only_result([phase, "a.cu", "-o", other])
        assert result is not None
        assert may_be_replaced(result, str(tmp_path / other)) == (other != name)


@pytest.mark.parametrize("plan", [{}, PATCH], ids=["unpatched", "patched"])
def test_only_the_result_that_counts_is_seen(tmp_path: Path, host_compiler: str, plan: dict) -> None:
    env = make_project(tmp_path, seconds=0.2)
    (tmp_path / "a.o").write_text("old")
    status, err, made = completed(tmp_path, env, plan)
    assert (status, err) == (0, b"made something\n")
    assert made.endswith(PATCHED if plan else PLAIN)
    assert [path.name for path in tmp_path.glob("*.[ox]*")] == ["a.o"]
    assert not list(tmp_path.glob(".gpuopt*"))
    runs = len((tmp_path / "started").read_text().split())
    assert runs == (2 if plan else 1)
    assert not list((tmp_path / "tmp").iterdir())


def test_what_a_killed_build_left_behind_goes_a_day_later(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    left, young, foreign = (tmp_path / name for name in (".gpuopt-123456", ".gpuopt-123457", ".gpuopt-notes"))
    for place in (left, young, foreign):
        place.mkdir()
        (place / "a.o").write_text("half")
    day_ago = time.time() - 90_000
    for place in (left, foreign):
        os.utime(place, (day_ago, day_ago))
    assert completed(tmp_path, env, {})[0] == 0
    assert not left.exists()
    assert (young / "a.o").exists()
    assert (foreign / "a.o").exists()


def test_a_link_in_the_place_of_what_was_left_behind_is_not_followed(tmp_path: Path, host_compiler: str) -> None:
    """As anybody can put one into a directory that all may write to."""
    env = make_project(tmp_path)
    victim, link, strange = tmp_path / "victim", tmp_path / ".gpuopt-123456", tmp_path / ".gpuopt-123457"
    for place in (victim, strange):
        place.mkdir()
        (place / "precious").write_text("")
    link.symlink_to(victim)
    if os.geteuid() == 0:
        os.chown(strange, 54321, 54321)
    day_ago = time.time() - 100_000
    for place in (victim, link, strange):
        os.utime(place, (day_ago, day_ago), follow_symlinks=False)
    assert completed(tmp_path, env, {})[:2] == (0, b"made something\n")
    assert (victim / "precious").exists()
    assert link.is_symlink()
    assert (strange / "precious").exists() or os.geteuid() != 0


def test_it_runs_beside_the_analysis(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    process = started(tmp_path, env, {"hang": 2})
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".gpuopt-*/a.o")) and time.monotonic() < deadline:
        assert not (tmp_path / "a.o").exists()
        time.sleep(0.02)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "a.o").read_bytes().endswith(PLAIN)


INTERRUPTED = """
import os, signal, sys, time
from gpuopt_driver.backends.ahead import start
def work():
    try:
        while not os.path.exists("started"):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        return 3
    except BaseException as error:
        raise RuntimeError("Error calling __set_name__") from error
signal.signal(signal.SIGINT, signal.SIG_DFL)  # shells have what runs in the background ignore it
sys.exit(start(["-c", "a.cu", "-o", "a.o"], os.environ, os.getcwd()).besides(work))
"""


def test_a_signal_may_come_as_another_exception(tmp_path: Path, host_compiler: str) -> None:
    """Python before 3.12 makes a RuntimeError of what is raised while a class is made."""
    env = {**os.environ, **make_project(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], cwd=tmp_path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"made something\n")
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


def test_where_nobody_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.isatty", lambda _: False)
    assert is_wanted({})
    assert not is_wanted({"GPUOPT_AHEAD": "0"})
    assert not is_wanted({"LD_PRELOAD": "/usr/lib/bear/libexec.so"})
    assert not is_wanted({"NVCC_APPEND_FLAGS": "-v"})
    monkeypatch.setattr("os.isatty", lambda _: True)
    assert not is_wanted({})
    assert start(["-c", "a.cu", "-o", "a.o"], {}, "/") is None


@pytest.mark.parametrize("flags", [0, memo.SIMPLE], ids=["patched", "unpatched"])
def test_what_was_patched_before_is_not_built_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: int
) -> None:
    argv, asked = ["-c", "a.cu", "-o", "a.o"], []
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["gpuopt-nvcc", *argv])
    monkeypatch.setattr(nvcc_main, "_beside_nvcc", lambda *_: asked.append("beside"))
    monkeypatch.setattr(nvcc_main, "_run", lambda *_: asked.append("before"))
    nvcc_main.main()
    changed = memo.Circumstances((("a.cu", "another digest"),), (), (), (), ())
    outcome = memo.Remembered("/nvcc", b"", b"", flags)
    memo.keep(argv, os.environ, str(tmp_path), changed, outcome)
    nvcc_main.main()
    assert asked == ["beside", "beside" if flags else "before"]


LAUNCHED = "void run(int *a) { k<<<9, 99>>>(a); }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#include "k.h"\n', ["beside", "beside"]),  # its kernels are launched elsewhere
        (f'#include "k.h"\n{LAUNCHED}', ["before", "beside"]),
        (f'#include "k.h"\n{LAUNCHED.replace("<<<", " << <")}', ["before", "beside"]),
        (f'#include "k.h"\n{LAUNCHED}#include NAME\n', ["beside", "beside"]),  # who knows how much that is
        (f"__global__ void k(int *);\n{LAUNCHED}#include NAME\n", ["before", "beside"]),  # all that counts is here
        (f'#include "k.h"\n{LAUNCHED}// {"x" * 100_000}\n', ["before", "beside"]),
        (f'#include "k.h"\n{LAUNCHED}// {"x" * 200_000}\n', ["beside", "beside"]),
        (f'#include "large.h"\n{LAUNCHED}', ["beside", "beside"]),
        (f'#include "k.h"\n#include "other.h"\n{LAUNCHED}', ["before", "beside"]),
    ],
    ids=["defines", "launches", "formatted", "unknown", "has both", "long", "larger", "large", "beside headers"],
)
def test_what_launches_its_own_kernels_is_analysed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: list[str]
) -> None:
    """Most of these are patched. Not where it is known that this one was not."""
    argv, asked = ["-c", "a.cu", "-o", "a.o"], []
    (tmp_path / "k.h").write_text("__global__ void k(int *a) { a[blockIdx.x] = 1; }\n")
    (tmp_path / "large.h").write_text(f"__global__ void k(int *);\n// {'x' * 200_000}\n")
    (tmp_path / "other.h").write_text(f"// {'x' * 200_000}\n")
    (tmp_path / "a.cu").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["gpuopt-nvcc", *argv])
    monkeypatch.setattr(nvcc_main, "_beside_nvcc", lambda *_: asked.append("beside"))
    monkeypatch.setattr(nvcc_main, "_run", lambda *_: asked.append("before"))
    nvcc_main.main()
    changed = memo.Circumstances((("a.cu", "another digest"),), (), (), (), ())
    memo.keep(argv, os.environ, str(tmp_path), changed, memo.Remembered("/nvcc", b"", b"", memo.SIMPLE))
    nvcc_main.main()
    assert asked == expected


def test_what_does_not_compile_is_nvccs_first_until_it_does(tmp_path: Path, host_compiler: str) -> None:
    """Who mends errors wants to hear of the next one at once."""
    env = make_project(tmp_path)
    nvcc = Path(env["GPUOPT_NVCC"])
    works = nvcc.read_text()
    text = f"{(tmp_path / 'a.cu').read_text()}void run(float *a) {{ k<<<9, 99>>>(a); }}\n"

    def runs(turn: int, status: int, made: bytes) -> int:
        """How often nvcc is started for a text that is new each time."""
        (tmp_path / "started").unlink(missing_ok=True)
        (tmp_path / "a.cu").write_text(f"{text}// {turn}\n")
        found = completed(tmp_path, env, {**PATCH, "hang": 1 if status else 0})
        assert (found[0], made in found[2]) == (status, True)
        return len((tmp_path / "started").read_text().split())

    assert runs(0, 0, b"*= 3") == 1
    nvcc.write_text(works.replace("sleep", "exit 2; sleep"))
    assert runs(1, 2, b"") == 2, "patched, and as it is"
    assert [runs(turn, 2, b"") for turn in (2, 3)] == [1, 1]
    nvcc.write_text(works)
    assert runs(4, 0, b"*= 3") == 2, "as it is, which is thrown away"
    assert runs(5, 0, b"*= 3") == 1


def test_a_failing_compiler_that_deletes_its_result(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    nvcc = Path(env["GPUOPT_NVCC"])
    for command, left in (("exit 1", "old"), ("rm $4; exit 1", None)):
        (tmp_path / "a.o").write_text("old")
        nvcc.write_text(f"#!/bin/sh\n{command}\n")
        assert completed(tmp_path, env, {})[:2] == (1, b"")
        assert ((tmp_path / "a.o").read_text() if (tmp_path / "a.o").exists() else None) == left


LOST = """
import os, signal, sys, time
from gpuopt_driver.backends import ahead

class Ended:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)

def work():
    Ended()  # what the signal raises there is lost
    time.sleep(40)
    return 0

running = ahead.start(["-c", "a.cu", "-o", "a.o"], os.environ, os.getcwd())
sys.exit(running.besides(work))
"""


def test_a_signal_in_a_finalizer(tmp_path: Path, host_compiler: str) -> None:
    """As in those that Python calls while it imports: what a handler raises there goes nowhere."""
    env = {**os.environ, **make_project(tmp_path, seconds=40), "PYTHONPATH": str(ROOT)}
    begin = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", LOST], check=False, cwd=tmp_path, env=env, capture_output=True, timeout=60
    )
    assert time.monotonic() - begin < 30
    assert (run.returncode, run.stderr) == (255, b"")
    assert [path.name for path in tmp_path.glob("*gpuopt*")] == []
