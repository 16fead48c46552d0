"""Building with the emulator backend in this process, and running what was built."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from gpuopt_driver.backends.emulator import build
from gpuopt_driver.nvcc.command import parse_command
from tests.needs import PLAIN, SHORT_DIALECT, SOON

PROGRAMS = Path(__file__).parent / "programs"


def compile_with(
    *argv: object,
    cwd: Path,
    patched: Mapping[str, bytes] | None = None,
    env: Mapping[str, str] | None = None,
    gpu: str = "",
    check: bool = False,
    soon: bool = True,
    plain: bool = False,
    on_failure: Callable[[], None] = lambda: None,
) -> int:
    """The exit status of `gpuopt-nvcc ARGV...` with the emulator backend.

    `check`: with code for check mode, too; `soon`: built soon, by a host compiler that optimizes little, as the dialect
    of which its headers take least (C++14, if it is none of `argv`); `plain`: by one that does not optimize, for large
    programs that round nothing. Code for check mode is optimized in any case.
    """
    environment = {**os.environ, "GPUOPT_EMU_MODE": "" if check else "fast", **(env or {})}
    words = [str(item) for item in argv]
    if soon:
        dialect = [] if any(word.startswith("-std=") for word in words) else [SHORT_DIALECT]
        words += [*dialect, "-Xcompiler", PLAIN if plain else SOON]
    command = parse_command(words, environment, str(cwd))
    return build(command, patched or {}, environment, gpu=gpu, on_failure=on_failure)


def run(program: Path, *argv: object, **env: str) -> subprocess.CompletedProcess[str]:
    """Run an emulated program; it must end within two minutes, which is long for a machine that does much else."""
    return subprocess.run(
        [program, *map(str, argv)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
