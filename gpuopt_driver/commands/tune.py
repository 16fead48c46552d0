"""`gpuopt tune`: the best versions by running a program; fixed (warps, blocks) or options of plugins by search."""

from __future__ import annotations

import argparse
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from gpuopt_driver import __version__
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.cache import Cache
from gpuopt_driver.commands import tune_runs
from gpuopt_driver.commands.machine import has_gpu
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import GpuoptError, UsageError
from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.progress import is_terminal, telling
from gpuopt_driver.report.columns import table
from gpuopt_driver.report.text import shown
from gpuopt_driver.tuning.candidates import CATT, PLAIN, Candidate, check_settings, fixed_tlps, option_sets
from gpuopt_driver.tuning.programs import Program
from gpuopt_driver.tuning.search import Measure, Result, Search, State, state_key


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("sources", nargs="*", metavar="FILE.cu", help="what to build (or --build)")
    add_program_arguments(parser)
    parser.add_argument("--on", choices=("model", "gpu"), default="model", help="modelled cycles, or time on this GPU")
    parser.add_argument(
        "--gpu", metavar="NAME", default="", help="the GPU to decide for, and to play (see `gpuopt gpus`)"
    )
    parser.add_argument("--kernel", metavar="GLOB", default="*", help="whose modelled cycles count; default: all")
    parser.add_argument(
        "--time", metavar="REGEX", type=_regex, default="", help="(gpu) times in the output; default: wall time"
    )
    parser.add_argument(
        "--runs", type=_positive, default=5, help="(gpu) how many runs to take the median of; default: 5"
    )
    parser.add_argument("--warps", type=_positive, help="warps of a block; default: what the modelled run has")
    parser.add_argument("--blocks", type=_positive, help="blocks that an SM can hold; default likewise")
    parser.add_argument(
        "--set",
        action="append",
        metavar="PLUGIN.OPTION=VALUE",
        help="try options instead of fixed TLPs: every combination of those given, values of one option in turn",
    )
    parser.add_argument("--state", metavar="FILE", type=Path, help="where results are kept; default: in gpuopt's cache")
    parser.add_argument("--fresh", action="store_true", help="measure again what is known already")
    parser.add_argument("--json", action="store_true", help="print JSON")
    tune_runs.add_arguments(parser)
    parser.usage = (
        "%(prog)s [options] FILE.cu ... [-- nvcc arguments]\n       %(prog)s [options] --build COMMAND --run COMMAND\n"
        "       %(prog)s [options] -- PROGRAM ARGUMENTS"
    )


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """What says how a program is built and run."""
    parser.add_argument("--build", metavar="COMMAND", default="", help="shell command that builds it with gpuopt-nvcc")
    said = "shell command to run; {}: the program"
    parser.add_argument("--run", dest="run_command", metavar="COMMAND", default="{}", help=said)
    parser.add_argument("--file", action="append", metavar="FILE", help="what the program writes and must be the same")
    parser.add_argument(
        "--ignore", metavar="REGEX", type=_regex, default="", help="lines of the output that may differ (times may)"
    )
    parser.add_argument("--seconds", type=_seconds, default=600.0, help="a run may take so long; default: 600")
    parser.set_defaults(nvcc_args=[])
    parser.usage = "%(prog)s [options] [FILE.cu ...] [-- nvcc arguments]"


def program_of(arguments: argparse.Namespace) -> Program:
    """The program that the arguments describe."""
    if bool(arguments.sources) == bool(arguments.build):
        raise UsageError("name either the sources to build, or --build COMMAND")
    if arguments.build and arguments.run_command == "{}":
        raise UsageError("--build needs --run COMMAND: how is the program run that it builds?")
    if arguments.sources and "{}" not in arguments.run_command:
        raise UsageError("--run has no {}, which stands for the program that is built; --build COMMAND builds your own")
    missing = next((name for name in arguments.sources if not Path(name).is_file()), "")
    if missing:
        raise UsageError(f"{missing}: {'no file' if Path(missing).exists() else 'no such file'}")
    return Program(
        sources=tuple(arguments.sources),
        nvcc_args=tuple(arguments.nvcc_args),
        build=arguments.build,
        run=arguments.run_command,
        files=tuple(arguments.file or ()),
        ignore=arguments.ignore,
        seconds=arguments.seconds,
    )


