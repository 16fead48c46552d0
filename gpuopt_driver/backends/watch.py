"""What ends a build should we be killed: nobody else would, and a late compiler would overwrite a later build's object.

A process beside us reads from a pipe that only we can write to. Where that ends without a word, we were killed: then
every process that holds one of some files open is killed, which is all that was started with them, whoever its parent
is by now. Imports nothing heavy.
"""

# ruff: noqa: PTH116, PTH208, SIM105

from __future__ import annotations

import _signal as signal  # without the enumerations, which cost milliseconds
import os

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import NoReturn

_HEEDED = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGTSTP", "SIGPIPE")
_DONE = b"."
_OPEN_FILES = "/proc/{}/fd"


class Watch:
    """From its making to `end`: should we be killed, what holds `descriptors` open is killed, and `litter` removed.

    `litter` is a directory with files, "" for none. Without /proc, or where no process can be made, there is no watch.
    """

    def __init__(self, descriptors: Collection[int], litter: str = "") -> None:
        self._process = 0
        if not os.path.isdir(_OPEN_FILES.format(os.getpid())):  # noqa: PTH112
            return
        marks = frozenset(_identity(os.fstat(descriptor)) for descriptor in descriptors)
        reading, self._alive = os.pipe()
        try:
            self._process = os.fork()
        except OSError:
            os.close(self._alive)
        else:
            if self._process == 0:
                _stand_by(reading, marks, litter)
        os.close(reading)

    def end(self) -> None:
        """We are alive, and what was started has ended."""
        if not self._process:
            return
        try:
            os.write(self._alive, _DONE)
        except OSError:
            pass  # it was killed
        os.close(self._alive)
        try:
            os.waitpid(self._process, 0)
        except ChildProcessError:
            pass
        self._process = 0


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _stand_by(reading: int, marks: frozenset[tuple[int, int]], litter: str) -> NoReturn:
    """The process beside us: it holds nothing of the caller's open, and signals to the whole group do not end it."""
    try:
        for name in _HEEDED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        for number in map(int, os.listdir(_OPEN_FILES.format("self"))):
            if number > 2 and number != reading:
                _close(number)
        if os.read(reading, 1) != _DONE:
            _kill_all(marks)
            if litter:
                remove_directory(litter)
    finally:
        os._exit(0)


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass  # the one of the listing itself


def _kill_all(marks: frozenset[tuple[int, int]]) -> None:
    """Kill until a look at all processes finds none: what has just been started is found by the next one."""
    while found := list(_holders(marks)):
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass


def _holders(marks: frozenset[tuple[int, int]]) -> Iterator[int]:
    """The processes that hold one of these files open."""
    own = str(os.getpid())
    for name in os.listdir("/proc"):
        if name.isdecimal() and name != own:
            place = _OPEN_FILES.format(name)
            if any(_is_one(f"{place}/{number}", marks) for number in _names_in(place)):
                yield int(name)


def _is_one(path: str, marks: frozenset[tuple[int, int]]) -> bool:
    try:
        return _identity(os.stat(path)) in marks
    except OSError:
        return False


def _names_in(directory: str) -> Sequence[str]:
    try:
        return os.listdir(directory)
    except OSError:  # it has ended, or is another user's
        return ()


def remove_directory(place: str, not_since: float | None = None) -> None:
    """Remove a directory of ours and its files, but no link that somebody put in its place, nor what that leads to.

    With `not_since`, a time, one that was changed since then stays.
    """
    try:
        opened = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        status = os.fstat(opened)
        if status.st_uid != os.geteuid() or (not_since is not None and status.st_mtime >= not_since):
            return
        for name in os.listdir(opened):
            _unlink(name, opened)
        os.rmdir(place)  # noqa: PTH106
    except OSError:
        pass  # there is something else in it
    finally:
        os.close(opened)


def _unlink(name: str, directory: int) -> None:
    try:
        os.unlink(name, dir_fd=directory)
    except OSError:
        pass
