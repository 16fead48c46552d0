"""Files of choices: where they are, reading them safely, appending to them, and writing them anew.

Programs that run append to these files at any moment, and hold no lock.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from errno import ENOSPC
from pathlib import Path
from typing import BinaryIO

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.learning.records import MAGIC, Reading, Record, lines_of, parse, pooled, read
from gpuopt_driver.store import CHOICES, find_root, make_directories, write_atomic
from gpuopt_driver.trust import why_open

SUFFIX = ".choices"
MOST_BYTES = 64 << 20  # of a file: the newest are read
MOST_LINES = 16  # of a key in a file that we write; beyond that, the oldest become one
_LATE = 0.02  # seconds in which a program that has opened a file has written its line


@dataclass(frozen=True, slots=True)
class Place:
    """Where choices are: a directory with a file per digest, or a single file. `origin` says who named it.

    What is there says which; what is not there yet is a directory if `to_be_directory`.
    """

    path: Path
    origin: str
    to_be_directory: bool = False

    @classmethod
    def named(cls, name: str, origin: str) -> Place:
        """A place by a name from somebody: one that ends in a slash means a directory."""
        return cls(Path(os.path.abspath(name)), origin, name.endswith("/"))  # noqa: PTH100 - links stay

    @property
    def is_file(self) -> bool:
        """Whether it is, or will be, a single file."""
        return not self.path.is_dir() and (os.path.lexists(self.path) or not self.to_be_directory)

    def file_of(self, digest: str) -> Path:
        """The file that holds the records of a digest."""
        return self.path if self.is_file else self.path / f"{digest}{SUFFIX}"

    def files(self) -> list[Path]:
        """All files that are there. OSError where the directory cannot be read."""
        if self.is_file:
            return [self.path] if os.path.lexists(self.path) else []
        names = os.listdir(self.path) if self.path.is_dir() else []  # noqa: PTH208 - glob hides what cannot be read
        return sorted(self.path / name for name in names if name.endswith(SUFFIX))


@dataclass(slots=True)
class Found(Reading):
    """What is at a place. `refused`: files that were not read, and why, one line each."""

    refused: list[str] = field(default_factory=list)


def place(named: str, policy: str, env: Mapping[str, str]) -> Place:
    """Where choices are: `named` on the command line, else GPUOPT_CHOICES, else by the policy, else in the cache."""
    by_user = (named, "--choices"), (env.get("GPUOPT_CHOICES", ""), "GPUOPT_CHOICES"), (policy, "[learn] choices")
    for path, origin in by_user:
        if path:
            return Place.named(path, origin)
    root = find_root(env)
    if root is None:
        raise GpuoptError("no directory for choices can be written to; name one with --choices or GPUOPT_CHOICES")
    return Place(Path(root) / CHOICES, "the cache", to_be_directory=True)


def content(path: Path, env: Mapping[str, str]) -> bytes:
    """A file's newest records as they are written; GpuoptError where others could have written it, or it is none."""
    with _opened(path, env) as file:
        return _newest(file)


def _opened(path: Path, env: Mapping[str, str]) -> BinaryIO:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        why = "is a symbolic link, which is not followed" if path.is_symlink() else error.strerror
        raise GpuoptError(f"{path}: cannot read choices: {why}") from error
    if reason := _why_not_used(path, os.fstat(descriptor), env):
        os.close(descriptor)
        raise GpuoptError(f"{path}: {reason}")
    return open(descriptor, "rb")  # noqa: PTH123


def _why_not_used(path: Path, status: os.stat_result, env: Mapping[str, str]) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "cannot read choices: not a regular file"
    reason = why_open(str(path), env).removeprefix(f"{path} ")
    if not reason and status.st_mode & stat.S_IWGRP:  # as programs look at it, which know no groups of one user
        reason = "can be written to by its group"
    return f"choices not used: {reason}; make it yours alone" if reason else ""


def _newest(file: BinaryIO) -> bytes:
    """What counts of a file's content: whole lines, if not all."""
    if os.fstat(file.fileno()).st_size <= MOST_BYTES:
        return file.read(MOST_BYTES)
    file.seek(-MOST_BYTES, os.SEEK_END)
    return file.read(MOST_BYTES).partition(b"\n")[2]


