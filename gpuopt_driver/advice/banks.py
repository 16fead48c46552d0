"""Conflicts of a warp's lanes in the banks of shared memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuopt_driver.advice.kernel import KernelView, addresses, depth, is_of_few
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.analysis.coalescing import WARP, Shape

_BANKS = 32  # of one word each; a fact of NVIDIA's GPUs since Fermi
_WORD = 4  # bytes
_WIDE = (16, 8)  # bytes of accesses that the compiler makes of several


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
    alike: dict[tuple[int, str, tuple[int, ...]], list[Mapping[str, Any]]] = {}
    for group in _together(kernel):
        most = max(_worst(kernel, group, shape) for shape in kernel.shapes())
        if most > 1:
            access = group[0]
            alike.setdefault((most, access["array"], tuple(access.get("loops") or ())), []).extend(group)
    for (most, array, _), accesses in alike.items():
        file, line = kernel.place(accesses[0])
        more = f" (and {len(accesses) - 1} more like it)" if len(accesses) > 1 else ""
        text = accesses[0].get("text") or array
        yield Advice(
            "ADVISE004",
            kernel.name,
            file,
            line,
            f"lanes of a warp meet in the banks of shared memory at `{text}`{more}: {most} passes in place of one",
            f"change the length of a row of `{array}`, mostly by one element, so that the lanes use different banks",
            (most - 1) * 10.0 ** depth(accesses[0]),
            {"passes": most, "array": array},
        )


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
        size = int(access["bytes"])
        row = _row(kernel, access)
        for wide in _WIDE:
            begin = found.starts[0] - found.starts[0] % wide
            is_aligned = all((start - found.starts[0]) % wide == 0 for start in found.starts)
            if size < wide and is_aligned and (row >= wide or held.issuperset(range(begin, begin + wide))):
                most = max(most, passes([start - start % wide for start in found.starts], wide))
                break
        else:
            most = max(most, passes(found.starts, size))
    return most


def _row(kernel: KernelView, access: Mapping[str, Any]) -> int:
    """Bytes side by side that a thread goes through in a loop that may be unrolled; 0: none."""
    loop = kernel.loop(access)
    step = (access.get("coefficients_bytes") or {}).get(loop.get("symbol")) if loop else None
    trips = loop.get("trips") if loop else None
    return trips * int(access["bytes"]) if step == access["bytes"] and isinstance(trips, int) else 0
