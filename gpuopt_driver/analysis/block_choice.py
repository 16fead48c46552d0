"""Which order of blocks a launch gets: bytes from memory and from L2, wave by wave, and the cycles that both take.

Blocks that are resident together share what they touch: those of the device in L2, those of a multiprocessor in its L1.
They are not in step, so they share as much as the cache can hold of it. `block_costs.h` is the same arithmetic for
launches; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuopt_driver.analysis.block_traffic import Box, Touch, touched
from gpuopt_driver.dataclass import dataclass

USUAL_WIDTH = 32  # blocks of a band: close to the best of all widths on an H200 (docs/cta.md)
_WIDEST = 1 << 15
ROWS: Box = (0, 1, 1)  # the GPU's own order


@dataclass(frozen=True, slots=True)
class Near:
    """L1 and the way to L2. `unit`: bytes that L1 asks for at once; `rate`: bytes per cycle of one multiprocessor."""

    bytes: int  # that hold data
    unit: int
    rate: int


@dataclass(frozen=True, slots=True)
class Machine:
    """What an order meets: multiprocessors, their resident blocks, warps of a block, bytes that L2 keeps.

    `sector` bytes come from memory at once, `memory_rate` per cycle. `near` None: L1 keeps nothing for other blocks.
    """

    sms: int
    resident: int
    warps: int
    l2_bytes: int
    sector: int
    memory_rate: int
    near: Near | None = None

    @property
    def wave(self) -> int:
        """Blocks resident on the device at once."""
        return self.sms * self.resident


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one order: bytes from beyond L2, bytes that L1s ask L2 for (None: not known), and cycles waited for them.

    Cycles are those of all multiprocessors together. `for_l2`: they are waited for L2, memory takes less.
    """

    memory_bytes: float
    l2_read_bytes: float | None
    waited: float
    for_l2: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile, what it costs, what the usual order costs, and the cycles in which the launch's loads are issued."""

    tile: Box
    best: Cost
    base: Cost
    issued: float

    def pays(self, margin: float, share: float) -> bool:
        """Whether `margin` times less is waited, and what is saved is this share of the time at least.

        Where L2 would be waited for in the new order, the whole time has to be so much less: what blocks out of step
        find in L1 is known less well than what L2 saves (docs/cta.md).
        """
        saved = self.base.waited - self.best.waited
        counted = self.issued if self.best.for_l2 else 0.0
        return counted + self.base.waited >= (counted + self.best.waited) * margin and saved >= self.issued * share


@dataclass(frozen=True, slots=True)
class _Wave:
    """A box of blocks that run together, the axis along which the next ones follow (None: all are in it), how far."""

    now: Box
    grows: int | None
    most: int

    @property
    def blocks(self) -> int:
        return _blocks(self.now)

    def followed(self) -> _Wave:
        """The wave and the next one."""
        two = list(self.now)
        if self.grows is not None:
            two[self.grows] = min(2 * two[self.grows], self.most)
        return _Wave((two[0], two[1], two[2]), self.grows, self.most)


def _box(touches: Sequence[Touch], box: Box, unit: int) -> int:
    return sum(touched(one, box, unit) for one in touches)


def _blocks(grid: Box) -> int:
    return grid[0] * grid[1] * grid[2]


def _wave(grid: Box, tile: Box, blocks: int) -> _Wave:
    """The blocks that run together in tiles (0: the whole extent)."""
    tiles = [min(size or whole, whole) for size, whole in zip(tile, grid, strict=True)]
    now, left = [1, 1, 1], blocks
    for extents in (tiles, list(grid)):
        for axis, most in enumerate(extents):
            if now[axis] == most:
                continue
            times = min(-(-most // now[axis]), max(left, 1))
            left //= times
            now[axis] = min(now[axis] * times, most)
            if now[axis] < most:
                return _Wave((now[0], now[1], now[2]), axis, most)
    return _Wave((now[0], now[1], now[2]), None, 1)


def _brought(wave: _Wave, waves: float, one: float, two: float, own: float, room: float) -> float:
    """Bytes that all blocks bring into a cache; `one`, `two`: what a wave, and a wave and the next one, touch.

    All of that comes once where two fit. Else blocks are not in step: what one has brought is there for another one as
    far as the cache holds what the wave touches, and the rest comes for each block (`own`).
    """
    part = room / one if one > room else 1.0
    if two > room or wave.grows is None:
        return waves * (part * one + (1 - part) * own)
    steps = wave.most / wave.now[wave.grows]
    return waves / steps * (one + (steps - 1) * (two - one))


def _near_box(touches: Sequence[Touch], held: int, wave: _Wave, unit: int) -> float:
    """Bytes that `held` blocks of a multiprocessor touch, any of a wave: they go where room is, not in turn."""
    total = 0.0
    for one in touches:
        choices, none = 1.0, 1.0
        for axis in range(3):
            choices *= wave.now[axis] if one.blocks[axis] else 1
        for _ in range(held):
            none *= 1 - 1 / choices
        total += touched(one, (1, 1, 1), unit) * choices * (1 - none)
    return total


def traffic(touches: Sequence[Touch], grid: Box, tile: Box, machine: Machine) -> tuple[float, float | None]:
    """(bytes from beyond L2, bytes that L1s ask L2 for) when a grid runs in tiles (0: the whole extent)."""
    wave = _wave(grid, tile, machine.wave)
    following, waves = wave.followed(), _blocks(grid) / wave.blocks
    own: float = wave.blocks * _box(touches, (1, 1, 1), machine.sector)
    asked = None
    if machine.near is not None:
        unit, held = machine.near.unit, machine.resident
        one, two = _near_box(touches, held, wave, unit), _near_box(touches, 2 * held, following, unit)
        each = held * _box(touches, (1, 1, 1), unit)
        asked = wave.blocks / held * _brought(wave, waves, one, two, each, machine.near.bytes)
        own = min(own, asked / waves)
    boxes = [_box(touches, box, machine.sector) for box in (wave.now, following.now)]
    return _brought(wave, waves, boxes[0], boxes[1], max(own, boxes[0]), machine.l2_bytes), asked


def best_tile(touches: Sequence[Touch], grid: Box, machine: Machine, share: float) -> Choice:
    """Bands of the usual width, or the tile with which least is waited, if that saves this share of the time.

    Waited are, beyond the cycles in which loads are issued, those for memory, or those for L2 where it takes longer.
    """
    issued = float(sum(one.requests for one in touches) * _blocks(grid) * machine.warps)

    def cost(tile: Box) -> Cost:
        memory, asked = traffic(touches, grid, tile, machine)
        l2 = 0.0 if machine.near is None or asked is None else asked / machine.near.rate - issued
        cycles = memory * machine.sms / machine.memory_rate
        return Cost(memory, asked, max(cycles, l2), l2 > cycles)

    found: Box = (USUAL_WIDTH, 0, 1)
    best = usual = cost(found)
    for tile in _tiles(grid):
        now = cost(tile)
        if now.waited < best.waited and usual.waited - now.waited >= issued * share:
            found, best = tile, now
    return Choice(found, best, cost(ROWS), issued)


def _tiles(grid: Box) -> Iterator[Box]:
    """Bands of columns, in a grid of layers also rows through all of them."""
    for h, d in ((0, 1), (1, 0)) if grid[2] > 1 else ((0, 1),):
        w = 1
        while w <= min(grid[0], _WIDEST):
            yield w, h, d
            w *= 2
