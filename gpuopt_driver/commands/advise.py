"""`gpuopt advise`: what a kernel's author can do that no compiler may, with the numbers that say so."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuopt_driver.commands.explain import add_unit_arguments, why_no_file
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import GpuoptError, ToolchainError, UsageError

if TYPE_CHECKING:
    from gpuopt_driver.advice.instructions import Compiled
    from gpuopt_driver.report.model import UnitReport

VERSION = 1  # of the JSON document's form


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("target", metavar="FILE", help="a CUDA source file, or the report of a build (FILE.json)")
    parser.add_argument("--json", action="store_true", help="print the same as JSON")
    add_unit_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Advise on a source, or on all sources of a report; 1 where the file is not understood."""
    if not Path(arguments.target).is_file():
        raise GpuoptError(why_no_file(arguments.target))
    if arguments.target.endswith(".json"):
        return _on_report(arguments)
    from gpuopt_driver.commands.unit import examine_file  # noqa: PLC0415 - loads libclang and the plugins

    examined = examine_file(arguments)
    _show(arguments, [(examined.report, _made(arguments, examined.report))])
    return examined.status


def _on_report(arguments: argparse.Namespace) -> int:
    from gpuopt_driver.report.document import read_report  # noqa: PLC0415

    if arguments.nvcc_args or arguments.policy:
        raise UsageError(f"{arguments.target}: a report needs neither nvcc arguments nor a policy")
    _show(arguments, [(report, None) for report in read_report(arguments.target)])
    return 0


def _show(arguments: argparse.Namespace, units: list[tuple[UnitReport, Compiled | None]]) -> None:
    from gpuopt_driver.advice.unit import advice_lines, advice_object, advice_on  # noqa: PLC0415
    from gpuopt_driver.arch.load import load_arch  # noqa: PLC0415
    from gpuopt_driver.report.text import problem_line  # noqa: PLC0415

    made: list[dict[str, Any]] = []
    for report, compiled in units:
        if report.gpu == "none" and not arguments.gpu:
            raise UsageError(f"{report.source}: no GPU file stands for what it is compiled for; --gpu NAME names one")
        arch = load_arch(arguments.gpu or report.gpu)
        try:
            found = advice_on(report, arch, compiled)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if not arguments.target.endswith(".json"):
                raise
            raise GpuoptError(
                f"{arguments.target}: not a report: its kernels are not as builds write them: "
                f"{type(error).__name__} {error}"
            ) from error
        if arguments.json:
            made.append({"source": report.source, "gpu": arch.name, "advice": [advice_object(one) for one in found]})
        else:
            show(problem_line(problem, report.source) for problem in report.problems)
            show(advice_lines(report, arch.name, found))
    if arguments.json:
        show_json({"version": VERSION, "units": made})


def _made(arguments: argparse.Namespace, report: UnitReport) -> Compiled | None:
    """What nvcc makes of the source's kernels for the GPU of the report; None without an nvcc, or where it refuses."""
    from gpuopt_driver.advice.instructions import compiled  # noqa: PLC0415
    from gpuopt_driver.arch.load import load_arch  # noqa: PLC0415
    from gpuopt_driver.commands.show import warn  # noqa: PLC0415
    from gpuopt_driver.nvcc.command import parse_command  # noqa: PLC0415
    from gpuopt_driver.nvcc.find import find_nvcc  # noqa: PLC0415
    from gpuopt_driver.nvcc.resources import resources_and_ptx  # noqa: PLC0415
    from gpuopt_driver.policy.load import load_policy  # noqa: PLC0415
    from gpuopt_driver.progress import telling  # noqa: PLC0415

    if report.backend == "emulator" or report.gpu == "none" or not report.facts:
        return None
    named = load_policy([arguments.target], explicit=arguments.policy).driver.nvcc
    nvcc = find_nvcc(os.environ, named)
    if nvcc is None:
        return None
    command = parse_command([*arguments.nvcc_args, "-c", arguments.target], os.environ, str(Path.cwd()))
    major, minor = load_arch(report.gpu).compute_capability
    try:
        with telling(f"{arguments.target}: nvcc compiles it, for its instructions"):
            return compiled(*resources_and_ptx(command, arguments.target, nvcc, 10 * major + minor, os.environ))
    except ToolchainError as error:
        warn(f"{error}; advice without registers and instructions")
        return None
