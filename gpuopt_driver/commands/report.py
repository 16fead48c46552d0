"""`gpuopt report`: a report that a build or an emulated program wrote, in another form."""

from __future__ import annotations

import argparse
from typing import Any

from gpuopt_driver.commands.show import json_text, show
from gpuopt_driver.errors import UsageError
from gpuopt_driver.progress import telling
from gpuopt_driver.report.document import read_report, report_document, schema_text
from gpuopt_driver.report.emulated import emulated_schema_text, is_emulated, load_json, read_emulated
from gpuopt_driver.store import write_named

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
    with telling("report: reading and formatting it"):
        text = _text(arguments)
    if not arguments.output:
        show(text)
        return 0
    try:
        write_named(arguments.output, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"{arguments.output}: cannot be written: {error.strerror}") from error
    return 0


def _text(arguments: argparse.Namespace) -> str:
    if arguments.schema or arguments.emulator_schema:
        return schema_text() if arguments.schema else emulated_schema_text()
    if not arguments.file:
        raise UsageError("which report? name the FILE.json, or ask for --schema")
    document = load_json(arguments.file)
    if is_emulated(document):
        return _emulated(arguments.file, document, arguments.format)
    return _of_build(arguments.file, arguments.format)


def _of_build(path: str, form: str) -> str:
    reports = read_report(path)
    if form == "json":
        return json_text(report_document(reports))
    if form == "sarif":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415 - loads the plugins
        from gpuopt_driver.report.sarif import sarif_document  # noqa: PLC0415

        return json_text(sarif_document(reports, explanations()))
    if form == "html":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415
        from gpuopt_driver.report.html import report_html  # noqa: PLC0415

        return report_html(reports, explanations())
    from gpuopt_driver.report.text import report_text  # noqa: PLC0415

    return report_text(reports)


def _emulated(path: str, document: Any, form: str) -> str:
    report = read_emulated(path, document)  # also for JSON: what is passed on was checked
    if form == "json":
        return json_text(document)
    if form == "html":
        from gpuopt_driver.report.emulated_html import emulated_html  # noqa: PLC0415

        return emulated_html(report)
    if form == "text":
        from gpuopt_driver.report.emulated_text import emulated_text  # noqa: PLC0415

        return emulated_text(report)
    raise UsageError(f"{path}: an emulator report has no findings to write as {form}; take text, json or html")
