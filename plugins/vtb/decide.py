"""The decision for one launch: the original, or so many blocks in one, in turns or as a pipe. Pure numbers.

A kernel's time is how long a block lives times how often the device has to be filled, or what instructions and memory
need at least. Blocks that take turns live longer, but more of them live at a time, and less shared memory leaves more
L1, which bounds how many loads can be under way. Where loads meet in L2 (scenario `near`) less is to be won: nothing is
chosen that would lose then. `support.py` holds the same in C++.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil

from gpuopt_driver.api import dataclass

LINES_IN_FLIGHT = (
    400.0  # cache lines that an SM can wait for, fitted to chains of random loads on an H200 (docs/vtb.md)
)
WARP = 32.0  # lines that a scattered load touches
SECTORS = 4.0  # what a regular load asks memory for, in the sectors that a scattered one asks for 32 of
ISSUE = 4.0  # instructions that an SM issues in a cycle
HELD = 256.0  # bytes of L1 per load that loads wait for: 108 to 113 are under way in 28 KB (four kernels, H200)
PLACES = 0.35  # sectors at random places that an SM gets in a cycle, from L2 or DRAM: 0.31 to 0.38 (H200)
FASTEST = 1.0  # the same if L2 served them as fast as neighbouring ones
MEETS = 16.0  # steps after which walks that stay together where they meet are taken to be in L2
LOSES = 1.001  # what counts as a loss
TURN = 40.0  # cycles that one barrier of a turn costs
TAKE = 80.0  # cycles to take the memory and to give it back, as a pipe


@dataclass(frozen=True, slots=True)
class Phases:
    """Of one warp that runs alone: cycles outside and inside of regions, instructions, loads, cycles of a load."""

    outside: float
    inside: float
    instructions: float
    scattered: float  # loads of a line for every lane
    serial: float  # those of them that wait for each other
    loads: float  # loads of neighbouring words
    memory: float
    entries: float  # how often regions are entered
    meeting: float = 0.0  # those of the serial loads whose chains stay together where they meet
    near_outside: float = 0.0  # the same where all loads meet in L2: cycles outside and inside, and of a load
    near_inside: float = 0.0
    near_memory: float = 0.0

    def near(self) -> Phases:
        """The phases where what is loaded lies in L2."""
        return replace(self, outside=self.near_outside, inside=self.near_inside, memory=self.near_memory)

    @property
    def is_near(self) -> bool:
        """Whether loads are expected to meet in L2: after t steps of a random walk 2/(t + 2) of all places are left."""
        return self.meeting >= MEETS


@dataclass(frozen=True, slots=True)
class Held:
    """What an SM holds: launched blocks of `factor` virtual blocks each, and the L1 bytes beside them."""

    factor: int
    blocks: int
    l1_bytes: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What is predicted to be fastest; factor 1: the original. Gains are over the original.

    `gain` is the one expected; `far_gain` the one where loads come from DRAM, `near_gain` where all meet in L2 (the
    smaller one of slow and fast random access). `lost`: what would be fastest but for a loss predicted in L2. `tried`:
    every candidate.
    """

    factor: int
    pipe: bool
    gain: float
    far_gain: float = 1.0
    near_gain: float = 1.0
    lost: Choice | None = None
    tried: tuple[Choice, ...] = ()


def waves(blocks: float, resident: float) -> float:
    """How often the device has to be filled: whole times while they are few."""
    exact = blocks / resident
    return exact if exact >= 4 else float(ceil(exact))


def cycles(
    phases: Phases, blocks: float, sms: int, held: Held, warps: int, *, pipe: bool, places: float = PLACES
) -> float:
    """Cycles that a launch of so many blocks takes; an SM gets so many sectors at random `places` in a cycle."""
    p = phases
    waiting = 0.0 if held.factor == 1 else p.entries * (TAKE if pipe else TURN * held.factor)
    alone, turns = p.outside + p.inside + waiting, held.factor * (p.inside + waiting)
    life = max(alone, turns) if p.entries > 1.5 and pipe else p.outside + turns
    lived = waves(blocks / held.factor, held.blocks * sms) * life
    each = blocks / sms * warps
    fetched = (WARP * p.scattered + SECTORS * p.loads) / LINES_IN_FLIGHT
    if held.l1_bytes > 0:
        fetched = max(fetched, WARP * p.serial / (held.l1_bytes / HELD))
    issued, random = each * p.instructions / ISSUE, each * WARP * p.scattered / places
    return max(lived, issued, each * p.memory * fetched, random)


def choose(
    phases: Phases,
    blocks: int,
    sms: int,
    warps: int,
    held: Callable[[int], Held | None],
    *,
    factors: Sequence[int],
    longest: tuple[int, int] = (15, 2),
    safe: bool = True,
) -> Choice:
    """The best factor and form; `held` says what an SM holds with a factor, 1 for the original (None: it cannot run).

    `longest`: the most blocks in turns, and of a pipe.

    `safe`: only what is not predicted to lose where loads meet in L2.
    """
    plain = held(1)
    if plain is None:
        return Choice(1, False, 1.0)
    scenarios = ((phases, PLACES), (phases.near(), PLACES), (phases.near(), FASTEST))

    def times(one: Held, *, pipe: bool) -> list[float]:
        return [cycles(p, blocks, sms, one, warps, pipe=pipe, places=places) for p, places in scenarios]

    bases = times(plain, pipe=False)
    best, found, lost = 0.0, Choice(1, False, 1.0), None
    tried: list[Choice] = []
    for factor in factors:
        one = held(factor)
        if one is None:
            continue
        for pipe in (one for one in (False, True) if factor <= longest[one]):
            found_times = times(one, pipe=pipe)
            far, near, fastest = (base / time for base, time in zip(bases, found_times, strict=True))
            time, gain = (found_times[1], near) if phases.is_near else (found_times[0], far)
            choice = Choice(factor, pipe, gain, far, min(near, fastest))
            tried.append(choice)
            if best > 0 and time > best * 0.95:
                continue
            if safe and found_times[2] > bases[2] * LOSES:
                lost = choice if lost is None or gain > lost.gain else lost
                continue
            best, found = time, choice
    return replace(found, lost=lost if lost is not None and lost.gain > found.gain else None, tried=tuple(tried))
