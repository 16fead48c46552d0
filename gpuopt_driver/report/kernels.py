"""`gpuopt explain` for people: per kernel its launches, loops and accesses, and what every plugin decided.

The facts are JSON mappings from the core (`gpuopt_driver.facts`) and from plugins (under the plugin's name). Keys that
are not known here are shown as they are, so that a stranger's plugin is as readable as ours.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpuopt_driver.report.legend import is_shown, legend, name_of
from gpuopt_driver.report.model import Decision, Finding, UnitReport
from gpuopt_driver.report.text import finding_line, problem_line, shown, summary, unmatched_lines

_INDENT = "  "
_WIDTH = 100  # columns of a decision's figures
# What the core says of a kernel; everything else that is a mapping is a plugin's.
_CORE = frozenset(
    {
        *("kernel", "instantiation", "file", "line", "parameters", "launch_bounds", "problems"),
        *("static_shared_bytes", "dynamic_shared", "launches", "loops", "accesses", "barriers"),
    }
)


def unit_lines(
    report: UnitReport,
    cwd: str | None = None,
    *,
    every: bool = True,
    basis: str = "",
    meanings: Mapping[str, Mapping[str, str]] | None = None,
) -> Iterator[str]:
    """The explanation of a unit, kernel by kernel, then a summary.

    Unless `every` decision is to be shown, those that do not apply to a kernel are one line with the plugins' names.
    `basis`: what is to be said of the GPU. `meanings`: what plugins say of their figures, by plugin and key.
    """
    for problem in report.problems:
        yield problem_line(problem, report.source, cwd)
    if basis:
        yield f"{shown(report.source, cwd)}: note: {basis}"
    if report.facts:
        builder = "the emulator" if report.backend == "emulator" else report.backend
        yield f"{shown(report.source, cwd)}: decided for {report.gpu}, as {builder} builds it"
    told: set[int] = set()
    of_which = [_which(item, report.facts) for item in report.findings]
    for number, facts in enumerate(report.facts):
        mine = [at for at, which in enumerate(of_which) if which == number]
        told.update(mine)
        findings = [report.findings[at] for at in mine]
        yield from kernel_lines(facts, [item for item in findings if every or not _is_beside(item)], cwd)
        yield from [] if every else _beside(findings)
        alike = {at for at, other in enumerate(report.facts) if _place(other) == _place(facts)}
        yield from _unversioned([report.findings[at] for at, which in enumerate(of_which) if which in alike])
        yield ""
    for at, finding in enumerate(report.findings):
        if at not in told:
            yield from _finding(finding, cwd)
    if not (report.facts or report.problems or report.findings):
        yield f"{shown(report.source, cwd)}: no kernels"
    if meanings is not None:
        accesses = any(facts.get("accesses") for facts in report.facts)
        shown_ones = [item for item in report.findings if every or not _is_beside(item)]
        yield from legend(shown_ones, meanings, accesses=accesses)
    yield from unmatched_lines([report], cwd)
    yield summary([report])


def _is_beside(finding: Finding) -> bool:
    """Whether there is nothing to be done about a decision: the kernel is not what the plugin is for.

    What policy or GPU leave out has a code of the core.
    """
    return finding.decision is Decision.NOT_APPLICABLE and not _is_of_core(finding)


def _is_of_core(finding: Finding) -> bool:
    return finding.code.startswith("GPUOPT")


def _beside(findings: Sequence[Finding]) -> Iterator[str]:
    """The plugins that have nothing but decisions of this kind."""
    names = dict.fromkeys(item.plugin for item in findings if _is_beside(item))
    others = {item.plugin for item in findings if not _is_beside(item)}
    left = [name for name in names if name not in others]
    if left:
        text = f"not applicable: {', '.join(left)} (--all shows why)"
        yield from textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT * 2)


def _unversioned(findings: Sequence[Finding]) -> Iterator[str]:
    """That built programs tell nothing of a kernel whose launches are as they were."""
    if findings and not any(item.decision is Decision.APPLIED for item in findings):
        yield f"{_INDENT}no version is made: its launches stay as they are, GPUOPT_DISPATCH=trace prints none of them"


def _which(finding: Finding, kernels: Sequence[Mapping[str, Any]]) -> int | None:
    """The kernel that a finding is of, by its number.

    Of overloads, the last one that begins in front of it. A finding does not name its instantiation: the first one of a
    template gets them all.
    """
    named = [number for number, facts in enumerate(kernels) if _is_about(finding, facts)]
    return max(named, key=lambda number: (_begins(kernels[number], finding), -number), default=None)


def _place(facts: Mapping[str, Any]) -> tuple[object, ...]:
    """What the instantiations of a template have in common, and overloads have not."""
    return facts.get("kernel"), facts.get("file"), facts.get("line")


def _begins(facts: Mapping[str, Any], finding: Finding) -> int:
    """The line at which a kernel begins; 0 where a finding stands above it."""
    line = facts.get("line")
    return line if isinstance(line, int) and line <= finding.line else 0


def _is_about(finding: Finding, facts: Mapping[str, Any]) -> bool:
    return finding.kernel == facts.get("kernel") and finding.file == facts.get("file", finding.file)


def kernel_lines(facts: Mapping[str, Any], findings: Sequence[Finding], cwd: str | None = None) -> Iterator[str]:
    """One kernel: its signature, launches, loops with accesses and decisions, then what is not about a loop."""
    place = f"{shown(str(facts['file']), cwd)}:{facts.get('line', 1)}: " if facts.get("file") else ""
    yield f"{place}kernel {signature(facts)}"
    for problem in facts.get("problems", ()):
        yield f"{_INDENT}not transformed: {problem}"
    plugins = {key: value for key, value in facts.items() if key not in _CORE and isinstance(value, Mapping) and value}
    by_line = _by_line(facts, findings, plugins, cwd)
    parts = (_launches(facts), _shared(facts), _loops(facts, by_line), _outside(facts), by_line.pop(0, []))
    for part in parts:
        yield from (_INDENT + line for line in part)


def _by_line(
    facts: Mapping[str, Any], findings: Sequence[Finding], plugins: Mapping[str, Mapping[str, Any]], cwd: str | None
) -> dict[int, list[str]]:
    """What plugins say of each loop, by the loop's line; under 0 what they say of the kernel."""
    lines = {loop["line"] for loop in facts.get("loops", ())}
    told: dict[int, list[str]] = {}
    seen: set[tuple[str, ...]] = set()  # of the instantiations of a template, what is the same is said once
    for finding, plugin in _together(sorted(findings, key=lambda item: (item.line, item.column))):
        text = tuple(_finding(finding, cwd, plugin))
        if text not in seen:
            seen.add(text)
            mine = finding.line in lines and finding.file == facts.get("file", finding.file)
            told.setdefault(finding.line if mine else 0, []).extend(text)
    for name, said in plugins.items():
        loops = [item for item in said.get("loops") or () if isinstance(item, Mapping)]
        for item in loops:
            line = item.get("line")
            if isinstance(line, int) and line in lines:  # lists of a loop's facts are for --json
                scalars = {key: value for key, value in item.items() if key != "line" and not isinstance(value, list)}
                told.setdefault(line, []).extend(_named(name, scalars))
            else:
                told.setdefault(0, []).extend(_named(name, item))
        told.setdefault(0, []).extend(_named(name, {key: said[key] for key in said if key != "loops" or not loops}))
    return told


