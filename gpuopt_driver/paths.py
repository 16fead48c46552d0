"""Absolute paths that name the files they are made of, also where a `..` follows a symbolic link."""

from __future__ import annotations

import os


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
    return os.path.join(os.path.realpath(place), name) if name else os.path.realpath(place)  # noqa: PTH118
