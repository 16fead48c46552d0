"""A directory of links and small files that is made whole or not at all, and made whole again where parts are gone."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.store import make_directories

_PROGRAMS = (b"#!", b"\x7fELF")

# What belongs at a relative path: the target of a symbolic link, or a file's bytes (scripts and programs can be run).
Entries = Mapping[str, "str | bytes"]


def _place(path: str, entry: str | bytes) -> None:
    """Put one entry in place at once, over whatever is there."""
    new = f"{path}.{secrets.token_hex(4)}.new"
    make_directories(os.path.dirname(path))  # noqa: PTH120 - a string is wanted
    try:
        if isinstance(entry, str):
            Path(new).symlink_to(entry)
        else:
            Path(new).write_bytes(entry)
            Path(new).chmod(0o755 if entry.startswith(_PROGRAMS) else 0o644)
        Path(new).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(new).unlink()
        raise


def in_place(path: str, entry: str | bytes) -> bool:
    """Whether an entry is there as it should be."""
    try:
        if isinstance(entry, str):
            return os.readlink(path) == entry  # noqa: PTH115 - a string is compared
        return not Path(path).is_symlink() and Path(path).read_bytes() == entry
    except OSError:
        return False


def absent(root: str, entries: Entries) -> list[str]:
    """The relative paths of entries that are not there as they should be."""
    return [name for name, entry in entries.items() if not in_place(f"{root}/{name}", entry)]


def make_whole(root: str, entries: Entries) -> bool:
    """Make a directory hold these entries; whether anything was to be done. OSError where it cannot be written.

    A new directory appears with all of them. In one that exists, each is put in place by itself, so that whoever
    is using the directory finds every entry at every moment.
    """
    if not Path(root).exists():
        new = f"{root}.{secrets.token_hex(4)}.new"
        try:
            for name, entry in entries.items():
                _place(f"{new}/{name}", entry)
            Path(new).rename(root)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)
            if not Path(root).exists():
                raise
        else:
            return True
    missing = absent(root, entries)
    for name in missing:
        _place(f"{root}/{name}", entries[name])
    return bool(missing)


def remove(root: str, names: list[str]) -> list[str]:
    """Remove these entries, and every directory that this empties; the relative paths of what is left."""
    for name in names:
        with suppress(FileNotFoundError):
            Path(root, name).unlink()
    left = []
    for directory, folders, files in os.walk(root, topdown=False):
        links = [name for name in folders if Path(directory, name).is_symlink()]
        left += [os.path.relpath(f"{directory}/{name}", root) for name in (*files, *links)]
        with suppress(OSError):
            Path(directory).rmdir()
    return sorted(left)
