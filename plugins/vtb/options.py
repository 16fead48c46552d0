"""The options of `[plugins.vtb]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What may be applied, and what a launch must be predicted to win."""

    form: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "turns", "pipe", "co"),
            "help": "how blocks share: in turns (VTB), whoever is ready (VTB_pipe), a part is their own (CO-VTB)",
        },
    )
    factor: int = field(
        default=0,
        metadata={"minimum": 0, "maximum": 15, "help": "this many blocks in one, whatever the model says; 0: decided"},
    )
    most: int = field(default=8, metadata={"minimum": 2, "maximum": 15, "help": "the largest factor to decide for"})
    margin: float = field(
        default=1.25, metadata={"minimum": 0.0, "help": "apply only where this speed-up is predicted"}
    )
