"""The methods that `dataclasses` writes for our classes, compiled once per machine instead of once per process.

It compiles the text of each method anew in every process; for some 180 classes that was a quarter of an analysis.
"""

from __future__ import annotations

import builtins
import dataclasses
import marshal
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any

from gpuopt_driver import store
from gpuopt_driver.store import digest

KIND = "methods"
_LIMIT = 8_000  # methods kept: those of the bundled plugins are 1,000; texts that nobody has any more go with the rest


class Methods:
    """Code by its text, as found in the cache at `root`, and what came to it in this process."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.known = self._kept()
        self.new: dict[str, CodeType] = {}

    @staticmethod
    def _key() -> str:
        return digest(KIND, sys.version, sys.implementation.cache_tag or "")

    def _kept(self) -> dict[str, CodeType]:
        data = store.get(self.root, KIND, self._key())
        try:
            found = marshal.loads(data) if data else {}  # noqa: S302 - our own, its digest was checked
        except (ValueError, EOFError, TypeError):
            return {}
        return found if isinstance(found, dict) else {}

    def execute(self, text: str, names: dict[str, Any], found: Mapping[str, Any] | None = None) -> None:
        """What exec does with a text, its code taken from what is known."""
        code = self.known.get(text) or self.new.get(text)
        if code is None:
            code = self.new[text] = compile(text, "<string>", "exec")
        builtins.exec(code, names, found)  # noqa: S102 - as `dataclasses` does

    def keep(self) -> None:
        """Add what is new to the cache, beside what other processes have added since."""
        if self.new:
            kept = {**self._kept(), **self.new}
            self.known = kept if len(kept) <= _LIMIT else dict(self.new)
            self.new = {}
            store.put(self.root, KIND, self._key(), marshal.dumps(self.known))


_active: Methods | None = None


def reuse(env: Mapping[str, str]) -> None:
    """From now on, in this process and its children; without a cache nothing changes."""
    global _active  # noqa: PLW0603 - `dataclasses` is one, too
    root = store.find_root(env)
    if root is not None and _active is None:
        _active = Methods(root)
        # `dataclasses` calls `exec` for what it has written (Python 3.10 to 3.14): ours is found before the built-in
        vars(dataclasses)["exec"] = _active.execute


def keep() -> None:
    """Let the next process find what this one has compiled."""
    if _active is not None:
        _active.keep()
