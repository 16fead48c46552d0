"""What is said of a source whose analysis takes more memory or time than it may have: a finding, not a warning.

The build loses nothing but what might have been gained, and the same happens each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpuopt_driver import text_read, traced
from gpuopt_driver.backends.ahead import Ahead
from gpuopt_driver.backends.base import NVCC
from gpuopt_driver.backends.memory import LEAST, WITHOUT_NVCC, Rehearsal, taken_for
from gpuopt_driver.forked import Allowance, Returned
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.policy.schema import DriverPolicy
from gpuopt_driver.report.model import CORE, Decision, Finding

CODE = "GPUOPT014"
_MEGABYTE = 1_000_000
_MORE = "memory_mb in [driver] of toolchain.toml allows more"
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BOUNDS = re.compile(rb"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")
_KERNEL = re.compile(rb"\b__global__\b[^;{}()]*?\b([A-Za-z_]\w*)\s*\(")


@contextmanager
def memory_of(
    driver: DriverPolicy,
    backend: str,
    command: NvccCommand,
    nvcc: RealNvcc | None,
    env: Mapping[str, str],
    beside: Ahead | None = None,
) -> Iterator[tuple[int, Allowance | None]]:
    """The bytes that the analysis of a command may take, and who knows whether it may have more.

    They are the policy's, else those of the largest process of nvcc for the same sources: of `beside`, if it reads
    all that these include.
    """
    if driver.memory_mb:
        yield driver.memory_mb * _MEGABYTE, None
    elif nvcc is None or backend != NVCC:
        yield WITHOUT_NVCC, None
    elif beside is not None and not beside.is_shorter:
        yield LEAST, lambda _: beside.peak()
    else:
        rehearsal = Rehearsal(command, nvcc.path, env)
        text_read.begin()

        def look(needed: int) -> tuple[int, bool]:
            certain = taken_for(text_read.so_far())
            return (certain, False) if certain >= needed else rehearsal.look(needed)

        try:
            yield LEAST, look
        finally:
            with traced.paused():
                rehearsal.close()


def reason(returned: Returned[Any]) -> str:
    """Why there was no analysis, "" where it was not for want of memory or time."""
    if returned.is_too_large:
        return f"not analysed: the analysis {returned.failure} ({_MORE})"
    return f"not analysed: the analysis {returned.failure}" if returned.is_too_slow else ""


def of_option(command: NvccCommand) -> str:
    """Why a source with these options of the host compiler is not analysed, "" where they are in nobody's way."""
    # GCC notes where functions begin, and puts static ones of members that linkers keep one of beside these: links of
    # two objects fail ("defined in discarded section").
    for option in command.compiler_options:
        if option.startswith("-fpatchable-function-entry") and not option.endswith("=0"):
            return f"not analysed: with {option} linkers do not take what versions need of the host compiler"
    return ""


def findings(source: str, why: str) -> tuple[Finding, ...]:
    """One for each kernel that a source's text defines, one for the source where it shows none."""
    try:
        data = Path(source).read_bytes()
    except OSError:
        data = b""
    plain = _COMMENT.sub(_blank, _BOUNDS.sub(_blank, data))
    places = {match.group(1).decode(): plain.count(b"\n", 0, match.start(1)) + 1 for match in _KERNEL.finditer(plain)}
    named = places or {Path(source).name: 1}
    return tuple(Finding(CORE, name, Decision.DECLINED, CODE, why, source, line) for name, line in named.items())


def _blank(match: re.Match[bytes]) -> bytes:
    """As many lines of nothing."""
    return b" " + b"\n" * match.group().count(b"\n")
