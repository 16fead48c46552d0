"""What nvcc made of a kernel, by source line: double precision, divisions, spills, local arrays.

PTX ISA 9.0, chapters 9 (instructions) and 11 (`.loc`); throughputs of double precision: CUDA C++ Programming Guide,
table of arithmetic instructions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from gpuopt_driver.advice.kernel import KernelView
from gpuopt_driver.advice.model import Advice, in_words
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.mangling import qualified_name
from gpuopt_driver.nvcc.resources import KernelResources, by_name
from gpuopt_driver.ptx.read import texts
from gpuopt_driver.report.model import counted

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_LABEL = re.compile(r"([$\w]+):\s*$")
_BRANCH = re.compile(r"\bbra(?:\.\w+)*\s+([$\w]+)\s*;")
_CODE = re.compile(r"\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\s+([^;]*);")
_DIVIDES = re.compile(r"(?:div|rem)\.[us](16|32|64)$")
_DOUBLES = re.compile(r"(?:add|sub|mul|fma|div|sqrt|rcp|neg|abs|min|max|setp)\b.*\.f64$")
_FEW_64 = {
    (3, 0): 24,
    (6, 1): 32,
    (7, 5): 32,
    (8, 6): 64,
    (8, 9): 64,
    (12, 0): 64,
    (12, 1): 64,
    (8, 7): 64,
}  # floats by double
_FEW_64_BY_MAJOR = {1: 8, 5: 32}
_IN_A_LOOP = 10.0
_MOST_LINES = 6  # that are named
_SPILL = 3.0  # weight


@dataclass(slots=True)
class Lines:
    """Instructions of one kernel by kind, source place, and how many loops of the PTX are around them."""

    counts: Counter[tuple[str, tuple[str, int], int]] = field(default_factory=Counter)

    def of(self, kind: str) -> list[tuple[tuple[str, int], int, int]]:
        """(place, depth, number) of a kind, the deepest and most first."""
        found = [(place, depth, count) for (one, place, depth), count in self.counts.items() if one == kind]
        return sorted(found, key=lambda item: (-item[1], -item[2], item[0]))


@dataclass(frozen=True, slots=True)
class Compiled:
    """What nvcc made of a source's kernels, by qualified name.

    `several` names those of which instantiations (or overloads) take different registers: for each of them, only the
    most is known.
    """

    resources: Mapping[str, KernelResources]
    lines: Mapping[str, Lines]
    several: frozenset[str] = frozenset()


def compiled(resources: Sequence[KernelResources], ptx: str) -> Compiled:
    """What ptxas and PTX tell of kernels; instantiations of a template are taken together."""
    files = {int(number): name for number, name in _FILE.findall(ptx)}
    found: dict[str, Lines] = {}
    for symbol, is_kernel, body in texts(ptx):
        if is_kernel:
            _count(found.setdefault(qualified_name(symbol), Lines()), body, files)
    registers: dict[str, set[int]] = {}
    for one in resources:
        registers.setdefault(one.name, set()).add(one.registers)
    return Compiled(by_name(resources), found, frozenset(name for name, some in registers.items() if len(some) > 1))


def _count(lines: Lines, body: Sequence[str], files: Mapping[int, str]) -> None:
    labels = {found[1]: at for at, line in enumerate(body) if (found := _LABEL.match(line))}
    loops = [
        (labels[found[1]], at)
        for at, line in enumerate(body)
        if (found := _BRANCH.search(line)) and labels.get(found[1], at + 1) <= at
    ]
    tops: dict[int, int] = {}  # a loop that goes on from several places is one
    for top, end in loops:
        tops[top] = max(end, tops.get(top, end))
    place = ("", 0)
    for at, line in enumerate(body):
        if (loc := _LOC.match(line)) is not None:
            if loc[2] != "0":  # what has no line of its own belongs to what is around it
                place = (files.get(int(loc[1]), ""), int(loc[2]))
        elif (code := _CODE.match(line)) is not None:
            for kind in _kinds(code[1], code[2]):
                lines.counts[kind, place, sum(top < at < end for top, end in tops.items())] += 1


def _kinds(opcode: str, operands: str) -> Iterator[str]:
    if opcode == "cvt.f64.f32":
        yield "promoted"
    if _DOUBLES.match(opcode):
        yield "double"
    if opcode.startswith("ld.local"):
        yield "local"
    if (found := _DIVIDES.match(opcode)) and operands.rpartition(",")[2].strip().startswith("%"):
        yield f"divided{found[1]}"


def instructions(kernel: KernelView, made: Compiled, arch: Arch) -> Iterator[Advice]:
    """What stands out in a kernel's code."""
    lines = made.lines.get(kernel.name)
    if lines is not None:
        yield from _doubles(kernel, lines, arch)
        yield from _divisions(kernel, lines)
    taken = made.resources.get(kernel.name)
    if taken is not None:
        yield from _memory(kernel, taken, lines)


