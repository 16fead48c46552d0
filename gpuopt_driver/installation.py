"""Which files decide what gpuopt does to a source: its own, its plugins' and libclang's. Cheap: nothing is imported.

A cache of results (ours, or ccache's) holds them as long as these files stay what they are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpuopt_driver.cache import digest
from gpuopt_driver.dataclass import dataclass

OURS = "gpuopt_plugins."
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


@dataclass(frozen=True, slots=True)
class Point:
    """An entry point of a plugin; `metadata` is the directory of the distribution that it belongs to."""

    name: str
    module: str
    attribute: str
    metadata: str

    def load(self) -> Any:
        """What it points to, imported."""
        found = import_module(self.module)
        for part in filter(None, self.attribute.split(".")):
            found = getattr(found, part)
        return found

    @property
    def source(self) -> str:
        """Name and version of the distribution."""
        fields: dict[str, str] = {}
        for name in ("METADATA", "PKG-INFO"):
            with suppress(OSError, ValueError):
                head = Path(self.metadata, name).read_text("utf-8").partition("\n\n")[0]
                fields.update(line.split(": ", 1) for line in head.splitlines() if ": " in line)  # type: ignore[misc]
        return f"{fields['Name']} {fields['Version']}" if {"Name", "Version"} <= set(fields) else "unknown"


def find_points() -> tuple[Point, ...]:
    """Every plugin's entry point, sorted by name: those of `importlib.metadata`, which takes 20 ms longer to tell."""
    found: set[Point] = set()
    distributions: set[str] = set()
    for place in dict.fromkeys(sys.path):
        if not os.path.isabs(place):  # noqa: PTH117 - "" is the working directory, whose plugins nobody has installed
            continue
        try:
            entries = sorted(os.listdir(place))  # noqa: PTH208 - names are enough
        except OSError:
            continue
        for entry in entries:
            distribution = entry.rpartition(".")[0].partition("-")[0].lower().replace("_", "-").replace(".", "-")
            if not entry.endswith(_METADATA) or distribution in distributions:
                continue
            distributions.add(distribution)  # the first one on the path is the one that is imported
            with suppress(OSError, ValueError):
                metadata = os.path.join(place, entry)  # noqa: PTH118
                found.update(_points(Path(metadata, "entry_points.txt").read_text("utf-8"), metadata))
    return tuple(sorted(found, key=lambda point: (point.name, point.module, point.attribute, point.metadata)))


def _points(text: str, metadata: str) -> Iterator[Point]:
    for line in _sections(text):
        name, _, target = line.partition("=")
        module, _, attribute = target.partition("[")[0].partition(":")
        yield Point(name.strip(), module.strip(), attribute.strip(), metadata)


@cache
def plugin_points() -> tuple[tuple[str, str], ...]:
    """Name and module of every installed plugin, sorted: the entry points that `plugins.load_plugins` loads."""
    return tuple(sorted({(point.name, point.module) for point in find_points()}))


def strangers() -> frozenset[str]:
    """The names of the installed plugins that are not ours and not disabled."""
    found = {name for name, module in plugin_points() if not f"{module}.".startswith(OURS)}
    return frozenset(found) - disabled_names()


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
