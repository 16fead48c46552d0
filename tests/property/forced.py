"""Builds a program for the emulator with throttling forced; runs its original kernels and their versions."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.backends.emulator import build
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.report.model import Finding
from tests.ours import switched_off

FIXED = "fixed_tlp = [1, 0]\nminimum_trips = 0\n"
MODEL = "l1_bytes = 4096\nmargin = 0.01\nminimum_trips = 0\nminimum_warps = 1\n"
_BARRIER = re.compile(rb"if \(gpuopt_plan\.n\[(\d)\] > 1\) __syncthreads\(\);")
_TRACE = re.compile(r"gpuopt: (.+?)<<<.*>>>: catt ")
_SECONDS = 60.0


@dataclass(frozen=True)
class Outcome:
    """What both runs printed, what the patched one said, and how many kinds of launches got a version."""

    original: str
    forced: str
    stderr: str
    throttled: int
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]

    def wrong(self) -> str:
        """What is wrong, or "": outputs that differ, threads that miss a barrier, launches that fail."""
        if self.problems:
            return f"problems: {self.problems}"
        vetoed = [f"{item.kernel}: {item.message}" for item in self.findings if item.code == "GPUOPT003"]
        if vetoed:
            return f"taken back: {vetoed}"
        pairs = zip(self.original.splitlines(), self.forced.splitlines(), strict=False)
        for before, after in pairs:
            if before != after:
                return f"{before!r} became {after!r}; {self.stderr[:300]}"
            if " error " in before and " error 0 " not in before:
                return f"the original fails: {before}"
        return "" if self.original.count("\n") == self.forced.count("\n") > 0 else f"stopped early: {self.stderr[:300]}"


def force(files: Mapping[str, bytes], directory: Path, options: str = FIXED, main: str = "main.cu") -> Outcome:
    """Patch, build and run a program. Every inserted barrier checks that all threads are at the same one."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (directory / name).write_bytes(data)
    policy = directory / "toolchain.toml"
    policy.write_text(f"[plugins.catt]\n{options}{switched_off('catt')}")
    source = str((directory / main).resolve())
    examined = examine(source, ["-arch=sm_90"], load_policy([source], explicit=str(policy)), "h200")
    problems = tuple(f"{problem.plugin}: {problem.message}" for problem in examined.report.problems)
    for path, data in examined.patched.items():
        checked = _BARRIER.sub(rb"if (gpuopt_plan.n[\1] > 1) meet_at(8 * gpuopt_g\1 + \1);", data)
        Path(path).write_bytes(checked)
    command = parse_command(["-arch=sm_90", "-w", source, "-o", str(directory / "program")], os.environ, str(directory))
    if build(command, {}, {**os.environ, "GPUOPT_EMU_MODE": "fast"}):
        raise AssertionError(f"{source} does not compile")
    original, _ = _run(directory / "program", "original")
    forced, stderr = _run(directory / "program", "trace")
    return Outcome(original, forced, stderr, len(_TRACE.findall(stderr)), examined.report.findings, problems)


def _run(program: Path, dispatch: str) -> tuple[str, str]:
    env = {**os.environ, "GPUOPT_DISPATCH": dispatch, "GPUOPT_EMU_GPU": "h200"}
    try:
        done = subprocess.run([str(program)], env=env, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "", f"{dispatch}: still running after {_SECONDS:g} s"
    return done.stdout, done.stderr