def run(arguments: argparse.Namespace) -> int:
    """Search and print; the exit status is 1 where a candidate changed the output."""
    if tune_runs.is_meant(arguments):
        return tune_runs.run(arguments)
    if not (arguments.sources or arguments.build):
        raise UsageError("name either the sources to build, or --build COMMAND, or behind -- a program to run")
    program = program_of(arguments)
    on_model = arguments.on == "model"
    if arguments.gpu:
        load_arch(arguments.gpu)  # the error names the option's value, not a build
    if on_model and arguments.time:
        raise UsageError("--time is for --on gpu: modelled cycles are no part of the output")
    if not (on_model or arguments.build or has_gpu(os.environ)):
        raise GpuoptError(
            "no GPU answers here, so that there are no times to measure; --on model takes modelled cycles"
        )
    measure = Measure(on_model, arguments.gpu, arguments.kernel, arguments.time, 1 if on_model else arguments.runs)
    installed = {plugin.name: plugin.info for plugin in load_plugins().loaded}
    plugins, settings = tuple(installed), arguments.set or ()
    check_settings(settings, installed)
    options = tuple(option_sets(settings, plugins)) if settings else ()
    if not settings and not on_model and not (arguments.warps and arguments.blocks):
        raise UsageError("on a GPU, say what is resident: --warps of a block, and --blocks of an SM")
    if not settings and CATT not in plugins:
        raise UsageError("fixed TLPs are made by the plugin catt, which is not installed; --set tries others")
    search = Search(program, measure, _state(arguments, program, measure))
    with _progress() as progress:
        results = _results(arguments, search, plugins, options, progress)
    if arguments.json:
        show_json(_document(measure, results))
    else:
        show(_lines(measure, results))
    return 1 if any(result.differs for result in results) else 0


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text}: a run takes more than 0 seconds, and ends")
    return seconds


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text}: no regular expression: {error}") from error
    return text


def _state(arguments: argparse.Namespace, program: Program, measure: Measure) -> State:
    """What is known of this program already; nothing with --fresh."""
    key = state_key(program, measure, __version__)
    path: Path | None = arguments.state
    if path is None:
        cache = Cache.find(os.environ)
        path = cache.root / "tune" / f"{key}.json" if cache else None
    if arguments.fresh and path is not None:
        path.unlink(missing_ok=True)
    return State(path, key)


class _Progress(Protocol):
    """What shows how far the search is."""

    def total(self, count: int) -> None:
        """So many candidates there are."""

    def begin(self, name: str) -> None:
        """This candidate is built and run now."""

    def end(self, result: Result, /) -> None:
        """It is done."""


def _results(
    arguments: argparse.Namespace,
    search: Search,
    plugins: Sequence[str],
    options: Sequence[Candidate],
    progress: _Progress,
) -> list[Result]:
    candidates = list(options)
    progress.begin(PLAIN)
    plain = search.result(Candidate(PLAIN, None))
    progress.end(plain)
    results = [plain]
    if not candidates:
        warps, blocks = arguments.warps, arguments.blocks
        candidates = list(fixed_tlps(warps or plain.resident[0], blocks or plain.resident[1], plugins))
    progress.total(len(candidates))
    for candidate in candidates[1:]:  # the first is the program as it is
        progress.begin(candidate.name)
        results.append(search.result(candidate))
        progress.end(results[-1])
    return results


