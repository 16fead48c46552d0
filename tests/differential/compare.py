"""Running one command line with nvcc and with `gpuopt-nvcc` in the same place, and telling what differs.

nvcc is not reproducible everywhere (names of temporary files, timings). What is normalised, is normalised only where
nvcc differs from itself in two runs.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.differential.project import Line
from tests.ours import switched_off

ROOT = Path(__file__).parents[2]
SECONDS = 240

# Ways to call us such that nothing is to be patched: by environment, by flag, by policy, and with all plugins at work.
MODES = ("environment", "flag", "policy", "plugins")
_POLICY = switched_off()

_AGAIN = 6  # runs of nvcc that may show what it does differently itself

Seen = dict[str, bytes]  # everything observable of one run, by what it is


def mode_of(line: Line, number: int) -> str:
    """The way in turn; for lines that are about what runs beside the analysis, the one with an analysis."""
    return "plugins" if line.group == "beside" else MODES[number % len(MODES)]


def _same(data: bytes) -> bytes:
    return data


def _without_ids(data: bytes) -> bytes:
    """Without the process numbers, and with several threads the addresses, in names of temporary files."""
    named = re.sub(rb"tmpxft_[0-9a-f]{8}_[0-9a-f]{8}", b"tmpxft", data)
    return re.sub(rb"_[0-9a-f]+_(stdout|stderr)\b", rb"_\1", named)


def _without_numbers(data: bytes) -> bytes:
    """Without numbers at all (timings)."""
    return re.sub(rb"[0-9]+", b"0", _without_ids(data))


def _without_order(data: bytes) -> bytes:
    """The lines in any order (threads)."""
    return b"\n".join(sorted(_without_numbers(data).splitlines()))


def _size(data: bytes) -> bytes:
    """The magnitude only: what is in it changes from run to run."""
    return b"%d KiB" % (len(_without_ids(data)) >> 14)


NORMALISED: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("as it is", _same),
    ("ids", _without_ids),
    ("numbers", _without_numbers),
    ("order", _without_order),
    ("size", _size),
)


def behind(nvcc: str) -> str:
    """The nvcc behind a script that may stand before it."""
    done = subprocess.run(
        [nvcc, "--dryrun", "-c", "x.cu"], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    here = re.search(r"^#\$ _HERE_=(.*)$", done.stderr, re.MULTILINE)
    return f"{here[1]}/nvcc" if here else nvcc


@dataclass(frozen=True)
class Verdict:
    """What came of one line: differences (empty if there are none), and how each thing was compared."""

    line: Line
    mode: str
    status: int
    differences: tuple[str, ...]
    normalised: Mapping[str, str]


class Workshop:
    """A directory in which runs take place, one after the other, always under the same path."""

    def __init__(self, scratch: Path, nvcc: str, template: Path) -> None:
        self.nvcc = nvcc
        self.template = template
        self.place = scratch / "place"
        self.temporary = scratch / "tmp"
        self.policy = scratch / "policy.toml"
        scratch.mkdir(parents=True, exist_ok=True)
        self.policy.write_text(_POLICY)

    def _fresh(self) -> None:
        for directory in (self.place, self.temporary):
            shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.template, self.place, symlinks=True)
        self.temporary.mkdir()

    def _environment(self, line: Line, mode: str) -> dict[str, str]:
        env = {**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT), "GPUOPT_NVCC": self.nvcc}
        if mode == "environment":
            env["GPUOPT_OFF"] = "1"
        elif mode == "policy":
            env["GPUOPT_POLICY"] = str(self.policy)
        return {**env, **line.env}

    def run(self, program: list[str], line: Line, mode: str) -> Seen:
        """One run. The environment is the same for nvcc: programs that it starts may print it."""
        self._fresh()
        done = subprocess.run(
            [*program, *(os.fsencode(word) for word in line.argv)],
            cwd=self.place / line.cwd,
            env=self._environment(line, mode),
            input=line.stdin or b"",
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        seen: Seen = {"exit status": b"%d" % done.returncode, "stdout": done.stdout, "stderr": done.stderr}
        seen.update(_files(self.place, self.template))
        left = sorted(_without_ids(os.fsencode(path.name)) for path in self.temporary.iterdir())
        seen["temporary files"] = b"\n".join(left)
        return seen

    def compare(self, line: Line, mode: str) -> Verdict:
        """Both programs on one line."""
        ours = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *(["--gpuopt-off"] if mode == "flag" else [])]
        theirs = self.run([self.nvcc], line, mode)
        mine = self.run(ours, line, mode)
        if mode == "plugins":
            mine = {what: without_stamp(data) for what, data in mine.items()}
        status = int(theirs["exit status"])
        if mine == theirs:
            return Verdict(line, mode, status, (), {})
        for _ in range(_AGAIN):  # with several threads, nvcc's steps come in one order in three runs of four
            differences, ways = _judge(theirs, self.run([self.nvcc], line, mode), mine)
            if not differences:
                break
        return Verdict(line, mode, status, differences, ways)


def without_stamp(data: bytes) -> bytes:
    """A dependency file without what stands for a policy that is not there (docs/build-systems.md)."""
    return re.sub(rb"\n\S+/policies/[0-9a-f]{64}:\n\Z", b"", re.sub(rb" \\\n \S+/policies/[0-9a-f]{64}", b"", data))


def _files(place: Path, template: Path) -> Seen:
    """What a run has written: names, kinds, permissions and bytes of all that is new or not as it was."""
    seen: Seen = {}
    for path in sorted(place.rglob("*")):
        name = os.fsencode(path.relative_to(place))
        before = template / os.fsdecode(name)
        if path.is_symlink() or path.is_dir():
            if not os.path.lexists(before):
                seen[f"file {_without_ids(name)!r}"] = b"a link or a directory"
        elif not before.is_file() or before.read_bytes() != path.read_bytes():
            mode = b"%o\n" % stat.S_IMODE(path.stat().st_mode)
            seen[f"file {_without_ids(name)!r}"] = mode + path.read_bytes()
    for path in sorted(template.rglob("*")):
        if not os.path.lexists(place / path.relative_to(template)):
            seen[f"file {os.fsencode(path.relative_to(template))!r}"] = b"deleted"
    return seen


def _judge(first: Seen, second: Seen, ours: Seen) -> tuple[tuple[str, ...], dict[str, str]]:
    """What differs, and how each thing was compared: by the first way in which nvcc agrees with itself."""
    differences: list[str] = []
    ways: dict[str, str] = {}
    for what in sorted({*first, *second, *ours}):
        if (what in first) != (what in ours):
            differences.append(f"{what}: {'only nvcc' if what in first else 'only gpuopt-nvcc'} has it")
            continue
        if what not in second:
            continue
        for way, function in NORMALISED:
            if function(first[what]) == function(second[what]):
                ways[what] = way
                if function(ours[what]) != function(first[what]):
                    differences.append(f"{what}: {_excerpt(first[what])} became {_excerpt(ours[what])}")
                break
    return tuple(differences), ways


def _excerpt(data: bytes) -> str:
    return repr(data if len(data) < 400 else data[:200] + b" ... " + data[-200:])
