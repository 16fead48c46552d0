"""One run of a program that is to learn: with choices of its own, which begin with what is known already.

A task and a run are plain values: a run may happen in another process, on another host.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError, UsageError
from gpuopt_driver.learning.files import Place, append, records_at
from gpuopt_driver.learning.records import Record, lines_of

_NO_LIMIT = "1000"  # of GPUOPT_LEARN_BUDGET: a thousand times the time that kernels take may be lost by trying
_SHOWN_LINES, _SHOWN_BYTES = 10, 4000  # of the output of a program that fails
_LOOK_SECONDS = 0.02
_PDEATHSIG = 1  # of prctl(2)
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)


@dataclass(frozen=True, slots=True)
class Task:
    """A program with its arguments, where it runs and for how long at most, and what is known.

    `settings`: variables that it gets beside those of the process that starts it.
    """

    argv: tuple[str, ...]
    cwd: str
    seconds: float
    settings: Mapping[str, str]
    known: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """What a run has measured; where it failed, `problem` says how and `output` ends as the program's did."""

    records: tuple[Record, ...] = ()
    problem: str = ""
    output: str = ""


def run_once(task: Task) -> Run:
    """Run the program once. UsageError where it cannot be started."""
    with _ctrl_c_held() as received, tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        choices = Place(Path(scratch) / "choices", "")
        choices.path.mkdir(mode=0o700)
        append(choices, task.known, os.environ)
        learning = {"GPUOPT_LEARN": "on", "GPUOPT_LEARN_BUDGET": _NO_LIMIT, "GPUOPT_CHOICES": str(choices.path)}
        with (Path(scratch) / "output").open("w+b") as output:
            problem = _run(task, {**os.environ, **task.settings, **learning}, output.fileno(), received)
            if problem:
                output.seek(max(0, os.fstat(output.fileno()).st_size - _SHOWN_BYTES))
                lines = output.read().decode("utf-8", "replace").splitlines()
                return Run(problem=problem, output="\n".join(lines[-_SHOWN_LINES:]))
        found = records_at(choices, os.environ)
        if found.refused:
            raise GpuoptError(found.refused[0])
    known = [line for record in task.known for line in lines_of(record)]
    new: list[Record] = []
    for record in found.records:
        line = next(lines_of(record))
        if line in known:
            known.remove(line)
        else:
            new.append(record)
    return Run(tuple(new))


def _run(task: Task, environment: Mapping[str, str], output: int, received: Sequence[int]) -> str:
    """How the program failed, "" if it did not."""
    running = _begin(task, environment, output)
    ends = time.monotonic() + task.seconds
    while (status := running.poll()) is None:
        is_late = time.monotonic() >= ends
        if is_late or received:
            _end(running)
            running.wait()
            return f"does not end within {task.seconds:g} s; --seconds allows more" if is_late else "is ended"
        time.sleep(_LOOK_SECONDS)
    if status < 0:
        return f"is ended by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    return f"ends with status {status}" if status else ""


@contextmanager
def _ctrl_c_held() -> Iterator[Sequence[int]]:
    """While the block runs, Ctrl-C is noted in the list yielded; KeyboardInterrupt is raised at the block's end.

    Raised in between, it may leave a child or a folder that nobody has a name for yet, or a Popen with a lock that
    nobody gives back.
    """
    received: list[int] = []
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield received  # nobody raises it here
        return
    signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if received:
            raise KeyboardInterrupt


def _begin(task: Task, environment: Mapping[str, str], output: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            task.argv,
            cwd=task.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_end_with_us,  # noqa: PLW1509 - it makes two system calls
        )
    except (OSError, ValueError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        where = f" in {task.cwd}" if not Path(task.cwd).is_dir() else ""
        raise UsageError(f"{task.argv[0]}: cannot be run{where}: {why}") from error


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a program with all that it has begun."""
    with suppress(OSError):
        os.killpg(running.pid, signal.SIGKILL)


def _end_with_us() -> None:
    """In the child: be killed when the thread that has started it is gone, and heed Ctrl-C, which workers do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _PRCTL is not None:
        _PRCTL(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
