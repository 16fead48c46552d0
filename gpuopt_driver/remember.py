"""From what an analysis was seen to depend on to something that can be checked before its outcome is used again.

The includes of a source are the delicate part: a header that does not exist yet may come to stand in front of the one
that was found, or turn a `__has_include` true. All names that any file asks for are therefore looked for in all of the
user's directories, and those that are not there must stay away.
"""

# ruff: noqa: PTH117, PTH118, PTH120, PTH206

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpuopt_driver import memo, store, traced
from gpuopt_driver.memo import Circumstances, State, contents_of, listing_of, state_of
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.policy.load import FILE_NAME
from gpuopt_driver.store import digest
from gpuopt_driver.traced import Trace

_TICK_NS = 20_000_000  # file times are this coarse at most: what is younger may change without showing it
_BIG_BYTES = 1 << 18  # beyond, a file that Python has opened (nvcc itself) is known by its state
_MAX_ABSENT = 20_000  # candidates; then asking for them costs more than an analysis
_PACKAGE = str(Path(__file__).parent)
_STDLIB = str(Path(os.__file__).parent)
_COMMENT = rb"(?:\s|\\\r?\n|/\*.*?\*/)*"
_HASH = rb"(?:#|%:|\?\?=)"
_SPELLED = rb'("[^"\n]*"|<[^>\n]*>|)'
_BEHIND = re.compile(_COMMENT + _SPELLED, re.DOTALL)  # the words below
_BEHIND_HAS = re.compile(_COMMENT + rb"\(?" + _COMMENT + _SPELLED, re.DOTALL)
_WORDS = (b"include", b"import")
_DIRECTIVE = re.compile(_HASH + _COMMENT + rb"(?:include_next|include|import)", re.DOTALL)
_HAS = b"__has_"
_NEXT = b"_next"
_SPLICED = (b"\\\n", b"\\\r\n")
_ASKS = re.compile(
    _HASH
    + _COMMENT
    + rb"(?:include_next|include|import)\b"
    + _BEHIND.pattern
    + rb"|\b__has_include(?:_next)?\b"
    + _BEHIND_HAS.pattern,
    re.DOTALL,
)
_TOOLKIT_MARKS = ("cuda_runtime.h", "crt")  # what tells a toolkit's directory among the user's


class InDoubt(Exception):
    """Something changed while it was being looked at, or cannot be known: the outcome is not to be kept."""


class Kept(NamedTuple):
    """An outcome to be remembered; see `memo.Remembered`."""

    nvcc: str
    told: str
    patches: bytes
    is_simple: bool


def begin(env: Mapping[str, str]) -> Trace | None:
    """Watch what this process does from here on, None where nothing could be kept."""
    root = store.find_root(env) if memo.is_wanted(env) else None
    if root is None:
        return None
    trace = traced.start()
    trace.ignored = (root + os.sep,)
    return trace


def keep(argv: Sequence[str], env: Mapping[str, str], command: NvccCommand, trace: Trace, what: Kept) -> None:
    """Remember an outcome if it can be said when it holds."""
    trace.stated.setdefault(what.nvcc)
    trace.contents.setdefault(os.path.join(os.path.dirname(what.nvcc), "nvcc.profile"), "")
    try:
        when = circumstances(command, trace)
    except (InDoubt, OSError):
        return
    flags = memo.SIMPLE * what.is_simple + memo.RUNS * (command.phase is Phase.RUN)
    told = what.told.encode("utf-8", "surrogateescape")
    outcome = memo.Remembered(what.nvcc, told, what.patches, flags)
    memo.keep(argv, env, command.cwd, when, outcome)


