"""Builds of sources that stay as they are, whose headers are shorter: nobody can tell (`nvcc/shorter.py`)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuopt_driver import store
from gpuopt_driver.nvcc import shorter
from gpuopt_driver.nvcc.host_words import is_in_doubt, may_speak_of_headers, note_doubt
from gpuopt_driver.nvcc.shorter import KIND, SEEN, Note, has_crashed, key_of, variables
from tests.caches import with_library

SOURCE = """\
#include <cstdio>
#include <map>
#include <string>

__global__ void first(int *a) { a[0] = 1; }
void run(int *a, const std::map<std::string, int> &names) {
  for (auto &one : names) printf("%s %d\\n", one.first.c_str(), one.second);
  first<<<1, 1>>>(a);
}
"""
WARNS = """\
#include <vector>
__global__ void first(int *a) { a[0] = 1; }
bool run(int *a, const std::vector<int> &v) {
  first<<<1, 1>>>(a);
  return -1 < v.size();
}
"""
CRASHES = """\
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
__attribute__((constructor)) static void crash(void) {
  if (strcmp(program_invocation_short_name, "cicc")) return;
  creat("crashed", 0600);
  raise(SIGSEGV);
}
"""
LINE = ("-arch=sm_90", "-std=c++14", "-O1", "-Xcompiler", "-Wall", "-c", "a.cu", "-o", "a.o")


def _note(tmp_path: Path, argv: tuple[str, ...], env: dict[str, str]) -> Note:
    """A note for a command, with files in the places of what it names."""
    for name in ("library.so", "names", "gcc"):
        (tmp_path / name).write_text(name)
    library, names, compiler = (str(tmp_path / name) for name in ("library.so", "names", "gcc"))
    note = Note(library, store.digest_of_file(library), names, str(tmp_path / "steps"), compiler)
    store.put(env["GPUOPT_CACHE_DIR"], KIND, key_of(argv, env, "/nvcc"), note.encoded())
    return note


def test_a_note_holds_for_what_is_called_alike(tmp_path: Path) -> None:
    env = {"GPUOPT_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/bin"}
    note = _note(tmp_path, LINE, env)
    expected = {"LD_PRELOAD": note.library, "GPUOPT_NEEDED": note.needed, "GPUOPT_KEPT_STEPS": note.steps}
    expected["GPUOPT_NEEDED_BY"] = "cicc"
    other = ("-arch=sm_90", "-I/x", "-DN=3", "-std=c++14", "-O1", "-Xcompiler", "-Wall", "-c", "b.cu", "-o", "b.o")
    assert variables(LINE, env, "/nvcc") == variables(other, env, "/nvcc") == expected
    for argv in ((*LINE, "-g"), LINE[:1] + LINE[2:], (*LINE[:4], "-Xcompiler", "-O0", *LINE[5:])):
        assert variables(argv, env, "/nvcc") == {}
    assert variables(LINE, env, "/nvcc-of-another-cuda") == {}
    for more in ({"PATH": "/usr/bin"}, {"NVCC_CCBIN": "/bin/g++"}, {"GPUOPT_TRIM": "0"}, {"LD_PRELOAD": "/bear.so"}):
        assert variables(LINE, {**env, **more}, "/nvcc") == {}


@pytest.mark.parametrize("name", ["library.so", "names", "gcc"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_a_note_of_what_has_changed_is_void(tmp_path: Path, name: str, is_removed: bool) -> None:
    env = {"GPUOPT_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/bin"}
    _note(tmp_path, LINE, env)
    if is_removed:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text("another one")
    assert bool(variables(LINE, env, "/nvcc")) is (name == "names" and not is_removed), "names are named by content"


def test_a_line_whose_warnings_speak_of_types_is_in_doubt_for_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {"GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    assert not is_in_doubt(LINE, env, "/")
    note_doubt(LINE, env, "/")
    assert is_in_doubt(LINE, env, "/")
    assert not is_in_doubt((*LINE[:-3], "b.cu", *LINE[-2:]), env, "/")
    assert not is_in_doubt(LINE, env, "/tmp")
    later = time.time() + 86_401
    monkeypatch.setattr("time.time", lambda: later)
    assert not is_in_doubt(LINE, env, "/")


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (1, b"", True),
        (1, b"\n", True),
        (139, b"Speicherzugriffsfehler\n", True),
        (11, b"nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\n", True),
        (2, b'a.cu(3): error: identifier "x" is undefined\n', False),
    ],
)
def test_what_a_crash_says(status: int, said: bytes, expected: bool) -> None:
    assert has_crashed(status, said) is expected


@pytest.mark.parametrize("data", [b"", SEEN, b"whole", b"a\0b", b"\0" * 5, b"\xff\0" * 5])
def test_what_is_no_note(data: bytes) -> None:
    assert shorter.decoded(data) is None


REMARK = b'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"", False),
        (b"ptxas info    : 0 bytes gmem\n", False),
        (b"a.cu:3:5: warning: unused variable 'x' [-Wunused-variable]\n", False),
        (b"a.cu:3:5: warning: comparison of 'int' and 'std::vector<int>::size_type'\n", True),
        (b"a.cu: In instantiation of 'void f(T) [with T = int]':\n", True),
        (b"a.cu:3:5: Fehler: 'x' wurde hier nicht definiert\n", True),
        (b"a.cu:3:5: Warnung: Vergleich von 'int' und 'std::vector<int>::size_type'\n", True),
        (b"a.cu: In Funktion 'void f(T) [with T = int]':\n", True),
        (b"a.cu: In Funktion 'f':\n    eingefuegt von 'g<int>' bei a.cu:3:5:\na.cu:3:5: Warnung: x\n", True),
        (b"a.cu:3:5: warning: unused variable 'x'\n    3 | std::vector<int> x;\n      |   ^\n", False),
        (b'a.cu(3): warning #177-D: variable "v<int>" was declared\n    v<int> x;\n', False),
        (b'a.cu(3): warning #177-D: variable "x" was declared\n    int x;\n        ^\n\n' + REMARK, False),
    ],
)
def test_words_of_the_host_compiler_that_headers_have_a_say_in(said: bytes, expected: bool) -> None:
    assert may_speak_of_headers(said) is expected


def _built(place: Path, env: dict[str, str], turn: int, program: tuple[str, ...]) -> tuple[int, bytes, bytes, bytes]:
    """Status, output and object of a build; every turn's source is a new one of the same length."""
    (place / "a.cu").write_text(f"{(place / 'source').read_text()}// {turn}\n")
    (place / "a.o").unlink(missing_ok=True)
    done = subprocess.run([*program, *LINE], cwd=place, env=env, capture_output=True, check=False, timeout=400)
    made = (place / "a.o").read_bytes() if (place / "a.o").exists() else b""
    return done.returncode, done.stdout, done.stderr, re.sub(rb"tmpxft_\w{8}_\w{8}", b"", made)


