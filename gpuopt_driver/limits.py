"""When something has run for too long: told by its CPU time, so that a busy machine does not decide what is built."""

from __future__ import annotations

_IDLE = 0.02  # what takes less of a CPU than this waits for something
_MOST = 20  # times the limit, whatever else the machine does


def is_over(limit: float, wall: float, cpu: float) -> bool:
    """Whether work with a limit in seconds is to be given up after so many seconds of time and of CPU time."""
    return cpu >= limit or wall >= longest(limit) or (wall >= limit and cpu < _IDLE * wall)


def counted(wall: float, cpu: float) -> float:
    """The part of a limit in seconds that work which ended in time has used up: CPU time, or waiting."""
    return wall if cpu < _IDLE * wall else min(cpu, wall)


def longest(limit: float) -> float:
    """The seconds after which work is given up in any case."""
    return _MOST * limit
