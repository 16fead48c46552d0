"""Lines of the user's source files, and what they say of an allocation."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_ALLOCATES = re.compile(
    r"\b\w*[mM]alloc\w*\s*(?:<[^>]*>)?\s*\(\s*(?:\(\s*void\s*\*\s*\*\s*\)|reinterpret_cast<[^>]*>)?[\s(&*]*([\w.>\[\]-]+)"
)


@lru_cache(maxsize=64)
def _source_lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []


def source_line(root: Path, file: str, line: int) -> str:
    """A line of a source file, "" where there is none."""
    lines = _source_lines(root / file)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def pointer_name(root: Path, file: str, line: int) -> str:
    """What an allocation on that source line is assigned to, "" where it cannot be seen."""
    found = _ALLOCATES.search(source_line(root, file, line))
    return found[1] if found else ""
