"""`gpuopt numbers`: which numbers kernels were launched with, as lines of the policy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from gpuopt_driver import given
from gpuopt_driver.commands.show import show, show_json, warn
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.learning.numbers import Damaged, Numbers, document, joined, policy, record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    text = "written with GPUOPT_NUMBERS=FILE by programs that were built with [plugins.constants] watch = true"
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=text)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what all files hold, joined by kernel."""
    found = joined(one for path in arguments.files for one in _records(path))
    if arguments.json:
        show_json(document(found))
        return 0
    if not found:
        names = ", ".join(map(str, arguments.files))
        raise GpuoptError(f"{names}: no launches; was the program built with watch = true in [plugins.constants]?")
    show("\n".join("".join(f"{line}\n" for line in policy(one)) for one in found))
    return 0


def _records(path: Path) -> Iterator[Numbers]:
    """The records of a file; lines that are none are warned of."""
    try:
        text = given.read_text(path, given.RESULTS)
    except given.Unusable as error:
        raise GpuoptError(error.told(path, "numbers")) from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield record(line)
            except Damaged as error:
                warn(f"{path}:{number}: {error}; the line is left aside")
