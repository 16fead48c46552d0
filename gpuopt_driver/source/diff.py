"""Unified diff of a patch, byte-exact: undecodable bytes travel as surrogate escapes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

_LONG = 10_000  # lines


def unified_diff(path: str, before: bytes, after: bytes, context: int = 3) -> str:
    """The unified diff between two versions of a file, empty when they are equal."""
    old = before.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    new = after.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    lines = [*_hunks(old, new, context)]
    if lines:
        name = path.lstrip("/")
        lines[:0] = [f"--- a/{name}\n", f"+++ b/{name}\n"]
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _hunks(old: Sequence[str], new: Sequence[str], context: int) -> Iterator[str]:
    """The hunks. Lines that stand in many places count, too: each version of a kernel repeats its lines.

    difflib's own hunks would show such lines as changed. In long files they do here, as it takes too long otherwise.
    """
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(new) > _LONG)
    for group in matcher.get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[old_from:old_to])
                continue
            yield from (f"-{line}" for line in old[old_from:old_to])
            yield from (f"+{line}" for line in new[new_from:new_to])


def _range(start: int, end: int) -> str:
    """Lines of a hunk, as `patch` reads them: the first and how many."""
    count = end - start
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"
