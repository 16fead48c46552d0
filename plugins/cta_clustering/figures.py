"""What each order costs at a launch whose numbers are all constants of the source: the figures of `gpuopt explain`."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import (
    BlockChoice,
    BlockSurvey,
    BlockWalk,
    Const,
    Context,
    Kernel,
    Machine,
    NearCache,
    best_tile,
    lines_of_warp,
    sites,
    turn_touches,
    walk_numbers,
)

from . import guard
from .options import Options

KEPT = 0.72  # of L2 that a launch can count on (docs/cta.md)


def crosses(walks: Sequence[BlockWalk]) -> bool:
    """Whether blocks of different rows (or layers) read the same, in a grid of two axes or more.

    Else the GPU's own order is as good as any: what neighbours share beyond that is a halo.
    """
    used = [axis for axis in range(3) if any(walk.blocks[axis] != Const(0) for walk in walks)]
    return len(used) > 1 and any(walk.blocks[axis] == Const(0) for walk in walks for axis in used)


def figures(
    kernel: Kernel, context: Context, options: Options, survey: BlockSurvey, walks: Sequence[BlockWalk]
) -> dict[str, object] | None:
    """Bytes from memory and from L2 in the order chosen and in the usual one; None where a number is not known.

    `waited_cycles`: of a multiprocessor, for both, beyond those in which it issues its loads; `gains`: whether the
    launch gets the tile.
    """
    arch = context.arch
    if not survey.exact or len(context.launches) != 1:
        return None
    touches = [walk_numbers(one, survey.grid.values) for one in walks]
    known = [one for one in touches if one is not None]
    machine = _machine(kernel, context, options, survey)
    if machine is None or len(known) < len(touches):
        return None
    grid = survey.grid.grid
    found = best_tile(known, grid, machine, options.share)
    waits = grid[0] * grid[1] * grid[2] > machine.wave
    return {
        "tile": shape(found),
        "memory_bytes": round(found.best.memory_bytes),
        "memory_bytes_before": round(found.base.memory_bytes),
        **_misses(found),
        "waited_cycles": round(found.best.waited / arch.sms),
        "waited_cycles_before": round(found.base.waited / arch.sms),
        "l2_bytes": options.l2_bytes or arch.l2.capacity,
        "gains": waits and found.pays(options.margin, options.share),
    }


def shape(found: BlockChoice) -> str:
    """The tile, e.g. 32xallx1."""
    return "x".join(str(size or "all") for size in found.tile)


def _misses(found: BlockChoice) -> dict[str, object]:
    """What L1s ask L2 for, where that is known."""
    best, base = found.best.l2_read_bytes, found.base.l2_read_bytes
    if best is None or base is None:
        return {}
    return {"l1_miss_bytes": round(best), "l1_miss_bytes_before": round(base)}


def _machine(kernel: Kernel, context: Context, options: Options, survey: BlockSurvey) -> Machine | None:
    """The GPU as the launch meets it; None where it cannot run there."""
    arch, resources = context.arch, context.resources
    (site,) = sites(
        kernel,
        context.launches,
        arch,
        registers=resources.registers,
        static_shared_bytes=resources.static_shared_bytes,
    ) or (None,)
    if site is None or not site.occupancy.blocks:
        return None
    held = site.occupancy.blocks
    l1 = int(site.occupancy.l1_bytes * arch.l1.usable_fraction)
    turn = turn_touches(survey.found.modelled)
    lines = lines_of_warp(turn, survey.grid.values, guard.LINE) if turn is not None else None
    fits = bool(kernel.syncs) or (lines is not None and lines * site.occupancy.warps <= l1 * guard.L1_SHARE)
    rate = guard.l2_rate(arch)
    near = NearCache(l1, arch.l1.sector_bytes, rate) if fits and l1 and rate else None
    return Machine(
        sms=arch.sms,
        resident=held,
        warps=site.occupancy.warps_per_block,
        l2_bytes=int((options.l2_bytes or arch.l2.capacity) * KEPT),
        sector=arch.l2.sector_bytes,
        memory_rate=guard.memory_rate(arch),
        near=near,
    )
