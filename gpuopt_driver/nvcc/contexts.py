"""Where nvcc's front end says that a message came up, as it says it of the sources as they are written.

    a.cu(5): warning #549-D: variable "left" is used before its value is set
              detected during:
                instantiation of "T half_of(T) [with T=float]" at line 10
                instantiation of "void k<T>(T *) [with T=float]" at line 150
                instantiation of "void k__gpuopt_launched<T>(const gpuopt_rt::v1::config &, ..." at line 160
                instantiation of "void k__gpuopt_launch<T>(const gpuopt_rt::v1::config &, ..." at line 24

Launch functions instantiate what the launches in their place did: the kernel, at the line of the launch. What is said
of a version once more is said of its kernel already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_HEAD = re.compile(rb".+?\(\d+\): (?:warning|error|remark|note)\b")
_SEVERAL = b"          detected during:"
_ONE = b"          detected during "
_INNER = b"            "
_LINE = re.compile(rb" at line \d+.*$")
_OURS = re.compile(
    rb"\b\w+__gpuopt_launch(?:ed)?\b(?:<[^(]*>)?\(const gpuopt_rt::|\bgpuopt_rt::\w+::(?!plan\b|config\b)"
)
_VERSION = re.compile(rb"(\b\w+?)__gpuopt_\w+((?:<[^(]*>)?\()gpuopt_rt::\w+::plan(?:, )?")


def as_written(output: bytes) -> bytes:
    """nvcc's output with neither launch functions nor versions among the places where messages came up."""
    said: set[tuple[bytes, ...]] = set()
    found: list[bytes] = []
    for message in _messages(output.split(b"\n")):
        at = next((at for at, line in enumerate(message) if line.startswith(_ONE) or line == _SEVERAL), len(message))
        entries, rest = _entries(message[at:])
        told = [_VERSION.sub(rb"\1\2", entry) for entry in entries]
        left = _left(told)
        key = (message[0], *left)
        if told != entries and key in said:
            if found and not found[-1]:
                found.pop()
            continue
        said.add(key)
        found += [*message[:at], *_written(left), *rest]
    return b"\n".join(found)


def _messages(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    """The lines of each message, and of what stands between messages."""
    message: list[bytes] = []
    for line in lines:
        if _HEAD.match(line) or (message and not line):
            if message:
                yield message
            message = []
        message.append(line)
    yield message


def _entries(lines: Sequence[bytes]) -> tuple[list[bytes], Sequence[bytes]]:
    """What a message says of places, the innermost first, and the lines behind that."""
    if not lines:
        return [], []
    if lines[0] != _SEVERAL:
        return [lines[0].removeprefix(_ONE)], lines[1:]
    end = next((at for at, line in enumerate(lines[1:], 1) if not line.startswith(_INNER)), len(lines))
    return [line.removeprefix(_INNER) for line in lines[1:end]], lines[end:]


def _left(entries: Sequence[bytes]) -> list[bytes]:
    """Those that are not ours; what one of ours instantiates was named where that is called."""
    found: list[bytes] = []
    for entry in entries:
        if not _OURS.search(entry):
            found.append(entry)
        elif found and (place := _LINE.search(entry)) is not None:
            found[-1] = _LINE.sub(lambda _, where=place: where.group(), found[-1])  # type: ignore[misc]
    return found


def _written(entries: Sequence[bytes]) -> list[bytes]:
    if len(entries) == 1:
        return [_ONE + entries[0]]
    return [_SEVERAL, *(_INNER + entry for entry in entries)] if entries else []