def _kept(place: Path) -> int:
    """How many steps were kept."""
    return sum(path.is_file() for path in (place / "cache" / "device-code").rglob("*"))


@pytest.mark.nvcc
def test_objects_and_words_are_nvccs(tmp_path: Path, real_nvcc: str) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(with_library(tmp_path / "cache"))}
    ours = (sys.executable, "-m", "gpuopt_driver.nvcc_main")
    (tmp_path / "source").write_text(SOURCE)
    for turn in range(2):  # a mark, and the note
        _built(tmp_path, env, turn, ours)
        assert _kept(tmp_path) == 0
    theirs = _built(tmp_path, env, 2, (real_nvcc,))
    assert theirs[0] == 0
    assert _built(tmp_path, env, 2, ours) == theirs
    steps = _kept(tmp_path)
    assert steps == 3, "cudafe++, cicc and ptxas were started with the library"
    assert _built(tmp_path, env, 2, ours) == theirs, "remembered"
    assert _kept(tmp_path) == steps

    (tmp_path / "source").write_text(WARNS)
    theirs = _built(tmp_path, env, 3, (real_nvcc,))
    assert b"size_type" in theirs[2]
    assert _built(tmp_path, env, 3, ours) == theirs

    (tmp_path / "source").write_text(SOURCE.replace("a[0] = 1", "a[0] = one"))
    theirs = _built(tmp_path, env, 4, (real_nvcc,))
    assert theirs[0] != 0
    assert _built(tmp_path, env, 4, ours) == theirs

    (note,) = (path for path in (tmp_path / "cache" / KIND).rglob("*") if path.is_file())
    library, _, names, *rest = note.read_bytes()[store.DIGEST :].split(b"\0")
    Path(os.fsdecode(names)).write_bytes(b"nothing")  # cicc needs no more than the program names
    (tmp_path / "source").write_text(SOURCE)
    theirs = _built(tmp_path, env, 5, (real_nvcc,))
    assert _built(tmp_path, env, 5, ours) == theirs

    # A library with which cicc crashes.
    crashes = tmp_path / "crashes.c"
    crashes.write_text(CRASHES)
    subprocess.run(["cc", "-shared", "-fPIC", crashes, "-o", os.fsdecode(library)], check=True, timeout=60)
    changed = b"\0".join([library, store.digest_of_file(os.fsdecode(library)).encode(), names, *rest])
    key = "".join(note.parts[-2:])
    store.put(str(tmp_path / "cache"), KIND, key, changed)
    assert _built(tmp_path, env, 6, (real_nvcc,)) == _built(tmp_path, env, 6, ours)
    assert (tmp_path / "crashed").exists()
