"""The options of `[plugins.cta_mapping]`."""

from __future__ import annotations

from dataclasses import dataclass, field


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
