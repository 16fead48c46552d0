"""The report as a JSON document: made from unit reports, written so that parallel compilations share one file, read.

docs/report.schema.json describes the document; `gpuopt report --schema` prints it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gpuopt_driver import __version__, given
from gpuopt_driver.cache import alone_in, write_atomic
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.report.model import Decision, Finding, Json, Problem, RuleUse, Severity, Timing, UnitReport

VERSION = 1  # of the document's form; raised when a reader of the old form would misread the new one
_DECISION_KEYS = ("plugin", "kernel", "decision", "code", "message", "file", "line", "column")


def schema_text() -> str:
    """The JSON schema of the document."""
    return (Path(__file__).parent / "report.schema.json").read_text(encoding="utf-8")


def report_document(reports: Sequence[UnitReport]) -> dict[str, Any]:
    """The document for some units, in their order."""
    return {
        "version": VERSION,
        "generator": f"gpuopt {__version__}",
        "units": [_unit(report) for report in reports],
    }


def decision_object(finding: Finding) -> dict[str, Any]:
    """One decision as an object, its figures at the top level; a figure never hides one of the decision's own keys."""
    made: dict[str, Any] = {
        "plugin": finding.plugin,
        "kernel": finding.kernel,
        "decision": finding.decision.value,
        "code": finding.code,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
    }
    for name, value in finding.figures.items():
        made[f"figure_{name}" if name in _DECISION_KEYS else str(name)] = plain(value)
    return made


def _unit(report: UnitReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "gpu": report.gpu,
        "backend": report.backend,
        "patched_files": list(report.patched_files),
        "decisions": [decision_object(finding) for finding in report.findings],
        "problems": [
            {
                "severity": problem.severity.value,
                "message": problem.message,
                "plugin": problem.plugin,
                "file": problem.file,
                "line": problem.line,
            }
            for problem in report.problems
        ],
        "timings": [
            {"step": timing.step, "plugin": timing.plugin, "seconds": round(timing.seconds, 6)}
            for timing in report.timings
        ],
        "kernels": [plain(facts) for facts in report.facts],
        "rules": [asdict(rule) for rule in report.rules],
    }


def plain(value: object) -> Any:
    """A value that JSON can hold: what a plugin put into its figures may be anything."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    return str(value)


def to_json(document: Mapping[str, Any]) -> str:
    """The document's text, as it is written and printed."""
    # Unpaired surrogates (bytes of a path that are not UTF-8) stay readable as escapes.
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def write_report(path: str, reports: Sequence[UnitReport]) -> None:
    """Write the document: whole or not at all. Units of other sources that the file already holds are kept.

    So one file collects a whole build, also a parallel one, and a link step without sources removes nothing.
    """
    target = Path(os.path.realpath(path))  # through a link, which stays
    try:
        if target.exists():
            given.check_regular(target)  # nothing may come to stand in the place of /dev/null
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(target.parent):  # a concurrent unit is lost otherwise
            document = report_document(reports)
            fresh = {unit["source"] for unit in document["units"]}
            kept = [unit for unit in _units_in(target) if unit["source"] not in fresh]
            document["units"] = sorted((*kept, *document["units"]), key=lambda unit: str(unit["source"]))
            write_atomic(target, to_json(document).encode())
    except given.Unusable as error:
        raise GpuoptError(f"{path}: cannot write report: {error}") from error
    except OSError as error:
        raise GpuoptError(f"{path}: cannot write report: {error.strerror}") from error


def _units_in(path: Path) -> list[dict[str, Any]]:
    """The units of a report file; none where it is not there or is something else, which is then replaced."""
    try:
        document = given.read_json(path)
    except given.Unusable:
        return []
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return []
    units = document.get("units")
    return [unit for unit in units if isinstance(unit, dict) and "source" in unit] if isinstance(units, list) else []


def read_report(path: str) -> tuple[UnitReport, ...]:
    """The unit reports of a file that `write_report` wrote; GpuoptError says in one line why it is not one."""
    try:
        document = given.read_json(path)
    except given.Unusable as error:
        raise GpuoptError(error.told(path, "report", "not a report: ")) from error
    if isinstance(document, dict) and "launches" in document and "units" not in document:
        raise GpuoptError(f"{path}: a report of an emulated program; that of its build is asked for (GPUOPT_REPORT)")
    if not isinstance(document, dict) or "units" not in document:
        raise GpuoptError(f"{path}: not a report: it has no units")
    if document.get("version") != VERSION:
        raise GpuoptError(f"{path}: report of version {document.get('version')}; this gpuopt reads version {VERSION}")
    try:
        return tuple(_unit_of(unit) for unit in document["units"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GpuoptError(f"{path}: not a report: {type(error).__name__} {error}") from error


def _unit_of(unit: Mapping[str, Any]) -> UnitReport:
    return UnitReport(
        source=unit["source"],
        gpu=unit["gpu"],
        backend=unit["backend"],
        findings=tuple(_finding_of(item) for item in unit["decisions"]),
        problems=tuple(
            Problem(Severity(item["severity"]), item["message"], item["plugin"], item["file"], item["line"])
            for item in unit["problems"]
        ),
        timings=tuple(Timing(item["step"], item["seconds"], item["plugin"]) for item in unit["timings"]),
        facts=tuple(unit["kernels"]),
        patched_files=tuple(unit["patched_files"]),
        rules=tuple(RuleUse(**rule) for rule in unit.get("rules", ())),  # older reports have none
    )


def _finding_of(item: Mapping[str, Any]) -> Finding:
    figures: dict[str, Json] = {key: value for key, value in item.items() if key not in _DECISION_KEYS}
    own = {key: item[key] for key in _DECISION_KEYS if key != "decision"}
    return Finding(**own, decision=Decision(item["decision"]), figures=figures)
