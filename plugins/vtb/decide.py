"""The decision for one launch: the original, or so many blocks in one, in turns or as a pipe. Pure numbers.

A kernel's time is how long a block lives times how often the device has to be filled, or what instructions and memory
need at least. Blocks that take turns live longer, but more of them live at a time, and less shared memory leaves more
L1, which bounds how many lines can be under way. `support.py` holds the same in C++.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

LINES_IN_FLIGHT = (
    400.0  # cache lines that an SM can wait for, fitted to chains of random loads on an H200 (docs/vtb.md)
)
WARP = 32.0  # lines that a scattered load touches
SECTORS = 4.0  # what a regular load asks memory for, in the sectors that a scattered one asks for 32 of
ISSUE = 4.0  # instructions that an SM issues in a cycle
TURN = 40.0  # cycles that one barrier of a turn costs
TAKE = 160.0  # cycles to take the memory and to give it back, as a pipe


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


@dataclass(frozen=True, slots=True)
class Held:
    """What an SM holds: launched blocks of `factor` virtual blocks each, and the L1 bytes beside them."""

    factor: int
    blocks: int
    l1_bytes: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What is predicted to be fastest; factor 1: the original. `gain` is over the original."""

    factor: int
    pipe: bool
    gain: float


def waves(blocks: float, resident: float) -> float:
    """How often the device has to be filled: whole times while they are few."""
    exact = blocks / resident
    return exact if exact >= 4 else float(ceil(exact))


def cycles(phases: Phases, blocks: float, sms: int, held: Held, warps: int, *, pipe: bool) -> float:
    """Cycles that a launch of so many blocks takes."""
    p = phases
    waiting = 0.0 if held.factor == 1 else p.entries * (TAKE if pipe else TURN * held.factor)
    alone, turns = p.outside + p.inside + waiting, held.factor * (p.inside + waiting)
    life = max(alone, turns) if p.entries > 1.5 and pipe else p.outside + turns
    lived = waves(blocks / held.factor, held.blocks * sms) * life
    each = blocks / sms * warps
    fetched = (WARP * p.scattered + SECTORS * p.loads) / LINES_IN_FLIGHT
    if held.l1_bytes > 0:
        fetched += WARP * p.serial / (held.l1_bytes / 128)
    return max(lived, each * p.instructions / ISSUE, each * p.memory * fetched)


def choose(
    phases: Phases,
    blocks: int,
    sms: int,
    warps: int,
    plain: Held,
    held: Callable[[int], Held | None],
    *,
    factors: Sequence[int],
    forms: Sequence[bool] = (False, True),
) -> Choice:
    """The best factor and form; `held` says what an SM holds with a factor (None: it cannot run so)."""
    base = cycles(phases, blocks, sms, plain, warps, pipe=False)
    best, found = 0.0, Choice(1, False, 1.0)
    for factor in factors:
        one = held(factor)
        if one is None:
            continue
        for pipe in forms:
            time = cycles(phases, blocks, sms, one, warps, pipe=pipe)
            if best > 0 and time > best * 0.95:
                continue
            best, found = time, Choice(factor, pipe, base / time)
    return found
