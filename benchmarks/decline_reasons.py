"""Why kernels of real files get no versions: the findings of `gpuopt explain` by code and reason.

    python benchmarks/decline_reasons.py --list PROJECTS.toml --record FILE.jsonl [--policy FILE.toml] [--only NAME ...]
    python benchmarks/decline_reasons.py --read FILE.jsonl [--before FILE.jsonl]

The first form analyses each file of a list (`project_table.py` says what that is) with its own flags and writes a line
of JSON for each: its findings, what `explain` said of errors, and CPU seconds. Files that are in the record already are
left out, so that a run goes on where it was stopped. Kernels that nothing in their file launches are not analysed,
unless a policy has a [[kernel]] table with `name = "*"`. The second form ranks reasons by the number of kernels that
have them and no version; names, numbers and lines in messages do not count. A template's instantiations are one kernel.
`--before` puts the counts of another record in a second column, of the files that both have.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from project_table import Project, read_list

_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_PLACE = re.compile(r"(?:[\w./+-]*\w\.\w+:\d+(?::\d+)?|\bline \d+(?: of [\w.+-]+)?)")
_ASIDE = re.compile(r" \([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*PLACE\)| \(PLACE\)")
_NUMBER = re.compile(r"\b\d[\w.]*\b")
_NAME = re.compile(r"(the (?:macro|parameter|function|variable|template|name|loop|array) )[\w:]+")
_MOST_FILES = 4


def reason(message: str) -> str:
    """A message without names, places and numbers."""
    placed = _ASIDE.sub("", _PLACE.sub("PLACE", _QUOTED.sub("`X`", message)))
    return _NUMBER.sub("N", _NAME.sub(r"\1X", placed))


def analyse(project: Project, source: Path, policy: str | None) -> dict[str, Any]:
    """What `gpuopt explain` finds in a file, as one record."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    options = ["--policy", policy] if policy else []
    done = subprocess.run(
        ["gpuopt", "explain", str(source), "--json", *options, "--", *project.arguments],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    decisions: list[Mapping[str, Any]] = []
    if done.stdout.startswith("{"):  # with status 1 where some kernel has problems
        decisions = [one for unit in json.loads(done.stdout)["units"] for one in unit["decisions"]]
    return {
        "project": project.name,
        "file": str(source),
        "status": done.returncode,
        "said": done.stderr[-2000:],
        "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
        "decisions": decisions,
    }


def record(options: argparse.Namespace) -> None:
    """Analyse the files of a list that are not in the record yet."""
    target: Path = options.record
    seen = {(one["project"], one["file"]) for one in read(target)} if target.exists() else set()
    with target.open("a", encoding="utf-8") as stream:
        for project in read_list(options.list):
            if options.only and project.name not in options.only:
                continue
            for source in project.files:
                if (project.name, str(source)) not in seen:
                    found = analyse(project, source, options.policy)
                    stream.write(json.dumps(found) + "\n")
                    stream.flush()
                    print(project.name, source, found["status"], f"{found['cpu']:.1f} s", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a file that was written by `record`."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_kernel(records: Iterable[Mapping[str, Any]]) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
    """The decisions on each kernel; instantiations of one template are one kernel."""
    kernels: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for one in records:
        for decision in one["decisions"]:
            name = re.sub(r"<.*", "", decision["kernel"])
            kernels[one["project"], one["file"], name, str(decision["file"]), str(decision["line"])].append(decision)
    return kernels


def counted(records: Iterable[Mapping[str, Any]]) -> tuple[Counter[str], dict[str, set[str]], int, int]:
    """Kernels without version by reason (plugins in front), where these are, all kernels, those with versions."""
    kernels = by_kernel(records)
    counts, places = Counter[str](), defaultdict(set)
    versions = 0
    for key, decisions in kernels.items():
        if any(one["decision"] == "applied" for one in decisions):
            versions += 1
            continue
        for text in {f"{one['code']} {reason(one['message'])}" for one in decisions}:
            counts[text] += 1
            places[text].add(f"{key[0]}/{key[1]}:{key[2]}")
    return counts, places, len(kernels), versions


def table(options: argparse.Namespace) -> None:
    """Print what a record holds, the commonest reasons first."""
    records = [one for one in read(options.read) if one["decisions"]]
    before = [one for one in read(options.before) if one["decisions"]] if options.before else []
    if before:
        both = {(one["project"], one["file"]) for one in before}
        records = [one for one in records if (one["project"], one["file"]) in both]
        both = {(one["project"], one["file"]) for one in records}
        before = [one for one in before if (one["project"], one["file"]) in both]
    counts, places, kernels, versions = counted(records)
    were, _, _, had = counted(before)
    cpu, was = (sum(one["cpu"] for one in rows) for rows in (records, before))
    print(f"{len(records)} files of {len({one['project'] for one in records})} projects, {kernels} kernels, "
          f"{versions} with versions ({had} before), {cpu:.0f} CPU seconds ({was:.0f} before)")  # fmt: skip
    for text in sorted({*counts, *were}, key=lambda each: (-max(counts[each], were[each]), each)):
        if max(counts[text], were[text]) >= options.least:
            print(f"{counts[text]:5}", *([f"{were[text]:5}"] if before else []), text[:300], sep="  ")
            if options.places:
                print("            ", *sorted(places[text])[:_MOST_FILES])


def main(argv: list[str]) -> int:
    """Write a record or print one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--policy", type=os.path.abspath)
    parser.add_argument("--only", action="append")
    parser.add_argument("--read", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--least", type=int, default=2, help="leave out reasons of fewer kernels")
    parser.add_argument("--places", action="store_true", help="name some kernels of each reason")
    options = parser.parse_args(argv)
    if bool(options.list) != bool(options.record) or bool(options.list) == bool(options.read):
        parser.error("give --list and --record, or --read")
    record(options) if options.list else table(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
