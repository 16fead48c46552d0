"""Damaged, exchanged and forged caches, in numbers: `python -m tests.faults.damage --count 200` tells what went wrong.

A plugin patches a kernel; a compiler that only preprocesses makes the object. Whatever happens to the cache between two
builds, the object, the exit status and what is said stay as they were.
"""

from __future__ import annotations

import argparse
import json
import marshal
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from gpuopt_driver import store
from tests.driver.support import ROOT
from tests.faults.support import PATCHED, make_project

PLUGIN = """
from gpuopt_driver.api import Decision, Edit, Finding, PluginInfo, Proposal, hookimpl

@hookimpl
def gpuopt_describe():
    return PluginInfo(name="probe", summary="patches", codes={"PROBE001": "patched"})

@hookimpl
def gpuopt_propose(kernel, context, facts):
    span = kernel.span
    text = context.unit.files[span.file].data
    at = text.index(b"*= 2")
    finding = Finding("probe", kernel.qualified, Decision.APPLIED, "PROBE001", "x", span.file, span.line, span.column)
    return Proposal(findings=(finding,), edits=(Edit(span.file, at, at + 4, b"*= 3"),))
"""
SAID = b"made something\n"
# The kinds that a patched build with nvcc fills.
KINDS = frozenset(
    {"map", "memo", "overlay", "overlay-digest", "overlay-test", "patched", "pch", "pch-digest", "toolkit"}
)


class Runs:
    """What runs a program when it is read by pickle."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch '{self.mark}'",)


class Victim:
    """A project, its cache as it was left by a build, and what a build of it gives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = make_project(root)
        site = root / "site"
        (site / "probe-1.0.dist-info").mkdir(parents=True)
        (site / "probe-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
        (site / "probe-1.0.dist-info/entry_points.txt").write_text("[gpuopt.plugins]\nprobe = probe_plugin\n")
        (site / "probe_plugin.py").write_text(PLUGIN)
        self.cache = root / "cache"
        self.mark = root / "ran"
        for _ in range(3):  # where Python has its own caches to write, the first is not remembered
            found = self.build()
            assert found[:2] == (0, SAID), found
            assert found[2].endswith(PATCHED), found
        shutil.copytree(self.cache, root / "whole", symlinks=True)

    def build(self) -> tuple[int, bytes, bytes]:
        """Exit status, what was said, and the object."""
        (self.root / "a.o").unlink(missing_ok=True)
        env = {**os.environ, **self.env, "PYTHONPATH": f"{ROOT}{os.pathsep}{self.root / 'site'}"}
        line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-c", "a.cu", "-o", "a.o"]
        done = subprocess.run(line, cwd=self.root, env=env, capture_output=True, check=False, timeout=120)
        made = self.root / "a.o"
        return done.returncode, done.stderr, made.read_bytes() if made.exists() else b""

    def restore(self) -> None:
        """The cache as it was at first."""
        shutil.rmtree(self.cache)
        shutil.copytree(self.root / "whole", self.cache, symlinks=True)

    def files(self) -> list[Path]:
        """All entries."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file() and path.name != "pruned")

    def seal(self, path: Path, value: bytes) -> None:
        """Write an entry as who knows the form would: its digest is right."""
        kind, first, rest = path.relative_to(self.cache).parts
        path.write_bytes(store.sealed(kind, first + rest, value))

    def after(self, way: Callable[[Victim, Path, random.Random], None], path: Path, chance: random.Random) -> str:
        """What is wrong with builds after a damage, "" if nothing is."""
        self.restore()
        way(self, path, chance)
        for _ in range(2):
            status, said, made = self.build()
            if self.mark.exists():
                self.mark.unlink()
                return "code of the cache was run"
            if (status, said) != (0, SAID):
                return f"status {status}, {said!r}"
            if not made.endswith(PATCHED):
                return f"another object: {made[-100:]!r}"
        return ""


def _overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(data)


def _cut(_: Victim, path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    _overwrite(path, data[: chance.randrange(len(data))])


def _flip(_: Victim, path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _number in range(chance.choice((1, 1, 30))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    _overwrite(path, bytes(data))


def _empty(_: Victim, path: Path, _chance: random.Random) -> None:
    _overwrite(path, b"")


def _zeros(_: Victim, path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    at = chance.randrange(len(data))
    _overwrite(path, data[:at] + bytes(len(data) - at))


def _longer(_: Victim, path: Path, chance: random.Random) -> None:
    _overwrite(path, path.read_bytes() + chance.randbytes(chance.randrange(1, 5000)))


def _remove(_: Victim, path: Path, _chance: random.Random) -> None:
    path.unlink()


def _exchange(victim: Victim, path: Path, chance: random.Random) -> None:
    """With the file of any other kind or key."""
    other = chance.choice([file for file in victim.files() if file != path])
    first, second = path.read_bytes(), other.read_bytes()
    _overwrite(path, second)
    _overwrite(other, first)


def _forge(victim: Victim, path: Path, chance: random.Random) -> None:
    """With a right digest, where the kind has one."""
    junk = json.dumps({"nvcc": "/bin/false", "files": 3, "version": [1, "x"]}).encode()
    for file in [path, *[file for file in victim.files() if file.parent.parent == path.parent.parent]]:
        values = [pickle.dumps(Runs(victim.mark)), marshal.dumps(compile("1", "x", "exec")), junk, b"", b"ok\0x"]
        value = chance.choice([*values, chance.randbytes(200), b"[" * 100_000])
        if len(file.relative_to(victim.cache).parts) == 3 and not file.suffix:
            file.chmod(0o600)
            victim.seal(file, value)
        else:
            _overwrite(file, value)


def _links(_: Victim, path: Path, chance: random.Random) -> None:
    path.unlink()
    path.symlink_to(chance.choice(["/nonexistent", "/etc/passwd", path.name]))


WAYS = (_cut, _flip, _empty, _zeros, _longer, _remove, _exchange, _forge, _links)


def campaign(victim: Victim, count: int, seed: int) -> list[str]:
    """Damage one file after the other, each kind in each way in turn; one line for each wrong outcome."""
    chance = random.Random(seed)
    victim.restore()
    kinds: dict[str, list[Path]] = {}
    for path in victim.files():
        kinds.setdefault(path.relative_to(victim.cache).parts[0], []).append(path)
    cases = [(way, kind) for way in WAYS for kind in sorted(kinds)]
    chance.shuffle(cases)
    wrong = []
    for number in range(count):
        way, kind = cases[number % len(cases)]
        path = chance.choice(kinds[kind])
        found = victim.after(way, path, chance)
        if found:
            wrong.append(f"{number}: {way.__name__} {path.relative_to(victim.cache)}: {found}")
    return wrong


def main() -> int:
    """Run a campaign; the exit status says whether anything was wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wrong = campaign(Victim(Path(scratch)), arguments.count, arguments.seed)
    sys.stdout.write("".join(f"{line}\n" for line in wrong) + f"{len(wrong)} of {arguments.count} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
