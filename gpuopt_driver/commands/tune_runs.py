"""`gpuopt tune -- PROGRAM`: run a built program again and again until it is settled which versions its launches get."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from gpuopt_driver.commands.choices import place_of
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import GpuoptError, UsageError, one_line
from gpuopt_driver.learning.records import pooled
from gpuopt_driver.progress import is_terminal, telling
from gpuopt_driver.report.choices import document, list_lines
from gpuopt_driver.tuning.runs import Task
from gpuopt_driver.tuning.session import ProgramFailed, Session, learn
from gpuopt_driver.tuning.workers import passed_on, workers, working_directory

_MOST_RUNS = 200
_UNSETTLED = 3  # exit status
_SECONDS = 6.0  # between two lines where there is no terminal
# Options of a search, and those of runs, with their defaults: either means nothing to the other.
_OF_SEARCH: Mapping[str, Any] = {
    "on": "model",
    "gpu": "",
    "kernel": "*",
    "time": "",
    "runs": 5,
    "warps": None,
    "blocks": None,
    "set": None,
    "state": None,
    "fresh": False,
    "run_command": "{}",
    "file": None,
    "ignore": "",
}
_OF_RUNS: Mapping[str, Any] = {"most_runs": None, "workers": 0, "scheduler": "", "choices": ""}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for running a program that is built."""
    parser.add_argument("--most-runs", type=_positive, help="(program) run it so often at most; default: 200")
    said = "(program) how many run at once; default: one per GPU"
    parser.add_argument("--workers", metavar="N", type=_positive, default=0, help=said)
    said = "(program) run it at the workers of this Dask scheduler"
    parser.add_argument("--scheduler", metavar="ADDRESS", default="", help=said)
    said = "(program) where what it learns is kept; default: as of `gpuopt choices`"
    parser.add_argument("--choices", metavar="DIR_OR_FILE", default="", help=said)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


def is_meant(arguments: argparse.Namespace) -> bool:
    """Whether a program is to be run, rather than sources built; UsageError for options of the one with the other."""
    is_program = bool(arguments.nvcc_args) and not (arguments.sources or arguments.build)
    if is_program and arguments.nvcc_args[0].startswith("-"):
        raise UsageError(f"{arguments.nvcc_args[0]} is no program to run; name sources in front of -- to build them")
    for name, default in (_OF_SEARCH if is_program else _OF_RUNS).items():
        if getattr(arguments, name) != default:
            flag = f"--{name.removesuffix('_command').replace('_', '-')}"
            way_out = "name sources, or --build" if is_program else "write `gpuopt tune -- PROGRAM`"
            raise UsageError(f"{flag} is for {'building and searching' if is_program else 'running'}; {way_out}")
    return is_program


def run(arguments: argparse.Namespace) -> int:
    """Run, keep what is learned, and print it; 1 where the program fails, 3 where something is not settled."""
    where = place_of(arguments.choices, "")
    session = Session.at(where, os.environ)
    task = Task(tuple(arguments.nvcc_args), working_directory(), arguments.seconds, passed_on(os.environ))
    try:
        with ExitStack() as stack:
            with telling("tune: getting workers"):
                team = stack.enter_context(workers(arguments.workers, arguments.scheduler, os.environ))
            progress = stack.enter_context(_progress(team.what))
            learn(session, task, team, arguments.most_runs or _MOST_RUNS, progress.tell)
    except ProgramFailed as error:
        sys.stderr.write("".join(f"{line}\n" for line in error.output.splitlines()))
        raise GpuoptError(f"{error}{_kept(session)}") from error
    except KeyboardInterrupt:
        sys.stderr.write(f"gpuopt: tune: stopped{_kept(session)}\n")
        raise
    if not session.records:
        raise GpuoptError(
            f"{task.argv[0]}: learns nothing: no launch of a kernel with versions was measured; build it with "
            "gpuopt-nvcc (for the emulator, set GPUOPT_EMU_MODE=model)"
        )
    return _show(arguments, session)


def _kept(session: Session) -> str:
    if not session.runs:
        return ""
    return f"; what {_counted(session.runs, 'run')} learned is kept in {session.where.path}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 'es' if what.endswith('ch') else 's'}"


def _show(arguments: argparse.Namespace, session: Session) -> int:
    records = pooled(session.records.values())
    if arguments.json:
        show_json(document(str(session.where.path), records, 0))
    else:
        show(list_lines(records))
    runs = _counted(session.runs, "run")
    kept = f"after {runs}, kept in {session.where.path}"
    if session.is_confirmed:
        said = f"settled {kept}"
    else:
        is_cut = session.runs >= (arguments.most_runs or _MOST_RUNS)
        more = "more runs measure nothing new: GPUOPT_DISPATCH=trace shows what its launches get"
        open_ones = f"{session.unsettled or 'perhaps some'} of {_counted(len(records), 'launch')}"
        said = f"{open_ones} not settled {kept}; {'run it again to go on' if is_cut else more}"
    sys.stderr.write(f"gpuopt: tune: {one_line(said)}\n")
    return 0 if session.is_confirmed else _UNSETTLED


class _Progress(Protocol):
    """What shows how far a session is."""

    def tell(self, session: Session) -> None:
        """A run is done."""


class _Lines:
    """A line on standard error every six seconds."""

    def __init__(self, what: str) -> None:
        self._said = f"first run ({what})"
        self._ended = threading.Event()
        self._teller = threading.Thread(target=self._write, daemon=True)
        self._teller.start()

    def _write(self) -> None:
        while not self._ended.wait(_SECONDS):
            sys.stderr.write(f"gpuopt: tune: {self._said}\n")
            sys.stderr.flush()

    def tell(self, session: Session) -> None:
        self._said = _said(session)

    def end(self) -> None:
        """Say nothing more."""
        self._ended.set()
        self._teller.join()


def _said(session: Session) -> str:
    settled = len(session.records) - session.unsettled
    return f"{_counted(session.runs, 'run')}, {settled} of {_counted(len(session.records), 'launch')} settled"


@contextmanager
def _progress(what: str) -> Iterator[_Progress]:
    """A bar on a terminal, else lines."""
    if not is_terminal(os.environ):
        lines = _Lines(what)
        try:
            yield lines
        finally:
            lines.end()
        return
    from rich.console import Console  # noqa: PLC0415 - only for terminals
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"tune: first run ({what})", total=None)

        class Bar:
            def tell(self, session: Session) -> None:
                settled = len(session.records) - session.unsettled
                bar.update(
                    task, description=f"tune: {_said(session)}", total=len(session.records) or None, completed=settled
                )

        yield Bar()
