"""Results that a loop keeps in memory because the compiler must think that what it reads may be the same memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpuopt_driver.advice.kernel import KernelView, depth
from gpuopt_driver.advice.model import Advice

_RESTRICT = re.compile(r"\b__restrict(?:__)?\b")
_BYTES = frozenset({"char", "unsigned char", "signed char", "std::byte"})  # these may be part of anything


def kept_in_memory(kernel: KernelView) -> Iterator[Advice]:
    """Stores to one address in all iterations of their innermost loop, which also reads the same type elsewhere."""
    promised = _promised(kernel)
    told: set[tuple[str, object]] = set()
    for access in kernel.accesses:
        loop = kernel.loop(access)
        if loop is None or not _is_of_one_address(access, loop) or access["array"] not in promised:
            continue
        readers = dict.fromkeys(
            other["array"]
            for other in kernel.accesses
            if _reads_in(other, loop) and _may_meet(access, other) and not _are_apart(promised, access, other)
        )
        if not readers or (access["array"], loop["id"]) in told:
            continue
        told.add((access["array"], loop["id"]))
        file, line = kernel.place(access)
        text = access.get("text") or access["array"]
        names = ", ".join(f"`{name}`" for name in readers)
        yield Advice(
            "ADVISE009",
            kernel.name,
            file,
            line,
            f"`{text}` is one element in all iterations of the loop at line {loop['line']}, but stored in each: the "
            f"loop reads {names}, which the compiler must take for the same memory",
            "keep it in a local variable, and store that behind the loop; or declare the kernel's pointers "
            "__restrict__ if they never overlap",
            10.0 ** depth(access),
            {"array": access["array"], "read": list(readers)},
        )


def _promised(kernel: KernelView) -> dict[str, bool]:
    """Whether each pointer parameter is declared not to overlap with others."""
    found = {}
    for text in kernel.facts.get("parameters") or ():
        name = re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*$", text)
        if name is not None and ("*" in text or "[" in text):
            found[name[1]] = _RESTRICT.search(text) is not None
    return found


def _is_of_one_address(access: Mapping[str, Any], loop: Mapping[str, Any]) -> bool:
    is_plain = access.get("space") == "global" and access.get("writes") and not access.get("atomic")
    if not is_plain or access.get("volatile") or access.get("in_called_loop"):
        return False
    if access.get("offset_bytes") is None or access.get("by_data") or not loop.get("symbol"):
        return False
    return loop["symbol"] not in access["offset_bytes"]


def _reads_in(access: Mapping[str, Any], loop: Mapping[str, Any]) -> bool:
    return bool(access.get("reads")) and loop["id"] in (access.get("loops") or ())


def _may_meet(access: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a store may change what is read, by type (nvcc tells types apart) and space."""
    if other["array"] == access["array"] or other.get("space") not in ("global", "unknown"):
        return False
    return other.get("element") == access.get("element") or access.get("element") in _BYTES


def _are_apart(promised: Mapping[str, bool], access: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a promise of the author says that they differ: one of either pointer is enough."""
    return promised.get(access["array"], False) or promised.get(other["array"], False)