def _doubles(kernel: KernelView, lines: Lines, arch: Arch) -> Iterator[Advice]:
    promoted, doubles = lines.of("promoted"), lines.of("double")
    declared = " ".join(map(str, kernel.facts.get("parameters") or ()))
    elements = {access.get("element") for access in kernel.accesses}
    if not promoted or not doubles or "double" in declared or any("double" in str(one) for one in elements):
        return
    (file, line), depth, _ = doubles[0]
    total = sum(count for _, _, count in doubles)
    others = in_words(sorted({place[1] for place, _, _ in doubles if place[0] == file} - {line})[:_MOST_LINES])
    at = f" (and at {others})" if others else ""
    ratio = _ratio(arch)
    message = (
        f"the kernel has no data of type double, but computes in double precision here{at}: "
        f"{counted(total, 'instruction')}{', some in a loop' if depth else ''}, at 1/{ratio} of float's rate on "
        f"{arch.title}"
    )
    yield Advice(
        "ADVISE010",
        kernel.name,
        file or kernel.file,
        line,
        message,
        "write 0.5f for 0.5 and call functions with float arguments; the last digits of results change",
        total * ratio / 4 * _IN_A_LOOP**depth,
        {"double_instructions": total, "float_rate_over_double_rate": ratio},
    )


def _ratio(arch: Arch) -> int:
    """How many float operations a multiprocessor does for one of double."""
    capability = arch.compute_capability
    return _FEW_64.get(capability) or _FEW_64_BY_MAJOR.get(capability[0]) or (3 if capability[0] == 3 else 2)


def _divisions(kernel: KernelView, lines: Lines) -> Iterator[Advice]:
    found = [(place, depth, count, bits) for bits in (64, 32) for place, depth, count in lines.of(f"divided{bits}")]
    found = [item for item in found if item[1] > 0]
    if not found:
        return
    (file, line), depth, _, bits = max(found, key=lambda item: (item[1], item[3], item[2]))
    others = {place[1] for place, *_ in found if place[0] == file} - {line}
    at = f" (and at {in_words(others)})" if others else ""
    yield Advice(
        "ADVISE012",
        kernel.name,
        file or kernel.file,
        line,
        f"whole numbers of {bits} bits are divided in a loop, by a number that the compiler does not know{at}: the GPU "
        "has no instruction for that",
        "make the divisor a constant or a template parameter, or count a quotient and a remainder along"
        + (", or use 32 bits" if bits == 64 else ""),
        (1.0 if bits == 64 else 0.25) * (1 + len(others)) * _IN_A_LOOP**depth,
        {"bits": bits},
    )


def _memory(kernel: KernelView, taken: KernelResources, lines: Lines | None) -> Iterator[Advice]:
    line = int(kernel.facts.get("line") or 0)
    if taken.spill_bytes:
        yield Advice(
            "ADVISE011",
            kernel.name,
            kernel.file,
            line,
            f"the {taken.registers} registers of a thread do not suffice: spills store and load {taken.spill_bytes} B "
            "of local memory",
            "allow more registers (__launch_bounds__, -maxrregcount), unroll less, or use what is computed sooner",
            _SPILL * _IN_A_LOOP,
            {"registers": taken.registers, "spill_bytes": taken.spill_bytes},
        )
    elif taken.local_bytes:
        arrays = [access for access in kernel.accesses if access.get("space") == "local"]
        if arrays and lines is not None and lines.of("local"):
            file, line = kernel.place(arrays[0])
            names = ", ".join(dict.fromkeys(f"`{access['array']}`" for access in arrays))
            yield Advice(
                "ADVISE013",
                kernel.name,
                file,
                line,
                f"{names}: {taken.local_bytes} B for each thread in local memory, as the compiler does not know all "
                "indices",
                "unroll the loops that index it completely (#pragma unroll), or keep the table in shared memory",
                _SPILL,
                {"local_bytes": taken.local_bytes},
            )
