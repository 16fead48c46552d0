"""Whether others' plugins are installed, told from pip's files alone; nothing heavy is imported for it."""

# ruff: noqa: PTH117, PTH118, PTH123, PTH208

from __future__ import annotations

import os
import sys

_GROUP = b"[gpuopt.plugins]"
_OURS = b"gpuopt_plugins."


def has_foreign_plugins() -> bool:
    """Whether a distribution on Python's path may have a plugin that is not ours; if unsure, True."""
    for place in dict.fromkeys(sys.path):
        if not os.path.isabs(place):
            continue
        try:
            entries = [name for name in os.listdir(place) if name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        if any(_lists_foreign(os.path.join(place, entry, "entry_points.txt")) for entry in entries):
            return True
    return False


def _lists_foreign(path: str) -> bool:
    """Whether a list of entry points has plugins that are not ours."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return False
    if _GROUP not in text:
        return False
    section = text.partition(_GROUP)[2].partition(b"\n[")[0]
    modules = [line.partition(b"=")[2].strip() for line in section.splitlines() if b"=" in line]
    return not all(module.startswith(_OURS) for module in modules) or text.count(_GROUP) > 1
