"""All advice on a translation unit, the weightiest first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from gpuopt_driver.advice.aliases import kept_in_memory
from gpuopt_driver.advice.banks import conflicts
from gpuopt_driver.advice.instructions import Compiled, instructions
from gpuopt_driver.advice.kernel import KernelView
from gpuopt_driver.advice.launches import launches
from gpuopt_driver.advice.memory import atomics, narrow, requests
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.errors import one_line
from gpuopt_driver.report.model import UnitReport, counted
from gpuopt_driver.report.text import shown

_WIDTH = 118
_INDENT = "    "


def advice_on(report: UnitReport, arch: Arch, made: Compiled | None = None) -> list[Advice]:
    """What the authors of a unit's kernels can do; `made` is what nvcc made of them, where that is known."""
    found: dict[tuple[str, str, str], dict[tuple[str, int], Advice]] = {}  # what is said of several places, once
    for facts in report.facts:
        kernel = KernelView(facts)
        taken = made.resources.get(kernel.name) if made else None
        of_launches = (
            launches(kernel, arch, taken.registers, taken.static_shared_bytes) if taken else launches(kernel, arch)
        )
        of_code = instructions(kernel, made, arch) if made else ()
        of_memory = chain(requests(kernel), atomics(kernel), narrow(kernel), conflicts(kernel), kept_in_memory(kernel))
        for one in (*of_memory, *of_launches, *of_code):
            found.setdefault((one.code, one.kernel, one.message), {}).setdefault((one.file, one.line), one)
    told = [_joined(list(places.values())) for places in found.values()]
    return sorted(told, key=lambda one: (-one.weight, one.file, one.line, one.code))


def _joined(alike: Sequence[Advice]) -> Advice:
    """One of several that say the same, with the lines of the others."""
    heaviest = max(alike, key=lambda one: one.weight)
    lines = sorted({one.line for one in alike if one.file == heaviest.file} - {heaviest.line})
    if not lines:
        return heaviest
    also = f" (and at line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))})"
    return replace(heaviest, message=heaviest.message + also)


def advice_lines(report: UnitReport, gpu: str, advice: Sequence[Advice], cwd: str | None = None) -> Iterator[str]:
    """Advice for people: what was seen as a compiler's note, what helps below it, and a summary that names the GPU."""
    for one in advice:
        place = f"{shown(one.file, cwd)}:{one.line}"
        yield one_line(f"{place}: advice: kernel {one.kernel}: {one.message} [{one.code}]")
        yield from textwrap.wrap(f"what helps: {one.remedy}", _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    names = {str(facts.get("kernel", "")) for facts in report.facts}
    about = f"{counted(len(names), 'kernel')} of {shown(report.source, cwd)} for {gpu}"
    yield f"{about}: {counted(len(advice), 'piece')} of advice" if advice else f"{about}: nothing stands out"


def advice_object(one: Advice) -> dict[str, Any]:
    """One piece of advice for JSON; figures stand beside its own keys."""
    return {
        **one.figures,
        "code": one.code,
        "kernel": one.kernel,
        "file": one.file,
        "line": one.line,
        "message": one.message,
        "remedy": one.remedy,
        "weight": round(one.weight, 3),
    }
