"""What is known of every load before a decision: accesses, hits alone and in pairs, efficiency, L2 traffic.

One frozen interface with three sources: `static` (the source alone), `emulator` and `hardware` (profile files). The
symbols are those of Liang et al., "An Efficient Compiler Framework for Cache Bypassing on GPUs" (TCAD 2015), part IV.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """One load of a kernel: where it stands and its own figures, in numbers of L1 lines and fractions."""

    index: int
    text: str
    line: int
    column: int
    access: float  # L1 line accesses (access_i)
    hit: float  # of them, hits when this load alone is cached (hit_i)
    efficiency_on: float  # useful part of what a miss brings into L1 (E_on)
    efficiency_off: float  # useful part of what the load brings past L1 (E_off)


@dataclass(frozen=True, slots=True)
class Metrics:
    """The loads of a kernel; `together[i, j]` (i < j) is hit_ij: hits of both when these two alone are cached.

    A pair that is missing neither shares nor conflicts. `fetch_bytes` is what a miss brings: the L1 block of the paper,
    a sector on GPUs that fill by sectors.
    """

    source: str  # "static", "emulator", "hardware"
    loads: tuple[Load, ...]
    line_bytes: int
    fetch_bytes: int
    together: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def gain(self, first: int, second: int) -> float:
        """gain_ij = hit_ij - (hit_i + hit_j): positive where the two share data, negative where they conflict."""
        pair = self.together.get((min(first, second), max(first, second)))
        return 0.0 if pair is None else pair - self.loads[first].hit - self.loads[second].hit

    def traffic_on(self, index: int) -> float:
        """T_on: bytes from L2 when the load goes through L1."""
        one = self.loads[index]
        return (one.access - one.hit) * self.fetch_bytes

    def traffic_off(self, index: int) -> float:
        """T_off: bytes from L2 when the load goes past L1."""
        one = self.loads[index]
        return one.access * self.fetch_bytes * one.efficiency_on / one.efficiency_off


def strided_efficiency(block: int, element: int, data: int, stride: int) -> float:
    """Table II, V + tid * C0: `data` bytes per thread, elements of `element` bytes, transfers of `block` bytes."""
    return min(max(block // (element * stride), 1), 32) * data / block


def shared_efficiency(block: int, element: int, data: int, threads: int) -> float:
    """Table II, V + tid / C0: groups of `threads` neighbours load the same element."""
    return min(max(element * 32 // threads, 1), block) * data / (element * block)


def uniform_efficiency(block: int, data: int) -> float:
    """Table II, V: all threads load the same `data` bytes."""
    return min(data / block, 1.0)
