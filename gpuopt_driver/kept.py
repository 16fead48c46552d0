"""Patches as data that can be kept: JSON of a fixed form, every part of which is checked when it is read.

What is read was written by this very version of gpuopt (it is part of the key), or it is damaged or forged: then there
is nothing. Bytes stand in JSON as Python writes paths (`surrogateescape`), so any come back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gpuopt_driver.patching import Patches
from gpuopt_driver.report.model import Decision, Finding, Problem, RuleUse, Severity, Timing, UnitReport
from gpuopt_driver.variants.emitted import Emitted

FORM = "gpuopt patches 6"  # raised when what is written below changes
_ROW = re.compile(r"[0-9a-f]{16} [\w$]+ (-|=\n.*)", re.ASCII | re.DOTALL)
_CODEC = ("utf-8", "surrogateescape")


def encoded(patches: Patches) -> bytes | None:
    """The patches as they are kept; None where they would not come back the same."""
    try:
        data = json.dumps(_document(patches), allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, AttributeError, RecursionError):  # whatever a plugin put there
        return None
    return data if decoded(data) == patches else None


def _document(patches: Patches) -> list[object]:
    return [
        FORM,
        {path: data.decode(*_CODEC) for path, data in patches.patched.items()},
        {path: data.decode(*_CODEC) for path, data in patches.originals.items()},
        [_report(report) for report in patches.reports],
        patches.failure,
        list(patches.sources),
        [
            [
                *(item.kernel, item.clone, list(item.members), sorted(item.redefines), list(item.params)),
                *(item.report, list(item.findings), item.is_copy, [list(pair) for pair in item.constants]),
                sorted(item.follows),
            ]
            for item in patches.emitted
        ],
        list(patches.emptied),
    ]


def _report(report: UnitReport) -> list[object]:
    return [
        report.source,
        report.gpu,
        report.backend,
        [
            [
                *(item.plugin, item.kernel, item.decision.value, item.code, item.message),
                *(item.file, item.line, item.column, dict(item.figures)),
            ]
            for item in report.findings
        ],
        [[item.severity.value, item.message, item.plugin, item.file, item.line] for item in report.problems],
        [[item.step, item.seconds, item.plugin] for item in report.timings],
        [dict(facts) for facts in report.facts],
        list(report.patched_files),
        [[item.policy, item.line, item.name, item.source, item.kernels] for item in report.rules],
    ]


def decoded(data: bytes) -> Patches | None:
    """The patches that `encoded` made the data of; None where it is something else."""
    try:
        form, patched, originals, reports, failure, sources, emitted, emptied = _parts(
            json.loads(data), str, dict, dict, list, str, list, list, list
        )
        if form != FORM:
            return None
        return Patches(
            _bytes(patched),
            _bytes(originals),
            tuple(map(_unit_report, reports)),
            failure,
            _texts(sources),
            tuple(map(_emitted, emitted)),
            _rows(emptied),
        )
    except (ValueError, RecursionError):
        return None


def _parts(value: Any, *kinds: type) -> list[Any]:
    """The elements of an array, which must be of these types; ValueError where they are not."""
    if type(value) is not list or [type(item) for item in value] != list(kinds):
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if type(value) is not list or not all(type(item) is str for item in value):
        raise ValueError
    return tuple(value)


def _bytes(value: Mapping[str, Any]) -> dict[str, bytes]:
    if not all(type(item) is str for item in value.values()):
        raise ValueError
    return {path: text.encode(*_CODEC) for path, text in value.items()}


def _unit_report(value: Any) -> UnitReport:
    source, gpu, backend, findings, problems, timings, facts, files, rules = _parts(
        value, str, str, str, list, list, list, list, list, list
    )
    if not all(type(item) is dict for item in facts):
        raise ValueError
    return UnitReport(
        source,
        gpu,
        backend,
        tuple(map(_finding, findings)),
        tuple(map(_problem, problems)),
        tuple(Timing(*_parts(item, str, float, str)) for item in timings),
        tuple(facts),
        _texts(files),
        tuple(RuleUse(*_parts(item, str, int, str, str, int)) for item in rules),
    )


def _finding(value: Any) -> Finding:
    plugin, kernel, decision, *rest = _parts(value, str, str, str, str, str, str, int, int, dict)
    return Finding(plugin, kernel, Decision(decision), *rest)


def _problem(value: Any) -> Problem:
    severity, *rest = _parts(value, str, str, str, str, int)
    return Problem(Severity(severity), *rest)


def _emitted(value: Any) -> Emitted:
    parts = _parts(value, str, str, list, list, list, int, list, bool, list, list)
    kernel, clone, members, redefines, params, report, findings, is_copy, constants, follows = parts
    if not all(type(number) is int for number in findings):
        raise ValueError
    names = (_texts(members), frozenset(_texts(redefines)), _texts(params))
    known = tuple((name, number) for name, number in (_parts(pair, str, int) for pair in constants))
    return Emitted(kernel, clone, *names, report, tuple(findings), is_copy, known, frozenset(_texts(follows)))


def _rows(value: Any) -> tuple[str, ...]:
    rows = _texts(value)
    if not all(map(_ROW.fullmatch, rows)):
        raise ValueError
    return rows
