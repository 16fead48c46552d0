"""A module with several forms of its kernels side by side, for who compares what ptxas makes of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.ptx.read import named, pieces

_TABLE = re.compile(r"\.global\s[^=\"]*?([\w$]+)\[\d*\]\s*=\s*\{")  # of this module alone: no `.visible`
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def copy_name(name: str, number: int) -> str:
    """The name of a kernel with one of its other bodies."""
    return f"{name}__like{number}"


def with_copies(module: str, bodies: Mapping[str, Sequence[str]]) -> str:
    """The module in which these kernels (by name) have copies with other bodies, and all other kernels do nothing.

    Tables that nothing in it names are left out: ptxas reads a megabyte of numbers for a program that includes cuRAND.
    """
    return "\n".join(_without_tables(list(_lines(module, bodies))))


def _without_tables(lines: Sequence[str]) -> Iterator[str]:
    """Lines without those that give a variable in global memory many values where no other line names it."""
    uses = Counter(word for line in lines for word in set(_WORD.findall(line)))
    return (line for line in lines if (found := _TABLE.match(line)) is None or uses[found.group(1)] > 1)


def _lines(module: str, bodies: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for head, body in pieces(module):
        if body is None:
            yield from head
            continue
        name, is_entry = named("\n".join(head))
        own = "\n".join(body) if not is_entry or name in bodies else "\tret;"
        whole = "\n".join([*head, "{", own, "}"])
        yield whole
        for number, other in enumerate(bodies.get(name, ())):
            copied = "\n".join([*head, "{", other, "}"])
            yield re.sub(rf"(?<![\w$]){re.escape(name)}(?=_param_|[^\w$])", copy_name(name, number), copied)
