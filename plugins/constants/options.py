"""The options of `[plugins.constants]`."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.api import dataclass

from .stated import stated


@dataclass(frozen=True, slots=True)
class Options:
    """Which numbers become constants, in how many versions, and when a launch gets one."""

    pick: str = field(
        default="measured",
        metadata={
            "choices": ("measured", "always"),
            "help": "measured: versions are tried where the program measures its launches; always: every launch with "
            "the values of a version gets it, and all known numbers are constants there (baselines)",
        },
    )
    form: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "plain", "capped", "spilling"),
            "help": "auto: a plain version, and where many registers are likely one with fewer, one that spills to "
            "shared memory; another: versions of this form alone",
        },
    )
    sets: int = field(
        default=2, metadata={"minimum": 1, "maximum": 4, "help": "sets of values of a kernel that get versions"}
    )
    trips: int = field(
        default=64, metadata={"minimum": 1, "maximum": 4096, "help": "a constant trip count up to this one may gain"}
    )
    known: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "numbers that launches have beside those that the source gives, as `gpuopt numbers` prints them: "
            '"blockDim = 256x1x1, width = 1920"'
        },
    )
    watch: bool = field(
        default=False,
        metadata={
            "help": "true: the program writes down which numbers its launches have, in the file of GPUOPT_NUMBERS"
        },
    )

    def __post_init__(self) -> None:
        """Entries that mean nothing are errors of the policy."""
        for entry in self.known:
            stated(entry)
