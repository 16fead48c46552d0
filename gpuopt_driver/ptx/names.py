"""Which function of a PTX module a version was made of, by their mangled names (Itanium C++ ABI, section 5.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.nvcc.mangling import behind_local_names, skip_arguments, without_file

MARK = "__gpuopt_"


def version_of(name: str) -> tuple[str, str, str] | None:
    """(what the original's mangled name begins with, its plain name, the version's name), None for no version.

    Behind the name of a version stand template arguments, if there are any, and its parameters, of which the first is
    the plan: the original has the same without it.
    """
    name = without_file(name)
    mark = name.find(MARK)
    first = behind_local_names(name, max(mark, 0))  # whose digests have digits that look like a length, too
    for start in range(
        first + 1, mark
    ):  # from the left: an identifier may have digits that look like a length (`k_16u`)
        if name[start].isdigit():
            continue
        digits = re.search(r"\d+$", name[first:start])
        for cut in range(len(digits.group()) if digits is not None else 0):
            length = name[start - cut - 1 : start]
            written = name[start : start + int(length)]
            plain, _, version = written.partition(MARK)
            if version and len(written) == int(length):
                head = f"{name[: start - len(length)]}{len(plain)}{plain}"
                return head + _template_arguments(name, start + len(written)), plain, version
    return None


def original_of(name: str, others: Iterable[str]) -> str | None:
    """The name of the function that a version or a copy was made of, among those of its module; None if unclear."""
    told = version_of(name)
    if told is None:
        return None
    prefix, plain, _ = told
    bare = {other: without_file(other) for other in others if MARK not in other}
    fitting = [other for other, symbol in bare.items() if symbol == plain or _fits(symbol, prefix)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(name: str, prefix: str) -> bool:
    """Whether a mangled name is that of the prefix: a template's name alone does not stand for its instances."""
    rest = name[len(prefix) :]
    return name.startswith(prefix) and (prefix.endswith("E") or not rest.startswith("I"))


def _template_arguments(name: str, at: int) -> str:
    """The template arguments that begin at an offset, "" if none do."""
    if name[at : at + 1] != "I":
        return ""
    end = skip_arguments(name, at)
    return name[at:end] if end >= 0 else name[at:]
