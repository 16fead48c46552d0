"""The options of `[plugins.launch_shape]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Which block sizes are tried, or which one is taken unasked."""

    form: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "split", "join"),
            "help": "auto: what a program measures; split, join: by `factor`, for every launch that can",
        },
    )
    factor: int = field(
        default=2,
        metadata={
            "choices": (2, 4, 8, 16, 32),
            "help": "form = split: into how many blocks each is split; form = join: how many become one",
        },
    )
