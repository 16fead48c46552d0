"""Running a function in a child process: it may raise, hang or crash in C code, and the caller goes on.

Its standard output goes to standard error, when it has ended; only its result, or what became of it, comes back.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Generic, NoReturn, TypeVar

from gpuopt_driver import traced
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.limits import is_over, longest

T = TypeVar("T")
# Bytes that a child may have that has so many, and whether there will not be more.
Allowance = Callable[[int], tuple[int, bool]]

_CHUNK = 1 << 16
_SIZE_BYTES = 8
_FIRST_WORDS = 200  # bytes
_GRACE_SECONDS = 5
_LONGEST_ALARM = 1 << 30  # seconds
_ENDING = tuple(getattr(signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "QUIT", "ALRM", "USR1", "USR2"))
_SET_PDEATHSIG = 1  # of prctl(2)
_TOO_LARGE = 86  # exit status of a child that gave up
_LOOK_SECONDS = 0.02
_LOOK_FAR_SECONDS = 0.1  # where a child is far from its limit: a build with more processes than cores pays each look
_LOOK_AGAIN_SECONDS = 0.2
_LONGEST_WAIT_SECONDS = 0.5  # a signal that comes just before the wait begins does not end it


@dataclass(frozen=True, slots=True)
class Returned(Generic[T]):
    """What a child gave: a value, an exception that it was told to hand over, or why there is neither."""

    value: T | None = None
    error: Exception | None = None
    failure: str = ""
    has_printed: bool = False
    is_moot: bool = False
    printed: str = ""  # its first words, where they were not passed on
    is_too_large: bool = False  # the failure is that it needs more memory than it is given, and would again
    is_too_slow: bool = False  # the failure is that it took too long

    @property
    def is_expected(self) -> bool:
        """Whether the failure is nobody's fault: it needs too much memory, or nobody wants it any more."""
        return self.is_too_large or self.is_moot


def call(
    function: Callable[[], T],
    seconds: float,
    handed_over: tuple[type[Exception], ...],
    *,
    debug: bool,
    memory_bytes: int = 0,
    allowance: Allowance | None = None,
    is_moot: Callable[[], bool] | None = None,
    alone: bool = False,
) -> Returned[T]:
    """The result of `function()`, run in a child process and ended after `seconds` and beyond `memory_bytes` (0: any).

    Beyond that it is held while `allowance` says that it may yet be given more, and goes on or is ended accordingly.

    The seconds are of CPU time, or of time in which the child does nothing.

    Exceptions of the types in `handed_over` come back as they are (rebuilt from their message); of others only a
    description. `debug` prints tracebacks to standard error. Once `is_moot()`, the child is ended.

    `alone`: it runs a stranger's code. What it prints is kept, what it has started ends with it, and processes that it
    leaves behind do not hold up its result.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    printed = 2 if debug else os.memfd_create("gpuopt")
    parent = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)  # until it is known who takes care of them
        with traced.paused():
            child = os.fork()
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        raise
    if child == 0:
        os.close(reading)
        os.dup2(printed, 2)
        if alone:
            os.setpgid(0, 0)
        _restore_signals(mask)
        _give_up_beyond(0 if allowance is not None else memory_bytes)
        _work(function, seconds, handed_over, writing, parent, debug=debug)
    os.close(writing)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        meter = None if allowance is None else _Meter(child, memory_bytes, allowance)
        data = _read(reading, child, seconds, is_moot, meter)
    except BaseException:  # we are to end
        _end(child, alone=alone)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    if data is None or alone:
        _end(child, alone=alone)
    _, status = os.waitpid(child, 0)
    if data is None and meter is not None and meter.is_over:
        return _too_large(meter.limit)
    if data is None and is_moot is not None and is_moot():
        return Returned(failure="was not needed any more", is_moot=True)
    outcome = _outcome(data, status, seconds, memory_bytes)
    if debug:
        return outcome
    if not alone:
        return replace(outcome, has_printed=_relay(printed))
    text = os.pread(printed, _FIRST_WORDS, 0).decode("utf-8", "replace").strip()
    size = os.lseek(printed, 0, os.SEEK_END)
    os.close(printed)
    return replace(outcome, has_printed=size > 0, printed=text)


def _end(child: int, *, alone: bool) -> None:
    """End a child, and with one that runs a stranger's code the processes that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGKILL)
    if alone:
        with suppress(ProcessLookupError, PermissionError):  # before it came to make a group, or as another user's
            os.killpg(child, signal.SIGKILL)


def _relay(printed: int) -> bool:
    """Pass on what a child printed; whether that was anything."""
    size = os.lseek(printed, 0, os.SEEK_END)
    try:
        for at in range(0, size, _CHUNK):
            os.write(2, os.pread(printed, _CHUNK, at))
    finally:
        os.close(printed)
    return size > 0


def _outcome(data: bytes | None, status: int, seconds: float, memory_bytes: int) -> Returned[Any]:
    if data is None:
        return Returned(failure=f"ran longer than {seconds:g} s", is_too_slow=True)
    if data and len(data) == _expected(data):  # all that was asked for is here: how it ended after that is all the same
        return _decoded(data[_SIZE_BYTES:])
    if os.waitstatus_to_exitcode(status) == _TOO_LARGE:
        return _too_large(memory_bytes)
    if os.WIFSIGNALED(status):
        return Returned(failure=f"crashed ({signal.Signals(os.WTERMSIG(status)).name})")
    return Returned(failure=f"ended with exit status {os.waitstatus_to_exitcode(status)}")


def _expected(data: bytes) -> int:
    """The size of a whole answer, as it says at its start."""
    if len(data) < _SIZE_BYTES:
        return _SIZE_BYTES
    return _SIZE_BYTES + int.from_bytes(data[:_SIZE_BYTES], "little")


