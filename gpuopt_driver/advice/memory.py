"""Requests to global memory that move more than they ask for, atomics that meet, single bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from gpuopt_driver.advice.kernel import Addresses, KernelView, addresses, depth, is_increment, is_of_few
from gpuopt_driver.advice.model import Advice, in_words
from gpuopt_driver.analysis.coalescing import WARP, Shape
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.report.model import counted

SECTOR = 32  # bytes; a fact of NVIDIA's GPUs since Fermi
_TIMES = 2  # as many sectors as needed, from which on it is worth a word
_MORE = 4  # sectors
_REUSED = 0.25  # what a loss counts that L1 makes good where it holds the lines
_MEMBER = re.compile(r"(?:\.|->)\s*\w+\s*$")
_MOST_NAMED = 4  # further accesses
_STRUCTURE = 1024  # bytes, beyond which lanes go along something else than an array's structures
_FLOATS = frozenset({"float", "double", "__half", "__half2", "__nv_bfloat16"})


@dataclass(frozen=True, slots=True)
class _Request:
    """What accesses of a warp that belong together move, in sectors: `needed` would hold their data."""

    accesses: Sequence[Mapping[str, Any]]
    apart: str
    shape: Shape
    sectors: int
    needed: int

    @property
    def lost(self) -> int:
        """Sectors beyond those that are needed."""
        return self.sectors - self.needed


def requests(kernel: KernelView) -> Iterator[Advice]:
    """Loads and stores whose lanes lie apart; what others of the kernel take from the same sectors is not lost."""
    together: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for access in kernel.accesses:
        if access.get("space") == "global" and not access.get("atomic") and not is_of_few(access):
            form = tuple((access.get("coefficients_bytes") or {}).items())
            together.setdefault((access["array"], form, tuple(access.get("loops") or ())), []).append(access)
    alike: dict[tuple[object, ...], list[_Request]] = {}
    for group in together.values():
        found = [one for shape in kernel.shapes() if (one := _scattered(group, shape)) is not None]
        worst = max(found, key=lambda one: one.lost, default=None)
        if worst is not None:
            access = worst.accesses[0]
            key = (worst.apart, worst.sectors, worst.needed, kernel.step(access), depth(access))
            alike.setdefault((*map(str, key), _does(worst)), []).append(worst)
    for several in alike.values():
        yield _advice(kernel, several)


def _scattered(group: Sequence[Mapping[str, Any]], shape: Shape) -> _Request | None:
    """The loads or the stores of a group, whichever lose more; None where both together lose little, or it is unknown.

    A structure of which most is read and some is written loses little.
    """
    loads = [access for access in group if access.get("reads")]
    stores = [access for access in group if access.get("writes")]
    ways = [_request(way, shape) for way in (loads, stores) if way]
    known = [way for way in ways if way is not None]
    if len(known) < len(ways) or not known:
        return None
    sectors, needed = sum(way.sectors for way in known), sum(way.needed for way in known)
    is_vector = is_increment(group[0]) and len({access["offset_bytes"] for access in group}) == 1
    worst = max(known, key=lambda way: way.lost)
    if is_vector or sectors < _TIMES * needed or worst.lost < _MORE:
        return None
    return worst


def _request(accesses: Sequence[Mapping[str, Any]], shape: Shape) -> _Request | None:
    """What accesses move that differ by a constant; None where it is not known."""
    taken: set[int] = set()
    apart = ""
    for access in accesses:
        found = addresses(access, shape)
        if found is None:
            return None
        apart = found.apart or _regular(found.starts)
        taken.update(byte for start in found.starts for byte in range(start, start + int(access["bytes"])))
    moved = {byte // SECTOR for byte in taken}
    return _Request(accesses, apart, shape, len(moved), -(-len(taken) // SECTOR))


def _regular(starts: Sequence[int]) -> str:
    """What lanes lie apart that all lie equally far apart."""
    steps = {after - before for before, after in pairwise(starts)}
    return str(abs(steps.pop())) if len(steps) == 1 else ""


def _does(found: _Request) -> str:
    return "read" if all(access.get("reads") for access in found.accesses) else "store to"


def _advice(kernel: KernelView, several: Sequence[_Request]) -> Advice:
    found = several[0]
    access, lanes = found.accesses[0], min(WARP, found.shape.threads)
    file, line = kernel.place(access)
    others = in_words({kernel.place(one)[1] for one in found.accesses} - {line})
    more = len(found.accesses) - 1
    also = f" (with {more} beside it{others and f', {others}'})" if more else ""
    far = f", {found.apart} bytes from thread to thread," if found.apart else ""
    text = access.get("text") or access["array"]
    message = (
        f"the {lanes} lanes of a warp {_does(found)} `{text}`{also} in {found.sectors} sectors of {SECTOR} B{far} "
        f"where {found.needed} would hold the data"
    )
    weight = found.lost / found.needed * 10 ** depth(access)
    loop, step = kernel.loop(access), kernel.step(access)
    if loop is not None and step is not None and 0 < abs(step) < SECTOR:
        message += (
            f"; the loop at line {loop['line']} uses the rest of each sector in its next "
            f"{counted(SECTOR // abs(step) - 1, 'iteration')}, as far as L1 still holds it"
        )
        weight *= _REUSED
    message += _alike(kernel, several[1:])
    return Advice(
        "ADVISE001",
        kernel.name,
        file,
        line,
        message,
        _members(found)
        or "let threads with neighbouring threadIdx.x use neighbouring elements: exchange the indices' roles, "
        "store the array the other way round, or read tiles through shared memory",
        weight,
        {"sectors": found.sectors, "sectors_needed": found.needed, "array": access["array"]},
    )


def _alike(kernel: KernelView, several: Sequence[_Request]) -> str:
    """Further accesses of which the same is to be said, with their lines."""
    lines: dict[str, set[int]] = {}
    for one in several:
        access = one.accesses[0]
        lines.setdefault(str(access.get("text") or access["array"]), set()).add(kernel.place(access)[1])
    named = [f"`{text}`, {in_words(at)}" for text, at in lines.items()]
    rest = f"; and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return f"; likewise {'; '.join(named[:_MOST_NAMED])}{rest}" if named else ""


def _members(found: _Request) -> str:
    """What helps where lanes use neighbouring structures; "" where they are no structures, or lie farther apart."""
    access = found.accesses[0]
    is_member = _MEMBER.search(str(access.get("text"))) is not None
    if not (is_member and found.apart.isdigit() and int(found.apart) <= _STRUCTURE):
        return ""
    return "store each member in an array of its own, or those that are used together in a structure of their own"


def atomics(kernel: KernelView) -> Iterator[Advice]:
    """Floating-point sums by atomics that all lanes of a warp do to one address."""
    for access in kernel.accesses:
        adds = access.get("atomic") and "atomicAdd" in str(access.get("text"))
        if not adds or access.get("space") != "global" or access.get("element") not in _FLOATS:
            continue
        if access.get("lanes") == WARP and any(_meet(addresses(access, shape)) for shape in kernel.shapes()):
            file, line = kernel.place(access)
            yield Advice(
                "ADVISE002",
                kernel.name,
                file,
                line,
                f"all 32 lanes of a warp update `{access.get('text') or access['array']}`, one address, in turns",
                "add up in the warp first (__shfl_down_sync, cub::WarpReduce) and let one lane update memory",
                WARP * 10.0 ** depth(access),
                {"array": access["array"]},
            )


def _meet(found: Addresses | None) -> bool:
    """Whether all lanes of a warp use one address."""
    return found is not None and len(found.starts) == WARP and len(set(found.starts)) == 1


def narrow(kernel: KernelView) -> Iterator[Advice]:
    """Loads and stores of one byte by each lane, side by side."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for access in kernel.accesses:
        is_byte = access.get("space") == "global" and access.get("bytes") == 1 and not access.get("atomic")
        if is_byte and all(_are_beside(addresses(access, shape)) for shape in kernel.shapes()):
            found.setdefault(depth(access), []).append(access)
    for level, accesses in found.items():
        file, line = kernel.place(accesses[0])
        names = ", ".join(dict.fromkeys(f"`{access['array']}`" for access in accesses))
        yield Advice(
            "ADVISE003",
            kernel.name,
            file,
            line,
            f"each lane moves one byte of {names}: a request of a warp moves 32 B, where it could move 128 or more",
            "let a thread do four neighbouring elements (uchar4) or sixteen (uint4)",
            1.0 * 10**level,
            {"accesses": len(accesses)},
        )


def _are_beside(found: Addresses | None) -> bool:
    """Whether the lanes of a warp use bytes side by side."""
    return found is not None and len({*found.starts}) == WARP == max(found.starts) - min(found.starts) + 1
