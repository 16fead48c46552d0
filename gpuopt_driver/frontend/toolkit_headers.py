"""Whether a unit that was parsed without the toolkit's directories would be another one with them.

They come behind all others, so that only files which are found nowhere else are taken from there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from gpuopt_driver.frontend.options import toolkit_dirs
from gpuopt_driver.frontend.translation import Translation

_MISSING = re.compile(r"'([^']+)' file not found")
_ASKED = re.compile(rb"\w*has_include\w*[ \t]*\([ \t]*(?:[<\"]([^>\"\n]+)|.)", re.IGNORECASE)
# What is asked through a macro of such a name is found where that is used.
_PASSED_ON = re.compile(rb"#[ \t]*define[ \t]+\w*has_include\w*\((\w+)\)(?:[^\n]*\(\1\))?", re.IGNORECASE)


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
