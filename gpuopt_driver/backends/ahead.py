"""nvcc on the sources as they are, started while they are still being analysed: most analyses leave them so.

Nobody sees anything of it until it is known that it counts: what it prints is kept back, and its result is a file
beside the one that was asked for, renamed in the end. Where patches are found it is ended, with all that it started.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from gpuopt_driver.backends.process import Attempt, Capture, Interruption, signals_for, start
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import RealNvcc, guarded
from gpuopt_driver.nvcc.tokens import is_set

_PHASES = frozenset({Phase.COMPILE, Phase.DEVICE_COMPILE, Phase.PTX, Phase.CUBIN, Phase.FATBIN})
_OUTPUT = ("-o", "--output-file", "-output-file")
_NAMED_BY_OUTPUT = ("split-dwarf", "-save-temps", "--keep", "-keep", "-ftest-coverage", "--coverage", "-fprofile")
_SET_CHILD_SUBREAPER = 36  # of prctl(2): orphans of our children become ours
_PATIENCE_SECONDS = 2.0  # for what is asked to end, before it is made to
_MOMENT_SECONDS = 0.002
T = TypeVar("T")
A = TypeVar("A")


def is_worthwhile(command: NvccCommand, env: Mapping[str, str]) -> bool:
    """Whether nvcc may start ahead: GPUOPT_AHEAD asks for it, it writes one named file, and nobody watches.

    On a terminal nvcc's messages must come as they come, and in colour. What is preloaded may be there to see the
    commands of a build (Bear), and is not to see one that nobody gave. Nobody gets it unasked: a signal that comes
    meanwhile ends us with the signal's status, not with the one that nvcc makes of it.
    """
    if command.phase not in _PHASES or env.get("LD_PRELOAD") or not is_set(env.get("GPUOPT_AHEAD")):
        return False
    if command.dryrun or command.keep or command.cleans or any(item.is_stdin for item in command.inputs):
        return False
    if command.has("jobserver"):  # it may hold one of make's tokens when it is ended
        return False
    if redirected(command, "") is None:
        return False
    if not _list_of_children().exists():
        return False
    return not os.isatty(1) and not os.isatty(2)


def redirected(command: NvccCommand, mark: str) -> tuple[list[str], Path, Path] | None:
    """The arguments with another file for the result, which has `mark` in its name; that file; the one asked for.

    None where the result has no name of its own, or where other things are named after it.
    """
    argv = list(command.argv_for_nvcc)
    places = [at for at, word in enumerate(argv) if word.partition("=")[0] in _OUTPUT]
    has_depfile = command.writes_depfile and not (command.depfile and command.depfile_target)
    if len(places) != 1 or has_depfile or any(word in text for text in argv for word in _NAMED_BY_OUTPUT):
        return None
    name, equals, value = argv[places[0]].partition("=")
    if not equals:
        value = argv[places[0] + 1] if places[0] + 1 < len(argv) else ""
    path = Path(command.path(value))
    if not value or not path.suffix or path.is_symlink() or (path.exists() and not path.is_file()):
        return None
    other = f"{value[: -len(path.suffix)]}.gpuopt{mark}{path.suffix}"
    argv[places[0] : places[0] + 2 - bool(equals)] = [f"{name}={other}"] if equals else [name, other]
    return argv, Path(command.path(other)), path


class Ahead:
    """A running nvcc. From its start to its end, signals that are to end us reach it."""

    def __init__(self, command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> None:
        self._others = frozenset(_children())
        self._capture = Capture()
        self._temporary = Path(env.get("TMPDIR") or "/tmp")  # noqa: S108 - where nvcc has its files
        words = redirected(command, f"-{os.getpid()}")
        assert words is not None, "is_worthwhile says so"
        argv, self._result, self._asked_for = words
        self._received: list[int] = []
        self._running: list[int] = []
        self._signals = signals_for(self._running, self._received)
        self._besides = self._signals.__enter__()
        try:
            self._running.append(start([nvcc.path, *argv], guarded(env, nvcc.path), self._capture.descriptors))
        except BaseException:
            self._signals.__exit__(None, None, None)
            raise

    def besides(self, work: Callable[[A], T], argument: A) -> T:
        """The result of `work(argument)`; an `Interruption` if a signal comes that is to end us."""
        self._besides.append(True)
        try:
            if self._received:
                raise Interruption
            return work(argument)
        finally:
            self._besides.clear()

    def end(self) -> int:
        """Pass on what is to end us (a part of it may have come before there was an nvcc), and see how nvcc ends."""
        for number in self._received:
            with suppress(ProcessLookupError):
                os.kill(self._running[0], number)
        status = self.finish()
        return 1 if status is None else status

    def finish(self) -> int | None:
        """Wait for its end, say all that it said, and give its exit status; None where nvcc must run the usual way."""
        _, status = os.waitpid(self._running[0], 0)
        self._running.clear()
        self._signals.__exit__(None, None, None)
        attempt = Attempt(status, bool(self._received))
        if not self._settle(attempt) and not attempt.interrupted:
            return None
        self._capture.replay()
        return attempt.finish()

    def _settle(self, attempt: Attempt) -> bool:
        """Put the result where it belongs; whether all is as if it had been written there."""
        try:
            if attempt.succeeded:
                self._result.replace(self._asked_for)
            else:
                self._result.unlink(missing_ok=True)
        except OSError:
            return False
        return os.fsencode(self._result.name) not in self._capture.everything()

    def cancel(self) -> None:
        """End it and all that it started, and forget what it said. A signal that came meanwhile ends us too."""
        _adopt_orphans(True)
        _end(self._running[0], self._others)
        _adopt_orphans(False)
        with suppress(OSError):
            self._result.unlink(missing_ok=True)
        for left in self._temporary.glob(f"tmpxft_{self._running[0]:08x}_00000000*"):
            with suppress(OSError):  # nvcc does not clean up all of its files when it is ended
                left.unlink()
        self._running.clear()
        self._signals.__exit__(None, None, None)
        for number in self._received:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


def _adopt_orphans(yes: bool) -> None:  # noqa: FBT001
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)


def _end(program: int, others: frozenset[int]) -> None:
    """End a child and, as processes end, the children that they leave to us; not our other children."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    asked: set[int] = set()
    ended: set[int] = set()
    while left := {program, *_children()} - others - ended:
        is_late = time.monotonic() > deadline
        for child in left if is_late else left - asked:
            asked.add(child)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL if is_late else signal.SIGTERM)
        time.sleep(_MOMENT_SECONDS)
        for child in left:
            try:
                if os.waitpid(child, os.WNOHANG)[0]:
                    ended.add(child)
            except ChildProcessError:
                ended.add(child)


def _children() -> list[int]:
    """The process ids of our children."""
    try:
        return [int(word) for word in _list_of_children().read_text().split()]
    except OSError:
        return []


def _list_of_children() -> Path:
    return Path(f"/proc/self/task/{os.getpid()}/children")
