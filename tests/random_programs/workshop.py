"""Builds a program for the emulator and runs it in several ways."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .on_gpu import TRACE, differences

GPU = "h200"
# What is left to the host compiler to fuse is fused with this; -O3, the default, takes half as long again.
# Integers that wrap are left as a GPU has them, whatever this compiler could make of that.
OPTIMISE = "-Xcompiler=-O1,-fexpensive-optimizations,-fwrapv"
BUILD_SECONDS, RUN_SECONDS = 300.0, 60.0


@dataclass(frozen=True)
class Built:
    """A build: the program ("" where there is none), what was said, and the report's decisions."""

    program: str
    said: str
    codes: Counter[str] = field(default_factory=Counter)
    problems: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def dropped(self) -> bool:
        """Whether the patched source did not compile."""
        return "the patched source does not compile" in self.said


@dataclass(frozen=True)
class Ran:
    """A run: its lines, the versions that kernels got, and what check mode found by kernel."""

    status: int
    lines: tuple[str, ...]
    said: str
    picks: frozenset[tuple[str, str]]
    findings: tuple[str, ...] = ()


def _driver() -> str:
    beside = Path(sys.executable).with_name("gpuopt-nvcc")  # of an environment that is not in PATH
    found = str(beside) if beside.exists() else shutil.which("gpuopt-nvcc")
    assert found, "gpuopt-nvcc is not in PATH"
    return found


class Workshop:
    """A directory of its own for one program at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._driver = _driver()

    def build(self, text: str, policy: str, *, check: bool = False) -> Built:
        """Build a program under a policy, with the code for check mode or without."""
        names = ("program.cu", "policy.toml", "report.json", "program")
        source, rules, report, program = (self.directory / name for name in names)
        for path in (report, program):
            path.unlink(missing_ok=True)
        source.write_text(text)
        rules.write_text(policy)
        command = [
            self._driver,
            "--gpuopt-backend=emulator",
            f"--gpuopt-policy={rules}",
            f"--gpuopt-gpu={GPU}",
            f"--gpuopt-report={report}",
            "-arch=sm_90",
            "-std=c++17",
            OPTIMISE,
            str(source),
            "-o",
            str(program),
        ]
        environment = {**os.environ, **({} if check else {"GPUOPT_EMU_MODE": "fast"})}
        started = time.monotonic()
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=BUILD_SECONDS,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return Built("", f"still building after {BUILD_SECONDS:g} s", seconds=BUILD_SECONDS)
        codes, problems = self._report(report)
        made = str(program) if done.returncode == 0 and program.exists() else ""
        return Built(made, done.stderr, codes, problems, time.monotonic() - started)

    def _report(self, path: Path) -> tuple[Counter[str], tuple[str, ...]]:
        if not path.exists():
            return Counter(), ()
        (unit,) = json.loads(path.read_text())["units"]
        codes = Counter(f"{one['plugin']} {one['decision']} {one['code']}" for one in unit["decisions"])
        return codes, tuple(f"{one['plugin']}: {one['message']}" for one in unit["problems"])

    def run(
        self, program: str, environment: Mapping[str, str], *, check: bool = False, dump: Path | None = None
    ) -> Ran:
        """Run a build once. Status 124: it did not end."""
        found = self.directory / "check.json"
        found.unlink(missing_ok=True)
        settings = {
            "GPUOPT_EMU_GPU": GPU,
            "GPUOPT_EMU_MODE": "check" if check else "fast",
            "GPUOPT_EMU_REPORT": str(found) if check else "",
        }
        env = {**os.environ, **settings, **environment}
        if not check:
            del env["GPUOPT_EMU_REPORT"]
        command = [program, *([str(dump)] if dump else [])]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=RUN_SECONDS * (4 if check else 1),
                check=False,
                env=env,
            )
        except subprocess.TimeoutExpired as error:
            said = (error.stdout or b"").decode() if isinstance(error.stdout, bytes) else error.stdout or ""
            return Ran(124, tuple(said.splitlines()), "did not end", frozenset())
        picks = frozenset((name, version) for name, version in TRACE.findall(done.stderr) if version != "original")
        return Ran(
            done.returncode, tuple(done.stdout.splitlines()), done.stderr, picks, _findings(found) if check else ()
        )

    def first_differences(self, program: str, environment: Mapping[str, str]) -> dict[tuple[str, int], str]:
        """Where a run's buffers first differ from the original's, by kernel and launch."""
        places = [self.directory / name for name in ("original.bin", "version.bin")]
        for place in places:
            place.unlink(missing_ok=True)
        ran = self.run(program, {"GPUOPT_DISPATCH": "original"}, dump=places[0])
        self.run(program, environment, dump=places[1])
        before, after = (place.read_bytes() if place.exists() else b"" for place in places)
        return differences(before, after, ran.lines)


def _findings(path: Path) -> tuple[str, ...]:
    """Errors of check mode: kind, kernel, message."""
    if not path.exists():
        return ("no report of check mode",)
    found = json.loads(path.read_text())["findings"]
    return tuple(
        f"{one['kind']} {one.get('kernel', '')}: {one.get('place', '')} {one['message']}"
        for one in found
        if one["severity"] == "error"
    )
