"""The report as one HTML page that needs nothing else: no scripts, no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from gpuopt_driver import __version__
from gpuopt_driver.report.kernels import figure, kernel_lines
from gpuopt_driver.report.model import ONLY_MEASURED, Finding, UnitReport
from gpuopt_driver.report.text import problem_line, shown, summary

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b1f24 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #d0d7de }
h1, h2, p, td, li, pre { overflow-wrap: anywhere } pre { white-space: pre-wrap }
td.figures, pre { font: 13px/1.45 ui-monospace, monospace }
tr.applied td.decision { color: #116329; font-weight: 600 }
tr.declined td.decision { color: #7d4e00 }
tr.not-applicable { color: #656d76 }
.problem { color: #9a1c1c }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3 } th, td { border-color: #30363d }
  tr.applied td.decision { color: #56d364 } tr.declined td.decision { color: #e3b341 }
  tr.not-applicable { color: #8d96a0 } .problem { color: #ff7b72 }
}
"""
_HEADER = ("place", "kernel", "plugin", "decision", "message", "figures")


def report_html(reports: Sequence[UnitReport], codes: Mapping[str, str] | None = None, cwd: str | None = None) -> str:
    """The page; `codes` are the explanations of message codes, shown where a code is pointed at."""
    return "\n".join(_page(reports, codes or {}, cwd)) + "\n"


def _page(reports: Sequence[UnitReport], codes: Mapping[str, str], cwd: str | None) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>gpuopt report</title>'
    yield f'<meta name="generator" content="gpuopt {__version__}">'
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>gpuopt report</h1>\n<p>{_text(summary(reports))}</p>"
    for report in reports:
        yield from _unit(report, codes, cwd)
    yield "</body>\n</html>"


def _unit(report: UnitReport, codes: Mapping[str, str], cwd: str | None) -> Iterator[str]:
    patched = (
        f", patched: {', '.join(shown(path, cwd) for path in report.patched_files)}" if report.patched_files else ""
    )
    yield f"<h2>{_text(shown(report.source, cwd))}</h2>"
    yield f"<p>decided for {_text(report.gpu)}, built by {_text(report.backend + patched)}</p>"
    for problem in report.problems:
        yield f'<p class="problem">{_text(problem_line(problem, report.source, cwd))}</p>'
    if report.findings:
        yield f"<table>\n<tr>{''.join(f'<th>{name}</th>' for name in _HEADER)}</tr>"
        yield from (_row(finding, codes, cwd) for finding in report.findings)
        yield "</table>"
    if report.facts:
        lines = (line for facts in report.facts for line in (*kernel_lines(facts, (), cwd), ""))
        yield "<details><summary>kernels, loops and accesses</summary>"
        yield f"<pre>{_text(chr(10).join(lines))}</pre></details>"


def _row(finding: Finding, codes: Mapping[str, str], cwd: str | None) -> str:
    figures = "<br>".join(_text(figure(key, value)) for key, value in finding.figures.items() if key != ONLY_MEASURED)
    code = f'<abbr title="{_text(codes.get(finding.code, finding.code))}">{_text(finding.code)}</abbr>'
    place = f"{shown(finding.file, cwd)}:{finding.line}:{finding.column}"
    cells = (
        f"<td>{_text(place)}</td><td>{_text(finding.kernel)}</td><td>{_text(finding.plugin)}</td>"
        f'<td class="decision">{finding.word}</td><td>{_text(finding.message)} [{code}]</td>'
    )
    return f'<tr class="{finding.decision.value}">{cells}<td class="figures">{figures}</td></tr>'


def _text(text: str) -> str:
    """Text for HTML; bytes of a path that are not UTF-8 are replaced."""
    return escape(text.encode("utf-8", "replace").decode())
