"""Whether a unit that was parsed without the toolkit's directories would be another one with them.

They come behind all others, so that only files which are found nowhere else are taken from there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from gpuopt_driver.frontend.options import ParseOptions, is_toolkit, toolkit_dirs
from gpuopt_driver.frontend.translation import Translation

_MISSING = re.compile(r"'([^']+)' file not found")
_ASKED = re.compile(rb"\w*has_include\w*[ \t]*\([ \t]*(?:[<\"]([^>\"\n]+)|.)", re.IGNORECASE)
# What is asked through a macro of such a name is found where that is used.
_PASSED_ON = re.compile(rb"#[ \t]*define[ \t]+\w*has_include\w*\((\w+)\)(?:[^\n]*\(\1\))?", re.IGNORECASE)

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*(?:([<\"])([^>\"\n]+)|(\w+)\()", re.MULTILINE)
_NAMES_LIBRARY = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(\w+\)[ \t]*<cuda/", re.MULTILINE)
_LIBRARY = b"cuda/"  # where the standard library for device code is
_MANY = 6  # of a project's files that include it
_MOST_FILES = 300  # a project's files that are looked into


def lacks_library(main: str, options: ParseOptions, overlay: Mapping[str, bytes]) -> bool:
    """Whether many of the project's files that a source includes ask for CUDA's standard library.

    Read from their text, whatever its conditions. Templates that are built on that library are full of errors without
    it, and libclang takes a second and more to find them.
    """
    project = [options.absolute(path) for path in (*options.include_dirs, *options.system_dirs)]
    places = [path for path in project if not is_toolkit(path)]
    found: dict[str, str | None] = {}  # the file of a name that is not beside what includes it
    files, seen = [main], {main}
    library = {b""}  # and the macros that stand for its headers
    asking: list[set[bytes]] = []  # macros that a file includes, b"" where it names the library itself
    for path in files:  # which grows
        data = overlay[path] if path in overlay else _text(path)
        library.update(_NAMES_LIBRARY.findall(data))
        beside = os.path.dirname(path)  # noqa: PTH120 - thousands of times
        asked = set[bytes]()
        for mark, text, macro in _INCLUDE.findall(data):
            name = os.fsdecode(text)
            where = _first(name, (beside,)) if mark == b'"' else None
            if where is None:
                if name not in found:
                    found[name] = _first(name, places)
                where = found[name]
            if where is None and (macro or text.startswith(_LIBRARY)):
                asked.add(macro)
            elif where is not None and where not in seen and len(files) < _MOST_FILES:
                seen.add(where)
                files.append(where)
        if asked:
            asking.append(asked)
        if sum(not library.isdisjoint(one) for one in asking) >= _MANY:
            return True
    return False


def _first(name: str, places: Iterable[str]) -> str | None:
    """The first of the directories' files of a name."""
    paths = (os.path.join(place, name) for place in places)  # noqa: PTH118
    return next((path for path in paths if os.path.isfile(path)), None)  # noqa: PTH113


def _text(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def may_find_more(translation: Translation) -> bool:
    """Whether the toolkit has a header that was not found, or that a file asks for by `__has_include`."""
    dirs = [Path(name) for name in toolkit_dirs(translation.options)]
    for error in translation.errors:
        missing = _MISSING.search(error.message)
        if error.is_missing_file and (missing is None or _is_in(missing.group(1), dirs)):
            return True
    asked: set[bytes] = set()
    for data in translation.contents():
        if b"has_include" in data or b"HAS_INCLUDE" in data:
            asked.update(_ASKED.findall(_PASSED_ON.sub(b"", data)))
    return any(not name or _is_in(os.fsdecode(name), dirs) for name in asked)  # no name: a macro is asked for


def _is_in(name: str, dirs: list[Path]) -> bool:
    return any((one / name).exists() for one in dirs)
