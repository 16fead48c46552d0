"""Who can change what is at a path: the user and root alone, or others too.

A directory that others can write to lets them put something else in the place of all that is below, unless it is sticky
(as /tmp). So does the owner of any directory on the way, and of any link. Imports nothing heavy.
"""

# ruff: noqa: PTH100, PTH115, PTH118, PTH120, PTH123

from __future__ import annotations

import os
from errno import ELOOP

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OTHERS, _GROUP = 0o002, 0o020
_STICKY = 0o1000
_KIND, _LINK, _DIRECTORY = 0o170000, 0o120000, 0o040000  # of `stat`, which costs as much as all the rest
_MOST_LINKS = 40


def why_open(path: str, env: Mapping[str, str], *, strictly: bool = False) -> str:
    """How others could change what is at a path or put something else there, "" if they cannot.

    `strictly`: what is there is a directory that must be the user's own, and no group may write to it. What does not
    exist yet is judged by the directories that do.
    """
    friends = {os.geteuid(), 0} if strictly else {os.geteuid(), 0, *_behind_sudo(env)}
    try:
        status = os.lstat("/")
        for place, status in _steps(os.path.abspath(path)):
            if reason := _of_step(status, friends):
                return f"{place} {reason}"
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{error.filename or path}: {error.strerror}"
    reason = why_not_private(status) if strictly else ""
    return f"{path} {reason}" if reason else ""


def _behind_sudo(env: Mapping[str, str]) -> tuple[int, ...]:
    """Who called sudo: root may be told by that user's files, who could become root at any time."""
    number = env.get("SUDO_UID", "")
    return (int(number),) if os.geteuid() == 0 and number.isascii() and number.isdecimal() else ()


def _steps(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Every directory and link that is passed on the way to an absolute path, and what is there in the end."""
    at, links = "/", 0
    yield at, os.lstat(at)
    pending = path.split("/")[::-1]
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = os.path.dirname(at)
            continue
        here = os.path.join(at, name)
        status = os.lstat(here)
        yield here, status
        if status.st_mode & _KIND != _LINK:
            at = here
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(ELOOP, os.strerror(ELOOP), path)
        target = os.readlink(here)
        at = "/" if target.startswith("/") else at
        pending += target.split("/")[::-1]


def _of_step(status: os.stat_result, friends: set[int]) -> str:
    """What is wrong with a directory, a link or a file that is passed."""
    if status.st_uid not in friends and not _stands_for_root(status.st_uid):
        return f"belongs to another user (uid {status.st_uid})"
    kind = status.st_mode & _KIND
    if kind == _LINK or (kind == _DIRECTORY and status.st_mode & _STICKY):
        return ""
    if status.st_mode & _OTHERS:
        return "can be written to by all users"
    # A group of the same number as its user has no other member; the group of root is root's.
    if status.st_mode & _GROUP and status.st_gid not in (0, status.st_uid):
        return f"can be written to by its group (gid {status.st_gid})"
    return ""


def why_not_private(status: os.stat_result) -> str:
    """What is wrong with a directory that must be the user's alone, "" if nothing is."""
    if status.st_uid != os.geteuid():
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & _KIND != _DIRECTORY:
        return "is no directory"
    if status.st_mode & (_OTHERS | _GROUP):
        return f"can be written to by {'all users' if status.st_mode & _OTHERS else 'its group'}"
    return ""


def _stands_for_root(uid: int) -> bool:
    """Whether files of root have this owner here: in a user namespace that root is not part of."""
    try:
        with open("/proc/sys/kernel/overflowuid", "rb") as file:
            if uid != int(file.read()):
                return False
        with open("/proc/self/uid_map", "rb") as file:
            return file.read().split() != [b"0", b"0", b"4294967295"]
    except (OSError, ValueError):
        return False
