"""A CUDA source from standard input: read once, kept in a file to be analysed, and fed to nvcc as often as need be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gpuopt_driver import traced
from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.inputs import Input, InputKind

NAME = "<stdin>"  # of such a source in reports
_NOT_COMPILED = frozenset({Phase.INFO, Phase.DEPENDENCIES})


def feed(data: bytes) -> None:
    """Let these bytes be our standard input, and that of what we start."""
    descriptor = os.memfd_create("gpuopt")  # a disk may be full, and who is left without cannot read it again
    with open(descriptor, "wb") as file:  # noqa: PTH123
        file.write(data)
        file.flush()
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.dup2(descriptor, 0)


def _is_wanted(command: NvccCommand, source: Input) -> bool:
    """Whether a source may be read ahead of nvcc: not what somebody types."""
    busy = command.gpuopt.off or command.cleans or command.phase in _NOT_COMPILED
    return source.kind is InputKind.CUDA and not busy and not os.isatty(0)


def _all_of_it() -> bytes:
    parts: list[bytes] = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def keep_stdin(command: NvccCommand, env: Mapping[str, str]) -> NvccCommand:
    """The command with its standard input kept in a file of the cache; as it is where that is no use.

    Standard input itself begins anew after that.
    """
    sources = [item for item in command.inputs if item.is_stdin]
    if len(sources) != 1:
        return command
    traced.forbid("standard input")
    cache = Cache.find(env)
    try:
        if cache is None or not _is_wanted(command, sources[0]):
            return command
        data = _all_of_it()
        feed(data)
        path = cache.path("stdin", digest(data), ".cu")
        write_atomic(path, data)
    except OSError:
        return command  # a closed one, or a full disk: nvcc says what it has to say
    kept = Input(sources[0].path, str(path), InputKind.CUDA, kept=True)
    return replace(command, inputs=tuple(kept if item is sources[0] else item for item in command.inputs))


class Source:
    """What nvcc is to read from standard input: the patched text, and the user's."""

    __slots__ = ("original", "patched")

    def __init__(self, original: bytes, patched: bytes) -> None:
        self.original = original
        self.patched = patched


def kept_source(command: NvccCommand) -> str | None:
    """Where the standard input of a command is kept, None where it is not."""
    return next((item.absolute for item in command.inputs if item.kept), None)


def source_to_feed(command: NvccCommand, shown: dict[str, bytes]) -> Source | None:
    """What to feed where standard input is among the files to be `shown` (by real path); it is taken out of them."""
    path = kept_source(command)
    patched = shown.pop(os.path.realpath(path), None) if path else None
    if path is None or patched is None:
        return None
    return Source(Path(path).read_bytes(), patched)
