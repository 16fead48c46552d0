"""Updates of one location by several threads of a block: races, which groups of warps would decide differently.

A program without data races cannot tell in which order warps run between two barriers. Some programs have races and
give the same result all the same, because all threads read the old value before any writes the new one: a kernel for
one-dimensional blocks that is launched with (32, 8), whose eight warps each do `x[i] += ...` on the same elements. Run
one after the other they add eight times. Such launches keep the original kernel.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.api import Access, Kernel, Launch, Space, SymKind, expr

_SHARED_BY_THREADS = (Space.GLOBAL, Space.SHARED, Space.UNKNOWN)


def single(kernel: Kernel, stmt: int) -> tuple[str, ...]:
    """The dimensions ("x", "y", "z") in which threads of a block update the same locations inside a statement."""
    inside = {inner.id for inner in kernel.descendants(stmt)}
    accesses = [
        access for access in kernel.accesses if access.stmt in inside and access.array.space in _SHARED_BY_THREADS
    ]
    read = {access.array.name for access in accesses if access.is_read}
    missing: set[str] = set()
    for access in accesses:
        if access.is_write and not access.is_atomic and access.array.name in read:
            missing.update(_missing(access))
    return tuple(sorted(missing))


def _missing(access: Access) -> set[str]:
    """The dimensions that a written address does not depend on; none where that cannot be told."""
    if access.offset is None:
        return set()
    used = list(expr.symbols(access.offset))
    if any(symbol.kind is not SymKind.THREAD and not symbol.uniform for symbol in used):
        return set()
    names = {symbol.name for symbol in used}
    return {dimension for dimension in "xyz" if f"threadIdx.{dimension}" not in names}


def happens(dimensions: Iterable[str], launch: Launch) -> bool | None:
    """Whether threads of different warps share a location in this launch; None where its block is not constant."""
    extents = {"x": launch.block.x, "y": launch.block.y, "z": launch.block.z}
    unknown = False
    for dimension in dimensions:
        extent = extents[dimension]
        value = None if extent is None else expr.evaluate(extent, {})
        if value is None:
            unknown = True
        elif _several(dimension, value):
            return True
    return None if unknown else False


def _several(dimension: str, extent: int) -> bool:
    """Whether threads along a dimension can lie in different warps; x is the one that a warp fills first."""
    return 32 % extent != 0 if dimension == "x" and 0 < extent <= 32 else extent > 1


def in_cpp(dimensions: Iterable[str]) -> list[str]:
    """The same question about the launch at hand, as C++ conditions."""
    texts = {
        "x": "(gpuopt_l.block.x > 32 || 32 % gpuopt_l.block.x != 0)",
        "y": "gpuopt_l.block.y > 1",
        "z": "gpuopt_l.block.z > 1",
    }
    return [texts[dimension] for dimension in dimensions]
