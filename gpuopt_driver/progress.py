"""Saying what takes long: a line that counts seconds on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_ON_TERMINAL, _ELSEWHERE = 1.0, 8.0  # seconds between two lines
_ERASE = "\r\x1b[K"


def _is_terminal(env: Mapping[str, str]) -> bool:
    try:
        return os.isatty(2) and env.get("TERM", "dumb") != "dumb"
    except (OSError, ValueError):
        return False


@contextmanager
def telling(what: str, env: Mapping[str, str] | None = None, *, beside: str = "") -> Iterator[None]:
    """Say on standard error, as long as the block runs, what is being done: "gpuopt: WHAT ... 12 s".

    `beside` is said once: in a terminal's line, and in the first one elsewhere.

    Nothing is said of what takes less than a second on a terminal, where the line is erased at the end, or less than
    eight elsewhere.
    """
    terminal = _is_terminal(os.environ if env is None else env)
    ended = threading.Event()

    def tell() -> None:
        begin, said = time.monotonic(), f"{what}{beside}"
        while not ended.wait(_ON_TERMINAL if terminal else _ELSEWHERE):
            line = f"gpuopt: {said} ... {time.monotonic() - begin:.0f} s"
            said = said if terminal else what
            _say(f"{_ERASE}{line}" if terminal else f"{line}\n")

    if sys.stderr is not None:
        sys.stderr.flush()
    teller = threading.Thread(target=tell, name="gpuopt-progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
        if terminal:
            _say(_ERASE)


def _say(text: str) -> None:
    """Not by sys.stderr: its lock may be held by another thread when a process is forked."""
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return  # nobody reads it