def circumstances(command: NvccCommand, trace: Trace) -> Circumstances:
    """Under which the traced work comes to the same outcome again; InDoubt where that cannot be said."""
    if trace.outside:
        raise InDoubt(trace.outside)
    limit = trace.since_ns - _TICK_NS
    installed = (_PACKAGE, *(path for path in sys.path if path.endswith(("site-packages", "dist-packages"))))
    missing = {path for path, data in trace.contents.items() if not data and _is_missing(path, limit)}
    unread = {path for path, data in trace.contents.items() if not data} - missing
    by_state = {path for path in unread if path.startswith(installed) or _is_big(path)}
    stated = {*trace.stated, *by_state, *_modules(), *_declarations()}
    read = {path: data for path, data in trace.contents.items() if path not in by_state | missing}
    contents = {path: data or _unchanged(path, limit) for path, data in read.items()}
    return Circumstances(
        contents=tuple(sorted(contents.items())),
        stated=tuple((path, memo.stated(_settled(path, limit))) for path in sorted(stated)),
        listed=tuple((path, _settled_listing(path, limit)) for path in sorted(trace.listed) if not _is_python(path)),
        absent=tuple(sorted(missing | _absent(command, contents, trace))),
        looked_up=tuple(sorted(trace.looked_up.items())),
    )


def _is_big(path: str) -> bool:
    state = state_of(path)
    return state is not None and state[1] > _BIG_BYTES


def _is_missing(path: str, limit: int) -> bool:
    """Whether a file could not be opened because it is not there, and was not when the work began."""
    if state_of(path) is not None:
        return False
    place = os.path.dirname(path)
    if state_of(place) is not None:
        _settled(place, limit)
    return True


def _unchanged(path: str, limit: int) -> str:
    """The digest of a file that has not changed since the work began."""
    _settled(path, limit)
    data = contents_of(path)
    if not data:
        raise InDoubt(f"{path} cannot be read")
    return data


def _settled(path: str, limit: int) -> State:
    state = state_of(path)
    if state is None:
        raise InDoubt(f"{path} is gone")
    if state[3] > limit:
        raise InDoubt(f"{path} has just changed")
    return state


def _settled_listing(path: str, limit: int) -> str:
    state = state_of(path)
    if state is not None and state[3] > limit:
        raise InDoubt(f"{path} has just changed")
    return listing_of(path)


def _modules() -> Iterator[str]:
    """The files of all modules that are loaded, but for those of Python itself."""
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and os.path.isabs(path):
            if not _is_python(path):
                yield path
        elif name.startswith("gpuopt_") and not hasattr(module, "__path__"):
            raise InDoubt(f"{name} comes from no file")


def _is_python(path: str) -> bool:
    """Whether a path belongs to Python itself, whose version is part of the key."""
    return path.startswith(_STDLIB) and "-packages" not in path


def _declarations() -> Iterator[str]:
    """The bundled declarations, which are read out of a precompiled header."""
    for directory, _, names in os.walk(os.path.join(_PACKAGE, "frontend", "cuda")):
        for name in names:
            yield os.path.join(directory, name)


def _absent(command: NvccCommand, contents: Mapping[str, str], trace: Trace) -> set[str]:
    """The files that must not come to exist."""
    found = set(_policy_files(command))
    user = _user_directories(command)
    for place in user:
        found.update(os.path.join(place, mark) for mark in _TOOLKIT_MARKS)
    for name in command.forced_includes:
        found.update(os.path.join(place, name) for place in (command.cwd, *user))
    names: set[str] = set()
    is_open = False
    system = [path for path in trace.stated if user and not path.startswith(_PACKAGE) and not _is_binary(path)]
    for path in (*contents, *system):
        data = _read(path, contents.get(path, ""))
        for delimiter, name in asked_for(data):
            is_open |= not name
            if delimiter == '"' and path in contents:
                found.add(os.path.join(os.path.dirname(path), name))
            names.add(name)
    if is_open:
        names.update(_tails((*contents, *system), user))
    places = {place: _Missing(place) for place in user}
    found.update(places[place].part_of(name) for place in user for name in names if name)
    if len(found) > _MAX_ABSENT:
        raise InDoubt("too many headers")
    return {path for path in found if not os.access(path, os.F_OK)}


class _Missing:
    """What is not there of names in a directory: of many headers the same directory, which is one path to look at."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._there: dict[str, bool] = {}

    def part_of(self, name: str) -> str:
        """The name's path, or that of the first directory on the way that is not there."""
        head, slash, _ = name.partition("/")
        path = os.path.join(self._place, head)
        if slash and path not in self._there:
            self._there[path] = os.path.lexists(path)
        return path if slash and not self._there[path] else os.path.join(self._place, name)


