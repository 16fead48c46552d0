"""All advice on a translation unit, the weightiest first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from gpuopt_driver.advice.aliases import kept_in_memory
from gpuopt_driver.advice.banks import conflicts, constants
from gpuopt_driver.advice.instructions import Compiled, instructions
from gpuopt_driver.advice.kernel import KernelView
from gpuopt_driver.advice.launches import launches
from gpuopt_driver.advice.memory import atomics, narrow, requests
from gpuopt_driver.advice.model import Advice, in_words
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.errors import one_line
from gpuopt_driver.report.model import UnitReport, counted
from gpuopt_driver.report.text import shown

_WIDTH = 118
_FERMI = (2, 0)
_OF_MEMORY = (requests, atomics, narrow, conflicts, constants, kept_in_memory)
_INDENT = "    "


def advice_on(report: UnitReport, arch: Arch, made: Compiled | None = None) -> list[Advice]:
    """What the authors of a unit's kernels can do; `made` is what nvcc made of them, where that is known."""
    found: dict[tuple[str, str, str], dict[tuple[str, int], Advice]] = {}  # what is said of several places, once
    heard: dict[tuple[str, str, str], list[str]] = {}  # of which instantiations
    all_of: dict[str, set[str]] = {}
    for facts in report.facts:
        kernel = KernelView(facts)
        arguments = ", ".join(kernel.instantiation)
        all_of.setdefault(kernel.name, set()).add(arguments)
        for one in _on_kernel(kernel, arch, made):
            key = (one.code, one.kernel, one.message)
            found.setdefault(key, {}).setdefault((one.file, one.line), one)
            heard.setdefault(key, []).append(arguments)
    told = []
    for key, places in found.items():
        some = tuple(dict.fromkeys(heard[key]))
        joined = _joined(list(places.values()))
        told.append(replace(joined, instantiations=some) if len(some) < len(all_of[joined.kernel]) else joined)
    return sorted(told, key=lambda one: (-one.weight, one.file, one.line, one.code))


def _on_kernel(kernel: KernelView, arch: Arch, made: Compiled | None) -> Iterator[Advice]:
    # Before Fermi, halves of warps met in 16 banks and in segments.
    of_memory = _OF_MEMORY if arch.compute_capability >= _FERMI else (kept_in_memory,)
    yield from chain.from_iterable(advise(kernel) for advise in of_memory)
    taken = made.resources.get(kernel.name) if made else None
    if made is None or taken is None:
        yield from launches(kernel, arch)
    else:
        registers = None if kernel.name in made.several else taken.registers
        yield from launches(kernel, arch, registers, taken.static_shared_bytes)
    if made is not None:
        yield from instructions(kernel, made, arch)


def _joined(alike: Sequence[Advice]) -> Advice:
    """One of several that say the same, with the lines of the others."""
    heaviest = max(alike, key=lambda one: one.weight)
    lines = in_words({one.line for one in alike if one.file == heaviest.file} - {heaviest.line})
    return replace(heaviest, message=f"{heaviest.message} (and at {lines})") if lines else heaviest


def advice_lines(report: UnitReport, gpu: str, advice: Sequence[Advice], cwd: str | None = None) -> Iterator[str]:
    """Advice for people: what was seen as a compiler's note, what helps below it (once), and a summary with the GPU."""
    told: set[str] = set()
    for one in advice:
        place = f"{shown(one.file, cwd)}:{one.line}"
        yield one_line(f"{place}: advice: kernel {one.about}: {one.message} [{one.code}]")
        if one.remedy in told:
            continue
        told.add(one.remedy)
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
        "instantiations": list(one.instantiations),
        "file": one.file,
        "line": one.line,
        "message": one.message,
        "remedy": one.remedy,
        "weight": round(one.weight, 3),
    }
