"""Unified diff of a patch, byte-exact: undecodable bytes travel as surrogate escapes."""

from __future__ import annotations

import difflib


def unified_diff(path: str, before: bytes, after: bytes, context: int = 3) -> str:
    """The unified diff between two versions of a file, empty when they are equal."""
    old = before.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    new = after.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, f"a/{path.lstrip('/')}", f"b/{path.lstrip('/')}", n=context)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)
