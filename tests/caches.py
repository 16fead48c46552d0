"""Caches of a test's own in which there is already what every cache gets first: compiled once for all tests of a run.

A cache that nobody has used costs its first build 0.3 s of processor time for the library that shows nvcc patched
files, and 0.8 s for what launches call. Tests that are about other things take copies from the tests' common cache.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.cache import Cache
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.overlaid import OverlayUnavailable
from gpuopt_driver.nvcc.preload import build_library
from gpuopt_driver.store import make_directories


def common_library(compiler: str) -> Path:
    """The library as it is in the common cache."""
    common = Cache.find(os.environ)
    assert common is not None
    return build_library(compiler, common, os.environ)


def with_library(place: Path) -> Path:
    """`place` as a cache that has the library; an empty one where no compiler builds it."""
    common = Cache.find(os.environ)
    compiler = host_compiler(parse_command(["-c", "a.cu"], os.environ, str(place.parent)), os.environ)
    if common is not None and compiler is not None:
        with suppress(OverlayUnavailable):
            library = build_library(compiler, common, os.environ)
            noted = common.root / "overlay-digest" / library.parent.name / library.stem
            _copy((library, noted), common.root, place)
    return place


def with_what_builds_share(place: Path) -> Path:
    """The same with what launches call, as far as others have compiled it for the common cache."""
    common = Cache.find(os.environ)
    if common is not None:
        _copy((path for path in (common.root / "launch-side").rglob("*") if path.is_file()), common.root, place)
    return with_library(place)


def _copy(files: Iterable[Path], common: Path, place: Path) -> None:
    """Copies, which a test may damage."""
    for path in files:
        copy = place / path.relative_to(common)
        make_directories(str(copy.parent))
        with suppress(FileNotFoundError):  # entries are written beside their places, then renamed
            shutil.copy2(path, copy)
