"""Whether a source can have kernels at all, by looking for their words: far cheaper than parsing it.

Imports nothing heavy: sources without kernels go straight to nvcc and pay for this module only.
"""

# ruff: noqa: PTH110, PTH113, PTH118, PTH120, PTH123

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KERNELS, _LAUNCHES = (b"__global__", b"global))"), (b"<<<", b"<< <")
_WORDS = (*_KERNELS, *_LAUNCHES)
_TO_US = b"gpuopt"  # a pragma, by whatever way it is written
_MAX_FILES = 500  # then it is left to the parser
_SOON = 200_000  # bytes of files with kernels or launches, which are analysed before nvcc would have compiled half
_TOOLKIT = "cuda_runtime_api.h"  # is in the directory of a toolkit's headers
_PAIRS = {b'"': b'"', b"<": b">"}


def _resolve(name: str, places: Sequence[str]) -> str | None:
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    return None


def _include_names(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Every `#include`: its opening delimiter and its name; an empty delimiter where a macro stands for them."""
    at = data.find(b"include")
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        if data[start:at].strip() == b"#":
            end = data.find(b"\n", at)
            rest = data[at + len(b"include") : end if end >= 0 else len(data)].removeprefix(b"_next").strip()
            closing = _PAIRS.get(rest[:1])
            if closing is None:
                yield b"", rest
            else:
                yield rest[:1], rest[1:].partition(closing)[0]
        at = data.find(b"include", at + 1)


def _included(data: bytes, directory: str, places: Sequence[str]) -> Iterator[str | None]:
    """The project's files that a text includes; None for an include whose name is not written there."""
    for delimiter, name in _include_names(data):
        if not delimiter:
            yield None
            continue
        found = _resolve(os.fsdecode(name), places if delimiter == b"<" else (directory, *places))
        if found:
            yield found


def _texts(source: str, include_dirs: Sequence[str], forced_includes: Sequence[str] = ()) -> Iterator[bytes | None]:
    """The text of a source and of the project's files that it includes; None at last where one cannot be had.

    System directories (-isystem, the toolkit's, with -I too) are not looked into: nothing there is ours to change.
    """
    include_dirs = [place for place in include_dirs if not os.path.exists(os.path.join(place, _TOOLKIT))]
    waiting = [source, *forced_includes]
    seen: set[str] = set()
    while waiting:
        path = os.path.realpath(waiting.pop())
        if path in seen:
            continue
        seen.add(path)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (OSError, ValueError):
            yield None
            return
        yield data if len(seen) <= _MAX_FILES else None
        for found in _included(data, os.path.dirname(path), include_dirs):
            if found is None:
                yield None
                return
            waiting.append(found)


def may_have_kernels(source: str, include_dirs: Sequence[str], forced_includes: Sequence[str] = ()) -> bool:
    """Whether a kernel or a launch can be in a source or in the project's files that it includes; if unsure, True."""
    texts = _texts(source, include_dirs, forced_includes)
    return any(data is None or any(word in data for word in _WORDS) for data in texts)


def may_patch(source: str, include_dirs: Sequence[str]) -> bool:
    """Whether a launch can take versions of a kernel that is defined there, too, or a word is to us; if unsure, True.

    "There" is the source with the project's files that it includes. What launches by a function of the runtime, in a
    file of the system or in the body of a macro stays as it is.
    """
    defines = launches = False
    for data in _texts(source, include_dirs):
        if data is None or _TO_US in data:
            return True
        launches = launches or any(_is_code(data, at) for word in _LAUNCHES for at in _all(data, word))
        defines = defines or _KERNELS[1] in data or any(_may_define(data, at) for at in _all(data, _KERNELS[0]))
        if launches and defines:
            return True
    return False


def _all(data: bytes, word: bytes) -> Iterator[int]:
    """Where a word stands in a text."""
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)


def _is_code(data: bytes, at: int) -> bool:
    """Whether a place is neither in the definition of a macro nor behind `//` at the beginning of its line."""
    start = data.rfind(b"\n", 0, at) + 1
    if data[start:at].lstrip().startswith(b"//"):
        return False
    return not _in_macro(data, start, at)


def _in_macro(data: bytes, start: int, at: int) -> bool:
    """Whether a place, in the line that starts there, is in the definition of a macro."""
    while data.endswith((b"\\\n", b"\\\r\n"), 0, start):
        start = data.rfind(b"\n", 0, start - 1) + 1
    line = data[start:at].lstrip()
    return line.startswith(b"#") and line[1:].lstrip().startswith(b"define")


def _may_define(data: bytes, at: int) -> bool:
    """Whether what `__global__` at a place begins may be more than the declaration of a kernel."""
    if _in_macro(data, data.rfind(b"\n", 0, at) + 1, at):
        return True
    end = data.find(b";", at)
    text = data[at : end if end >= 0 else len(data)]
    return end < 0 or any(sign in text for sign in (b"{", b"#", b"//", b"/*", b"\\"))


def launches_its_kernels(source: str, include_dirs: Sequence[str]) -> bool:
    """Whether a source, with what it includes, defines kernels and launches some, and is soon analysed.

    Most of these get versions of kernels, and a run of nvcc on the source as it is would be lost. Beside more text nvcc
    had better run at once. Headers without kernels and launches do not count, however long they are, nor what a source
    includes that has both itself.
    """
    left, missing = _SOON, {_KERNELS, _LAUNCHES}
    for data in _texts(source, include_dirs):
        if data is None:
            return False
        found = [words for words in (_KERNELS, _LAUNCHES) if any(word in data for word in words)]
        left -= len(data) if found else 0
        missing.difference_update(found)
        if left < 0 or not missing:
            break
    return not missing and left >= 0
