"""Conflicts of a warp's lanes in the banks of shared memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuopt_driver.advice.kernel import KernelView, addresses, depth, is_of_few
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.analysis.coalescing import WARP

_BANKS = 32  # of one word each; a fact of NVIDIA's GPUs since Fermi
_WORD = 4  # bytes


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
    for access in kernel.accesses:
        if access.get("space") != "shared" or access.get("atomic") or is_of_few(access):
            continue
        most = 1
        for shape in kernel.shapes():
            found = addresses(access, shape)
            if found is not None and not found.apart:
                most = max(most, passes(found.starts, int(access["bytes"])))
        if most > 1:
            alike.setdefault((most, access["array"], tuple(access.get("loops") or ())), []).append(access)
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
