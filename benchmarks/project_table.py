"""Files of several projects: the list that names them, and the table of what compiling them showed, a row per project.

A list is TOML; `$ROOT` in the arguments is the project's directory, as are relative names in them:

    [[project]]
    name = "some"
    root = "/src/some"
    files = ["src/a.cu", "src/b.cu"]
    args = ["-arch=sm_90", "-O3", "-Iinclude"]
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli

_KEYS = frozenset({"name", "root", "files", "args"})


@dataclass(frozen=True)
class Project:
    """Files with one command line; `files` are relative to `root`, none means all translation units."""

    name: str
    root: Path
    files: Sequence[Path]
    args: Sequence[str]

    @property
    def arguments(self) -> list[str]:
        """The arguments of nvcc, with the root in its places."""
        return [word.replace("$ROOT", str(self.root)) for word in self.args]


@dataclass(frozen=True)
class FileCost:
    """One file: nvcc's status, whether ours had that and said the same, CPU seconds, MB, and what the report has."""

    project: str
    source: Path
    status: int
    same_status: bool
    same_words: bool
    plain: float
    cold: float
    warm: float
    plain_mb: float
    ours_mb: float
    kernels: int = 0
    with_versions: int = 0
    codes: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    @property
    def line(self) -> str:
        """The file's row in Markdown."""
        words = ["yes" if one else "NO" for one in (self.same_status, self.same_words)]
        return (
            f"| {self.source} | {words[0]} | {words[1]} | {self.kernels} | {self.with_versions} | {self.plain:.2f} "
            f"| {self.cold:.2f} ({self.cold / self.plain:.2f}) | {self.warm:.2f} ({self.warm / self.plain:.2f}) "
            f"| {self.plain_mb:.0f} | {self.ours_mb:.0f} | {self.note} |"
        )


_EQUAL = "status = | stderr = | kernels | with versions | nvcc s"
HEAD = f"| file | {_EQUAL} | cold s | warm s | nvcc MB | ours MB | remarks |\n{'|---' * 11}|"


class BadListError(Exception):
    """A list of projects that cannot be used: the file, what is wrong, in one line."""


def read_list(path: Path) -> list[Project]:
    """The projects that a list names; directories are relative to the list's."""
    try:
        tables = tomli.loads(path.read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError) as error:
        raise BadListError(f"{path}: {error}") from error
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise BadListError(f"{path}: no [[project]] table")
    return [_project(table, f"{path}: project {number}", path.parent) for number, table in enumerate(tables, 1)]


def _project(table: Mapping[str, Any], where: str, base: Path) -> Project:
    if unknown := sorted(set(table) - _KEYS):
        raise BadListError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}")
    name, root = table.get("name"), table.get("root")
    if not isinstance(name, str) or not isinstance(root, str):
        raise BadListError(f"{where}: `name` and `root` have to be strings")
    words = {}
    for key in ("files", "args"):
        words[key] = table.get(key, [])
        if not isinstance(words[key], list) or not all(isinstance(word, str) for word in words[key]):
            raise BadListError(f"{where}: `{key}` has to be a list of strings")
    directory = (base / root).resolve()
    missing = [word for word in ["", *words["files"]] if not (directory / word).exists()]
    if missing:
        raise BadListError(f"{where} ({name}): {directory / missing[0]} is not there")
    return Project(name, directory, [Path(word) for word in words["files"]], words["args"])


def counts_of(units: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What units of a report say: kernels (templates once), those with versions, findings by code, what was lost."""
    kernels, versions, codes, lost = set(), set(), Counter[str](), set()
    for unit in units:
        kernels |= {(one["file"], one["line"], one["kernel"]) for one in unit["kernels"]}
        for finding in unit["decisions"]:
            codes[finding["code"]] += 1
            if finding["code"] == "GPUOPT014":
                lost.add(finding["message"])
            if finding["decision"] == "applied":
                versions.add(finding["kernel"])
    return {"kernels": len(kernels), "with_versions": len(versions), "codes": codes, "note": "; ".join(sorted(lost))}


def table_lines(costs: Sequence[FileCost]) -> list[str]:
    """A row per project that nvcc compiles, and one for all; ratios of CPU time are geometric means of the files."""
    lines = [f"| project | files | {_EQUAL} | cold (worst) | warm | MB, ours / nvcc |", f"{'|---' * 10}|"]
    good = [cost for cost in costs if cost.status == 0]
    names = list(dict.fromkeys(cost.project for cost in good))
    lines.extend(_row(name, [cost for cost in good if cost.project == name]) for name in names)
    return [*lines, _row("all", good)] if len(names) > 1 else lines


def _row(name: str, costs: Sequence[FileCost]) -> str:
    cold = [cost.cold / cost.plain for cost in costs]
    warm = [cost.warm / cost.plain for cost in costs]
    memory = max((cost.ours_mb / cost.plain_mb for cost in costs if cost.plain_mb), default=math.nan)  # if it was seen
    words = [
        name,
        len(costs),
        sum(cost.same_status for cost in costs),
        sum(cost.same_words for cost in costs),
        sum(cost.kernels for cost in costs),
        sum(cost.with_versions for cost in costs),
        f"{sum(cost.plain for cost in costs):.1f}",
        f"{_mean(cold):.2f} ({max(cold):.2f})",
        f"{_mean(warm):.2f}",
        f"{memory:.2f}",
    ]
    return f"| {' | '.join(map(str, words))} |"


def _mean(ratios: Iterable[float]) -> float:
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def together(costs: Sequence[FileCost]) -> str:
    """Sums of CPU time over all files, those with versions and those without."""
    parts = []
    for word, some in (
        ("all", [cost for cost in costs if cost.status == 0]),
        ("with versions", [cost for cost in costs if cost.status == 0 and cost.with_versions]),
        ("without", [cost for cost in costs if cost.status == 0 and not cost.with_versions]),
    ):
        if some:
            plain = sum(cost.plain for cost in some)
            cold, warm = (sum(column) / plain for column in zip(*((one.cold, one.warm) for one in some), strict=True))
            parts.append(f"{word} ({len(some)}): nvcc {plain:.1f} s, cold {cold:.2f} times, warm {warm:.2f} times that")
    return "; ".join(parts)
