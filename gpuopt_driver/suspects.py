"""Whose code is running, told to the parent process: should this one end, it is known who is to blame."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

_BYTES = mmap.PAGESIZE
_shared: mmap.mmap | None = None


def watch() -> None:
    """From here on, processes that this one starts can say whose code they run."""
    global _shared  # noqa: PLW0603 - there is one process to watch
    if _shared is None:
        _shared = mmap.mmap(-1, _BYTES)
    _say("")


@contextmanager
def running(plugin: str, what: str) -> Iterator[None]:
    """While a plugin's code runs in this process: `what` it does, as the end of a sentence ("in gpuopt_check of k")."""
    _say(f"{plugin}\n{what}")
    try:
        yield
    finally:
        _say("")


def last() -> tuple[str, str] | None:
    """The plugin whose code ran last and has not returned, and what it did; None where there is none."""
    if _shared is None:
        return None
    text = _shared[:].partition(b"\0")[0].decode("utf-8", "replace")
    plugin, _, what = text.partition("\n")
    return (plugin, what) if plugin else None


def _say(text: str) -> None:
    if _shared is not None:
        data = text.encode("utf-8", "replace")[: _BYTES - 1] + b"\0"
        _shared[: len(data)] = data


class _Result(Protocol):
    @property
    def failure(self) -> str:
        """Why there is no result."""

    @property
    def is_expected(self) -> bool:
        """Whether that is no fault of a plugin's."""


R = TypeVar("R", bound=_Result)
left_out: dict[str, str] = {}  # plugins that must not be loaded, and why: what they did to the process that ran them


def until_nobody_ends_it(work: Callable[[], R], strangers: Iterable[str]) -> R:
    """The result of `work()`, which runs plugins in a process of its own; again without those that have ended it.

    Where none is seen to have done that, but it works without the `strangers`, they are all left out.
    """
    while True:
        watch()
        result = work()
        guilty = last() if result.failure else None
        if guilty is None or guilty[0] in left_out:
            break
        plugin, what = guilty
        left_out[plugin] = f"{result.failure} {what}"
    suspected = set(strangers) - left_out.keys()
    if not result.failure or not suspected or result.is_expected:
        return result
    left_out.update(dict.fromkeys(suspected, f"may be to blame: {result.failure}"))
    again = work()
    return result if again.failure else again
