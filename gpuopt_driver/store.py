"""The ground floor of the cache: where it is, and entries that are whole or not there, whoever is killed when.

Imports nothing heavy: a command line whose outcome is remembered pays for this and `memo` only.
"""

# Importing pathlib, tempfile or hashlib would cost every compilation milliseconds.
# ruff: noqa: SIM105, PTH100, PTH102, PTH105, PTH108, PTH110, PTH112, PTH113, PTH116, PTH117, PTH118, PTH120, PTH123

from __future__ import annotations

import os
import time

from gpuopt_driver.errors import one_line
from gpuopt_driver.trust import why_not_private, why_open

try:
    from _blake2 import blake2b  # what hashlib would give, without loading OpenSSL
except ImportError:  # pragma: no cover - another Python than CPython
    from hashlib import blake2b

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DIGEST = 64  # hexadecimal digits of a digest
_NAMED = "GPUOPT_CACHE_DIR"
KEPT_WHOLE = "toolkits"  # the kind whose entries are directories: they are not taken apart file by file
CHOICES = "choices"  # the directory of what programs have learned, which nothing can make anew
TEMPORARY = ".new-"  # what the names of files begin with that are being written
_BITS_256 = 32
_ATTEMPTS = 3
_LONG = 1 << 20  # bytes; shorter ones are read as soon
_SETTLED_NS = 1_000_000_000  # what was changed longer ago has other times after the next change, on any file system


def digest(*parts: bytes | str) -> str:
    """BLAKE2b-256 of several parts (each is measured, so that their boundaries count), in hexadecimal."""
    state = blake2b(digest_size=_BITS_256)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return str(state.hexdigest())


_digests: dict[str, tuple[str, str]] = {}


def digest_of_file(path: str | os.PathLike[str], root: str = "") -> str:
    """`digest` of a file's bytes; they are read once per process while the file's times, size and inode stay.

    A long one's digest is kept in the cache at `root` for other processes.
    """
    name = os.path.abspath(path)
    with open(name, "rb") as file:
        found = os.fstat(file.fileno())
        identity = f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        is_settled = time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) > _SETTLED_NS
        known = _digests.get(name)
        if known is None and root and found.st_size >= _LONG and (kept := get(root, "file-digest", digest(name))):
            known = kept[:-DIGEST].decode("ascii", "replace"), kept[-DIGEST:].decode("ascii", "replace")
        if known is None or known[0] != identity or not is_settled:
            known = identity, digest(file.read())
            if is_settled and root and found.st_size >= _LONG:
                put(root, "file-digest", digest(name), "".join(known).encode())
    if is_settled:
        _digests[name] = known
    return known[1]


def digests_below(directory: str) -> list[tuple[str, str]]:
    """The files below a directory by their paths from there, each with its digest (sooner than by pathlib)."""
    start = len(directory) + 1
    found = [f"{place}/{name}" for place, _, names in os.walk(directory) for name in names]
    return [(path[start:], digest_of_file(path)) for path in sorted(found)]


_below: dict[str, tuple[str, list[tuple[str, str]]]] = {}


def kept_digests_below(directory: str, root: str) -> list[tuple[str, str]]:
    """The same, of files that hardly change: none is read while the times, sizes and inodes of all of them stay.

    Kept in the cache at `root` for other processes.
    """
    paths, state, is_settled = _state_below(directory)
    known = _below.get(directory)
    if known is None and is_settled and (kept := get(root, "tree-digest", digest(directory))):
        before, *parts = kept.decode("utf-8", "surrogateescape").split("\0")
        known = before, list(zip(parts[::2], parts[1::2], strict=True))
    if known is None or known[0] != state or not is_settled:
        known = state, [(path[len(directory) + 1 :], digest_of_file(path)) for path in paths]
        if is_settled:
            words = "\0".join([state, *(part for pair in known[1] for part in pair)])
            put(root, "tree-digest", digest(directory), words.encode("utf-8", "surrogateescape"))
    if is_settled:
        _below[directory] = known
    return known[1]


def _state_below(directory: str) -> tuple[list[str], str, bool]:
    """The files below a directory, what changes with each, and whether the last change is long enough ago to tell."""
    found: list[tuple[str, str]] = []
    newest, todo = 0, [directory]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                elif entry.is_file():
                    is_now = entry.stat()
                    newest = max(newest, is_now.st_mtime_ns, is_now.st_ctime_ns)
                    times = f"{is_now.st_mtime_ns} {is_now.st_ctime_ns}"
                    found.append((entry.path, f"{is_now.st_dev} {is_now.st_ino} {is_now.st_size} {times}"))
    found.sort()
    state = digest(*(part for pair in found for part in pair))
    return [path for path, _ in found], state, time.time_ns() - newest > _SETTLED_NS


def write_atomic(path: str | os.PathLike[str], data: bytes, *, mode: int = 0o644, mtime_ns: int | None = None) -> None:
    """Write a file so that others see all of it or nothing; `mtime_ns` sets its modification time."""
    target = os.fspath(path)
    directory = os.path.dirname(os.path.abspath(target))
    for attempt in range(_ATTEMPTS):
        make_directories(directory)
        temporary = os.path.join(directory, f"{TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}")
        try:
            _write(temporary, data, mode, mtime_ns)
            os.replace(temporary, target)
        except FileNotFoundError:  # somebody has cleared the cache at this moment
            if attempt + 1 == _ATTEMPTS:
                raise
        except BaseException:
            try:
                os.unlink(temporary)
            except OSError:
                pass
            raise
        else:
            return


