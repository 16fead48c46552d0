"""Wrong names, files and values: one line that says what, where and the way out, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.cli import main

GPUOPT = (sys.executable, "-m", "gpuopt_driver")
LONG = "x" * 300


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with what nobody means to hand to a command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "directory.cu").mkdir()
    os.mkfifo("pipe.cu")
    (tmp_path / "dangling.cu").symlink_to("nowhere")
    (tmp_path / "empty").touch()
    (tmp_path / "object.json").write_text("{}")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "kernel.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "utf16.cu").write_bytes("__global__ void k() {}\n".encode("utf-16"))
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["explain", "directory.cu"], "directory.cu: a directory, no file, and no message code"),
        (["explain", "pipe.cu"], "pipe.cu: no file that can be read"),
        (["explain", "nowhere.cu"], "nowhere.cu: no such file"),
        (["explain", "utf16.cu"], "utf16.cu: not a source file"),
        (["explain", "kernel.cu", "other.cu"], "unrecognized arguments: other.cu; see `gpuopt explain --help`"),
        (["explain", LONG], f"{LONG}: File name too long"),
        (["explain", "kernel.cu", "--gpu", "h2000"], "unknown GPU 'h2000'; did you mean 'h200'?"),
        (["explain", "kernel.cu", "--gpu", ""], "argument --gpu: a name is missing"),
        (["diff", "dangling.cu"], "dangling.cu: no file that can be read"),
        (["diff", "directory.cu"], "directory.cu: a directory, no file"),
        (["verify", "kernel.cu", "--ignore", "("], "--ignore: (: no regular expression: missing )"),
        (["verify", "kernel.cu", "--seconds", "nan"], "--seconds: nan: a run takes more than 0 seconds, and ends"),
        (["verify", "kernel.cu", "--seconds", "-1"], "--seconds: -1: a run takes more than 0 seconds, and ends"),
        (["verify", "kernel.cu", "--gpu", "h2000"], "unknown GPU 'h2000'; did you mean 'h200'?"),
        (["verify", "kernel.cu", "--policy", "nowhere.toml"], "nowhere.toml: no such policy file; `gpuopt init`"),
        (["verify", "--build", "false", "--run", "true"], "false: does not build: exit status 1"),
        (["tune", "kernel.cu", "--gpu", "h2000"], "unknown GPU 'h2000'; did you mean 'h200'?"),
        (["tune", "kernel.cu", "--time", "("], "--time: (: no regular expression"),
        (["tune", "kernel.cu", "--time", "ms"], "--time is for --on gpu: modelled cycles are no part of the output"),
        (["tune", "kernel.cu", "--on", "gpu"], "no GPU answers here, so that there are no times to measure"),
        (["tune", "--seconds", "0", "--", "true"], "--seconds: 0: a run takes more than 0 seconds, and ends"),
        (["profile", "--gpu", "h2000", "--", "true"], "unknown GPU 'h2000'; did you mean 'h200'?"),
        (["profile", "-o", "nowhere/profile", "--", "true"], "nowhere/profile: no such directory; -o names the file"),
        (["profile", "-o", "directory.cu", "--", "true"], "directory.cu: is a directory; -o names the file"),
        (["profile", "--fit", "table.csv"], "table.csv: not a table of runs: no column 'case'"),
        (["profile", "--fit", "empty"], "empty: not a table of runs: it is empty"),
        (["report", "object.json", "-o", "directory.cu"], "object.json: not a report: it has no units"),
        (["init", "kernel.cu"], "kernel.cu: is no directory"),
        (["init", "nowhere"], "nowhere: no such directory"),
        (["new-plugin", "class"], "'class' cannot name a plugin: it is a word of Python's"),
        (["new-plugin", "mine", "kernel.cu"], "kernel.cu: is no directory"),
        (["choices", "--choices", "kernel.cu"], "kernel.cu: holds no choices; `gpuopt choices export FILE` writes"),
        (["stats"], "unknown command 'stats'; see `gpuopt --help`"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_it_is_one_line(argv: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(place.rglob("*"))
    assert main(argv) in (1, 2)
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["toolkit", "kernel.cu"], "kernel.cu: is no directory; name a directory that does not exist yet"),
        (["toolkit", "/proc/toolkit"], "/proc/toolkit: cannot be made: No such file or directory; name a directory"),
        (["verify", "empty.cu"], "empty.cu: does not build: "),
    ],
)
@pytest.mark.usefixtures("host_compiler")
def test_it_is_one_line_where_there_is_a_compiler(
    argv: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "empty.cu").touch()
    test_it_is_one_line(argv, message, place, capsys)


def test_what_the_linker_misses_is_said(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "build").write_text(
        "echo \"a.o: in f: undefined reference to 'main'\" >&2; echo 'ld returned' >&2; exit 1"
    )
    assert main(["verify", "--build", "sh build", "--run", "true"]) == 1
    assert "does not build: a.o: in f: undefined reference to 'main'" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["gpus"], ["gpus", "--json"], ["report", "--schema"]])
def test_nowhere_to_write_to(argv: list[str]) -> None:
    line = [*GPUOPT, *argv]
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *line], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr.count("\n")) == (1, 1)
    assert "standard output is closed" in closed.stderr
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "gpuopt: error: standard output: cannot be written: No space left on device\n"


def test_an_nvcc_that_is_none_ends_it_as_it_ends_a_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPUOPT_NVCC", "/nowhere/nvcc")
    assert main(["explain", "kernel.cu"]) == 1
    assert "GPUOPT_NVCC: /nowhere/nvcc: no such program; name the real nvcc, or unset it" in capsys.readouterr().err


def test_a_report_is_written_behind_a_link_and_into_a_pipe(place: Path) -> None:
    (place / "link").symlink_to("target")
    assert main(["report", "--schema", "-o", "link"]) == 0
    schema = (place / "target").read_bytes()
    assert schema.startswith(b"{")
    assert (place / "link").is_symlink()
    with subprocess.Popen(["cat", "pipe.cu"], stdout=subprocess.PIPE) as reader:
        assert main(["report", "--schema", "-o", "pipe.cu"]) == 0
        assert reader.stdout is not None
        assert reader.stdout.read() == schema
    assert (place / "pipe.cu").is_fifo()
