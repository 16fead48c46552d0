"""Limits of a child process: time, memory, and what comes back when it goes beyond."""

from __future__ import annotations

import os
import select
import signal
import time

import pytest

from gpuopt_driver import forked


def test_beyond_its_memory_a_child_gives_up() -> None:
    def grow() -> int:
        pieces = []
        for _ in range(400):
            pieces.append(b"x" * (1 << 20))
            time.sleep(0.002)
        return len(pieces)

    returned = forked.call(grow, 60, (), debug=False, memory_bytes=150_000_000)
    assert returned.is_too_large
    assert returned.failure == "needs more than 150 MB of memory"
    assert forked.call(grow, 60, (), debug=False).value == 400


def test_beyond_its_time_a_child_is_ended() -> None:
    begin = time.monotonic()
    returned = forked.call(lambda: time.sleep(60), 0.3, (), debug=False)
    assert returned.failure == "ran longer than 0.3 s"
    assert not returned.is_too_large
    assert time.monotonic() - begin < 30


def test_a_signal_just_before_a_wait_ends_it_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it comes when Python has looked for signals, but the system call has not begun."""

    class Ended(Exception):
        pass

    def end(_number: int, _frame: object) -> None:
        raise Ended

    def wait(readable: list[int], writable: list[int], other: list[int], seconds: float) -> object:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        signal.raise_signal(signal.SIGUSR1)
        found = real(readable, writable, other, seconds)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
        return found

    real, before = select.select, signal.signal(signal.SIGUSR1, end)
    monkeypatch.setattr(select, "select", wait)
    begin = time.monotonic()
    try:
        with pytest.raises(Ended):
            forked.call(lambda: time.sleep(40), 60, (), debug=False)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - begin < 20


def test_what_a_child_prints_comes_with_its_result(capfd: pytest.CaptureFixture[str]) -> None:
    returned = forked.call(lambda: os.write(1, b"hello\n"), 60, (), debug=False)
    assert returned.has_printed
    assert capfd.readouterr() == ("", "hello\n")
    assert not forked.call(lambda: 1, 60, (), debug=False).has_printed


def test_an_error_that_is_handed_over_comes_back() -> None:
    def fail() -> None:
        raise KeyError("k")

    returned = forked.call(fail, 60, (KeyError,), debug=False)
    assert isinstance(returned.error, KeyError)
