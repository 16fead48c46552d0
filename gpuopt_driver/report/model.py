"""What plugins say: one finding per kernel (or loop) and plugin, with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Protocol

from gpuopt_driver.dataclass import dataclass

CORE = "gpuopt"  # whose findings are not a plugin's
ONLY_MEASURED = "only_measured"  # the figure of a decision whose versions are made for measurements alone
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def counted(number: int, noun: str) -> str:
    """`1 block`, `2 blocks`: a number with its noun, for messages."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


TO_BE_MEASURED = "to be measured"


class Decision(Enum):
    """What was decided."""

    APPLIED = "applied"
    DECLINED = "declined"
    NOT_APPLICABLE = "not-applicable"


class Place(Protocol):
    """Where something stands in the source; spans are such places."""

    @property
    def file(self) -> str:
        """Absolute path."""

    @property
    def line(self) -> int:
        """1-based."""

    @property
    def column(self) -> int:
        """1-based, in bytes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One decision of one plugin about one kernel.

    `code` is stable and explained by `gpuopt explain CODE`; `figures` hold the numbers that led there, with units in
    their names (`footprint_bytes`). `line` and `column` are 1-based, `file` absolute.
    """

    plugin: str
    kernel: str
    decision: Decision
    code: str
    message: str
    file: str
    line: int
    column: int = 1
    figures: Mapping[str, Json] = field(default_factory=dict)

    @property
    def is_to_be_measured(self) -> bool:
        """Whether what is applied are versions that launches get only where a measurement has shown that they pay."""
        return self.decision is Decision.APPLIED and self.figures.get(ONLY_MEASURED) is True

    @property
    def word(self) -> str:
        """The decision for people: `applied`, `to be measured`, `declined`, `not applicable`."""
        return TO_BE_MEASURED if self.is_to_be_measured else self.decision.value.replace("-", " ")

    @classmethod
    def at(
        cls, place: Place, plugin: str, kernel: str, decision: Decision, code: str, message: str, **figures: Json
    ) -> Finding:
        """A finding at a place of the source: a loop, or a kernel's name."""
        return cls(plugin, kernel, decision, code, message, place.file, place.line, place.column, figures)


class Severity(Enum):
    """How bad a problem is."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"  # of a source that a command looks at: a build leaves these to nvcc


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kept a plugin or a file from being processed; the build goes on without it."""

    severity: Severity
    message: str
    plugin: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that a step of the pipeline took; `plugin` is empty for steps of the core."""

    step: str
    seconds: float
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A `[[kernel]]` table of the policy, and how many kernels of a unit it speaks of."""

    policy: str  # absolute path
    line: int
    name: str
    source: str
    kernels: int


@dataclass(frozen=True, slots=True)
class UnitReport:
    """Everything said about one translation unit."""

    source: str
    gpu: str
    backend: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    timings: tuple[Timing, ...] = ()
    facts: tuple[Mapping[str, Json], ...] = ()  # per kernel: loops, accesses, launches (for `gpuopt explain`)
    patched_files: tuple[str, ...] = ()
    rules: tuple[RuleUse, ...] = ()