class _Lines:
    """A line per candidate."""

    def __init__(self) -> None:
        self._done, self._count = 0, ""

    def total(self, count: int) -> None:
        self._count = f" of {count}"

    def begin(self, name: str) -> None:
        """Nothing: a line tells of what is done."""

    def end(self, result: Result) -> None:
        self._done += 1
        said = result.problem or f"{result.value:g}"
        sys.stderr.write(f"gpuopt: tune: {self._done}{self._count}: {result.name}: {said}\n")
        sys.stderr.flush()


@contextmanager
def _progress() -> Iterator[_Progress]:
    """On standard error, a bar where that is a terminal, else lines."""
    if not is_terminal(os.environ):
        with telling("tune: building and running"):
            yield _Lines()
        return
    from rich.console import Console  # noqa: PLC0415 - only for terminals
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("tune", total=None)

        class Bar:
            def total(self, count: int) -> None:
                bar.update(task, total=count)

            def begin(self, name: str) -> None:
                bar.update(task, description=f"tune: {name}")

            def end(self, _result: Result) -> None:
                bar.update(task, advance=1)

        yield Bar()


def _best(results: Sequence[Result], *, fixed: bool) -> Result | None:
    """The fastest one that does what the program does; of fixed TLPs alone, or of all but the plain program."""
    measured = [
        result
        for result in results
        if result.value is not None and result.name != PLAIN and (not fixed or result.name.startswith("("))
    ]
    return min(measured, key=lambda result: result.value or 0.0, default=None)


def _best_of_warps(results: Sequence[Result]) -> Result | None:
    """The fastest fixed TLP with as many blocks as there can be: what limits warps alone (Best-SWL) would find."""
    blocks = {result.name: int(result.name.strip("()").split(",")[1]) for result in results if result.name[0] == "("}
    most = max(blocks.values(), default=0)
    return _best([result for result in results if blocks.get(result.name) == most], fixed=True)


def _document(measure: Measure, results: Sequence[Result]) -> dict[str, Any]:
    best, fixed, warps = _best(results, fixed=False), _best(results, fixed=True), _best_of_warps(results)
    return {
        "on": "model" if measure.on_model else "gpu",
        "gpu": measure.gpu or None,
        "unit": measure.unit,
        "best": best.name if best else None,
        "best_fixed_tlp": fixed.name if fixed else None,
        "best_fixed_warps": warps.name if warps else None,
        "candidates": [asdict(result) for result in results],
    }


def _lines(measure: Measure, results: Sequence[Result]) -> Iterator[str]:
    plain = results[0].value or 0.0
    ranked = sorted(results, key=lambda result: (result.value is None, result.value))
    rows = [(result.name, _value(result), _factor(plain, result), result.problem or "same output") for result in ranked]
    yield from table(("candidate", measure.unit, "plain / it", "result"), rows)
    by_name = {result.name: result for result in results}
    best = _best(results, fixed=CATT in by_name)
    if best is not None:
        kind = "best fixed TLP (warps per block, blocks)" if best.name.startswith("(") else "best"
        yield f"{kind}: {best.name}, {_factor(plain, best)} times as fast as the program as it is"
    warps = _best_of_warps(results)
    if warps is not None:
        yield f"best with all blocks (Best-SWL): {warps.name}, {_factor(plain, warps)} times as fast"
    catt = by_name.get(CATT)
    if catt is not None:
        said = f"{_factor(plain, catt)} times as fast" if catt.value is not None else catt.problem
        yield f"CATT's own choice, by its model alone: {said}"
        for loop in catt.loops:
            tlp = f", TLP ({', '.join(map(str, loop['tlp']))})" if loop["tlp"] else ""
            yield f"  {shown(loop['file'])}:{loop['line']}: {loop['decision']}: {loop['message']}{tlp} [{loop['code']}]"
        yield from (f"  at launch: {version}" for version in catt.versions)


def _value(result: Result) -> str:
    return "" if result.value is None else f"{result.value:.0f}" if result.value >= 10000 else f"{result.value:.4g}"


def _factor(plain: float, result: Result) -> str:
    return f"{plain / result.value:.3f}" if result.value else ""
