"""What the figures and words of `gpuopt explain` mean: a few lines behind its output, of what was printed alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from gpuopt_driver.report.model import ONLY_MEASURED, Finding

_INDENT = "  "
_WIDTH = 100
ACCESSES = "accesses"  # the lines of a kernel's accesses
# Figures that several plugins have. Words as in docs/glossary.md.
COMMON: Mapping[str, str] = {
    ACCESSES: "behind the colon: the bytes by which the address grows with each variable",
    "exact": "yes: every number behind the decision is a constant of the source; no: some are estimates, "
    "and launches decide by their own",
    "footprint_bytes": "cache lines that resident warps come back to",
    "l1_bytes": "L1 that is left for data beside the shared memory of the resident blocks",
    "resident_blocks": "of an SM at the same time; likewise warps and threads",
    "tlp": "thread-level parallelism: warps of a block that run at once, and resident blocks",
}


def is_shown(key: str, value: object) -> bool:
    """Whether a figure stands below its decision: lists of lists and mappings are for --json."""
    if isinstance(value, Mapping):
        return not value
    return key != ONLY_MEASURED and not (
        isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value)
    )


def name_of(key: str) -> str:
    """A figure's name as it is shown: `footprint`, `N`, `TLP`; the papers' letters and abbreviations are capital."""
    name = key.removesuffix("_bytes").replace("_", " ")
    return name.upper() if name in {"n", "m", "l1", "l2", "tlp"} else name


def legend(findings: Iterable[Finding], own: Mapping[str, Mapping[str, str]], *, accesses: bool) -> Iterator[str]:
    """The meaning of each figure of these decisions that has one; `own`: the plugins' figures by plugin and key."""
    told: dict[str, dict[str, list[str]]] = {}
    if accesses:
        told[ACCESSES] = {COMMON[ACCESSES]: []}
    for finding in findings:
        for key, value in finding.figures.items():
            meaning = own.get(finding.plugin, {}).get(key) or COMMON.get(key, "")
            if meaning and is_shown(key, value):
                whose = told.setdefault(name_of(key), {}).setdefault(meaning, [])
                whose.extend([] if finding.plugin in whose else [finding.plugin])
    if not told:
        return
    yield "in the lines above:"
    for name in sorted(told, key=str.lower):
        for meaning, plugins in told[name].items():
            by = f" ({', '.join(plugins)})" if len(told[name]) > 1 else ""
            text = f"{name}{by}: {' '.join(meaning.split())}"
            yield from textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT * 2)
    yield ""
