"""Which files decide what gpuopt does to a source: its own, its plugins' and libclang's. Cheap: nothing is imported.

A cache of results (ours, or ccache's) holds them as long as these files stay what they are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from gpuopt_driver.cache import digest

_GROUP = "[gpuopt.plugins]"
_METADATA = (".dist-info", ".egg-info")
_NO_CODE = frozenset({"__pycache__", "cases", "templates"})
_NOT_FOR_PATCHES = frozenset({"commands", "emulator", "testing"})  # of gpuopt_driver


def _sections(text: str) -> Iterator[str]:
    """The lines of the section that lists plugins."""
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == _GROUP
        elif inside and "=" in line:
            yield line


@cache
def plugin_points() -> tuple[tuple[str, str], ...]:
    """Name and module of every installed plugin, sorted: the entry points that `plugins.load_plugins` loads."""
    found: set[tuple[str, str]] = set()
    for place in dict.fromkeys(sys.path):
        try:
            entries = os.listdir(place or os.curdir)  # noqa: PTH208 - names are enough
        except OSError:
            continue
        for entry in entries:
            if not entry.endswith(_METADATA):
                continue
            try:
                text = Path(place, entry, "entry_points.txt").read_text("utf-8")
            except (OSError, ValueError):
                continue
            for line in _sections(text):
                name, _, target = line.partition("=")
                found.add((name.strip(), target.strip().partition(":")[0].split()[0]))
    return tuple(sorted(found))


def disabled_names() -> frozenset[str]:
    """The plugins that GPUOPT_DISABLE_PLUGINS (names with commas) keeps from being loaded."""
    return frozenset(name.strip() for name in os.environ.get("GPUOPT_DISABLE_PLUGINS", "").split(",") if name.strip())


def _place(module: str) -> Path | None:
    """Where a package, or a module that is no package, lies; of a package that is only a name space, the part."""
    top, *rest = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if not spec.submodule_search_locations:
        return Path(spec.origin) if spec.origin else None
    for location in spec.submodule_search_locations:
        if spec.origin:
            return Path(location)
        part = Path(location, *rest)
        if part.is_dir():
            return part
        if part.with_suffix(".py").is_file():
            return part.with_suffix(".py")
    return None


def _below(place: Path, skipped: frozenset[str]) -> Iterator[str]:
    if place.is_file():
        yield str(place)
        return
    for directory, names, files in os.walk(place):
        names[:] = sorted(set(names) - skipped)
        yield from (str(Path(directory, name)) for name in sorted(files) if not name.endswith(".pyc"))


@cache
def files() -> tuple[str, ...]:
    """The files, absolute, in a fixed order; those of packages that cannot be found are missing."""
    here = Path(__file__).parent
    found = list(_below(here, _NO_CODE | _NOT_FOR_PATCHES))
    roots = [place for _, module in plugin_points() if (place := _place(module))]
    libclang = _place("clang")
    if libclang is not None:  # its list of files instead of itself: ccache reads what is named here
        roots.extend(sorted(libclang.parent.glob("libclang-*.dist-info/RECORD")))
    for root in dict.fromkeys(roots):
        found.extend(_below(root, _NO_CODE))
    return tuple(dict.fromkeys(found))


@cache
def fingerprint() -> str:
    """A digest of these files' names, sizes and times, and of the Python that runs them."""
    parts = [sys.version]
    for path in files():
        try:
            status = os.stat(path)  # noqa: PTH116 - a hundred of them
        except OSError:
            continue
        parts.append(f"{path}\0{status.st_size}\0{status.st_mtime_ns}")
    return digest(*parts)
