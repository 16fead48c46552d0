"""The files that an overlay shows, and what every mechanism that shows them has in common.

Patched copies live in the cache, named after their content: nothing is cleaned up, so tools that run nvcc's printed
steps later (sccache) find what they need, and parallel builds do not get into each other's way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.dataclass import dataclass

_UNMARKED_SECONDS = 600.0  # between two marks of one file; the cache lets everything stay that was used in an hour


class OverlayUnavailable(Exception):
    """Patched files cannot be shown to the host compiler; the message says why.

    `quiet`: nvcc itself will say what is wrong.
    """

    def __init__(self, message: str, *, quiet: bool = False) -> None:
        super().__init__(message)
        self.quiet = quiet


@dataclass(frozen=True, slots=True)
class OverlaidFile:
    """A file (its real path), the copy shown in its place, and the state in which it was analysed (times in ns)."""

    original: str
    copy: str
    device: int
    inode: int
    size: int
    mtime_ns: int

    def is_unchanged(self) -> bool:
        """Whether the original still is what was analysed."""
        try:
            status = Path(self.original).stat()
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.mtime_ns)


@dataclass(frozen=True, slots=True)
class Overlay:
    """How nvcc must be started to see the copies. Each mechanism overrides what it needs."""

    files: tuple[OverlaidFile, ...]

    mechanism = ""
    lasting = False  # whether it holds for steps that others run later, with what `variables` says

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment variables that make it work, for nvcc and for who runs nvcc's printed steps."""
        del env
        return {}

    def kept(self) -> dict[str, str]:
        """The environment variables that let one run of nvcc take from others what has been made of the same."""
        return {}

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """`env` with the overlay in it."""
        return {**env, **self.variables(env)}

    def arguments(self, argv: Sequence[str]) -> list[str]:
        """nvcc's arguments under the overlay."""
        return list(argv)

    @property
    def needs_entering(self) -> bool:
        """Whether a process must call `enter` before it becomes nvcc."""
        return False

    def enter(self) -> None:
        """Change the calling process so that what it becomes sees the copies; OSError where that is not allowed."""

    def enter_or_end(self) -> None:
        """Enter, or end the calling process (a child that has become nothing yet) with a message."""
        try:
            self.enter()
        except OSError as error:
            os.write(2, os.fsencode(f"gpuopt: {error.filename or self.mechanism}: {error.strerror}\n"))
            os._exit(1)

    def as_without(self, output: bytes) -> bytes:
        """nvcc's output without a trace of the overlay."""
        return output

    def was_evaded(self, errors: bytes) -> bool:
        """Whether a run that wrote this to standard error cannot be trusted to have seen what was analysed."""
        del errors
        return not all(file.is_unchanged() for file in self.files)

    def is_intact(self) -> bool:
        """Whether what it works with is still there: somebody may have cleared the cache."""
        return True

    def close(self) -> None:
        """Remove what served this one run."""

    def dryrun_lines(self, env: Mapping[str, str]) -> bytes:
        """What is printed before nvcc's `--dryrun` output: who runs those steps needs the overlay too."""
        return b"".join(os.fsencode(f"#$ {name}={value}\n") for name, value in self.variables(env).items())


def mark_used(path: Path, status: os.stat_result) -> None:
    """Let the cache know that a file is in use: reading it does not tell on every file system."""
    if time.time() - status.st_ctime > _UNMARKED_SECONDS:
        with suppress(OSError):  # another user's
            os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))


def _copy(cache: Cache, original: str, data: bytes, mtime_ns: int) -> str:
    """The patched copy: with the original's time (`__TIMESTAMP__`), one file per original (`#pragma once`)."""
    path = cache.path("patched", digest(original, data, str(mtime_ns)))
    try:
        status = path.stat()
        known = status.st_mtime_ns == mtime_ns and path.read_bytes() == data
    except OSError:
        known = False
    if known:
        mark_used(path, status)
    else:
        write_atomic(path, data, mode=0o444, mtime_ns=mtime_ns)
    return str(path)


def _overlaid(cache: Cache, path: str, data: bytes, analysed: bytes | None) -> OverlaidFile:
    original = os.path.realpath(path)
    status = Path(original).stat()
    if analysed is not None and Path(original).read_bytes() != analysed:
        raise OverlayUnavailable(f"{path}: changed while it was being analysed")
    copy = _copy(cache, original, data, status.st_mtime_ns)
    return OverlaidFile(original, copy, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def overlaid_files(
    cache: Cache, shown: Mapping[str, bytes], originals: Mapping[str, bytes]
) -> tuple[OverlaidFile, ...]:
    """Copies of the new bytes (by path), sorted by original; a file that is not what was analysed is refused."""
    files = {_overlaid(cache, path, data, originals.get(path)) for path, data in shown.items()}
    if len(files) != len({file.original for file in files}):
        raise OverlayUnavailable("one file was patched in two ways under two names")
    return tuple(sorted(files, key=lambda file: file.original))
