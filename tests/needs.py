"""What a test needs beside Python: marks by its fixtures, and a PATH in which others find no compiler.

`host_compiler` and `real_nvcc` give a test its mark (`compiler`, `nvcc`); a test without them that starts a compiler
finds none, on every machine, so that the marks are right.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

MARKS = {"host_compiler": "compiler", "real_nvcc": "nvcc"}
_COMPILER = re.compile(
    r"(?:[\w.]+-)*(?:g\+\+|gcc|c\+\+|cc|cpp|c99|c89|clang|clang\+\+|clang-cpp)(?:-[\d.]+)?"
    r"|nvcc|cicc|ptxas|fatbinary|nvlink|cudafe\+\+"
)


def marks_of(fixtures: Iterable[str]) -> list[str]:
    """The marks of a test with these fixtures."""
    return [mark for name, mark in MARKS.items() if name in fixtures]


def without_compilers(path: str, shadow: Path) -> str:
    """`path` with links in `shadow` in place of each directory that holds compilers, to all else that it holds."""
    return os.pathsep.join(_shadowed(Path(entry), shadow / str(number)) for number, entry in _entries(path))


def _entries(path: str) -> Iterable[tuple[int, str]]:
    return enumerate(entry for entry in path.split(os.pathsep) if Path(entry).is_dir())


def _shadowed(directory: Path, shadow: Path) -> str:
    programs = [item for item in directory.iterdir() if not _COMPILER.fullmatch(item.name)]
    if len(programs) == len(list(directory.iterdir())):
        return str(directory)
    shadow.mkdir(parents=True)
    for item in programs:
        (shadow / item.name).symlink_to(item)
    return str(shadow)
