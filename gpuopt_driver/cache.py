"""Files that outlive a compilation: found by content, written atomically, safe under any number of processes."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from gpuopt_driver import store
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.store import CHOICES, KEPT_WHOLE, digest, make_directories, write_atomic

__all__ = ["KEPT_WHOLE", "MEMO", "STAMPS", "Cache", "alone_in", "digest", "in_turn", "unless_others_do", "write_atomic"]

_DAY = 86400.0  # seconds
_IDLE_DAYS = 14
_FORGOTTEN_DAYS = 365  # after which what a program has learned is no longer asked for
_INTERVAL = 3600.0  # seconds between two looks at the whole cache
_IN_USE = 3600.0  # seconds in which a build, or a tool that runs its printed steps, may still come back to a file
_LIMIT_BYTES = 1 << 30

STANDINS = "standins"  # toolkits of emulated builds: configured projects name their paths, so they stay
STAMPS = "policies"  # files that dependency lists name: they stay, too
MEMO = "memo"  # the kind whose entries are read once and at once: any of them may go at any time


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Hold off all others who ask for this directory; nobody where it cannot be locked (some network file systems)."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def in_turn(directory: Path) -> Iterator[None]:
    """The same, made if need be: of a parallel build's first compilations, one makes what the others wait for.

    Where nothing can be kept there, all go on at once.
    """
    with ExitStack() as held:
        with suppress(OSError):
            make_directories(str(directory))
            held.enter_context(alone_in(directory))
        yield


@contextmanager
def unless_others_do(directory: Path) -> Iterator[bool]:
    """Whether nobody else is in such a block for this directory, or in `alone_in`; True where it cannot be locked."""
    descriptor, alone = os.open(directory, os.O_RDONLY), True
    try:
        with suppress(OSError):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
        yield alone
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Cache:
    """A directory of entries, each under a kind and a key."""

    root: Path

    @classmethod
    def find(cls, env: Mapping[str, str], without: str = "") -> Cache | None:
        """The first usable place: GPUOPT_CACHE_DIR, XDG_CACHE_HOME, ~/.cache, the temporary directory; else None.

        Places with one of the characters in `without` in their path are passed over.
        """
        root = store.find_root(env, without)
        return None if root is None else cls(Path(root))

    def path(self, kind: str, key: str, suffix: str = "") -> Path:
        """Where an entry lives, whether or not it is there."""
        return Path(store.entry_path(str(self.root), kind, key, suffix))

    def get(self, kind: str, key: str) -> bytes | None:
        """The value of an entry; None if there is none, or if it is damaged."""
        return store.get(str(self.root), kind, key)

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep a value; that it cannot be kept (a full disk) is no error."""
        store.put(str(self.root), kind, key, value)

    def kinds(self) -> dict[str, tuple[int, int]]:
        """(files, bytes) of every kind of entry, by its name."""
        found: dict[str, tuple[int, int]] = {}
        for file in self.files():
            with suppress(OSError):
                kind = file.relative_to(self.root).parts[0]
                count, taken = found.get(kind, (0, 0))
                found[kind] = (count + 1, taken + file.lstat().st_size)
        return dict(sorted(found.items()))

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
        """Once an hour: remove what was not used for two weeks, and the longest unused beyond the size limit.

        Nothing that was used within an hour is removed (a build may be using it, now or in a step that it has yet to
        run), but for remembered outcomes, which nobody keeps open. What programs have learned stays for a year.
        """
        now = time.time() if now is None else now
        stamp = self.root / "pruned"
        try:
            if now - stamp.stat().st_mtime < _INTERVAL:
                return
        except OSError:
            pass
        with suppress(OSError):
            stamp.write_bytes(b"")
            os.utime(stamp, (now, now))
        self._prune_whole(now)
        self._prune_choices(now)
        total = 0
        for used, size, file in self._by_use(stamp):
            total += size
            idle = now - used
            is_free = idle > _IN_USE or file.parts[len(self.root.parts)] == MEMO
            is_leftover = idle > _IN_USE and file.name.startswith(store.TEMPORARY)  # its writer was killed
            if idle > _IDLE_DAYS * _DAY or (total > _LIMIT_BYTES and is_free) or is_leftover:
                with suppress(OSError):
                    file.unlink()

    def _by_use(self, stamp: Path) -> list[tuple[float, int, Path]]:
        """(time of the last use, bytes, path) of the files that may go, the latest used first."""
        entries = []
        kept = {self.root / KEPT_WHOLE, self.root / STANDINS, self.root / STAMPS, self.root / CHOICES}
        for file in self.files():
            if not kept.intersection(file.parents) and file != stamp:
                with suppress(OSError):
                    status = file.stat()
                    entries.append((max(status.st_atime, status.st_ctime), status.st_size, file))
        return sorted(entries, key=lambda entry: entry[0], reverse=True)

    def _prune_whole(self, now: float) -> None:
        """Remove the directories of KEPT_WHOLE that were not used (nor touched to show it) for two weeks."""
        for entry in (self.root / KEPT_WHOLE).glob("*/*"):
            with suppress(OSError):
                if now - entry.stat().st_mtime > _IDLE_DAYS * _DAY:
                    shutil.rmtree(entry, ignore_errors=True)

    def _prune_choices(self, now: float) -> None:
        for file in (self.root / CHOICES).glob("*"):
            with suppress(OSError):
                if now - max(file.stat().st_atime, file.stat().st_mtime) > _FORGOTTEN_DAYS * _DAY:
                    file.unlink()

    def clear(self) -> None:
        """Remove every entry, but not what programs have learned."""
        for child in self.root.iterdir():
            if child.name == CHOICES:
                continue
            if child.is_dir():
                shutil.rmtree(child, ignore_errors=True)
            else:
                child.unlink(missing_ok=True)