def records_at(where: Place, env: Mapping[str, str]) -> Found:
    """All records at a place. A single file that cannot be read is a GpuoptError; in a directory, the others count."""
    found = Found()
    for path in where.files():
        try:
            reading = read(content(path, env))
        except GpuoptError as error:
            if where.is_file:
                raise
            found.refused.append(str(error))
            continue
        found.records += reading.records
        found.damaged += reading.damaged
    return found


def append(where: Place, records: Iterable[Record], env: Mapping[str, str], *, once: bool = False) -> int:
    """Add records to what is there; `once`: but those that stand there already. How many lines were written."""
    by_file: dict[Path, list[bytes]] = {}
    for record in records:
        by_file.setdefault(where.file_of(record.digest), []).extend(lines_of(record))
    written = 0
    for path, lines in by_file.items():
        there = content(path, env) if os.path.lexists(path) else b""
        known = set(there.split(b"\n")) if once else set()
        new = [line for line in (dict.fromkeys(lines) if once else lines) if line[:-1] not in known]
        if new:
            _write(path, new, is_cut=bool(there) and not there.endswith(b"\n"))
            written += len(new)
            bound(path, env)
    return written


def _write(path: Path, lines: Iterable[bytes], *, is_cut: bool) -> None:
    """A write(2) for each line; `is_cut`: the file ends within one."""
    make_directories(os.path.abspath(path.parent))  # noqa: PTH100 - links stay
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        for number, line in enumerate(lines):
            data = b"\n" + line if is_cut and not number else line
            if os.write(descriptor, data) != len(data):
                raise OSError(ENOSPC, os.strerror(ENOSPC), str(path))
    finally:
        os.close(descriptor)


def bound(path: Path, env: Mapping[str, str]) -> None:
    """Write a file anew where a key has more than `MOST_LINES` lines: half of them stay, the older ones become one."""
    counts: dict[str, int] = {}
    for record in read(content(path, env)).records:
        counts[record.key] = counts.get(record.key, 0) + 1
    if any(count > MOST_LINES for count in counts.values()):
        rewrite(path, _fewer, env)


def _fewer(records: Sequence[Record]) -> Iterator[Record]:
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    for several in by_key.values():
        several.sort(key=lambda record: record.time)
        at = len(several) - MOST_LINES // 2 if len(several) > MOST_LINES else 0
        yield from pooled(several[:at])
        yield from several[at:]


def rewrite(path: Path, change: Callable[[Sequence[Record]], Iterable[Record]], env: Mapping[str, str]) -> None:
    """Write a file anew with other records, atomically; without any it goes.

    What programs append meanwhile is added behind: they may have opened the file before it was another one.
    """
    with _opened(path, env) as before:
        data = _newest(before)
        end = before.tell()
        lines = [line for record in change(read(data).records) for line in lines_of(record)]
        if lines:
            write_atomic(path, b"".join(lines), mode=stat.S_IMODE(os.fstat(before.fileno()).st_mode))
        else:
            path.unlink()
        time.sleep(_LATE)
        before.seek(end)
        late = [line + b"\n" for line in before.read().split(b"\n") if parse(line) is not None]
    if late:
        _write(path, late, is_cut=False)


def is_choices(path: Path, env: Mapping[str, str]) -> bool:
    """Whether a file that is there may be written over: it is empty or holds records."""
    data = content(path, env)
    return not data or bool(read(data).records) or data.startswith(MAGIC)


def export(path: Path, records: Iterable[Record], env: Mapping[str, str]) -> None:
    """Write all that is known to one file: a line per key, sorted, the same bytes for the same records."""
    if os.path.lexists(path) and not is_choices(path, env):
        raise GpuoptError(f"{path}: is there and holds no choices; name another file, or remove it")
    ordered = sorted(records, key=lambda record: list(lines_of(record)))  # sums of floats depend on their order
    write_atomic(path, b"".join(line for record in pooled(ordered) for line in lines_of(record)))
