"""`gpuopt diff`: what would be compiled instead, as a unified diff; nothing when the source stays as it is.

Versions are shown as what differs from their kernels. `--full` is the patch itself: they stand beside their kernels in
it, with all that chooses among them at launches.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpuopt_driver.commands.explain import add_unit_arguments, why_no_file
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import GpuoptError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("target", metavar="FILE", help="a CUDA source file")
    parser.add_argument("--json", action="store_true", help="print JSON: the diff of each file")
    parser.add_argument(
        "--full", action="store_true", help="the patch itself, with whole versions, guards, launches and the runtime"
    )
    add_unit_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the diff of every file that is changed, headers included; 1 where the file is not understood."""
    if not Path(arguments.target).is_file():
        raise GpuoptError(why_no_file(arguments.target))
    from gpuopt_driver.commands.unit import examine_file  # noqa: PLC0415 - loads libclang and the plugins
    from gpuopt_driver.report.text import problem_line, shown  # noqa: PLC0415
    from gpuopt_driver.source.diff import unified_diff  # noqa: PLC0415
    from gpuopt_driver.variants.changes import changes  # noqa: PLC0415

    examined = examine_file(arguments)
    whole = arguments.full or arguments.json
    diffs = {
        file: (unified_diff if whole else changes)(shown(file), examined.original[file], patched)
        for file, patched in sorted(examined.patched.items())
    }
    if arguments.json:
        problems = [problem_line(problem, examined.report.source) for problem in examined.report.problems]
        show_json({"source": examined.report.source, "diffs": diffs, "problems": problems})
    else:
        for problem in examined.misread:
            sys.stderr.write(f"{problem_line(problem, examined.report.source)}\n")
        sys.stderr.flush()
        show("".join(diffs.values()))
    return examined.status
