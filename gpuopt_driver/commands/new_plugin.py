"""`gpuopt new-plugin`: a distribution with a working plugin and its tests, to start from."""

from __future__ import annotations

import argparse
import shlex

from gpuopt_driver.commands.show import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", metavar="NAME", help="the plugin's name: a Python identifier, its table in the policy")
    parser.add_argument("directory", nargs="?", default=".", metavar="DIR", help="where to write it (default: here)")


def run(arguments: argparse.Namespace) -> int:
    """Write the distribution and say how to test it."""
    from gpuopt_driver.scaffold import create  # noqa: PLC0415 - a large template

    made = create(arguments.name, arguments.directory)
    place = shlex.quote(f"{made}[test]")  # brackets mean something to shells
    show([f"wrote {made}", f"try it: pip install -e {place} && pytest {shlex.quote(str(made))}"])
    return 0
