"""The report as compiler-like lines: `file.cu:41:9: note: message [CATT002]`, and a summary."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpuopt_driver.errors import one_line
from gpuopt_driver.report.model import TO_BE_MEASURED, Finding, Problem, UnitReport
from gpuopt_driver.suggest import did_you_mean

_WORDS = ("applied", TO_BE_MEASURED, "declined", "not applicable")


def shown(path: str, cwd: str | None = None) -> str:
    """A path as messages show it: relative to the working directory where it lies below it."""
    relative = os.path.relpath(path, cwd or Path.cwd())
    return path if relative.startswith(os.pardir) else relative


def finding_line(finding: Finding, cwd: str | None = None) -> str:
    """One decision as a compiler's note."""
    where = f"{shown(finding.file, cwd)}:{finding.line}:{finding.column}"
    return one_line(f"{where}: note: {finding.message} [{finding.code}]")


def problem_line(problem: Problem, source: str, cwd: str | None = None) -> str:
    """One problem as a compiler's warning; without a place of its own it is about the unit's source."""
    place = shown(problem.file or source, cwd) + (f":{problem.line}" if problem.line else "")
    return one_line(f"{place}: {problem.severity.value}: {problem.message}")


def report_lines(reports: Sequence[UnitReport], cwd: str | None = None) -> Iterator[str]:
    """Every problem and decision of every unit, by file and line."""
    for report in reports:
        for problem in report.problems:
            yield problem_line(problem, report.source, cwd)
        for finding in sorted(report.findings, key=lambda item: (item.file, item.line, item.column)):
            yield finding_line(finding, cwd)


def unmatched_lines(reports: Sequence[UnitReport], cwd: str | None = None) -> Iterator[str]:
    """The `[[kernel]]` tables of the policy that speak of no kernel in any of the units.

    A single unit cannot know the others: only who has the reports of a whole build can call such a table wrong.
    """
    counts: Counter[tuple[str, int, str, str]] = Counter()
    for rule in (rule for report in reports for rule in report.rules):
        counts[rule.policy, rule.line, rule.name, rule.source] += rule.kernels
    kernels = {str(facts.get("kernel", "")) for report in reports for facts in report.facts}
    where = "this source" if len(reports) == 1 else f"these {len(reports)} sources"
    for (policy, line, name, source), count in sorted(counts.items()):
        if not count:
            said = f'[[kernel]] with name = "{name}", source = "{source}" matches no kernel of {where}'
            yield one_line(f"{shown(policy, cwd)}:{line}: warning: {said}{did_you_mean(name, kernels)}")


def summary(reports: Sequence[UnitReport]) -> str:
    """How many kernels, and what was decided about them: one line."""
    counts = Counter(finding.word for report in reports for finding in report.findings)
    kernels = {(report.source, finding.kernel) for report in reports for finding in report.findings}
    gpus = ", ".join(sorted({report.gpu for report in reports})) or "no GPU"
    parts = [f"{counts[word]} {word}" for word in _WORDS if counts[word] or word != TO_BE_MEASURED]
    problems = sum(len(report.problems) for report in reports)
    if problems:
        parts.append(f"{problems} problem{'s' if problems != 1 else ''}")
    return f"{len(kernels)} kernel{'s' if len(kernels) != 1 else ''} for {gpus}: {', '.join(parts)}"


def report_text(reports: Sequence[UnitReport], cwd: str | None = None) -> str:
    """All lines and the summary."""
    return "\n".join((*report_lines(reports, cwd), *unmatched_lines(reports, cwd), summary(reports))) + "\n"
