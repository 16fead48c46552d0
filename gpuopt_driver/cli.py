"""`gpuopt`: arguments to a subcommand. A command's module is imported only when it is the one that runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from gpuopt_driver import __version__, variables
from gpuopt_driver.errors import GpuoptError, UsageError, one_line
from gpuopt_driver.paths import leave_out_relative_parts
from gpuopt_driver.progress import heard
from gpuopt_driver.suggest import did_you_mean

# Subcommand -> what `gpuopt --help` says of it. The module of the same name in gpuopt_driver.commands does the rest.
COMMANDS = {
    "explain": "say what was found and decided for every kernel of a source file, or what a message code means",
    "advise": "say what a kernel's author can do that no compiler may: for a source file, or a build's report",
    "diff": "show what would be compiled instead of a source file, as a unified diff",
    "report": "show a report that a build or an emulated program wrote, as text, JSON, SARIF or HTML",
    "compare": "compare two reports of the emulator, launch by launch and line by line",
    "trace": "count what traces of the emulator hold, by launch and source line",
    "verify": "build a program with and without patches, run both, and compare what they compute, bit for bit",
    "choices": "show, export, merge or forget what built programs have learned of versions of kernels",
    "numbers": "show which numbers kernels were launched with, as lines of the policy that have them compiled in",
    "tune": "run a program until its best versions are known, or search for the best options by building it anew",
    "bench": "run one of the measurements of gpuopt's repository",
    "doctor": "say what was found on this machine and what is missing for what",
    "plugins": "list the plugins with their options",
    "gpus": "list the GPUs that decisions can be made for, or compare some of them with the origin of each figure",
    "calibrate": "measure the GPU of this machine with small programs, and write its file",
    "profile": "run a program, emulated or under ncu, and keep what its loads did, for cache_bypass; or fit equation 1",
    "init": "write a commented toolchain.toml",
    "toolkit": "make a toolkit-shaped directory whose nvcc is gpuopt-nvcc, for tools that look for a toolkit's root",
    "cache": "show or clear what is kept between compilations",
    "new-plugin": "write a working plugin to start from",
}
_INTERNAL_STATUS = 70  # EX_SOFTWARE


class _Parser(argparse.ArgumentParser):
    """argparse that reports a wrong command line as every other error is reported."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


def _parser(chosen: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gpuopt",
        description="Look into what gpuopt-nvcc does, and set it up. Building is gpuopt-nvcc's work: NVCC=gpuopt-nvcc.",
        epilog="Every command has its own --help.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"gpuopt {__version__}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks (also GPUOPT_DEBUG=1)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        if name == chosen:
            module = import_module(f"gpuopt_driver.commands.{name.replace('-', '_')}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def _split(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Our arguments, and those for nvcc behind `--` (None without one)."""
    if "--" not in argv:
        return list(argv), None
    at = list(argv).index("--")
    return list(argv[:at]), list(argv[at + 1 :])


def _run(ours: list[str], nvcc_args: list[str] | None) -> int:
    chosen = next((argument for argument in ours if not argument.startswith("-")), "")
    if chosen and chosen not in COMMANDS:
        raise UsageError(f"unknown command '{chosen}'{did_you_mean(chosen, COMMANDS) or '; see `gpuopt --help`'}")
    parser = _parser(chosen)
    arguments, unknown = parser.parse_known_args(ours)
    if unknown:
        way = " (nvcc's own stand behind --)" if all(one[:1] == "-" != one[1:2] for one in unknown) else ""
        where = " ".join(filter(None, ("gpuopt", chosen)))
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}{way}; see `{where} --help`")
    if not chosen:
        parser.print_help()
        return 0
    if nvcc_args is not None:
        if "nvcc_args" not in arguments:
            raise UsageError(f"`gpuopt {chosen}` takes no nvcc arguments behind --")
        arguments.nvcc_args = nvcc_args
    for line in variables.faults(os.environ):
        sys.stderr.write(f"gpuopt: warning: {one_line(line)}\n")
    status: int = arguments.run(arguments)
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run `gpuopt` and return its exit status; every error is one line on stderr."""
    leave_out_relative_parts()
    heard()
    ours, nvcc_args = _split(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in ours or variables.is_on(os.environ, "GPUOPT_DEBUG")
    try:
        return _run(ours, nvcc_args)
    except BrokenPipeError:
        # The reader (`| head`) is gone: end as if the pipe's signal had ended us, without a second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except GpuoptError as error:
        if debug:
            raise
        sys.stderr.write(f"gpuopt: error: {one_line(str(error))}\n")
        return error.status
    except OSError as error:
        if debug:
            raise
        what = one_line(f"{error.filename}: {error.strerror}" if error.filename else f"{error}")
        sys.stderr.write(f"gpuopt: error: {what}\n")
        return GpuoptError.status
    except Exception as error:
        if debug:
            raise
        what = one_line(f"{type(error).__name__}: {error}")
        sys.stderr.write(f"gpuopt: error: internal error, please report it: {what}; GPUOPT_DEBUG=1 shows where\n")
        return _INTERNAL_STATUS