def write_named(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that a user names: whole or not at all, behind links, which stay; into devices and pipes."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:  # a file in the place of /dev/null would stay there
            file.write(data)
    else:
        write_atomic(os.path.realpath(path), data)


def _write(path: str, data: bytes, mode: int, mtime_ns: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(descriptor, mode)
        if mtime_ns is not None:
            os.utime(descriptor, ns=(mtime_ns, mtime_ns))


def make_directories(path: str) -> None:
    """Make a directory and those above it; what is made is as open as what it is made in, whatever the umask is."""
    parent = os.path.dirname(path)
    if os.path.isdir(path):
        return
    if not os.path.isdir(parent):
        make_directories(parent)
    try:
        os.mkdir(path, os.stat(parent).st_mode & 0o777)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def _why_unusable(directory: str) -> str:
    """Why a directory cannot be written to, "" if it can; it is made if need be, for its user alone."""
    try:
        _make_private(directory)
    except OSError as error:
        return f"cannot be made: {error.strerror}"
    return "" if os.access(directory, os.W_OK | os.X_OK) else "cannot be written to"


def _make_private(directory: str) -> None:
    if not os.path.isdir(directory):
        parent = os.path.dirname(directory)
        if parent != directory:
            _make_private(parent)
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            if not os.path.isdir(directory):
                raise


def _why_refused(directory: str, env: Mapping[str, str]) -> str:
    """How others could change what lies in a cache, "" if they cannot: it is loaded and linked into programs."""
    if reason := why_open(directory, env, strictly=True):
        return reason
    try:
        with os.scandir(directory) as kinds:
            for kind in kinds:
                is_file = kind.is_file(follow_symlinks=False)
                if not is_file and (reason := why_not_private(kind.stat(follow_symlinks=False))):
                    return f"{kind.path} {reason}"
    except OSError:
        pass  # it is not there yet
    return ""


def _places(env: Mapping[str, str]) -> Iterator[str]:
    """Where a cache may be, the best first."""
    if os.path.isabs(env.get(_NAMED, "")):
        yield os.path.abspath(env[_NAMED])
    if env.get("XDG_CACHE_HOME"):
        yield os.path.join(os.path.abspath(env["XDG_CACHE_HOME"]), "gpuopt")
    if env.get("HOME"):
        yield os.path.join(os.path.abspath(env["HOME"]), ".cache", "gpuopt")
    for temporary in dict.fromkeys((env.get("TMPDIR"), "/tmp")):  # noqa: S108
        if temporary:
            yield os.path.join(os.path.abspath(temporary), f"gpuopt-{os.geteuid()}")


def find_root(env: Mapping[str, str], without: str = "") -> str | None:
    """The first usable place: GPUOPT_CACHE_DIR, XDG_CACHE_HOME, ~/.cache, the temporary directory; else None.

    Places with one of the characters in `without` in their path are passed over, and so are those that others can
    change.
    """
    for place in _places(env):
        if set(without).intersection(place) or _why_refused(place, env):  # also by what it would be made in
            continue
        if not _why_unusable(place) and not why_open(place, env, strictly=True):
            return place
    return None


def refusals(env: Mapping[str, str]) -> list[str]:
    """For people: what GPUOPT_CACHE_DIR names in vain, and the places that others can change; one line each."""
    lines: list[str] = []
    named = env.get(_NAMED)
    if named is not None and not os.path.isabs(named):
        what = f"a relative path ({named})" if named else "empty"
        lines.append(f"{_NAMED}: not used as a cache: {what}; set it to an absolute path, or unset it")
    for place in _places(env):
        reason = _why_refused(place, env)
        unusable = "" if reason else _why_unusable(place)
        if not reason and not unusable:
            return [one_line(f"{line}; {place} is used") for line in lines]
        if reason:
            what = reason.removeprefix(f"{place} ")
            lines.append(f"{place}: not used as a cache: {what}; make it yours alone, or set GPUOPT_CACHE_DIR")
        elif named and place == os.path.abspath(named):
            lines.append(f"{place}: not used as a cache: {unusable}; set GPUOPT_CACHE_DIR to a directory of your own")
    return [one_line(f"{line}; nothing is kept") for line in lines]


def entry_path(root: str, kind: str, key: str, suffix: str = "") -> str:
    """Where an entry lives, whether or not it is there."""
    return os.path.join(root, kind, key[:2], f"{key[2:]}{suffix}")


def sealed(kind: str, key: str, value: bytes) -> bytes:
    """An entry as it is written: its digest comes first, that of another entry would be another one."""
    return digest(kind, key, value).encode() + value


def get(root: str, kind: str, key: str) -> bytes | None:
    """The value of an entry, noted as used now; None if there is none, or if it is damaged."""
    path = entry_path(root, kind, key)
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o022:  # not by us, or not left so
                return None
            data = file.read()
    except OSError:
        return None
    value = data[DIGEST:]
    if data != sealed(kind, key, value):
        return None
    try:
        os.utime(path)
    except OSError:
        pass  # another user's, or on a disk that is read only
    return value


def put(root: str, kind: str, key: str, value: bytes) -> bool:
    """Keep a value; whether that worked (a full disk is no error)."""
    try:
        write_atomic(entry_path(root, kind, key), sealed(kind, key, value))
    except OSError:
        return False
    return True


def note(root: str, kind: str, key: str, data: bytes) -> bool:
    """Note the digest of a file that others read (a library, a precompiled header); whether that worked."""
    return put(root, f"{kind}-digest", key, digest(data).encode())


def is_noted(root: str, kind: str, key: str, data: bytes) -> bool:
    """Whether this is what `note` was given: nothing was cut, changed or put in its place."""
    return get(root, f"{kind}-digest", key) == digest(data).encode()


def is_noted_file(root: str, kind: str, key: str, path: str | os.PathLike[str]) -> bool:
    """The same of a file; OSError where it cannot be read."""
    return get(root, f"{kind}-digest", key) == digest_of_file(path, root).encode()
