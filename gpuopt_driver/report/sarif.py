"""The report as SARIF 2.1.0, for code-scanning pages and editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gpuopt_driver import __version__
from gpuopt_driver.report.document import plain
from gpuopt_driver.report.model import Decision, Finding, Problem, UnitReport
from gpuopt_driver.report.text import shown

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_document(
    reports: Sequence[UnitReport], codes: Mapping[str, str] | None = None, cwd: str | None = None
) -> dict[str, Any]:
    """One SARIF run with all units; `codes` are the explanations of message codes, for the rules."""
    findings = [finding for report in reports for finding in report.findings]
    rules = sorted({finding.code for finding in findings})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gpuopt",
                        "version": __version__,
                        "rules": [_rule(code, codes or {}) for code in rules],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            _notification(problem, report.source, cwd)
                            for report in reports
                            for problem in report.problems
                        ],
                    }
                ],
                "results": [_result(finding, rules.index(finding.code), cwd) for finding in findings],
            }
        ],
    }


def _rule(code: str, codes: Mapping[str, str]) -> dict[str, Any]:
    text = codes.get(code)
    return {"id": code, **({"fullDescription": {"text": text}} if text else {})}


def _result(finding: Finding, rule: int, cwd: str | None) -> dict[str, Any]:
    # SARIF allows a level other than "none" only for results of kind "fail", which is what viewers show.
    applicable = finding.decision is not Decision.NOT_APPLICABLE
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        **({"level": "note"} if applicable else {"kind": "notApplicable", "level": "none"}),
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": _place(finding.file, finding.line, cwd, finding.column),
                "logicalLocations": [{"fullyQualifiedName": finding.kernel, "kind": "function"}],
            }
        ],
        "properties": {
            "plugin": finding.plugin,
            "decision": finding.decision.value,
            "figures": plain(finding.figures),
        },
    }


def _notification(problem: Problem, source: str, cwd: str | None) -> dict[str, Any]:
    return {
        "level": problem.severity.value,
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": _place(problem.file or source, problem.line, cwd)}],
    }


def _place(file: str, line: int, cwd: str | None, column: int = 0) -> dict[str, Any]:
    path = shown(file, cwd)
    uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    region = {"startLine": line, **({"startColumn": column} if column else {})} if line else None
    return {"artifactLocation": {"uri": uri}, **({"region": region} if region else {})}
