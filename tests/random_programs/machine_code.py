"""Versions whose machine code has other kinds of floating-point operations than their kernels', seen without a GPU.

nvcc may write an operation out as often as it likes, but where a kernel multiplies and adds, a version that only fuses
is rounded otherwise. Each kind is there in both or in neither, but for what a version's constants leave out. What has
been fused instead of something else of the same kind is not seen, as nobody knows which operation is which.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.ptx.names import MARK, original_of

_FUNCTION = re.compile(r"\s*Function : (\S+)")
_OPERATION = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ +)?([A-Z]\w+)([.\w]*)\s*([^;]*);")
_KINDS = frozenset({"FMUL", "FADD", "FFMA", "HMUL2", "HADD2", "HFMA2", "DMUL", "DADD", "DFMA"})
_EMPTY = 4  # instructions of a function without a body, NOPs behind it left out


@dataclass(frozen=True)
class Other:
    """A version, and the kinds of operations that only one of it and its kernel has."""

    version: str
    kinds: tuple[str, ...]


def others(listing: str) -> Iterator[Other]:
    """The versions in what `cuobjdump -sass` prints that have other kinds of operations than their kernels."""
    for part in listing.split("Fatbin elf code:")[1:]:
        kinds = dict(_functions(part))
        for name in sorted(kinds):
            kernel = original_of(name, kinds) if MARK in name else None
            if kernel is not None and (mine := _told(kinds[name])) is not None:
                found = tuple(sorted(mine ^ (_told(kinds[kernel]) or frozenset())))
                if found:
                    yield Other(name, found)


def examine(programs: Iterable[Path]) -> int:
    """Print what there is in programs; the exit status, 1 if there is anything."""
    tool = shutil.which("cuobjdump")
    assert tool, "cuobjdump (of the CUDA toolkit, with nvdisasm) is not in PATH"
    bad = count = 0
    for path in programs:
        listing = subprocess.run([tool, "-sass", path], check=True, capture_output=True, text=True).stdout
        found = list(others(listing))
        for one in found:
            print(f"{path.name}: {one.version}: {' '.join(one.kinds)} in one only")
        bad += len(found)
        count += listing.count(MARK)
    print(f"{count} versions, {bad} with other operations than their kernels")
    return 1 if bad or not count else 0


def _functions(part: str) -> Iterator[tuple[str, list[str]]]:
    """The functions of one ELF file, and the operations in each, moves and conversions by arithmetic left out."""
    _, *rest = _FUNCTION.split(part)
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        yield name, [_kind(*one) for one in _OPERATION.findall(text)]


def _kind(base: str, modifiers: str, operands: str) -> str:
    """FMUL of `FMUL.FTZ`; HADD2 that makes a half a float, and HFMA2 that makes a constant, are none of these."""
    is_move = (base == "HADD2" and ".F32" in modifiers) or (base == "HFMA2" and "-RZ" in operands)
    return "MOV" if is_move else base


def _told(operations: list[str]) -> frozenset[str] | None:
    """The kinds of floating-point operations in a function, None where a version that was refused has no body."""
    is_empty = sum(one != "NOP" for one in operations) <= _EMPTY
    return None if is_empty else frozenset(_KINDS.intersection(operations))
