"""What a piece of work depended on: files read, directories listed, variables looked up, and things nobody can check.

Python itself reports every file that it opens (audit events), ours or a plugin's; libclang's are noted by the frontend.
What comes out says under which circumstances the work would come to the same result again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from gpuopt_driver.paths import absolute
from gpuopt_driver.store import digest

_LISTINGS = frozenset({"os.listdir", "os.scandir"})
_LOADS = frozenset({"ctypes.dlopen"})
# What reaches beyond files and variables: its result can change without a trace.
_OUTSIDE = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "os.forkpty", "pty.spawn"),
        *("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request", "sqlite3.connect"),
    }
)
_CHANGES = frozenset(
    {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "shutil.rmtree"}
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Trace:
    """What has been seen so far. `since_ns` is when the work began; files that changed later are in doubt.

    `contents`: files by path, with the digest of the bytes that were read ("": to be taken from the file); `stated`:
    files that are known by their state only (many, big, or of the system); `listed`: directories; `looked_up`:
    environment variables with their values; `outside`: why the result must not be kept, "" if it may.
    """

    def __init__(self) -> None:
        self.since_ns = time.time_ns()
        self.contents: dict[str, str] = {}
        self.stated: dict[str, None] = {}
        self.listed: dict[str, None] = {}
        self.looked_up: dict[str, str | None] = {}
        self.outside = ""
        self.ignored: tuple[str, ...] = ()  # directories whose files are nobody's business: our own cache

    def merge(self, other: Trace) -> None:
        """Add what a child process saw."""
        self.contents = {**self.contents, **other.contents}
        self.stated.update(other.stated)
        self.listed.update(other.listed)
        self.looked_up = {**self.looked_up, **other.looked_up}
        self.outside = self.outside or other.outside

    def _is_ignored(self, path: str) -> bool:
        return path.startswith(self.ignored) or "__pycache__" in path if self.ignored else "__pycache__" in path

    def opened(self, path: str, flags: int) -> None:
        """A file was opened by Python."""
        place, _, name = path.rpartition("/__pycache__/")
        if place and name.endswith(".pyc"):  # read in place of a module's source, of which only the state was asked
            self.stated.setdefault(f"{place}/{name.partition('.')[0]}.py")
            return
        if self._is_ignored(path) or path in ("/dev/null", "/dev/urandom"):
            return
        if flags & _WRITING:
            self.outside = self.outside or f"{path} was written to"
        elif path.endswith(".py"):
            self.stated.setdefault(path)
        else:
            self.contents.setdefault(path, "")


# Libraries that go through all variables for those with a prefix of theirs, which `memo.py` has among what it keys by.
_THEIR_OWN = {"networkx": "NETWORKX_"}

_active: Trace | None = None
_hooked = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    trace = _active
    if trace is None:
        return
    if event == "open":
        path, _mode, flags = arguments
        if isinstance(path, (str, bytes)):
            trace.opened(absolute(os.fsdecode(path)), flags or 0)
    elif event in _LISTINGS:
        path = arguments[0]
        if path is None or isinstance(path, (str, bytes)):
            place = absolute(os.fsdecode(path or "."))
            if not trace._is_ignored(f"{place}{os.sep}"):
                trace.listed.setdefault(place)
    elif event in _CHANGES:
        if not trace._is_ignored(f"{absolute(os.fsdecode(arguments[0]))}{os.sep}"):
            trace.outside = trace.outside or event
    elif event in _OUTSIDE:
        trace.outside = trace.outside or event
    elif event in _LOADS and isinstance(arguments[0], str) and os.sep in arguments[0]:
        trace.stated.setdefault(arguments[0])


def start() -> Trace:
    """Begin to watch this process; the trace fills until `stop`."""
    global _active, _hooked  # noqa: PLW0603 - there is one process to watch
    if not _hooked:
        sys.addaudithook(_audit)
        _hooked = True
    _active = Trace()
    return _active


def active() -> Trace | None:
    """What is being filled, None while nobody watches."""
    return _active


def stop() -> None:
    """End watching."""
    global _active  # noqa: PLW0603
    _active = None


@contextmanager
def paused() -> Iterator[None]:
    """While something is done whose dependencies are stated by other means."""
    global _active  # noqa: PLW0603
    before, _active = _active, None
    try:
        yield
    finally:
        _active = before


def note(path: str, data: bytes | None) -> None:
    """A file was read in a way that Python does not see; `data` None if its state is enough to know it by."""
    if _active is None:
        return
    if data is None:
        _active.stated.setdefault(path)
    elif not _active.contents.get(path):
        _active.contents[path] = digest(data)


def join(other: Trace | None, reason: str) -> None:
    """Add what a child process saw; None, or a reason: its result must not be kept."""
    if _active is not None:
        if other is not None:
            _active.merge(other)
        if other is None or reason:
            forbid(reason or "there is no result")


def forbid(reason: str) -> None:
    """The result of what is being done must not be kept."""
    if _active is not None:
        _active.outside = _active.outside or reason


def _asking_package() -> str:
    """Which package goes through the environment."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("collections.abc", "_collections_abc"):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


class _Environment(MutableMapping[str, str]):
    """The environment, which notes what is looked up."""

    def __init__(self, real: MutableMapping[str, str], trace: Trace) -> None:
        self._real = real
        self._trace = trace

    def __getitem__(self, name: str) -> str:
        self._trace.looked_up.setdefault(name, self._real.get(name))
        return self._real[name]

    def __setitem__(self, name: str, value: str) -> None:
        self._trace.looked_up.setdefault(name, self._real.get(name))
        self._real[name] = value

    def __delitem__(self, name: str) -> None:
        self._trace.looked_up.setdefault(name, self._real.get(name))
        del self._real[name]

    def __iter__(self) -> Iterator[str]:
        prefix = _THEIR_OWN.get(_asking_package())
        if prefix:
            return iter([name for name in self._real if name.startswith(prefix)])
        for name in self._real:
            self._trace.looked_up.setdefault(name, self._real[name])
        forbid("the whole environment was looked at")
        return iter(self._real)

    def __len__(self) -> int:
        return len(self._real)

    def copy(self) -> dict[str, str]:
        """All of it, as `os.environ.copy()`."""
        return dict(self)


def watch_environment() -> None:
    """From here on, note the variables that are looked up in `os.environ`: for a child process, for good."""
    if _active is not None:
        os.environ = _Environment(os.environ, _active)  # type: ignore[assignment]  # noqa: B003
