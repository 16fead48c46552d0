"""The options of `[plugins.coarsening]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Which factors are tried, or which one is taken unasked."""

    factors: tuple[int, ...] = field(
        default=(2, 4),
        metadata={"minimum": 2, "maximum": 16, "help": "blocks whose work one may do, each factor a version"},
    )
    forced: bool = field(
        default=False,
        metadata={"help": "take the first of `factors` at every launch that can have it, measured or not (baselines)"},
    )
    form: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "blocks", "neighbours"),
            "help": "whose work a thread does: blocks that are neighbours, or threads that are, by vectors; "
            "auto: both are measured (forced: blocks)",
        },
    )
