"""The options of `[plugins.cta_clustering]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Which order blocks run in, and what must be gained."""

    order: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "none", "row", "column", "tile", "direction", "custom"),
            "help": "order of blocks; auto: as the model says; tile: as `tile` says; direction: along the axis with "
            "most reuse; custom: as `custom` says; none: as the GPU runs them",
        },
    )
    tile: tuple[int, ...] = field(
        default=(1, 16, 1),
        metadata={"minimum": 0, "help": "blocks of a tile along x, y, z for order = tile; 0: the whole grid"},
    )
    axes: str = field(
        default="xyz xyz",
        metadata={"help": "for order = tile: axes of the tiles, then inside tiles, fastest first"},
    )
    custom: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "for order = custom: the block that runs in place of block n (at x, y, z), as three expressions "
            "of n, x, y, z and the grid gx, gy, gz"
        },
    )
    form: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "redirect", "clusters", "agents"),
            "help": "redirect: each block does another one's work; clusters: the same where blocks go to SMs in turn; "
            "agents: persistent blocks do the work of many; auto: agents where the GPU's file says so, else redirect",
        },
    )
    active_agents: int = field(
        default=0,
        metadata={
            "minimum": 0,
            "help": "agents per SM that work, at most (throttling); 0: all that are resident, with order = auto as "
            "many as L1 bears",
        },
    )
    margin: float = field(
        default=1.5,
        metadata={"minimum": 1.0, "help": "how many times less must be waited for memory and L2 in the new order"},
    )
    share: float = field(
        default=0.013,
        metadata={"minimum": 0.0, "help": "part of the time in which loads are issued that must be saved"},
    )
    l2_bytes: int = field(
        default=0, metadata={"minimum": 0, "help": "decide for this L2 capacity; 0: what the GPU has"}
    )
    float_atomics: bool = field(
        default=False, metadata={"help": "reorder kernels with floating-point atomics, which are rounded in order"}
    )
    bypass: bool = field(
        default=False, metadata={"help": "read what blocks do not share past L1, in reordered kernels"}
    )
    prefetch: bool = field(
        default=False, metadata={"help": "agents: prefetch what the next block of the cluster reads first"}
    )
