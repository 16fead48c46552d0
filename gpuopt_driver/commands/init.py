"""`gpuopt init`: the commented default policy as a file to edit."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gpuopt_driver.cache import write_atomic
from gpuopt_driver.commands.show import show
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.policy.load import FILE_NAME, default_text
from gpuopt_driver.stamps import touch_below


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("directory", nargs="?", default=".", metavar="DIR", help="where to write it (default: here)")
    parser.add_argument("--force", action="store_true", help=f"overwrite a {FILE_NAME} that is there")


def run(arguments: argparse.Namespace) -> int:
    """Write toolchain.toml, never over one that is there unless told to."""
    path = Path(arguments.directory) / FILE_NAME
    if not path.parent.is_dir():
        what = "is no directory" if path.parent.exists() else "no such directory"
        raise GpuoptError(f"{arguments.directory}: {what}")
    if path.exists() and not arguments.force:
        raise GpuoptError(f"{path}: is there already; --force overwrites it")
    try:
        write_atomic(path, default_text().encode())
    except OSError as error:
        raise GpuoptError(f"{path}: cannot be written: {error.strerror}") from error
    touch_below(str(path.parent.absolute()), os.environ)
    show([f"wrote {path}"])
    return 0
