"""Outcomes of analyses, remembered: found by command line, valid while everything that the analysis saw is the same.

Imports nothing heavy: this is all that a compilation pays whose outcome is known and leaves its sources as they are.
"""

# ruff: noqa: PTH100, PTH123, PTH208

from __future__ import annotations

import marshal
import os
import sys

from gpuopt_driver import __version__, store
from gpuopt_driver.store import digest

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

KIND = "memo"
_FORMAT = "1"
# Variables that nvcc, libclang, Python or we ourselves listen to; those that a plugin looks up are noted besides.
_NAMES = frozenset(
    {
        *("PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"),
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "LC_ALL", "LC_CTYPE", "LANG"),
        *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD", "CCACHE_DISABLE"),
    }
)
_PREFIXES = ("GPUOPT_", "NVCC_", "NETWORKX_")

State = tuple[str, int, int, int, int]  # path, size, time of the last change of content and of the file (ns), inode


class Remembered:
    """The outcome of an analysis. `tell` is what it said on standard error, `value` the rest, pickled.

    `simple`: nvcc gets the sources as they are, with `argv`. `configured` is the policy's nvcc and where that is set.
    `holds`: nothing has changed since.
    """

    __slots__ = ("argv", "configured", "holds", "nvcc", "runs", "simple", "tell", "value")

    def __init__(
        self, nvcc: str, configured: tuple[str, str], argv: tuple[str, ...], tell: bytes, value: bytes, flags: int
    ) -> None:
        self.nvcc = nvcc
        self.configured = configured
        self.argv = argv
        self.tell = tell
        self.value = value
        self.simple = bool(flags & SIMPLE)
        self.runs = bool(flags & RUNS)
        self.holds = False

    def patches(self) -> Any:
        """The patches of `patching.Patches`."""
        import pickle  # noqa: PLC0415 - rarely needed

        return pickle.loads(self.value)  # noqa: S301 - our own, in a directory of our own, and its digest was checked


SIMPLE = 1
RUNS = 2


class Circumstances:
    """Under which an outcome is what it is: contents and listings by digest, files by their state, absent files."""

    __slots__ = ("absent", "contents", "listed", "looked_up", "stated")

    def __init__(
        self,
        contents: tuple[tuple[str, str], ...],
        stated: tuple[State, ...],
        listed: tuple[tuple[str, str], ...],
        absent: tuple[str, ...],
        looked_up: tuple[tuple[str, str | None], ...],
    ) -> None:
        self.contents = contents
        self.stated = stated
        self.listed = listed
        self.absent = absent
        self.looked_up = looked_up

    def hold(self, env: Mapping[str, str]) -> bool:
        """Whether all is as it was."""
        return (
            all(env.get(name) == value for name, value in self.looked_up)
            and all(state_of(state[0]) == state for state in self.stated)
            and not any(os.access(path, os.F_OK) for path in self.absent)
            and all(listing_of(path) == names for path, names in self.listed)
            and all(contents_of(path) == data for path, data in self.contents)
        )


def state_of(path: str) -> State | None:
    """What tells a file's present state from others without reading it; None if there is no file."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return (path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def listing_of(path: str) -> str:
    """The digest of the names in a directory, "" if there is none."""
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return ""
    return digest(*names)


def contents_of(path: str) -> str:
    """The digest of a file's bytes, "" if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return digest(file.read())
    except OSError:
        return ""


def key_of(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> str:
    """The name under which the outcome of a command line is kept."""
    surroundings = sorted(item for item in env.items() if item[0] in _NAMES or item[0].startswith(_PREFIXES))
    ours = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH120
    fixed = (_FORMAT, __version__, ours, sys.version, sys.executable, cwd, str(len(argv)))
    return digest(*fixed, *argv, *(part for item in surroundings for part in item))


def is_wanted(env: Mapping[str, str]) -> bool:
    """Whether outcomes may be remembered: not while somebody looks for a fault."""
    return env.get("GPUOPT_DEBUG", "") in ("", "0")


def find(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Remembered | None:
    """What the analysis of this command line comes to, if that is known and nothing has changed since."""
    known = last(argv, env, cwd)
    return known if known is not None and known.holds else None


def last(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Remembered | None:
    """What the last analysis of this command line came to, which need not hold any more."""
    root = store.find_root(env) if is_wanted(env) else None
    data = store.get(root, KIND, key_of(argv, env, cwd)) if root else None
    if data is None:
        return None
    try:
        circumstances, outcome = marshal.loads(data)  # noqa: S302 - its digest was checked
        known = Remembered(*outcome)
        known.holds = Circumstances(*circumstances).hold(env)
    except (ValueError, TypeError, EOFError):
        return None
    return known


def keep(
    argv: Sequence[str], env: Mapping[str, str], cwd: str, circumstances: Circumstances, outcome: Remembered
) -> None:
    """Remember an outcome; that it cannot be kept is no error."""
    root = store.find_root(env)
    if root is None:
        return
    under = (
        circumstances.contents,
        circumstances.stated,
        circumstances.listed,
        circumstances.absent,
        circumstances.looked_up,
    )
    flags = SIMPLE * outcome.simple + RUNS * outcome.runs
    what = (outcome.nvcc, outcome.configured, outcome.argv, outcome.tell, outcome.value, flags)
    store.put(root, KIND, key_of(argv, env, cwd), marshal.dumps((under, what)))
