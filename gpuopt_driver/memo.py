"""Outcomes of analyses, remembered: found by command line, valid while everything that the analysis saw is the same.

Imports nothing heavy: this is all that a compilation pays whose outcome is known and leaves its sources as they are.
"""

# ruff: noqa: PTH100, PTH123, PTH208

from __future__ import annotations

import os
import sys

from gpuopt_driver import __version__, store
from gpuopt_driver.store import digest
from gpuopt_driver.variables import is_on

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = "memo"
_FAILURES = "failed"
_YES, _NO = b"1", b"0"
OURS = "--gpuopt-"  # what our own options begin with
_FORMAT = "2"
_DIGITS = 20  # of 64 bits
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
    """The outcome of an analysis. `tell` is what it said on standard error, `value` the patches as `kept` writes them.

    `simple`: the `nvcc` that is found without a policy gets the sources as they are, and the arguments without ours.
    `holds`: nothing has changed since. Neither programs nor arguments are taken from here.
    """

    __slots__ = ("holds", "nvcc", "runs", "simple", "tell", "value")

    def __init__(self, nvcc: str, tell: bytes, value: bytes, flags: int) -> None:
        self.nvcc = nvcc
        self.tell = tell
        self.value = value
        self.simple = bool(flags & SIMPLE)
        self.runs = bool(flags & RUNS)
        self.holds = False


SIMPLE = 1
RUNS = 2


class Circumstances:
    """Under which an outcome is what it is: contents and listings by digest, files by their state, absent files."""

    __slots__ = ("absent", "contents", "listed", "looked_up", "stated")

    def __init__(
        self,
        contents: tuple[tuple[str, str], ...],
        stated: tuple[tuple[str, str], ...],
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
            and all(stated(state_of(path)) == text for path, text in self.stated)
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


def stated(state: State | None) -> str:
    """A state in one word, without the path."""
    return "" if state is None else f"{state[1]} {state[2]} {state[3]} {state[4]}"


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
    return not is_on(env, "GPUOPT_DEBUG")


def is_plain(argv: Sequence[str], for_nvcc: Sequence[str]) -> bool:
    """Whether what nvcc gets of a command line is all words of it but those that begin as our options do."""
    return [word for word in argv if not word.startswith(OURS)] == list(for_nvcc)


def last(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Remembered | None:
    """What the last analysis of this command line came to, which need not hold any more."""
    root = store.find_root(env) if is_wanted(env) else None
    data = store.get(root, KIND, key_of(argv, env, cwd)) if root else None
    if data is None:
        return None
    try:
        circumstances, known = _decoded(data)
    except ValueError:
        return None
    known.holds = circumstances.hold(env)
    return known


def keep(
    argv: Sequence[str], env: Mapping[str, str], cwd: str, circumstances: Circumstances, outcome: Remembered
) -> None:
    """Remember an outcome; that it cannot be kept is no error."""
    root = store.find_root(env)
    if root is not None:
        store.put(root, KIND, key_of(argv, env, cwd), _encoded(circumstances, outcome))


def note_failure(argv: Sequence[str], env: Mapping[str, str], cwd: str, *, fails: bool) -> None:
    """Note that nvcc refuses the sources of a command line: it is asked first then, until it accepts them."""
    root = store.find_root(env) if is_wanted(env) else None
    if root is not None and fails != has_failed(argv, env, cwd):
        store.put(root, _FAILURES, key_of(argv, env, cwd), _YES if fails else _NO)


def has_failed(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> bool:
    """Whether nvcc has refused the sources of a command line the last time."""
    root = store.find_root(env) if is_wanted(env) else None
    return root is not None and store.get(root, _FAILURES, key_of(argv, env, cwd)) == _YES


# An entry is data that nothing can run: the length of a text; the text, which is words with a NUL behind each but the
# last (paths and variables hold none); what was told; the patches.


def _encoded(under: Circumstances, outcome: Remembered) -> bytes:
    groups = (under.contents, under.stated, under.listed, [(path,) for path in under.absent])
    variables = [(name, "" if value is None else f"={value}") for name, value in under.looked_up]
    flags = SIMPLE * outcome.simple + RUNS * outcome.runs
    words = [_FORMAT, outcome.nvcc, str(flags), str(len(outcome.tell))]
    for group in (*groups, variables):
        words.append(str(len(group)))
        words.extend(str(part) for item in group for part in item)
    text = "\0".join(words).encode("utf-8", "surrogateescape")
    return b"%d\0" % len(text) + text + outcome.tell + outcome.value


def _decoded(data: bytes) -> tuple[Circumstances, Remembered]:
    """What `_encoded` made the data of; ValueError where that is not so."""
    size, _, rest = data.partition(b"\0")
    end = _number(size[: _DIGITS + 1].decode("ascii"))
    words = _Words(rest[:end].decode("utf-8", "surrogateescape").split("\0"))
    made_by, nvcc, flags, told = words.take(4)
    if made_by != _FORMAT or len(rest) < end + _number(told):
        raise ValueError
    contents = tuple(zip(*[iter(words.group(2))] * 2, strict=True))
    stated = tuple(zip(*[iter(words.group(2))] * 2, strict=True))
    listed = tuple(zip(*[iter(words.group(2))] * 2, strict=True))
    absent = tuple(words.group(1))
    variables = iter(words.group(2))
    looked_up = tuple((name, value[1:] if value else None) for name, value in zip(variables, variables, strict=True))
    if words.left:
        raise ValueError
    after = end + _number(told)
    known = Remembered(nvcc, rest[end:after], rest[after:], _number(flags))
    return Circumstances(contents, stated, listed, absent, looked_up), known


def _number(text: str) -> int:
    """A number as we write it: an inode or a time in ns at most."""
    if not (0 < len(text) <= _DIGITS and text.isascii() and text.isdecimal()):
        raise ValueError
    return int(text)


class _Words:
    """The words of an entry's text, to be taken from the front."""

    __slots__ = ("_at", "_words")

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    @property
    def left(self) -> int:
        """How many were not taken."""
        return len(self._words) - self._at

    def take(self, count: int) -> list[str]:
        """The next words; ValueError where there are not so many."""
        if count > self.left:
            raise ValueError
        self._at += count
        return self._words[self._at - count : self._at]

    def group(self, size: int) -> list[str]:
        """The words of as many items of `size` words as the next word says."""
        return self.take(size * _number(self.take(1)[0]))
