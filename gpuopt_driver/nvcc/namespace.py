"""The overlay by bind mounts in a mount namespace of nvcc's own: for host compilers that no preloaded library reaches.

Works without any tool, as root or in a user namespace; where neither is allowed, entering raises OSError.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.overlaid import Overlay

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_MS_BIND = 4096
_MS_REC = 16384
_MS_PRIVATE = 1 << 18


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def _unshare(libc: ctypes.CDLL) -> None:
    """A mount namespace; in a user namespace with the same user where we may not have one alone.

    In a user namespace a superuser is none for other users' files, so that it comes second.
    """
    if libc.unshare(_CLONE_NEWNS) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    _checked(libc.unshare(_CLONE_NEWNS | _CLONE_NEWUSER), "user namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        try:
            Path("/proc/self", name).write_text(text, "ascii")
        except FileNotFoundError as error:
            if name != "setgroups":
                raise OSError(errno.ENOENT, "no /proc", "user namespace") from error


@dataclass(frozen=True, slots=True)
class Namespace(Overlay):
    """Every original is covered by its copy, for the process that enters and what it starts."""

    mechanism = "namespace"

    @property
    def needs_entering(self) -> bool:
        """Always."""
        return True

    def enter(self) -> None:
        """Leave the caller's mount namespace; only for a process that is about to become another program."""
        libc = ctypes.CDLL(None, use_errno=True)
        _unshare(libc)
        _checked(libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "mount namespace")
        for file in self.files:
            source, target = os.fsencode(file.copy), os.fsencode(file.original)
            _checked(libc.mount(source, target, None, _MS_BIND, None), file.original)
