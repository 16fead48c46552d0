"""Files that stand for a policy that is not there: what was compiled without one depends on them.

No build tool can depend on a missing file. So a dependency list names a stamp instead, a file of the cache's for the
directories from which a policy would be found, and whoever makes or first sees a policy there touches it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.cache import STAMPS, Cache, digest, write_atomic

_LONG_AGO_NS = 10**18  # 2001: older than whatever depends on it


def stamp_of(directories: tuple[str, ...], env: Mapping[str, str]) -> str:
    """The stamp for these directories (absolute), made if need be; "" where there is no cache to keep it in."""
    cache = Cache.find(env)
    if cache is None:
        return ""
    path = cache.root / STAMPS / digest(*directories)
    if not path.exists():
        try:
            write_atomic(path, b"".join(os.fsencode(one) + b"\0" for one in directories), mtime_ns=_LONG_AGO_NS)
        except OSError:
            return ""
    return str(path)


def touch_below(directory: str, env: Mapping[str, str]) -> None:
    """A policy has come to be in a directory: what was compiled without one there, or below, is out of date."""
    cache = Cache.find(env)
    if cache is None:
        return
    place = os.path.join(os.path.normpath(directory), "")  # noqa: PTH118
    with suppress(OSError):
        for stamp in sorted((cache.root / STAMPS).iterdir()):
            found = os.fsdecode(stamp.read_bytes()).split("\0")[:-1]
            if any(os.path.join(one, "").startswith(place) for one in found):  # noqa: PTH118
                _touch(stamp)


def _touch(stamp: Path) -> None:
    with suppress(OSError):  # another process has cleared the cache
        os.utime(stamp)
