"""How much instrumented code computes between its accesses, as a table for the model: rows of runtime/model_work.h.

Arithmetic is counted as it stands in the host's assembly text: what the compiler left of the source is about what a
device compiler leaves of it. Moves, spills and the instrumentation's own instructions are no arithmetic.
"""

from __future__ import annotations

import re
from dataclasses import field, replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.places import table_row

_FLOATING = re.compile(
    r"\tv?(?:(fn?m(?:add|sub)\w*)|(?:add|sub|mul|div|sqrt|max|min)(?=[sp][sd])|cvt\w+|u?comi|round)(?:ss|sd|ps|pd)?\d*\b"
)
_INTEGER = re.compile(
    r"\t(?:add|sub|i?mul|i?div|and|or|xor|sh[lr]|sa[lr]|ro[lr]|not|neg|cmp|test|inc|dec|bt|popcnt)[bwlq]?\t(.*)"
)
# Of those, what neither an address nor a counter needs: it is left when a loop is unrolled.
_VALUE = re.compile(r"\t(?:xor|or|not|shr|ro[lr]|popcnt)[bwlq]?\t")
_JUMP = re.compile(r"\tj\w+\t(\.L\w+)$")
_LABEL = re.compile(r"(\.L\w+):")
_FUNCTION = re.compile(r"([A-Za-z_][\w.$]*):")
_TABLE = "gpuopt_emu_work"


@dataclass(frozen=True, slots=True)
class _Done:
    """What comes before a place of a function, as counts of instructions."""

    floating: int = 0
    integer: int = 0
    flops: int = 0
    jumps: int = 0

    def cells(self) -> tuple[str, str]:
        return str(self.floating | self.integer << 32), str(self.flops | self.jumps << 32)


@dataclass(slots=True)
class Work:
    """The counts of one unit while its lines go by. `prefix` begins the labels it makes."""

    prefix: str
    functions: frozenset[str]
    function: str = ""
    done: _Done = _Done()
    labels: dict[str, _Done] = field(default_factory=dict)
    number: int = 0

    def see(self, text: str, *, counts: bool = True) -> None:
        """Count an instruction (`counts`: of the kernel's own), or note a label."""
        if not text.startswith("\t"):
            if label := _LABEL.match(text):
                self.labels[label[1]] = self.done
            elif (name := _FUNCTION.match(text)) and name[1] in self.functions:
                self.function, self.done, self.labels = name[1], _Done(), {}
            return
        if not counts:
            return
        done = self.done
        if text.startswith("\tj"):
            self.done = replace(done, jumps=done.jumps + 1)
        elif floating := _FLOATING.match(text):
            flops = 2 if floating[1] else 0 if "cvt" in text or "comi" in text else 1
            self.done = replace(done, floating=done.floating + 1, flops=done.flops + flops)
        elif (integer := _INTEGER.match(text)) and "%rsp" not in integer[1]:
            same = integer[1].partition(", ")
            if not (text.startswith("\txor") and same[0] == same[2]):  # that makes a zero
                value = 1 if _VALUE.match(text) else 0
                self.done = replace(done, floating=done.floating + value, integer=done.integer + 1 - value)

    def _row(self, group: str, target: str, there: _Done) -> list[str]:
        self.number += 1
        label = f"{self.prefix}work{self.number}"
        cells = (label, target, self.function, *self.done.cells(), *there.cells())
        return [f"{label}:", *table_row(_TABLE, group, *cells)]

    def access(self, group: str) -> list[str]:
        """The row of the access, or of the barrier, whose call was just emitted."""
        return self._row(group, "0", _Done()) if self.function else []

    def jump(self, group: str, text: str) -> list[str]:
        """The row of a jump back, before it is emitted; nothing for another instruction."""
        found = _JUMP.match(text)
        if not found or found[1] not in self.labels or not self.function:
            return []
        return self._row(group, found[1], self.labels[found[1]])
