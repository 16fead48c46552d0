"""Saying what takes long: a line that counts seconds on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_ON_TERMINAL, _ELSEWHERE = 1.0, 6.0  # seconds between two lines
_SHORT = 0.1  # seconds: what takes less is not told of, however long there has been silence
_ERASE = "\r\x1b[K"
_heard = time.monotonic()  # when this process began, or when it was last heard of here


def is_terminal(env: Mapping[str, str]) -> bool:
    """Whether standard error is a terminal on which a line can be written anew."""
    try:
        return os.isatty(2) and env.get("TERM", "dumb") != "dumb"
    except (OSError, ValueError):
        return False


def heard() -> None:
    """Note that there is no silence yet: a command begins, or has said something."""
    global _heard  # noqa: PLW0603 - several pieces of work that are short each are not to be silent together
    _heard = time.monotonic()


@contextmanager
def telling(what: str, env: Mapping[str, str] | None = None, *, beside: str = "") -> Iterator[None]:
    """Say on standard error, as long as the block runs, what is being done: "gpuopt: WHAT ... 12 s".

    `beside` is said once: in a terminal's line, and in the first one elsewhere.

    Nothing is said as long as this process has been silent for less than a second on a terminal, where the line is
    erased at the end, or less than six elsewhere.
    """
    terminal = is_terminal(os.environ if env is None else env)
    ended, shown = threading.Event(), threading.Event()

    def tell() -> None:
        begin, said, silence = time.monotonic(), f"{what}{beside}", _ON_TERMINAL if terminal else _ELSEWHERE
        while not ended.wait(max(_heard + silence - time.monotonic(), _SHORT)):
            line = f"gpuopt: {said} ... {time.monotonic() - begin:.0f} s"
            said = said if terminal else what
            _say(f"{_ERASE}{line}" if terminal else f"{line}\n")
            shown.set()

    if sys.stderr is not None:
        sys.stderr.flush()
    teller = threading.Thread(target=tell, name="gpuopt-progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
        if terminal and shown.is_set():
            _say(_ERASE)


def _say(text: str) -> None:
    """Not by sys.stderr: its lock may be held by another thread when a process is forked."""
    heard()
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return  # nobody reads it
