"""The options of `[plugins.cache_bypass]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Where the figures come from, how the loads are chosen, and what gain is asked for."""

    method: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "exact", "heuristic", "cache-all", "bypass-all", "fixed"),
            "help": "how loads are chosen; auto: exact, the heuristic after `seconds`; the last three are baselines",
        },
    )
    seconds: float = field(default=2.0, metadata={"minimum": 0.0, "help": "time limit of the exact method, per kernel"})
    profile: str = field(
        default="", metadata={"help": "profile file of `gpuopt profile`; empty: static analysis of the source alone"}
    )
    minimum_gain: float = field(
        default=1.05, metadata={"minimum": 1.0, "help": "bypass only where L2 traffic falls by this factor"}
    )
    operator: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "cg", "cs", "lu", "no_allocate", "evict_first", "no_allocate_l2_first"),
            "help": "cache operator of bypassed loads; auto: the one that the GPU's file says protects L1",
        },
    )
    realisation: str = field(
        default="source",
        metadata={
            "choices": ("source", "ptx"),
            "help": "where loads get the operator: in the source, or in the PTX between nvcc's steps, where rounding "
            "cannot change",
        },
    )
    rounding: str = field(
        default="same",
        metadata={
            "choices": ("same", "any"),
            "help": "any: also kernels whose sums of products the compiler may then fuse in another order",
        },
    )
    l1_bytes: int = field(
        default=0, metadata={"minimum": 0, "help": "decide for this L1 capacity; 0: what the GPU has"}
    )
    fixed: tuple[int, ...] = field(
        default=(), metadata={"minimum": 0, "help": "method = fixed: the loads to bypass, numbered as in the report"}
    )
