"""`gpuopt report`: a report that a build or an emulated program wrote, in another form."""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import UsageError
from gpuopt_driver.report.document import read_report, report_document, schema_text
from gpuopt_driver.report.emulated import emulated_schema_text, is_emulated, load_json, read_emulated
from gpuopt_driver.store import write_atomic

FORMATS = ("text", "json", "sarif", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    said = (
        "written by gpuopt-nvcc --gpuopt-report=FILE.json, or by an emulated program with GPUOPT_EMU_REPORT=FILE.json"
    )
    parser.add_argument("file", nargs="?", metavar="FILE.json", help=said)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format=json")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of build reports instead")
    parser.add_argument(
        "--emulator-schema", action="store_true", help="print the JSON schema of the emulator's reports"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the report and write it in the format asked for; a file is written whole or not at all."""
    if not arguments.output:
        _show(arguments)
        return 0
    made = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(made, encoding="utf-8", errors="surrogateescape", write_through=True)):
        _show(arguments)
        data = made.getvalue()
    try:
        write_atomic(Path(arguments.output), data)
    except OSError as error:
        raise UsageError(f"{arguments.output}: cannot be written: {error.strerror}") from error
    return 0


def _show(arguments: argparse.Namespace) -> None:
    if arguments.schema or arguments.emulator_schema:
        show(schema_text() if arguments.schema else emulated_schema_text())
        return
    if not arguments.file:
        raise UsageError("which report? name the FILE.json, or ask for --schema")
    document = load_json(arguments.file)
    if is_emulated(document):
        _emulated(arguments.file, document, arguments.format)
    else:
        _of_build(arguments.file, arguments.format)


def _of_build(path: str, form: str) -> None:
    reports = read_report(path)
    if form == "json":
        show_json(report_document(reports))
    elif form == "sarif":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415 - loads the plugins
        from gpuopt_driver.report.sarif import sarif_document  # noqa: PLC0415

        show_json(sarif_document(reports, explanations()))
    elif form == "html":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415
        from gpuopt_driver.report.html import report_html  # noqa: PLC0415

        show(report_html(reports, explanations()))
    else:
        from gpuopt_driver.report.text import report_text  # noqa: PLC0415

        show(report_text(reports))


def _emulated(path: str, document: Any, form: str) -> None:
    report = read_emulated(path, document)  # also for JSON: what is passed on was checked
    if form == "json":
        show_json(document)
    elif form == "html":
        from gpuopt_driver.report.emulated_html import emulated_html  # noqa: PLC0415

        show(emulated_html(report))
    elif form == "text":
        from gpuopt_driver.report.emulated_text import emulated_text  # noqa: PLC0415

        show(emulated_text(report))
    else:
        raise UsageError(f"{path}: an emulator report has no findings to write as {form}; take text, json or html")