def _named(plugin: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """A plugin's facts under its name."""
    if facts and all(_is_flat(value) for value in facts.values()):
        yield f"{plugin}: {', '.join(generic(facts))}"
    elif facts:
        yield f"{plugin}:"
        yield from (_INDENT + line for line in generic(facts))


def signature(facts: Mapping[str, Any]) -> str:
    """The kernel as it is declared: name, template arguments of this instantiation, parameters."""
    arguments = facts.get("instantiation")
    template = f"<{', '.join(arguments)}>" if arguments else ""
    bounds = facts.get("launch_bounds") or ()
    suffix = f" __launch_bounds__({', '.join(bounds)})" if bounds else ""
    return f"{facts.get('kernel', '')}{template}({', '.join(facts.get('parameters', ()))}){suffix}"


def _launches(facts: Mapping[str, Any]) -> Iterator[str]:
    for launch in facts.get("launches", ()):
        grid, block = (_extent(launch.get(key)) for key in ("grid", "block"))
        dynamic = launch.get("dynamic_shared_bytes")
        shared = f", dynamic shared memory {dynamic} B" if dynamic not in (None, 0) else ""
        kind = "" if launch.get("kind") == "chevron" else f" by {launch.get('kind')}"
        yield f"launch at line {launch.get('line', 0)}{kind}: grid {grid}, block {block}{shared}"
    if not facts.get("launches"):
        yield "launch: none in this file"


def _extent(parts: Sequence[Any] | None) -> str:
    """A launch dimension: `256`, `[16, 16]`, `(n + 255)/256`, `unknown`; trailing ones are left out."""
    known = ["?" if part is None else str(part) for part in parts or ()]
    while len(known) > 1 and known[-1] == "1":
        known.pop()
    if not known or set(known) == {"?"}:
        return "unknown"
    return known[0] if len(known) == 1 else f"[{', '.join(known)}]"


def _shared(facts: Mapping[str, Any]) -> Iterator[str]:
    static = facts.get("static_shared_bytes", 0)
    parts = ["of unknown size" if static is None else f"{static} B static"] if static != 0 else []
    parts += ["dynamic"] if facts.get("dynamic_shared") else []
    barriers = [item for item in facts.get("barriers", ()) if item.get("kind") == "block"]
    if parts:
        yield f"shared memory: {', '.join(parts)}"
    if barriers:
        yield f"barriers at line{'s' if len(barriers) > 1 else ''} {', '.join(_line(item) for item in barriers)}"


def _line(item: Mapping[str, Any]) -> str:
    """The line of something; with its file's name where that is not the kernel's."""
    return f"{item['line']} of {Path(item['file']).name}" if item.get("file") else str(item["line"])


def _loops(facts: Mapping[str, Any], by_line: dict[int, list[str]]) -> Iterator[str]:
    """Each loop with the accesses whose innermost loop it is, and what was said of it."""
    names = _names(facts)
    for loop in facts.get("loops", ()):
        trips = loop.get("trips")
        count = "unknown number of iterations" if trips is None else f"{trips} iterations"
        variable = f" over {loop['variable']}" if loop.get("variable") else ""
        indent = _INDENT * int(loop.get("depth", 0))
        yield f"{indent}loop at line {loop['line']}{variable}: {count}"
        inside = (item for item in facts.get("accesses", ()) if item.get("loops") and item["loops"][-1] == loop["id"])
        said = by_line.pop(loop["line"], [])  # once, where several loops share a line
        yield from (indent + _INDENT + line for line in (*(access_line(item, names) for item in inside), *said))


def _outside(facts: Mapping[str, Any]) -> Iterator[str]:
    """The accesses outside of all loops."""
    accesses = [access for access in facts.get("accesses", ()) if not access.get("loops")]
    if accesses:
        yield "outside of the kernel's own loops:"
        yield from (_INDENT + access_line(access, _names(facts)) for access in accesses)


def _names(facts: Mapping[str, Any]) -> dict[str, str]:
    """The variable's name behind each loop symbol of the index forms."""
    loops = facts.get("loops", ())
    return {loop.get("symbol", ""): loop.get("variable") or f"loop at line {loop['line']}" for loop in loops}


_DOES = {"reads": "read", "writes": "write", "atomic": "atomic"}


def access_line(access: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """One access: direction, space, text, and its index form in bytes with the coefficient of every variable."""
    does = [word for key, word in _DOES.items() if access.get(key)] or ["use"]
    via = f" in {' -> '.join(access['via'])}" if access.get("via") else ""
    via += ", in a loop there" if access.get("in_called_loop") else ""
    text = access.get("text") or access["array"]
    head = f"{'/'.join(does)} {access['space']} {text} (line {_line(access)}{via}, {access['bytes']} B)"
    form = access.get("coefficients_bytes") or {}
    if access.get("offset_bytes", "") is None or access["space"] == "texture":
        return f"{head}: index not modelled"
    terms = ", ".join(
        f"{names.get(name, name)}: {'not linear' if part is None else part}" for name, part in form.items()
    )
    if access.get("by_data") == "thread":
        return f"{head}: {terms}, and data" if terms else f"{head}: depends on data"
    same = "same address for all threads" + (" of a block" if access.get("by_data") else "")
    return f"{head}: {terms or same}"


def generic(value: Any) -> Iterator[str]:
    """Any JSON value as indented lines: mappings as `key: value`, lists of scalars on one line."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            name = str(key).replace("_", " ")
            if _is_flat(item):
                yield f"{name}: {scalar(item)}"
            else:
                yield f"{name}:"
                yield from (_INDENT + line for line in generic(item))
    elif isinstance(value, list | tuple) and not _is_flat(value):
        for item in value:
            one = isinstance(item, Mapping) and all(_is_flat(part) for part in item.values())
            lines = [", ".join(generic(item))] if one else list(generic(item))
            yield from (("- " if at == 0 else _INDENT) + line for at, line in enumerate(lines))
    else:
        yield scalar(value)


def _is_flat(value: Any) -> bool:
    if isinstance(value, Mapping):
        return not value
    return not isinstance(value, list | tuple) or not any(isinstance(item, Mapping | list | tuple) for item in value)


def scalar(value: Any) -> str:
    """A JSON value on one line, in words."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(scalar(item) for item in value)}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {scalar(item)}" for key, item in value.items()) or "none"
    return "unknown" if value is None else str(value)


def _together(findings: Sequence[Finding]) -> Iterator[tuple[Finding, str]]:
    """Findings, each with its plugin; what the core says of several plugins in the same words is one with all."""
    alike: dict[object, list[Finding]] = {}
    for at, item in enumerate(findings):
        words = (item.file, item.line, item.column, item.decision, item.code, item.message)
        alike.setdefault(words if _is_of_core(item) and not item.figures else at, []).append(item)
    for items in alike.values():
        yield items[0], ", ".join(dict.fromkeys(item.plugin for item in items))


def _finding(finding: Finding, cwd: str | None, plugin: str = "") -> Iterator[str]:
    """A decision as the compiler-like line, with its figures below it."""
    yield finding_line(finding, cwd)
    figures = [figure(key, value) for key, value in finding.figures.items() if is_shown(key, value)]
    text = f"{plugin or finding.plugin}: {finding.word}" + "".join(f", {item}" for item in figures)
    yield from textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT * 2)


def figure(key: str, value: Any) -> str:
    """A figure for people: `footprint 139264 B`, `N 2`; the paper's letters and abbreviations are capital."""
    if key == "tlp":
        return f"TLP {scalar(value)} (warps per block, blocks)"
    unit = " B" if key.endswith("_bytes") and value is not None else ""
    return f"{name_of(key)} {scalar(value)}{unit}"
