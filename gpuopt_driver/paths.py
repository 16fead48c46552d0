"""Absolute paths that name the files they are made of, also where a `..` follows a symbolic link."""

# ruff: noqa: PTH109, PTH118

from __future__ import annotations

import os
import sys


def leave_out_working_directory() -> None:
    """Import nothing more from where we were started: what lies there is to be built, and not to be run.

    `python -m` puts that directory in front of all others, and so do empty and relative parts of PYTHONPATH.
    """
    here = _working_directory()
    if sys.path and sys.path[0] in ("", here) and not getattr(sys.flags, "safe_path", False):  # Python 3.11's -P
        del sys.path[0]
    leave_out_relative_parts()


def leave_out_relative_parts() -> None:
    """The same for the parts of PYTHONPATH alone, where it was not `python -m` that started us."""
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if sys.flags.ignore_environment or parts == [""]:
        return
    here = _working_directory()
    absolute_ones = {os.path.normpath(part) for part in parts if part.startswith("/")}
    relative_ones = {os.path.normpath(os.path.join(here, part)) for part in parts if not part.startswith("/")}
    sys.path[:] = [place for place in sys.path if place and place not in relative_ones - absolute_ones]


def _working_directory() -> str:
    """The working directory, "" where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def absolute(path: str) -> str:
    """The path without `.` and `..`; links stay as they are spelled, but for those that a `..` would take us behind.

    With /lib a link to usr/lib, /lib/gcc/../../include is /usr/include.
    """
    plain = os.path.abspath(path)  # noqa: PTH100 - Path has no such function
    if ".." not in path:
        return plain
    place, name = os.path.split(path)
    if name in ("", ".", ".."):
        place, name, plain_place = path, "", plain
    else:
        plain_place = os.path.dirname(plain)  # noqa: PTH120
    try:
        if os.path.samefile(place, plain_place):  # noqa: PTH121
            return plain
    except OSError:
        if not os.path.exists(place):  # noqa: PTH110
            return plain
    return os.path.join(os.path.realpath(place), name) if name else os.path.realpath(place)
