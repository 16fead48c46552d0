"""Lanes of a warp that take turns: in the banks of shared memory, and in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuopt_driver.advice.kernel import KernelView, addresses, depth, is_of_few
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.analysis.coalescing import WARP, Shape
from gpuopt_driver.report.model import counted

_BANKS = 32  # of one word each; a fact of NVIDIA's GPUs since Fermi
_WORD = 4  # bytes
_WIDE = (16, 8)  # bytes of accesses that the compiler makes of several
_TURNS = 4  # words of constant memory by one access, from which on it is worth a word


def passes(starts: Sequence[int], size: int) -> int:
    """How often shared memory works for one access of a warp: the lanes' byte offsets, the bytes of each.

    Lanes that use one word share it. Accesses of 8 and 16 bytes are done for halves and quarters of a warp, which are
    not counted as conflicts (CUDA C++ Programming Guide, shared memory).
    """
    together = max(1, min(WARP, WARP * _WORD // max(size, _WORD)))
    most = 1
    for at in range(0, len(starts), together):
        words: dict[int, set[int]] = {}
        for start in starts[at : at + together]:
            for word in range(start // _WORD, (start + size - 1) // _WORD + 1):
                words.setdefault(word % _BANKS, set()).add(word)
        most = max(most, *map(len, words.values()))
    return most


def conflicts(kernel: KernelView) -> Iterator[Advice]:
    """Accesses to shared memory that take several passes; of one array and as many passes, once for each loop."""
    alike: dict[tuple[int, str, int, tuple[int, ...]], list[Mapping[str, Any]]] = {}
    for group in _together(kernel):
        most, shape = max(((_worst(kernel, group, shape), shape) for shape in kernel.shapes()), key=lambda one: one[0])
        if most > 1:
            access = group[0]
            longer = _longer(access, shape)
            alike.setdefault((most, access["array"], longer, tuple(access.get("loops") or ())), []).extend(group)
    for (most, array, longer, _), accesses in alike.items():
        file, line = kernel.place(accesses[0])
        more = f" (and {len(accesses) - 1} more like it)" if len(accesses) > 1 else ""
        text = accesses[0].get("text") or array
        yield Advice(
            "ADVISE004",
            kernel.name,
            file,
            line,
            f"lanes of a warp meet in the banks of shared memory at `{text}`{more}: {most} passes in place of one",
            f"make a row of `{array}` {counted(longer, 'element')} longer, so that the lanes use different banks"
            if longer
            else f"lay `{array}` out so that the lanes of a warp use different banks",
            (most - 1) * 10.0 ** depth(accesses[0]),
            {"passes": most, "array": array},
        )


def constants(kernel: KernelView) -> Iterator[Advice]:
    """Reads of constant memory in which lanes use different words, of which it gives one at a time."""
    alike: dict[tuple[int, str, int], list[Mapping[str, Any]]] = {}
    for access in kernel.accesses:
        if access.get("space") != "constant" or is_of_few(access):
            continue
        known = [found for shape in kernel.shapes() if (found := addresses(access, shape)) and not found.apart]
        words = max((len({start // _WORD for start in found.starts}) for found in known), default=1)
        if words >= _TURNS:
            alike.setdefault((words, access["array"], depth(access)), []).append(access)
    for (words, array, level), accesses in alike.items():
        file, line = kernel.place(accesses[0])
        more = f" (and {len(accesses) - 1} more like it)" if len(accesses) > 1 else ""
        yield Advice(
            "ADVISE014",
            kernel.name,
            file,
            line,
            f"lanes of a warp read {words} different words of constant memory at `{accesses[0].get('text') or array}`"
            f"{more}, one after another",
            f"keep `{array}` in global or shared memory, where lanes read neighbouring words at once",
            (words - 1) * 10.0**level,
            {"words": words, "array": array},
        )


def _longer(access: Mapping[str, Any], shape: Shape) -> int:
    """By how many elements a row must be longer for this access to need one pass; 0: that is not what helps.

    A row is what the thread's numbers are multiplied by that is the largest.
    """
    form, size = access.get("coefficients_bytes") or {}, int(access["bytes"])
    factors = {axis: form.get(axis) or 0 for axis in ("threadIdx.x", "threadIdx.y", "threadIdx.z")}
    if size not in (1, 2, 4) or any(type(factor) is not int for factor in factors.values()):
        return 0
    row = max(factors, key=lambda axis: abs(factors[axis]))
    if abs(factors[row]) <= size:
        return 0
    for longer in range(1, _BANKS * _WORD // size):
        added = longer * size * (1 if factors[row] > 0 else -1)
        found = addresses({**access, "coefficients_bytes": {**form, row: factors[row] + added}}, shape)
        if found and passes(found.starts, size) == 1:
            return longer
    return 0


def _together(kernel: KernelView) -> Iterator[list[Mapping[str, Any]]]:
    """Accesses to shared memory, those of a loop that differ by a constant together: one may be made of several."""
    found: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for access in kernel.accesses:
        if access.get("space") == "shared" and not access.get("atomic") and not is_of_few(access):
            form = tuple((access.get("coefficients_bytes") or {}).items())
            key = (access["array"], form, tuple(access.get("loops") or ()), access.get("writes"))
            found.setdefault(key, []).append(access)
    yield from found.values()


def _worst(kernel: KernelView, accesses: Sequence[Mapping[str, Any]], shape: Shape) -> int:
    """The most passes of one of several accesses, of which the compiler makes wider ones where it can."""
    known = [(access, found) for access in accesses if (found := addresses(access, shape)) and not found.apart]
    held = {found.starts[0] + byte for access, found in known for byte in range(int(access["bytes"]))}
    most = 1
    for access, found in known:
        size, starts = int(access["bytes"]), found.starts
        narrow = passes(starts, size)
        row, is_sure = _row(kernel, access)
        for wide in _WIDE:
            begin = starts[0] - starts[0] % wide
            is_aligned = all((start - starts[0]) % wide == 0 for start in starts)
            if size < wide and is_aligned and (row >= wide or held.issuperset(range(begin, begin + wide))):
                at_once = passes([start - start % wide for start in starts], wide)
                is_wide = is_sure or row < wide or at_once == 1  # a conflict that may not be is none
                most = max(most, at_once if is_wide else narrow)
                break
        else:
            most = max(most, narrow)
    return most


def _row(kernel: KernelView, access: Mapping[str, Any]) -> tuple[int, bool]:
    """Bytes side by side that a thread goes through in a loop, 0: none; and whether they surely are wide accesses.

    nvcc 13 makes wide ones of words in loops of a known length. It keeps those narrow that a loop both reads and
    writes, and elements of one and two bytes, but where the array is declared to be aligned: facts do not tell that.
    """
    loop, size = kernel.loop(access), int(access["bytes"])
    if loop is None or kernel.step(access) != size:
        return 0, False
    loops, trips = list(access.get("loops") or ()), loop.get("trips")
    inside = [one for one in kernel.accesses if one["array"] == access["array"] and one.get("loops") == loops]
    both = any(one.get("reads") for one in inside) and any(one.get("writes") for one in inside)
    if type(trips) is not int:
        return max(_WIDE), False
    return trips * size, size >= _WORD and not both
