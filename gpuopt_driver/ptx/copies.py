"""A module with several forms of its kernels side by side, for who compares what ptxas makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.ptx.read import named, pieces


def copy_name(name: str, number: int) -> str:
    """The name of a kernel with one of its other bodies."""
    return f"{name}__like{number}"


def with_copies(module: str, bodies: Mapping[str, Sequence[str]]) -> str:
    """The module in which these kernels (by name) have copies with other bodies, and all other kernels do nothing."""
    return "\n".join(_lines(module, bodies))


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
