"""The options of `[plugins.unified_memory]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What gain is asked for, and what may be given up for it."""

    minimum_gain: float = field(
        default=1.25,
        metadata={
            "minimum": 1.0,
            "help": "carve-outs that cost waves of blocks must promise performance by this factor",
        },
    )
    fewer_blocks: bool = field(
        default=True, metadata={"help": "allow carve-outs beside which fewer blocks are resident at a time"}
    )
    other_files: bool = field(
        default=False,
        metadata={"help": "choose at launches of other files, too: a kernel that only they launch is compiled twice"},
    )
    carveout: int = field(
        default=-1, metadata={"minimum": -1, "help": "this percentage for every launch (baselines); -1: the model's"}
    )
