"""`gpuopt bench`: the measurements behind benchmarks/RESULTS.md, which live in the repository, not in the package."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import gpuopt_driver
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import UsageError
from gpuopt_driver.report.columns import table
from gpuopt_driver.suggest import did_you_mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one; without: list them")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(nvcc_args=[])
    parser.usage = "%(prog)s [options] [NAME [-- arguments of the benchmark]]"


def run(arguments: argparse.Namespace) -> int:
    """List the benchmarks, or run one; its exit status is ours."""
    directory = _directory()
    found = benchmarks(directory)
    if not arguments.name:
        if arguments.json:
            show_json({"directory": str(directory), "benchmarks": found})
        else:
            show(table(("benchmark", "what it measures"), found.items()))
        return 0
    if arguments.name not in found:
        hint = did_you_mean(arguments.name, found) or "; `gpuopt bench` lists them"
        raise UsageError(f"no benchmark '{arguments.name}'{hint}")
    argv = [sys.executable, str(directory / f"{arguments.name}.py"), *arguments.nvcc_args]
    path = os.pathsep.join(filter(None, (str(directory), os.environ.get("PYTHONPATH", ""))))
    with subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": path}) as running:
        try:
            return running.wait()
        except KeyboardInterrupt:  # it gets Ctrl-C as we do, and removes what it has begun
            running.wait()
            raise


def _directory() -> Path:
    """The repository's benchmarks: of the checkout that gpuopt is installed from, or of the working directory."""
    places = (Path(gpuopt_driver.__file__).resolve().parents[1], Path.cwd())
    for place in places:
        if (place / "benchmarks/RESULTS.md").is_file():
            return place / "benchmarks"
    raise UsageError("the benchmarks are in gpuopt's repository, not in the installed package; run it in a checkout")


def benchmarks(directory: Path) -> Mapping[str, str]:
    """The scripts that can be run, with the first line of what they say of themselves."""
    found = {}
    for path in sorted(directory.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "__main__" in text:
            said = ast.get_docstring(ast.parse(text)) or ""
            found[path.stem] = said.splitlines()[0] if said else ""
    return found
