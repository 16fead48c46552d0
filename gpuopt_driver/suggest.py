"""Did you mean: the nearest known word, as the tail of an error message."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 100  # characters: nothing that we know is nearly as long, and looking for it would take its time


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known word, or nothing when none is near."""
    if len(word) > _LONGEST:
        return ""
    from difflib import get_close_matches  # noqa: PLC0415 - most builds misspell nothing

    by_fold = {item.casefold(): item for item in known}
    near = get_close_matches(word.casefold(), list(by_fold), n=1, cutoff=0.5)
    return f"; did you mean '{by_fold[near[0]]}'?" if near else ""
