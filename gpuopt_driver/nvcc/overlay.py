"""Handing patched sources to nvcc under the names of the originals, without touching its command line.

Patched copies live in the cache, named after their content: nothing is cleaned up, so tools that run nvcc's printed
steps later (sccache) find what they need, and parallel builds do not get into each other's way.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.preload import PATH_BREAKERS, OverlayUnavailable, map_line, preload_environment, tested_library

__all__ = ["Overlay", "OverlayUnavailable", "prepare"]


@dataclass(frozen=True, slots=True)
class Overlay:
    """What nvcc must be started with to see the patched files."""

    library: str
    map_path: str

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """`env` with the overlay in it."""
        return preload_environment(env, self.library, self.map_path)

    def dryrun_lines(self, env: Mapping[str, str]) -> bytes:
        """What is printed before nvcc's `--dryrun` output: who runs those steps needs the overlay too."""
        with_us = self.environment(env)
        return b"".join(os.fsencode(f"#$ {name}={with_us[name]}\n") for name in ("LD_PRELOAD", "GPUOPT_VFS_MAP"))


def _copy(cache: Cache, original: str, data: bytes, status: os.stat_result) -> str:
    """The patched copy: with the original's time (`__TIMESTAMP__`), one file per original (`#pragma once`)."""
    path = cache.path("patched", digest(original, data, str(status.st_mtime_ns)))
    try:
        known = path.stat().st_mtime_ns == status.st_mtime_ns and path.read_bytes() == data
    except OSError:
        known = False
    if not known:
        write_atomic(path, data, mode=0o444, mtime_ns=status.st_mtime_ns)
    return str(path)


def _line(cache: Cache, path: str, data: bytes, analysed: bytes | None) -> bytes:
    """The map's line for one file. The file must still be the one that was analysed."""
    original = os.path.realpath(path)
    status = Path(original).stat()
    if analysed is not None and Path(original).read_bytes() != analysed:
        raise OverlayUnavailable(f"{path}: changed while it was being analysed")
    return map_line(original, status, _copy(cache, original, data, status))


def prepare(
    command: NvccCommand,
    patched: Mapping[str, bytes],
    env: Mapping[str, str],
    originals: Mapping[str, bytes] | None = None,
) -> Overlay:
    """An overlay for these files (new bytes by absolute path); OverlayUnavailable, with the reason, if there is no way.

    `originals` are the bytes that the analysis saw: a file that has changed since is not overlaid.
    """
    compiler = host_compiler(command, env)
    if compiler is None:
        raise OverlayUnavailable("no host compiler found")
    cache = Cache.find(env, without=PATH_BREAKERS)
    if cache is None:
        raise OverlayUnavailable("no directory to keep patched files in; set GPUOPT_CACHE_DIR to a writable one")
    cache.prune()
    library = tested_library(compiler, cache, env)
    known = originals or {}
    try:
        lines = sorted({_line(cache, path, data, known.get(path)) for path, data in patched.items()})
        if len(lines) != len({os.path.realpath(path) for path in patched}):
            raise OverlayUnavailable("one file was patched in two ways under two names")
        map_path = cache.path("map", digest(*lines))
        if not map_path.is_file() or map_path.read_bytes() != b"".join(lines):
            write_atomic(map_path, b"".join(lines))
    except OSError as error:
        raise OverlayUnavailable(f"{error.filename or cache.root}: {error.strerror}") from error
    return Overlay(str(library), str(map_path))
