"""Unified diff of a patch, byte-exact: undecodable bytes travel as surrogate escapes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

_LONG = 10_000  # lines


def unified_diff(path: str, before: bytes, after: bytes, context: int = 3) -> str:
    """The unified diff between two versions of a file, empty when they are equal."""
    lines = [*hunks(lines_of(before), lines_of(after), context)]
    return "".join((*heading(path), *lines) if lines else ())


def lines_of(data: bytes) -> list[str]:
    """The lines of a file, with their ends."""
    return data.decode("utf-8", "surrogateescape").splitlines(keepends=True)


def heading(path: str) -> tuple[str, str]:
    """The two lines in front of a file's hunks."""
    name = path.lstrip("/")
    return f"--- a/{name}\n", f"+++ b/{name}\n"


def hunks(
    old: Sequence[str], new: Sequence[str], context: int = 3, *, offset: int = 0, title: str = ""
) -> Iterator[str]:
    """The hunks' lines. Lines that stand in many places count, too: each version of a kernel repeats its lines.

    `offset`: lines of the file in front of these; `title` stands behind the line numbers.

    difflib's own hunks would show such lines as changed. In long files they do here, as it takes too long otherwise.
    """
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(new) > _LONG)
    for group in matcher.get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        places = (_range(start + offset, end + offset) for start, end in ((first[1], last[2]), (first[3], last[4])))
        yield f"@@ -{' +'.join(places)} @@{title and ' '}{title}\n"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (_ended(f" {line}") for line in old[old_from:old_to])
                continue
            yield from (_ended(f"-{line}") for line in old[old_from:old_to])
            yield from (_ended(f"+{line}") for line in new[new_from:new_to])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    """Lines of a hunk, as `patch` reads them: the first and how many."""
    count = end - start
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"
