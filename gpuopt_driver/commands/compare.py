"""`gpuopt compare`: two reports of the emulator, launch by launch and line by line."""

from __future__ import annotations

import argparse

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.progress import telling
from gpuopt_driver.report.comparison import compare, comparison_document, comparison_text
from gpuopt_driver.report.emulated import read_emulated


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    text = "written by an emulated program with GPUOPT_EMU_MODE=model and GPUOPT_EMU_REPORT=FILE.json"
    parser.add_argument("before", metavar="A.json", help=text)
    parser.add_argument("after", metavar="B.json", help="the same program, otherwise built or on another GPU")
    parser.add_argument("--any-gpu", action="store_true", help="compare reports for different GPUs, too")
    parser.add_argument("--any-arguments", action="store_true", help="compare runs with different arguments, too")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what changed."""
    with telling("compare: reading both reports"):
        before, after = read_emulated(arguments.before), read_emulated(arguments.after)
        pairs = compare(before, after, any_gpu=arguments.any_gpu, any_arguments=arguments.any_arguments)
    if arguments.json:
        show_json(comparison_document(before, after, pairs))
    else:
        show(comparison_text(before, after, pairs))
    return 0
