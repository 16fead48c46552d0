"""`gpuopt report`: a report that a build wrote, in another form."""

from __future__ import annotations

import argparse

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import UsageError
from gpuopt_driver.report.document import read_report, report_document, schema_text

FORMATS = ("text", "json", "sarif", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("file", nargs="?", metavar="FILE.json", help="written by gpuopt-nvcc --gpuopt-report=FILE.json")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format=json")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of reports instead")


def run(arguments: argparse.Namespace) -> int:
    """Read the report and write it in the format asked for."""
    if arguments.schema:
        show(schema_text())
        return 0
    if not arguments.file:
        raise UsageError("which report? name the FILE.json, or ask for --schema")
    reports = read_report(arguments.file)
    if arguments.format == "json":
        show_json(report_document(reports))
    elif arguments.format == "sarif":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415 - loads the plugins
        from gpuopt_driver.report.sarif import sarif_document  # noqa: PLC0415

        show_json(sarif_document(reports, explanations()))
    elif arguments.format == "html":
        from gpuopt_driver.commands.codes import explanations  # noqa: PLC0415
        from gpuopt_driver.report.html import report_html  # noqa: PLC0415

        show(report_html(reports, explanations()))
    else:
        from gpuopt_driver.report.text import report_text  # noqa: PLC0415

        show(report_text(reports))
    return 0
