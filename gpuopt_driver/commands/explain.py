"""`gpuopt explain`: what was found and decided for every kernel of a source file, or what a message code means."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from textwrap import wrap

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.given import is_there

_WIDTH = 120
_CODE = re.compile(r"[A-Za-z]\w*\d{3}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("target", metavar="FILE|CODE", help="a CUDA source file, or a message code such as CATT002")
    parser.add_argument("--json", action="store_true", help="print the report's JSON (see `gpuopt report --schema`)")
    parser.add_argument("--all", action="store_true", help="also why plugins do not apply to a kernel (JSON has it)")
    add_unit_arguments(parser)


def add_unit_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of every command that looks into one source file."""
    parser.add_argument("--gpu", metavar="NAME", type=name, help="decide for this GPU (see `gpuopt gpus`)")
    parser.add_argument("--policy", metavar="FILE", help="this toolchain.toml instead of the one that is found")
    parser.set_defaults(nvcc_args=[])
    parser.usage = (
        "%(prog)s [options] " + ("FILE|CODE" if "explain" in parser.prog else "FILE") + " [-- nvcc arguments]"
    )


def run(arguments: argparse.Namespace) -> int:
    """Explain a file if there is one of this name, else a message code; 1 where the file is not understood."""
    if not Path(arguments.target).is_file():
        if not _CODE.fullmatch(arguments.target):
            raise GpuoptError(f"{why_no_file(arguments.target)}, and no message code (these are like CATT002)")
        return _explain_code(arguments)
    from gpuopt_driver.commands.codes import figures  # noqa: PLC0415 - loads the plugins
    from gpuopt_driver.commands.unit import examine_file  # noqa: PLC0415 - loads libclang and the plugins
    from gpuopt_driver.report.document import report_document  # noqa: PLC0415
    from gpuopt_driver.report.kernels import unit_lines  # noqa: PLC0415

    examined = examine_file(arguments)
    report = examined.report
    if arguments.json:
        show_json(report_document([report]))
    else:
        show(
            unit_lines(report, every=arguments.all, basis=examined.basis, meanings=figures() if report.findings else {})
        )
    return examined.status


def name(text: str) -> str:
    """A name that an option is given; an empty one is what a script's variable held nothing for."""
    if not text:
        raise argparse.ArgumentTypeError("a name is missing")
    return text


def why_no_file(target: str) -> str:
    """What there is in the place of a source file."""
    path = Path(target)
    what = "a directory, no file" if path.is_dir() else "no file that can be read" if is_there(path) else "no such file"
    return f"{target}: {what}"


def _explain_code(arguments: argparse.Namespace) -> int:
    from gpuopt_driver.commands.codes import explanation  # noqa: PLC0415 - loads the plugins

    code, text = arguments.target.upper(), explanation(arguments.target)
    if arguments.json:
        show_json({"code": code, "explanation": text})
    else:
        show(part for line in f"{code}: {text}".splitlines() for part in wrap(line, _WIDTH) or [""])
    return 0
