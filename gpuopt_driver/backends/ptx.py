"""Which instructions of the PTX are marked loads, told by a line table; and what is put on each.

A load counts as found where all instructions on its line load global memory at addresses that come from its parameter
alone. Everything is computed on a twin compiled with a line table; the digest of a kernel's instructions says whether
the PTX that ptxas gets is the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.digests import blake2b
from gpuopt_driver.ptx.read import braces
from gpuopt_driver.source.marks import STAYS, Mark

_TARGET = re.compile(r"^\.target\s+sm_(\d+)", re.MULTILINE)
_PRIORITIES_SINCE = 70  # L1::no_allocate and the like
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)\s")
_LOAD = re.compile(r"\s*(?:@!?%p\d+\s+)?(ld\.global(?:\.nc)?)(?:\.v[248])?\.[bfsu]\d+\s")
_ADDRESS = re.compile(r"\[(%\w+)(?:[+-]+\d+)?\];")
_GLOBAL = "ld.global"
_DEFINES = re.compile(r"\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+(\{[^}]*\}|%\w+(?:\|%\w+)?)\s*,\s*(.*);")
_REGISTER = re.compile(r"%[a-z]+\d+")
_PARAM = re.compile(r"\[[\w$]+_param_(\d+)")
_NOT_WITH_NC = ("lu",)


def digest_of(data: bytes) -> str:
    """The first 64 bits of BLAKE2b of 256 bits; `ptx.c` computes the same."""
    return blake2b(data, 32)[:16]


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel's body in the PTX, line by line."""

    name: str
    lines: tuple[str, ...]
    arch: int  # compute capability, 90 for sm_90a

    def digest(self) -> str:
        """The digest of the body without its line table; `ptx.c` computes the same."""
        lines = (line for line in self.lines if not line.lstrip().startswith(".loc"))
        return digest_of("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))

    def row(self, placed: Placed) -> str:
        """The line of the list that `ptx.c` reads."""
        loads = (f"{number}:{old}>{new}" for number, (old, new) in sorted(placed.changes.items()))
        return f"{self.digest()} {self.name} {' '.join(loads)}\n"


@dataclass(frozen=True, slots=True)
class Placed:
    """What becomes of a kernel's marked loads.

    `changes`: per number of an `ld.global` how it begins and is to begin; by the marks' lines: `found`, how many
    instructions, and `refused`, why there are none.
    """

    changes: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    found: Mapping[int, int] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)


def entries(text: str) -> tuple[Entry, ...]:
    """The kernels of a PTX file."""
    found: list[Entry] = []
    target = _TARGET.search(text)
    arch = int(target.group(1)) if target else 0
    name = ""
    body: list[str] | None = None
    depth = 0
    for line in text.split("\n"):
        if body is not None:
            depth += braces(line)
            if depth == 0:
                found.append(Entry(name, tuple(body), arch))
                name, body = "", None
            else:
                body.append(line)
        elif declared := _ENTRY.search(line):
            name = declared.group(1)
        elif name and line == "{":
            body, depth = [], 1
    return tuple(found)


def place(entry: Entry, marks: Sequence[Mark], first_param: int) -> Placed:
    """The changes of one kernel, for the marks whose lines it has.

    `first_param` is the number that the first of the parameters that marks count has in the PTX.
    """
    by_line: dict[int, list[_Found]] = {}
    line = count = 0
    for text in entry.lines:
        if (loc := _LOC.match(text)) is not None:
            line = int(loc.group(1))
            by_line.setdefault(line, [])
        elif _GLOBAL in text and "st.global" not in text:
            load, address = _LOAD.match(text), _ADDRESS.search(text)
            by_line.setdefault(line, []).append(
                (count, load.group(1) if load else "", address.group(1) if address else "")
            )
            count += 1
    sources = _Sources(entry)
    changes: dict[int, tuple[str, str]] = {}
    found: dict[int, int] = {}
    refused: dict[int, str] = {}
    for mark in marks:
        nest = [one for one in marks if one.nest == mark.nest]
        if mark.operator == STAYS or not any(one.line in by_line for one in nest):
            continue
        pool = [load for one in nest for load in by_line.get(one.line, ())]
        mine, reason = _loads_of(mark, nest, pool, sources, first_param)
        reason = reason or _why_not(mark, mine, entry.arch)
        if reason:
            refused[mark.line] = reason
            continue
        found[mark.line] = len(mine)
        changes.update({number: (old, _with(old, mark.operator)) for number, old, _ in mine})
    return Placed(changes, found, refused)


