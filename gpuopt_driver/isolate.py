"""Calling foreign code with a time limit: whatever it does, the caller goes on."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gpuopt_driver import traced
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


def call(function: Callable[[], T], seconds: float) -> Result[T]:
    """The result of `function()`, run in a thread of its own and given up after `seconds` (of CPU time, or idle)."""
    box: list[T] = []
    errors: list[BaseException] = []
    cpu: list[float] = []

    def work() -> None:
        try:
            box.append(function())
        except BaseException as error:  # isolation is the purpose
            errors.append(error)
        cpu.append(time.thread_time())

    started = time.perf_counter()
    worker = threading.Thread(target=work, name="gpuopt-plugin", daemon=True)
    worker.start()
    worker.join(seconds)
    while worker.is_alive() and not is_over(seconds, time.perf_counter() - started, _cpu_seconds(worker)):
        worker.join(_LOOK_SECONDS)
    took = time.perf_counter() - started
    if worker.is_alive() or errors:
        traced.forbid("a plugin failed")  # perhaps for want of time or memory
    if worker.is_alive():
        _stop(worker)
        return Result(None, f"ran longer than {seconds:g} s", took)
    if errors:
        return Result(None, described(errors[0]), took, errors[0])
    return Result(box[0], "", took, counted=counted(took, cpu[0]))


def _cpu_seconds(worker: threading.Thread) -> float:
    """The CPU time of a running thread."""
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
