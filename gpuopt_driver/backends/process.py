"""Running another program so that our caller cannot tell the difference: descriptors, exit status, signals."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, Protocol

from gpuopt_driver.backends.captured import Capture, end_as
from gpuopt_driver.backends.watch import Watch
from gpuopt_driver.dataclass import dataclass

__all__ = ["Attempt", "Capture", "ended_tidily", "execute", "supervise"]

_PYTHON_IGNORES = tuple(
    getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ", "SIGXFZ") if hasattr(signal, name)
)  # Python ignores them from its start on; programs expect them to end a process


def execute(path: str, argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    """Become another program, with argv[0] = its path."""
    sys.stdout.flush()
    sys.stderr.flush()
    for number in _PYTHON_IGNORES:
        signal.signal(number, signal.SIG_DFL)
    os.execve(path, [path, *argv], dict(env))  # noqa: S606


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a supervised run ended: its wait status, and whether a signal to us was meant to end it."""

    wait_status: int
    interrupted: bool

    @property
    def succeeded(self) -> bool:
        """Whether it exited with status 0."""
        return self.wait_status == 0

    @property
    def code(self) -> int:
        """The exit status; less than 0 where a signal has ended it."""
        return os.waitstatus_to_exitcode(self.wait_status)

    def failed(self) -> Attempt:
        """The same run, held for one that ended with status 1."""
        return Attempt(1 << 8, self.interrupted)

    def finish(self) -> int:
        """The exit status to end with; where the program was ended by a signal, we end by the same."""
        return end_as(self.wait_status)


@contextmanager
def signals_for(child: list[int], received: list[int]) -> Iterator[None]:
    """While a child runs: Ctrl-C reaches it by the terminal; what ends us alone is passed on to it."""

    def note(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    def forward(number: int, frame: FrameType | None) -> None:
        for pid in child:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        note(number, frame)

    handlers = {signal.SIGINT: note, signal.SIGQUIT: note, signal.SIGTERM: forward, signal.SIGHUP: forward}
    before = {}
    for number, handler in handlers.items():
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def ended_tidily() -> Iterator[None]:
    """While the block runs, signals that end us let it remove what it has begun first; then we end by the same."""
    received: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        if len(received) == 1:
            raise SystemExit

    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [number for number in ending if signal.getsignal(number) is signal.SIG_DFL]
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in before:
            signal.signal(number, signal.SIG_DFL)
        if received:
            end_as(received[0])


class Server(Protocol):
    """Who answers what is asked while a program runs."""

    @property
    def descriptor(self) -> int:
        """What becomes readable when somebody asks."""

    def answer(self) -> None:
        """Answer."""


def supervise(
    path: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    capture: Capture,
    before: Callable[[], None] | None = None,
    server: Server | None = None,
) -> Attempt:
    """Run a program in our process group, its output captured, and wait for it through any signal.

    `before` is called in the new process before it becomes the program. `server` answers meanwhile.
    """
    child: list[int] = []
    received: list[int] = []
    watch = Watch(capture.descriptors)
    try:
        with signals_for(child, received):
            child.append(start([path, *argv], dict(env), capture.descriptors, before))
            for number in received:  # what arrived before there was a child
                if number in (signal.SIGTERM, signal.SIGHUP):
                    os.kill(child[0], number)
            if server is not None:
                _serve(child[0], server)
            _, status = os.waitpid(child[0], 0)
            child.clear()
    finally:
        watch.end()
    return Attempt(status, bool(received))


def _serve(child: int, server: Server) -> None:
    """Answer until a child has ended."""
    ended = os.pidfd_open(child)
    try:
        waiting = select.poll()
        waiting.register(ended, select.POLLIN)
        waiting.register(server.descriptor, select.POLLIN)
        while ended not in (ready := [descriptor for descriptor, _ in waiting.poll()]):
            if server.descriptor in ready:
                server.answer()
    finally:
        os.close(ended)


def start(
    argv: list[str],
    env: dict[str, str],
    descriptors: tuple[int, int],
    before: Callable[[], None] | None = None,
) -> int:
    """The process id of a new program that writes to `descriptors` and that signals end as is usual."""
    out, err = descriptors
    ending = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
    defaults = [*(number for number in ending if _acts(number)), *_PYTHON_IGNORES]
    if before is None:
        actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)]
        return os.posix_spawn(argv[0], argv, env, file_actions=actions, setsigdef=defaults)
    child = os.fork()
    if child == 0:
        try:
            os.dup2(out, 1)
            os.dup2(err, 2)
            for number in defaults:
                signal.signal(number, signal.SIG_DFL)
            before()
            os.execve(argv[0], argv, env)  # noqa: S606
        finally:
            os._exit(127)
    return child


def _acts(number: signal.Signals) -> bool:
    """Whether we do not ignore a signal: one that we were told to ignore (nohup), the child ignores too."""
    return signal.getsignal(number) is not signal.SIG_IGN
