"""The options of `[plugins.catt]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How footprints are counted and what may be throttled."""

    model: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "paper", "sectored"),
            "help": "how footprints are counted; auto: as the GPU's file says",
        },
    )
    margin: float = field(
        default=0.0,
        metadata={
            "minimum": 0.0,
            "help": "throttle only above this many times the L1 capacity; 0: as the GPU's file says",
        },
    )
    warp_level: bool = field(default=True, metadata={"help": "run the warps of a block in groups"})
    block_level: bool = field(default=True, metadata={"help": "allow fewer blocks per SM where groups do not suffice"})
    minimum_trips: int = field(
        default=16, metadata={"minimum": 0, "help": "leave loops alone that make fewer iterations"}
    )
    minimum_warps: int = field(
        default=4, metadata={"minimum": 1, "help": "active warps per SM that throttling must leave (sectored model)"}
    )
    l1_bytes: int = field(
        default=0, metadata={"minimum": 0, "help": "decide for this L1 capacity; 0: what the GPU has"}
    )
    fixed_tlp: tuple[int, ...] = field(
        default=(),
        metadata={
            "minimum": 0,
            "help": "[warps per block, blocks]: this TLP for every loop, whatever the model says (baselines)",
        },
    )
