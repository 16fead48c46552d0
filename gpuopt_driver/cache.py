"""Files that outlive a compilation: found by content, written atomically, safe under any number of processes."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_DIGEST = 64  # hexadecimal digits of SHA-256
_DAY = 86400.0  # seconds
_IDLE_DAYS = 14
_LIMIT_BYTES = 1 << 30

KEPT_WHOLE = "toolkits"  # the kind whose entries are directories: they are not taken apart file by file


def digest(*parts: bytes | str) -> str:
    """SHA-256 of several parts (each is measured, so that their boundaries count), in hexadecimal."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644, mtime_ns: int | None = None) -> None:
    """Write a file so that others see all of it or nothing; `mtime_ns` sets its modification time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        if mtime_ns is not None:
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _usable(directory: Path) -> bool:
    """Whether the directory is ours and can be written to; it is made if need be."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        return directory.stat().st_uid == os.getuid() and os.access(directory, os.W_OK | os.X_OK)
    except OSError:
        return False


def _private(directory: Path) -> bool:
    """Whether a directory below one that all may write to is ours alone: compilers will trust what lies in it."""
    try:
        directory.mkdir(exist_ok=True, mode=0o700)
        status = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _places(env: Mapping[str, str]) -> Iterator[Path]:
    """Where a cache may be, the best first; those in a temporary directory are checked to be private."""
    if env.get("GPUOPT_CACHE_DIR"):
        yield Path(env["GPUOPT_CACHE_DIR"]).absolute()
    if env.get("XDG_CACHE_HOME"):
        yield Path(env["XDG_CACHE_HOME"]).absolute() / "gpuopt"
    if env.get("HOME"):
        yield Path(env["HOME"]).absolute() / ".cache" / "gpuopt"
    for temporary in dict.fromkeys((env.get("TMPDIR"), "/tmp")):  # noqa: S108
        if temporary and _private(place := Path(temporary).absolute() / f"gpuopt-{os.getuid()}"):
            yield place


@dataclass(frozen=True, slots=True)
class Cache:
    """A directory of entries, each under a kind and a key."""

    root: Path

    @classmethod
    def find(cls, env: Mapping[str, str], without: str = "") -> Cache | None:
        """The first usable place: GPUOPT_CACHE_DIR, XDG_CACHE_HOME, ~/.cache, the temporary directory; else None.

        Places with one of the characters in `without` in their path are passed over.
        """
        places = (place for place in _places(env) if not set(without).intersection(str(place)))
        return next((cls(place) for place in places if _usable(place)), None)

    def path(self, kind: str, key: str, suffix: str = "") -> Path:
        """Where an entry lives, whether or not it is there."""
        return self.root / kind / key[:2] / f"{key[2:]}{suffix}"

    def get(self, kind: str, key: str) -> bytes | None:
        """The value of an entry; None if there is none, or if it is damaged."""
        try:
            data = self.path(kind, key).read_bytes()
        except OSError:
            return None
        value = data[_DIGEST:]
        return value if data[:_DIGEST] == digest(value).encode() else None

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep a value; that it cannot be kept (a full disk) is no error."""
        with suppress(OSError):
            write_atomic(self.path(kind, key), digest(value).encode() + value)

    def files(self) -> Iterator[Path]:
        """Every file in the cache."""
        for directory, _, names in os.walk(self.root):
            for name in names:
                yield Path(directory, name)

    def size_bytes(self) -> int:
        """Bytes taken by all entries."""
        total = 0
        for file in self.files():
            with suppress(OSError):
                total += file.lstat().st_size
        return total

    def prune(self, now: float | None = None) -> None:
        """Once a day: remove what was not used for two weeks, and the longest unused beyond the size limit.

        Nothing younger than a day is removed: a build may be using it, now or in a step that it has yet to run.
        """
        now = time.time() if now is None else now
        stamp = self.root / "pruned"
        try:
            if now - stamp.stat().st_mtime < _DAY:
                return
        except OSError:
            pass
        with suppress(OSError):
            stamp.write_bytes(b"")
            os.utime(stamp, (now, now))
        self._prune_whole(now)
        entries = []
        kept = self.root / KEPT_WHOLE
        for file in self.files():
            if kept in file.parents:
                continue
            with suppress(OSError):
                status = file.stat()
                entries.append((max(status.st_atime, status.st_ctime), status.st_size, file))
        total = 0
        for used, size, file in sorted(entries, key=lambda entry: entry[0], reverse=True):
            total += size
            idle = now - used
            if file != stamp and (idle > _IDLE_DAYS * _DAY or (total > _LIMIT_BYTES and idle > _DAY)):
                with suppress(OSError):
                    file.unlink()

    def _prune_whole(self, now: float) -> None:
        """Remove the directories of KEPT_WHOLE that were not used (nor touched to show it) for two weeks."""
        for entry in (self.root / KEPT_WHOLE).glob("*/*"):
            with suppress(OSError):
                if now - entry.stat().st_mtime > _IDLE_DAYS * _DAY:
                    shutil.rmtree(entry, ignore_errors=True)

    def clear(self) -> None:
        """Remove every entry."""
        for child in self.root.iterdir():
            if child.is_dir():
                shutil.rmtree(child, ignore_errors=True)
            else:
                child.unlink(missing_ok=True)
