"""Which block sizes the launches of the source can have, as far as their numbers are known. `support.py` decides."""

from __future__ import annotations

import math

from gpuopt_driver.api import Dim3, Expr, Launch, expr

_WARP = 32
_FACTORS = (2, 4, 8, 16, 32)


def factors(launch: Launch, form: str, sms: int) -> tuple[str, ...]:
    """What a launch may have of "split 2", "join 2" and so on; everything where its block is not known.

    What is measured leaves each of `sms` multiprocessors a block.
    """
    block, width, grid = _sizes(launch.block), _value(launch.grid.x), _sizes(launch.grid)
    blocks = sms * max(_FACTORS) if grid is None or form != "auto" else math.prod(grid)
    splits = tuple(f"split {k}" for k in _FACTORS if form != "join" and (block is None or _splits(block, k)))
    joins = tuple(
        f"join {k}"
        for k in _FACTORS
        if form != "split" and blocks // k >= sms and (block is None or _joins(block, width, k, form))
    )
    return splits + joins


def is_known(launch: Launch) -> bool:
    """Whether the source says how large a launch's blocks are."""
    return _sizes(launch.block) is not None


def _splits(block: tuple[int, int, int], factor: int) -> bool:
    x, y, z = block
    along = z if z > 1 else y if y > 1 else x
    return along % factor == 0 and x * y * z // factor % _WARP == 0


def _joins(block: tuple[int, int, int], width: int | None, factor: int, form: str) -> bool:
    x, y, z = block
    threads = x * y * z
    if form == "auto" and factor * threads > 4 * max(threads, _WARP):
        return False  # not offered
    if threads < 1 or z & (z - 1) or z * factor > 64 or threads * factor > 1024:
        return False
    return (threads % _WARP == 0 or _WARP % threads == 0) and (width is None or width >= factor)


def _sizes(block: Dim3) -> tuple[int, int, int] | None:
    x, y, z = (_value(part) for part in (block.x, block.y, block.z))
    return None if x is None or y is None or z is None else (x, y, z)


def _value(part: Expr | None) -> int | None:
    return None if part is None else expr.evaluate(part, {})
