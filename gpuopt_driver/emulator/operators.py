"""Which cache operator a load has: told by the line of our headers that it is on."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

# enum Operator of runtime/model_gpu.h, from 0.
OPERATORS = ("none", "ca", "cg", "cs", "lu", "cv", "no_allocate", "evict_first", "evict_last", "nc")
_HEADERS = ("gpuopt_emu/memory.h", "gpuopt_emu/ptx.h")
_NAMED = re.compile(r"\b(?:__ld|load_)(ca|cg|cs|lu|cv|g|nc|no_allocate|evict_first|evict_last)\b")


@lru_cache(maxsize=4)
def _by_line(header: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for number, text in enumerate(Path(header).read_text("utf-8").split("\n"), 1):
        if name := _NAMED.search(text):
            found[number] = OPERATORS.index("nc" if name[1] == "g" else name[1])
    return found


def operator_of(file: str, line: int) -> int:
    """The number of the operator of an access on that line, 0 for none. (A function of more lines is volatile.)"""
    return _by_line(file).get(line, 0) if file.endswith(_HEADERS) else 0