def _too_large(limit: int) -> Returned[Any]:
    return Returned(failure=f"needs more than {limit / 1e6:.0f} MB of memory", is_too_large=True)


def _decoded(data: bytes) -> Returned[Any]:
    kind, content = pickle.loads(data)  # noqa: S301 - our own child wrote it
    if kind == "value":
        return Returned(value=content)
    if kind == "error":
        error_type, message = content
        return Returned(error=error_type(message))
    return Returned(failure=content)


def _work(
    function: Callable[[], object],
    seconds: float,
    handed_over: tuple[type[Exception], ...],
    writing: int,
    parent: int,
    *,
    debug: bool,
) -> NoReturn:
    """The child's part; it never returns into the caller's code."""
    status = 1
    child = os.getpid()
    try:
        _end_with(parent)
        signal.alarm(min(int(longest(seconds)), _LONGEST_ALARM) + _GRACE_SECONDS)  # should our parent be gone by then
        os.dup2(2, 1)
        try:
            answer = pickle.dumps(("value", function()))
        except handed_over as error:
            answer = pickle.dumps(("error", (type(error), str(error))))
        except BaseException as error:  # whatever it is, it is told and not raised
            if debug:
                import traceback  # noqa: PLC0415

                traceback.print_exception(error, file=sys.stderr)
            answer = pickle.dumps(("failure", _description(error)))
        if os.getpid() != child:  # a process that the function has started and that came back from it
            os._exit(0)
        with suppress(Exception):  # whoever closed or replaced them
            sys.stdout.flush()
            sys.stderr.flush()
        answer = len(answer).to_bytes(_SIZE_BYTES, "little") + answer
        while answer:
            answer = answer[os.write(writing, answer) :]
        status = 0
    finally:
        os._exit(status)


def _restore_signals(mask: Iterable[int]) -> None:
    """In the child, what ends a process ends it; what our parent was told to ignore stays ignored."""
    for number in _ENDING:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _end_with(parent: int) -> None:
    """Be killed when the parent ends, however that happens; where the system cannot do it, an alarm has to do."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _give_up_beyond(memory_bytes: int) -> None:
    """End this process when it has become larger, also while it runs C code."""
    if not memory_bytes:
        return
    pages = memory_bytes // os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, RuntimeError), traced.paused():
        sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

        def watch() -> None:
            while int(os.pread(sizes, 100, 0).split()[1]) <= pages:
                time.sleep(_LOOK_SECONDS)
            os._exit(_TOO_LARGE)

        threading.Thread(target=watch, daemon=True).start()


def _description(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Meter:
    """The memory of a child, looked at from outside: beyond its limit it is held until it is known whether it has more.

    So what comes of it does not depend on how fast the other program is, whose memory is the measure.
    """

    def __init__(self, child: int, least: int, allowance: Allowance) -> None:
        self.limit = least
        self.is_over = False
        self.is_near = False  # it may grow beyond its limit within a moment
        self.held = 0.0  # seconds in which it was held
        self._child = child
        self._allowance = allowance
        self._since: float | None = None

    def check(self) -> bool:
        """Whether the child is to be ended."""
        size = _resident_bytes(self._child)
        self.is_near = 2 * size > self.limit
        is_all = False
        if size > self.limit:
            with traced.paused():
                given, is_all = self._allowance(size)
            self.limit = max(self.limit, given)
        self.is_over = size > self.limit and is_all
        if size > self.limit and not is_all and self._since is None:
            os.kill(self._child, signal.SIGSTOP)
            self._since = time.monotonic()
        elif size <= self.limit and self._since is not None:
            self.held += time.monotonic() - self._since
            self._since = None
            os.kill(self._child, signal.SIGCONT)
        return self.is_over

    @property
    def is_holding(self) -> bool:
        """Whether the child waits."""
        return self._since is not None


def _resident_bytes(process: int) -> int:
    """The memory that a child has now, 0 where it has ended."""
    try:
        with traced.paused(), open(f"/proc/{process}/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _read(
    descriptor: int,
    child: int,
    seconds: float,
    is_moot: Callable[[], bool] | None = None,
    meter: _Meter | None = None,
) -> bytes | None:
    """Everything up to the end of the stream, None if the child takes too much for it or nobody wants it any more."""
    pieces: list[bytes] = []
    have = 0
    started = time.monotonic()
    while True:
        if meter is not None and meter.check():
            return None
        wall = time.monotonic() - started - (0.0 if meter is None else meter.held)
        is_holding = meter is not None and meter.is_holding
        if wall >= seconds and not is_holding and is_over(seconds, wall, _cpu_seconds(child)):
            return None
        if is_moot is not None and is_moot():
            return None
        longest_wait = _LONGEST_WAIT_SECONDS if is_moot is None and meter is None else _LOOK_FAR_SECONDS
        if meter is not None and meter.is_near:
            longest_wait = _LOOK_SECONDS
        wait = min(max(seconds - wall, _LOOK_AGAIN_SECONDS), longest_wait)
        if not select.select([descriptor], [], [], wait)[0]:
            continue
        piece = os.read(descriptor, _CHUNK)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        have += len(piece)
        if have >= _SIZE_BYTES:
            pieces = [b"".join(pieces)] if len(pieces[0]) < _SIZE_BYTES else pieces
            if have >= _expected(pieces[0]):
                return b"".join(pieces)


def _cpu_seconds(child: int) -> float:
    """The CPU time of a running child."""
    try:
        with traced.paused(), open(f"/proc/{child}/stat", "rb") as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return float("inf")  # what cannot be told counts as used up
