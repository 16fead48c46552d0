"""Calling foreign code with a time limit: whatever it does, the caller goes on."""

from __future__ import annotations

import ctypes
import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar, cast

from gpuopt_driver import traced
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.limits import counted, is_over

T = TypeVar("T")
_LOOK_SECONDS = 0.1


class _Stop(BaseException):
    """Raised inside a worker that ran out of time."""


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """What a call gave: a value, or the reason why there is none; `seconds` it took, `counted` of them for a limit."""

    value: T | None
    failure: str
    seconds: float
    error: BaseException | None = None
    counted: float = 0.0


class _Job:
    """A call that a worker makes; `done` can be acquired once it is made."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.box: list[object] = []
        self.errors: list[BaseException] = []
        self.began = float("inf")
        self.cpu = 0.0
        self.done = threading.Lock()
        self.done.acquire()

    def make(self) -> None:
        """In the worker."""
        self.began = time.thread_time()
        try:
            self.box.append(self.function())
        except BaseException as error:  # isolation is the purpose
            self.errors.append(error)
        self.cpu = time.thread_time() - self.began
        self.done.release()


class _Worker:
    """A thread that makes one call after the other, as long as each comes to an end: there are fifty for a kernel."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="gpuopt-plugin", daemon=True)
        self.thread.start()

    def ask(self, job: _Job) -> None:
        """Have a call made."""
        self._jobs.put(job)

    def _work(self) -> None:
        with suppress(_Stop):  # which may come when the call has just ended
            while True:
                self._jobs.get().make()


_free: list[_Worker] = []  # who waits for a call; another process has other threads


def call(function: Callable[[], T], seconds: float) -> Result[T]:
    """The result of `function()`, run in another thread and given up after `seconds` (of CPU time, or idle)."""
    worker = _free.pop() if _free else None
    if worker is None or worker.process != os.getpid():
        worker = _Worker()
    job = _Job(function)
    started = time.perf_counter()
    worker.ask(job)
    is_done = job.done.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))
    while not is_done and not is_over(seconds, time.perf_counter() - started, _cpu_seconds(worker.thread) - job.began):
        is_done = job.done.acquire(timeout=_LOOK_SECONDS)
    took = time.perf_counter() - started
    if not is_done or job.errors:
        traced.forbid("a plugin failed")  # perhaps for want of time or memory
    if not is_done:
        _stop(worker.thread)
        return Result(None, f"ran longer than {seconds:g} s", took)
    _free.append(worker)
    if job.errors:
        return Result(None, described(job.errors[0]), took, job.errors[0])
    return Result(cast("T", job.box[0]), "", took, counted=counted(took, job.cpu))


def _cpu_seconds(worker: threading.Thread) -> float:
    """The CPU time of a thread."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(worker.ident or 0))
    except OSError:  # it has just ended
        return 0.0


def _stop(worker: threading.Thread) -> None:
    """Ask a worker that runs Python code to end; one that hangs in C code is left behind as a daemon."""
    if worker.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(_Stop))


def described(error: BaseException) -> str:
    """What a call raised, and where, as the rest of a sentence."""
    text = " ".join(str(error).split())
    where = ""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None:
        code = trace.tb_frame.f_code
        where = f" ({code.co_filename}:{trace.tb_lineno})"
    return f"raised {type(error).__name__}: {text}{where}" if text else f"raised {type(error).__name__}{where}"