def _is_binary(path: str) -> bool:
    return path.endswith((".so", ".pch", ".py")) or ".so." in path


def _read(path: str, expected: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InDoubt(f"{path} is gone") from error
    if expected and digest(data) != expected:
        raise InDoubt(f"{path} has just changed")
    return data


def asked_for(data: bytes) -> Iterator[tuple[str, str]]:
    """(delimiter, name) of everything that a text includes or asks for; empty where a macro stands for it."""
    found = _named_by_words(data)
    if found is None:
        matches = _ASKS.finditer(data)
        found = [match.group(1) if match.group(1) is not None else match.group(2) for match in matches]
    for spelled in found:
        text = os.fsdecode(spelled or b"")
        yield text[:1], text[1:-1]


def _named_by_words(data: bytes) -> list[bytes] | None:
    """What a text includes or asks for, found by the words for that, of which a text has few; None where a comment
    ends in front of one: it may have begun in a directive."""
    found: list[tuple[int, bytes]] = []
    for word in _WORDS:
        at = data.find(word)
        while at >= 0:
            end = at + len(word)
            end += len(_NEXT) if word == _WORDS[0] and data.startswith(_NEXT, end) else 0
            if _ends_a_word(data, end):
                start = _start_of_line(data, at)
                if data.find(b"*/", start, at) >= 0:
                    return None
                behind = _behind(data, start, at, end)
                if behind is not None:
                    match = behind.match(data, end)
                    found.append((at, match.group(1) if match is not None else b""))
            at = data.find(word, at + 1)
    return [spelled for _, spelled in sorted(found)]


def _behind(data: bytes, start: int, at: int, end: int) -> re.Pattern[bytes] | None:
    """What is to stand behind a word that includes or asks for something, None where it does neither."""
    if data.endswith(_HAS, start, at):
        return _BEHIND_HAS if data.startswith(b"include", at) and _ends_a_word(data, at - len(_HAS), -1) else None
    return _BEHIND if any(one.end() == end for one in _DIRECTIVE.finditer(data, start, end)) else None


def _ends_a_word(data: bytes, at: int, step: int = 0) -> bool:
    """Whether no letter, digit or underscore stands at a place (`step` -1: in front of it)."""
    beside = data[at + step : at + step + 1] if at + step >= 0 else b""
    return not (beside.isalnum() or beside == b"_")


def _start_of_line(data: bytes, at: int) -> int:
    """Where the line that a place is in begins, with all lines that are spliced to it."""
    start = data.rfind(b"\n", 0, at) + 1
    while start and data.endswith(_SPLICED, 0, start):
        start = data.rfind(b"\n", 0, start - 1) + 1
    return start


def _tails(paths: Iterable[str], user: tuple[str, ...]) -> Iterator[str]:
    """The names under which files may have been included by way of a macro."""
    for path in paths:
        below = [place for place in user if path.startswith(place + os.sep)]
        for place in below:
            yield path[len(place) + 1 :]
        if not below:
            parts = path.split(os.sep)
            for count in range(1, min(4, len(parts))):
                yield os.sep.join(parts[-count:])


def _user_directories(command: NvccCommand) -> tuple[str, ...]:
    """Where the user has headers looked for."""
    named = [command.path(place) for place in (*command.include_dirs, *command.system_dirs)]
    by_environment = [
        os.path.join(command.cwd, place)
        for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
        for place in os.environ.get(name, "").split(os.pathsep)
        if place
    ]
    return tuple(dict.fromkeys((*named, *by_environment)))


def _policy_files(command: NvccCommand) -> Iterator[str]:
    """Where a policy file would be found before the one that was."""
    first = [os.path.dirname(command.cuda_inputs[0].absolute)] if command.cuda_inputs else []
    for start in (*first, command.cwd):
        place = Path(os.path.normpath(start))
        yield from (str(directory / FILE_NAME) for directory in (place, *place.parents))
