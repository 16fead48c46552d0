"""Who runs programs that are to learn: this process, processes of this machine with a GPU each, or a Dask cluster."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Protocol

from gpuopt_driver.errors import GpuoptError, UsageError
from gpuopt_driver.tuning.runs import Run, Task, run_once

VISIBLE = "CUDA_VISIBLE_DEVICES"
INSTALL = "pip install 'gpuopt-driver[tune]'"
_SECONDS = 20  # for a scheduler to answer


class Workers(Protocol):
    """Runs tasks, several at a time."""

    count: int  # tasks that can run at once
    what: str  # who works, for people

    def submit(self, task: Task, slot: int) -> None:
        """Begin a task in a slot (0 to count - 1) that is free."""

    def next(self) -> tuple[int, Run]:
        """A task that is done: its slot and what came of it. GpuoptError where it could not be run."""


class Alone:
    """Runs one task at a time, in a child of this process."""

    def __init__(self) -> None:
        self.count, self.what = 1, "one worker"
        self._task: Task | None = None

    def submit(self, task: Task, slot: int) -> None:  # noqa: ARG002 - there is one
        """Note the task: it runs when its result is asked for."""
        self._task = task

    def next(self) -> tuple[int, Run]:
        """Run it."""
        assert self._task is not None
        return 0, run_once(self._task)


class Spread:
    """Gives each worker of a Dask cluster one task at a time; `devices`: the GPUs of workers that are ours."""

    def __init__(self, client: Any, addresses: Sequence[str], devices: Sequence[str], what: str) -> None:
        import distributed  # noqa: PLC0415 - an extra

        self._client, self._addresses, self._devices = client, addresses, devices
        self._done: Any = distributed.as_completed(raise_errors=False)
        self._slots: dict[str, int] = {}
        self.count, self.what = len(addresses), what

    def submit(self, task: Task, slot: int) -> None:
        """Begin a task at the worker of a slot."""
        if self._devices:
            task = replace(task, settings={**task.settings, VISIBLE: self._devices[slot]})
        future = self._client.submit(run_once, task, workers=[self._addresses[slot]], pure=False, retries=0)
        self._slots[future.key] = slot
        self._done.add(future)

    def next(self) -> tuple[int, Run]:
        """Wait for a task."""
        future = next(self._done)
        slot = self._slots.pop(future.key)
        error = future.exception() if future.status != "finished" else None
        if isinstance(error, GpuoptError):
            raise error
        if error is not None or future.status != "finished":
            said = " ".join(f"{type(error).__name__}: {error}".split()) if error else future.status
            way_out = "gpuopt must be installed there, and the worker stay up"
            raise GpuoptError(f"worker {self._addresses[slot]}: cannot run the program: {said}; {way_out}")
        result: Run = future.result()
        return slot, result


def gpus(env: Mapping[str, str]) -> list[str]:
    """The GPUs that programs see, as CUDA_VISIBLE_DEVICES names them; empty where there is none but an emulated one."""
    if VISIBLE in env:
        return [name for name in (part.strip() for part in env[VISIBLE].split(",")) if name]
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=30, check=False)  # noqa: S607
    except (OSError, subprocess.TimeoutExpired):
        return []
    return (
        re.findall(r"^GPU (\d+):", done.stdout.decode("utf-8", "replace"), re.MULTILINE) if not done.returncode else []
    )


@contextmanager
def workers(count: int, scheduler: str, env: Mapping[str, str]) -> Iterator[Workers]:
    """Workers for as long as the block runs; `count` 0: as many as there are GPUs, or workers of the scheduler."""
    devices = [] if scheduler else gpus(env)
    if not scheduler and count > len(devices) > 0:
        raise UsageError(
            f"--workers {count}: programs see {len(devices)} GPUs, and two on one would disturb each other"
        )
    is_needed = scheduler or count > 1
    missing = [name for name in ("distributed", "cryptography") if find_spec(name) is None]
    if is_needed and missing:
        asked = "--scheduler" if scheduler else f"--workers {count}"
        raise UsageError(f"{asked} needs the package {missing[0]}: {INSTALL}")
    if not is_needed and (count == 1 or len(devices) < 2 or missing):
        alone = Alone()
        if not count and len(devices) > 1:
            alone.what += f" for {len(devices)} GPUs ({INSTALL} brings one for each)"
        yield alone
        return
    with ExitStack() as stack:
        yield _cluster(stack, count or len(devices), devices) if not scheduler else _joined(stack, count, scheduler)


def _cluster(stack: ExitStack, count: int, devices: Sequence[str]) -> Spread:
    """Processes of this machine. They obey who has a certificate that lives as long as they do, no other user."""
    import dask  # noqa: PLC0415 - an extra

    stack.enter_context(dask.config.set({f"distributed.{who}.http.routes": [] for who in ("scheduler", "worker")}))
    # Ctrl-C is ours to heed: workers would answer with tracebacks. What is ignored now, they ignore for good.
    heed = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return _begun(stack, count, devices)
    finally:
        signal.signal(signal.SIGINT, heed)


def _begun(stack: ExitStack, count: int, devices: Sequence[str]) -> Spread:
    import distributed  # noqa: PLC0415 - an extra

    scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="gpuopt-"))
    cluster = distributed.LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        processes=True,
        security=True,
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address=None,
        scheduler_kwargs={"dashboard": False},
        local_directory=scratch,
        silence_logs=logging.CRITICAL,
    )
    client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    client.wait_for_workers(count, timeout=10 * _SECONDS)
    what = f"{count} workers{' with a GPU each' if devices else ''}"
    return Spread(client, sorted(client.ncores())[:count], devices[:count], what)


def _joined(stack: ExitStack, count: int, scheduler: str) -> Spread:
    """Workers of a cluster that is there."""
    import distributed  # noqa: PLC0415 - an extra

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = stack.enter_context(distributed.Client(scheduler, timeout=_SECONDS))
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())
        raise GpuoptError(f"--scheduler {scheduler}: does not answer: {why}") from error
    addresses = sorted(client.ncores())
    if len(addresses) < max(count, 1):
        raise GpuoptError(
            f"--scheduler {scheduler}: has {len(addresses)} workers; start some with `dask worker {scheduler}`"
        )
    return Spread(client, addresses[: count or None], (), f"{count or len(addresses)} workers of {scheduler}")


def passed_on(env: Mapping[str, str]) -> dict[str, str]:
    """The settings that a program gets wherever it runs: ours, as GPUOPT_EMU_MODE."""
    return {name: value for name, value in env.items() if name.startswith("GPUOPT_")}


def working_directory() -> str:
    """Where programs run."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError as error:
        raise GpuoptError("the working directory is gone; change into another") from error
