"""What takes long is told of: a line that counts on a terminal, lines elsewhere, nothing for what is short."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time

from gpuopt_driver import progress


def test_what_is_short_says_nothing(capfd):
    with progress.telling("work"):
        pass
    assert capfd.readouterr() == ("", "")


def test_elsewhere_lines_come_now_and_then(capfd, monkeypatch):
    monkeypatch.setattr(progress, "_ELSEWHERE", 0.05)
    with progress.telling("work", beside=", once"):
        time.sleep(0.5)
    first, *lines = capfd.readouterr().err.splitlines()
    assert re.fullmatch(r"gpuopt: work, once \.\.\. \d s", first)
    assert lines
    assert all(re.fullmatch(r"gpuopt: work \.\.\. \d s", line) for line in lines)


def test_pieces_of_work_that_are_short_each_are_not_silent_together(capfd, monkeypatch):
    monkeypatch.setattr(progress, "_ELSEWHERE", 0.4)
    monkeypatch.setattr(progress, "_heard", time.monotonic())
    for number in range(5):
        with progress.telling(f"piece {number}"):
            time.sleep(0.2)
    said = capfd.readouterr().err.splitlines()
    assert said
    assert len(said) < 5
    assert all(re.fullmatch(r"gpuopt: piece \d \.\.\. 0 s", line) for line in said)


def test_what_counts_as_a_terminal(monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda _: True)
    assert progress.is_terminal({"TERM": "xterm"})
    assert not progress.is_terminal({"TERM": "dumb"})
    assert not progress.is_terminal({})


def test_on_a_terminal_one_line_counts_and_goes():
    program = "from gpuopt_driver import progress; import time\n"
    program += "with progress.telling('work', beside=', once'): time.sleep(2.5)"
    terminal, end = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stderr=end, env={**os.environ, "TERM": "xterm"}) as running:
        os.close(end)
        said = b""
        while True:
            try:
                part = os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
            said += part
        os.close(terminal)
    assert running.returncode == 0
    text = said.decode()
    assert "gpuopt: work, once ... 1 s" in text
    assert "gpuopt: work, once ... 2 s" in text
    assert "\n" not in text
    assert text.endswith("\r\x1b[K")


def test_a_closed_standard_error_is_no_error():
    program = "from gpuopt_driver import progress; import time\nprogress._ELSEWHERE = 0.01\n"
    program += "with progress.telling('work'): time.sleep(0.2)"
    done = subprocess.run(["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, program], check=False)
    assert done.returncode == 0
