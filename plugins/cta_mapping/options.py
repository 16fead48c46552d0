"""The options of `[plugins.cta_mapping]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Which direction blocks are mapped along, and by what."""

    direction: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "x", "y", "none"),
            "help": "auto: along which blocks reuse data over the largest distance; x: rows, y: columns of blocks",
        },
    )
    form: str = field(
        default="report",
        metadata={
            "choices": ("report", "register", "agents"),
            "help": "report: say the direction only; register: the emulated GPU's mapping register; "
            "agents: persistent blocks",
        },
    )
    priority: str = field(
        default="none",
        metadata={
            "choices": ("none", "auto"),
            "help": "form = register: warps that the emulated GPU's programmable scheduler lets go first; auto: as "
            "many as L1 holds the data of (algorithm 2)",
        },
    )