_Found = tuple[int, str, str]  # a load's number in the kernel, how it begins, the register of its address


def _loads_of(
    mark: Mark, nest: Sequence[Mark], pool: Sequence[_Found], sources: _Sources, first_param: int
) -> tuple[list[_Found], str]:
    """The loads of a mark among those of all marks that stand inside each other, or why they cannot be told apart.

    The line table may give an inner load's line to the outer one, so within a nest the parameters tell.
    """
    wanted = [one.param + first_param for one in nest if one.param >= 0]
    if len(set(wanted)) < len(nest):
        return [], "its address does not come from a parameter of its own"
    mine: list[_Found] = []
    for load in pool:
        pointers = sources.pointers(load[2])
        if len(pointers) != 1 or not pointers.issubset(wanted):
            return [], "another load stands in the same place of the line table"
        if pointers == {mark.param + first_param}:
            mine.append(load)
    return mine, "" if mine else "no load instruction is its own"


def _why_not(mark: Mark, mine: Sequence[_Found], arch: int) -> str:
    """Why the operator cannot be put on these loads, "" where it can."""
    if "::" in mark.operator and arch < _PRIORITIES_SINCE:
        return f"sm_{arch} has no .{mark.operator}"
    for _, begins, _ in mine:
        if not begins:
            return "its instruction has an operator or an order already"
        if begins.endswith(".nc") and mark.operator in _NOT_WITH_NC:
            return f"read-only loads have no .{mark.operator}"
    return ""


def _with(begins: str, operator: str) -> str:
    """`ld.global.nc` with `.cs` is `ld.global.cs.nc`; priorities stand behind `.nc`."""
    if "::" in operator:
        return f"{begins}.{operator}"
    return begins.replace(_GLOBAL, f"{_GLOBAL}.{operator}", 1)


class _Sources:
    """Where addresses come from: a kernel's pointers are made global by `cvta`; what is loaded counts as unknown."""

    def __init__(self, entry: Entry) -> None:
        self._from: dict[str, set[str]] = {}
        self._params: dict[str, set[int]] = {}
        self._pointers: dict[str, set[str]] = {}
        for line in entry.lines:
            made = _DEFINES.match(line)
            if made is None:
                continue
            operation, results, rest = made.groups()
            for result in _REGISTER.findall(results):
                if operation.startswith("ld.param"):
                    self._params.setdefault(result, set()).update(map(int, _PARAM.findall(rest)))
                elif operation.startswith("cvta.to.global"):
                    self._pointers.setdefault(result, set()).update(_REGISTER.findall(rest))
                elif not operation.startswith(("ld.", "atom.")):
                    self._from.setdefault(result, set()).update(_REGISTER.findall(rest))

    def pointers(self, register: str) -> set[int]:
        """The numbers of the parameters whose addresses are part of what is in a register."""
        roots = {source for one in self._behind({register}) for source in self._pointers.get(one, ())}
        return {param for one in self._behind(roots) for param in self._params.get(one, ())}

    def _behind(self, registers: set[str]) -> set[str]:
        """The registers that these are computed from, and they themselves."""
        seen: set[str] = set()
        waiting = list(registers)
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting.extend(self._from.get(one, ()))
        return seen
