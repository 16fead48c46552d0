"""nvcc on the sources as they are, started before they are so much as looked at: most analyses leave them so.

Nobody sees anything of it until it is known that it counts: what it prints is kept back, and its result has the name
that was asked for in a directory of its own beside it, from where it is renamed in the end. Where patches are found it
is ended, with all that it started. Imports nothing heavy: nvcc is to start before the rest of gpuopt is loaded.
"""

# ruff: noqa: PTH102, PTH105, PTH108, PTH110, PTH118, PTH119, PTH120, PTH123, PTH208, SIM105

from __future__ import annotations

import _signal as signal  # without the enumerations, which cost milliseconds
import os
import sys
import time

from gpuopt_driver.backends.captured import Capture, end_as
from gpuopt_driver.backends.memory import Peak
from gpuopt_driver.backends.watch import Watch, remove_directory
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.nvcc.find import find_nvcc, guarded
from gpuopt_driver.nvcc.shorter import has_crashed, variables
from gpuopt_driver.nvcc.simple import Result, may_be_replaced, only_result
from gpuopt_driver.variables import is_on

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")

_SET_CHILD_SUBREAPER = 36  # of prctl(2): orphans of our children become ours
_PATIENCE_SECONDS = 2.0  # for what is asked to end, before it is made to
_MOMENT_SECONDS = 0.002
_GROUP_SECONDS = 0.05  # in which nvcc ends by itself, if it got the same signal as we (Ctrl-C, a whole group)
_ENDING = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
_AGAIN_SECONDS = 1.0  # an interruption that came while Python could raise nothing (a callback, `__del__`) comes again
_NOT_PASSED_ON = (signal.SIGINT, signal.SIGQUIT)  # nvcc heeds them only where a terminal sends them to all
_IGNORED_BY_PYTHON = tuple(getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ", "SIGXFZ") if hasattr(signal, name))
_MARK = ".gpuopt-"
_ABANDONED_SECONDS = 86_400  # nobody compiles that long; process ids say nothing where machines share a directory
_DUMMY = b"gpuopt"  # stands for a file that is there already: a compiler that fails may delete it, or not


class Interruption(BaseException):
    """A signal came that is to end us, while we were doing something besides waiting for nvcc."""


def is_wanted(env: Mapping[str, str]) -> bool:
    """Whether nvcc may start ahead here: GPUOPT_AHEAD=0 forbids it.

    On a terminal nvcc's messages must come as they come, and in colour. What is preloaded may be there to see the
    commands of a build (Bear), and is not to see one that nobody gave.
    """
    if not is_on(env, "GPUOPT_AHEAD", otherwise=True) or env.get("LD_PRELOAD"):
        return False
    if env.get("NVCC_PREPEND_FLAGS") or env.get("NVCC_APPEND_FLAGS") or os.isatty(1) or os.isatty(2):
        return False
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:  # nobody would tell us how it ended
        return False
    return os.path.exists(_list_of_children())


def start(argv: Sequence[str], env: Mapping[str, str], cwd: str, *, is_known: bool = False) -> Ahead | None:
    """A running nvcc for a command line, None where that would not be right, or not be worth it.

    `is_known`: there is nothing to do besides, so that it is worth it only if nvcc reads shorter headers.
    """
    result = only_result(argv) if is_wanted(env) else None
    path = "" if result is None else os.path.join(cwd, result.name)
    if result is None or not may_be_replaced(result, path):
        return None
    try:
        nvcc = find_nvcc(env)
        shorter = {} if nvcc is None else variables(argv, env, nvcc.path)
        if nvcc is None or (is_known and not shorter):
            return None
        return Ahead(nvcc.path, argv, env, result, path, shorter)
    except (GpuoptError, OSError):
        return None  # who runs next will say so


class Ahead:
    """A running nvcc, the program `nvcc`. From its start to its end, signals that are to end us reach it.

    With the variables `shorter` its cicc reads the system's headers without what the source does not use. Should
    something crash there, it is started again.
    """

    def __init__(
        self, nvcc: str, argv: Sequence[str], env: Mapping[str, str], result: Result, path: str,
        shorter: Mapping[str, str],
    ) -> None:  # fmt: skip
        self.nvcc = nvcc
        self.is_shorter = bool(shorter)
        self._capture = Capture()
        self._temporary = env.get("TMPDIR") or "/tmp"  # noqa: S108 - where nvcc has its files
        self._mark = f"{_MARK}{os.getpid()}"
        self._place = os.path.join(os.path.dirname(path), self._mark)
        self._asked_for = path
        self._result = os.path.join(self._place, os.path.basename(path))
        self._received: list[int] = []
        self._is_besides = False
        self._comes_again = False
        self._before: dict[int, object] = {}
        self._program = 0
        self._peak: Peak | None = None
        self._make_place()
        self._watch = Watch(self._capture.descriptors, self._place)
        self._others = frozenset(_children())
        try:
            self._take_signals()
            words = [nvcc, *result.elsewhere(argv, self._mark)]
            self._whole = words, guarded(env, nvcc)
            self._start(words, {**guarded(env, nvcc), **shorter})
        except BaseException:
            self._give_signals_back()
            self._clean()
            raise

    def _start(self, words: list[str], env: dict[str, str]) -> None:
        """Start nvcc, its result where nobody looks for it."""
        if os.path.exists(self._asked_for):
            with open(self._result, "wb") as file:
                file.write(_DUMMY)
        out, err = self._capture.descriptors
        actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)]
        self._program = os.posix_spawn(self.nvcc, words, env, file_actions=actions, setsigdef=_IGNORED_BY_PYTHON)
        self._peak = Peak(self._program)

    def _is_to_start_again(self, status: int) -> bool:
        """Whether how it has ended may be the fault of what reads shorter headers."""
        if not status or not self.is_shorter or self._received:
            return False
        return os.WIFEXITED(status) and has_crashed(os.WEXITSTATUS(status), self._capture.errors())

    def _start_again(self) -> None:
        """Start it once more, with whole headers, after something has crashed: nothing of that counts."""
        if self._program and self._status() is None:
            os.waitpid(self._program, 0)
        self.is_shorter = False
        self._capture.forget()
        if os.path.exists(self._result):
            os.unlink(self._result)
        self._start(*self._whole)

    def _make_place(self) -> None:
        """Make the directory for the result; one that was left behind by a killed build makes way, a day later."""
        beside = os.path.dirname(self._place)
        for name in _names_in(beside):
            if name.startswith(_MARK) and name[len(_MARK) :].isdecimal():
                remove_directory(os.path.join(beside, name), time.time() - _ABANDONED_SECONDS)
        os.mkdir(self._place, 0o700)

    def _take_signals(self) -> None:
        def note(number: int, _frame: object) -> None:
            is_again = self._comes_again and number == signal.SIGALRM
            if not is_again:
                self._received.append(number)
            if self._is_besides and (is_again or not self._comes_again):
                self._comes_again = True
                sys.unraisablehook = _hook
                signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
                raise Interruption

        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, note)

    def _is_back(self) -> None:
        """No signal is to interrupt what we do any more."""
        self._is_besides = False
        if self._comes_again:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._comes_again = False

    def _give_signals_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def besides(self, work: Callable[[], int]) -> int:
        """The exit status that `work()` comes to, which may call `finish` or `cancel`; nvcc's if we are to end."""
        try:
            self._is_besides = True
            if self._received:
                raise Interruption
            return work()
        except BaseException as error:  # what a signal interrupts may make another exception of ours
            self._is_back()
            if not isinstance(error, Interruption) and not (self._received and self._program):
                self.cancel()
                raise
        status = self.finish()
        return 1 if status is None else status

    def has_failed(self) -> bool:
        """Whether it has ended, and not with success."""
        status = self._status()
        if status is None:
            ended = os.waitid(os.P_PID, self._program, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            if ended is None:
                return False
            status = ended.si_status << 8 if ended.si_code == os.CLD_EXITED else ended.si_status
        if self._is_to_start_again(status):
            self._undisturbed(self._start_again)
            return False
        return status != 0

    def _status(self) -> int | None:
        """How it has ended, if that was asked for already: then it cannot be waited for any more."""
        return None if self._peak is None else self._peak.status

    def peak(self) -> tuple[int, bool]:
        """The memory in bytes of its largest process so far, and whether that is all."""
        assert self._peak is not None, "it has been started"
        return self._undisturbed(self._peak.look)  # what it returns must not be lost to an interruption

    def _undisturbed(self, work: Callable[[], T]) -> T:
        """What `work()` returns; a signal that comes meanwhile interrupts us behind it."""
        received, is_besides, self._is_besides = len(self._received), self._is_besides, False
        try:
            return work()
        finally:
            self._is_besides = is_besides
            if is_besides and len(self._received) > received:
                raise Interruption

    def finish(self, on_success: Callable[[], object] | None = None) -> int | None:
        """Wait for its end, say all that it said, and give its exit status; None where nvcc must run the usual way.

        `on_success` is called before anything is said of a run that has succeeded.
        """
        status = self._wait_status()
        if self._is_to_start_again(status):
            self._start_again()
            status = self._wait_status()
        is_settled = self._settle(status)
        if self._received:
            _adopt_orphans(True)
            _end(0, self._others)
        self._clean()
        self._give_signals_back()
        if not is_settled and not self._received:
            return None
        if status == 0 and on_success is not None:
            on_success()
        self._capture.replay()
        return end_as(status)

    def _wait_status(self) -> int:
        """How it ended. A signal that only we got is passed on."""
        seen = 0
        known = self._status()
        if known is not None:
            self._is_back()
            self._program = 0
            return known
        while True:
            try:
                self._is_besides = True
                if seen == len(self._received):
                    os.waitid(os.P_PID, self._program, os.WEXITED | os.WNOWAIT)
            except Interruption:
                pass
            self._is_back()
            if seen == len(self._received):
                break
            pending, seen = self._received[seen:], len(self._received)
            if self._ends_within(_GROUP_SECONDS):
                break
            for number in pending:
                if number not in _NOT_PASSED_ON:
                    os.kill(self._program, number)
        _, status = os.waitpid(self._program, 0)
        self._program = 0
        return status

    def _ends_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, self._program, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return True
            time.sleep(_MOMENT_SECONDS)
        return False

    def _settle(self, status: int) -> bool:
        """Put the result where it belongs; whether all is as if it had been written there."""
        try:
            if status == 0:
                os.replace(self._result, self._asked_for)
            elif not os.path.exists(self._result) and os.path.exists(self._asked_for):
                os.unlink(self._asked_for)
        except OSError:
            return False
        return self._mark.encode() not in self._capture.everything()

    def cancel(self) -> None:
        """End it and all that it started, and forget what it said. A signal that came meanwhile ends us too."""
        self._is_back()
        if not self._program:
            return
        _adopt_orphans(True)
        _end(self._program if self._status() is None else 0, self._others)
        _adopt_orphans(False)
        self._clean()
        start_of_names = f"tmpxft_{self._program:08x}_00000000"
        for name in _names_in(self._temporary):
            if name.startswith(start_of_names):  # nvcc does not clean up all of its files when it is ended
                _remove(os.path.join(self._temporary, name))
        self._program = 0
        self._give_signals_back()
        for number in self._received:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def _clean(self) -> None:
        remove_directory(self._place)
        self._watch.end()


def _hook(lost: sys.UnraisableHookArgs) -> None:
    """Say nothing of an interruption that could not be raised: it comes again."""
    if lost.exc_type is not Interruption:
        sys.__unraisablehook__(lost)


def _names_in(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _adopt_orphans(yes: bool) -> None:  # noqa: FBT001
    import ctypes  # noqa: PLC0415 - rarely needed

    try:
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)
    except (OSError, AttributeError):
        pass


def _end(program: int, others: frozenset[int]) -> None:
    """End a child (0: none) and, as processes end, the children that they leave to us; not our other children."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    asked: set[int] = set()
    ended: set[int] = {0}
    while left := {program, *_children()} - others - ended:
        is_late = time.monotonic() > deadline
        for child in left if is_late else left - asked:
            asked.add(child)
            try:
                os.kill(child, signal.SIGKILL if is_late else signal.SIGTERM)
            except ProcessLookupError:
                pass
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
        with open(_list_of_children(), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _list_of_children() -> str:
    return f"/proc/self/task/{os.getpid()}/children"
