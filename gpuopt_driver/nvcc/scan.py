"""Whether a source can have kernels at all, by looking for their words: far cheaper than parsing it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gpuopt_driver.nvcc.command import NvccCommand

_WORDS = (b"__global__", b"<<<", b"global))")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S))', re.MULTILINE)
_MAX_FILES = 500  # then it is left to the parser


def _resolve(name: str, places: tuple[str, ...]) -> str | None:
    for place in places:
        path = os.path.join(place, name)  # noqa: PTH118 - many probes per file
        if os.path.isfile(path):  # noqa: PTH113
            return path
    return None


def _included(data: bytes, directory: str, places: tuple[str, ...]) -> Iterator[str | None]:
    """The project's files that a text includes; None for an include whose name is not written there."""
    for quoted, angled, other in _INCLUDE.findall(data):
        if other:
            yield None
        elif quoted:
            found = _resolve(os.fsdecode(quoted), (directory, *places))
            if found:
                yield found
        elif angled:
            found = _resolve(os.fsdecode(angled), places)
            if found:
                yield found


def may_have_kernels(command: NvccCommand, source: str) -> bool:
    """Whether a kernel or a launch can be in this source or in the project's files that it includes; if unsure, True.

    System directories (-isystem, the toolkit's) are not looked into: nothing there is ours to change.
    """
    if any("global" in define for define in command.defines):
        return True
    places = tuple(map(command.path, command.include_dirs))
    start = [_resolve(name, (command.cwd, *places)) for name in command.forced_includes]
    waiting = [source, *(path for path in start if path)]
    seen: set[str] = set()
    while waiting:
        path = os.path.realpath(waiting.pop())
        if path in seen:
            continue
        seen.add(path)
        try:
            data = Path(path).read_bytes()
        except OSError:
            return True
        if len(seen) > _MAX_FILES or any(word in data for word in _WORDS):
            return True
        for found in _included(data, str(Path(path).parent), places):
            if found is None:
                return True
            waiting.append(found)
    return False
