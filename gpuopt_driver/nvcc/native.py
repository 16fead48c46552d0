"""Which GPUs `-arch=native`, `all` and `all-major` stand for: asked of this machine and of this nvcc.

nvcc itself runs `__nvcc_device_query` for the first; where it finds no GPU it warns and takes its default; we too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gpuopt_driver import traced
from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.nvcc.archs import majors
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.toolkit import Toolkit, supported_archs

_SECONDS = 20
_SMI = ("--query-gpu=compute_cap", "--format=csv,noheader")


def _said(argv: list[str], env: Mapping[str, str]) -> str:
    """Standard output of a program that succeeds, else ""."""
    try:
        done = ask(argv, _SECONDS, env)
    except Unanswered:
        return ""
    return done.stdout.decode("ascii", "replace") if done.returncode == 0 else ""


def native_archs(toolkit: Toolkit, env: Mapping[str, str]) -> tuple[int, ...]:
    """The compute capabilities of this machine's GPUs (90), ascending; empty if there is none or nobody can tell."""
    found = re.findall(r"\d+", _said([str(Path(toolkit.root, "bin", "__nvcc_device_query"))], env))
    smi = None if found else shutil.which("nvidia-smi", path=env.get("PATH"))
    if smi is not None:
        found = [
            major + minor for major, minor in re.findall(r"^(\d+)\.(\d+)$", _said([smi, *_SMI], env), re.MULTILINE)
        ]
    return tuple(sorted({int(text) for text in found}))


def with_actual_gpus(command: NvccCommand, toolkit: Toolkit, env: Mapping[str, str]) -> NvccCommand:
    """The command with the GPUs of this machine and of this nvcc in the place of what stands for them."""
    asked = command.architectures
    numbers = set(asked.named)
    if asked.native:
        numbers.update(native_archs(toolkit, env))
    if {"all", "all-major"}.intersection(asked.names):
        with traced.paused():  # it depends on nvcc alone
            known = supported_archs(toolkit, env)
        numbers.update(known if "all" in asked.names else majors(known))
    return replace(command, architectures=replace(asked, numbers=tuple(sorted(numbers))))
