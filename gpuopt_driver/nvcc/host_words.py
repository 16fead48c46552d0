"""What the host compiler says of a source that shorter headers (docs/overlay.md) have a say in."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

from gpuopt_driver import store
from gpuopt_driver.memo import key_of

_KIND = "whole"
_SECONDS = 86_400.0  # warnings are mended some day
# What may be said otherwise of shorter headers, in any language: an error, a type of a template. What `file(12): `
# begins, and the remark behind it, is cudafe++'s, which looks at that by itself; other lines with blanks first quote
# sources.
_WORDS = re.compile(
    rb"^(?:\S.*:\d+:\d+: (?!(?:warning|note): )"
    rb"|(?!.*\(\d+\): |Remark: )\S.*(?:<|\[with )"
    rb"|    \S.*(?:<|\[with ).*:\d+[:,]$)",
    re.MULTILINE,
)


def may_speak_of_headers(errors: bytes) -> bool:
    """Whether the host compiler has said something that could be otherwise with whole headers."""
    return _WORDS.search(errors) is not None


def note_doubt(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Note that it says such things of the sources of a command line."""
    root = store.find_root(env)
    if root is not None:
        store.put(root, _KIND, key_of(argv, env, cwd), b"%d" % time.time())


def is_in_doubt(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> bool:
    """Whether it did so today: who compiles with shorter headers would have to do so again with whole ones."""
    root = store.find_root(env)
    when = store.get(root, _KIND, key_of(argv, env, cwd)) if root else None
    return when is not None and when.isdigit() and 0 <= time.time() - int(when) <= _SECONDS
