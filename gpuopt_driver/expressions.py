"""Regular expressions of our modules, compiled when they are used first: a small source needs a third of them."""

from __future__ import annotations

import re
import sys
from typing import Any

_OURS = ("gpuopt_driver.", "gpuopt_plugins.")
_compile = re.compile


def compile_lazily() -> None:
    """From now on, in this process and its children."""
    vars(re)["compile"] = _pattern


def _pattern(pattern: Any, flags: Any = 0) -> Any:
    """What `re.compile` does; for our modules a pattern that is compiled when it is asked for anything."""
    is_ours = str(sys._getframe(1).f_globals.get("__name__")).startswith(_OURS)
    return _Pattern(pattern, flags) if is_ours and isinstance(pattern, str | bytes) else _compile(pattern, flags)


class _Pattern:
    """A regular expression; its methods are those of the compiled one, each looked up once."""

    def __init__(self, pattern: str | bytes, flags: Any) -> None:
        self._given = pattern, flags
        self._made: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = _compile(*self._given)
        found = getattr(self._made, name)
        vars(self)[name] = found
        return found
