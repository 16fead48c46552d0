"""Strangers' code run in a process of its own, which ends with it: what it does there is seen, and reaches nobody."""

from __future__ import annotations

import locale
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from gpuopt_driver import forked, traced, variables
from gpuopt_driver.forked import Returned

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE)


def call(work: Callable[[], T], seconds: float) -> Returned[T]:
    """What `work()` gives, or why nothing is to be used of it, as the rest of a sentence."""
    is_debugged = variables.is_on(os.environ, "GPUOPT_DEBUG")
    done = forked.call(lambda: _seen(work), seconds, (), debug=is_debugged, alone=True)
    failure = done.failure or (f"printed something ({done.printed})" if done.has_printed else "")
    if not failure and done.value is not None:
        value, failure, seen = done.value
        traced.join(seen, failure)
        if not failure:
            return Returned(value)
    traced.forbid("a plugin failed")
    return Returned(failure=failure)


def _seen(work: Callable[[], T]) -> tuple[T | None, str, traced.Trace | None]:
    """What it gives, what it did to the process, and what it depended on."""
    with traced.paused():
        files, before = _open_files(), _process()
    value = work()
    with traced.paused():
        left, after = _open_files(), _process()
    if not files <= left:
        return None, "closed files that are not its own", None
    did = next((name for name, old in before.items() if old != after[name]), "")
    return (None, did, None) if did else (value, "", traced.active())


def _process() -> dict[str, Any]:
    """What nobody may change, by what is said of who does."""
    umask = os.umask(0)
    os.umask(umask)
    return {
        "changed the working directory": os.stat(os.curdir).st_ino,  # noqa: PTH116
        "changed what signals do": [signal.getsignal(number) for number in _SIGNALS],
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "changed the locale": locale.setlocale(locale.LC_ALL),
        "changed the file mode mask": umask,
        "left a process behind": _children(),
    }


def _open_files() -> set[int]:
    with suppress(OSError):
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
        return {number for number in numbers if _is_open(number)}  # without that of the listing itself
    return set()


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _children() -> str:
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:  # noqa: PTH123
        return file.read()
    return ""


@contextmanager
def settings_kept() -> Iterator[None]:
    """Put back what code may change for itself and not for others: the environment and where modules are found."""
    real: Any = getattr(os.environ, "_real", os.environ)  # what is put back was not looked up by anybody
    before, path, depth = dict(real), list(sys.path), sys.getrecursionlimit()
    try:
        yield
    finally:
        with traced.paused():
            for name in set(real) - set(before):
                del real[name]
            for name, value in before.items():
                if real.get(name) != value:
                    real[name] = value
        sys.path[:] = path
        sys.setrecursionlimit(depth)
