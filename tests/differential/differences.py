"""Where `gpuopt-nvcc` is meant to differ from nvcc: which lines, in what, and why. Anything else is a defect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.compare import Verdict
from tests.differential.project import Line


@dataclass(frozen=True)
class Deliberate:
    """One difference that is meant: the lines it shows in, what differs (a prefix of the message), and the reason."""

    lines: Callable[[Line], bool]
    what: str
    reason: str


DELIBERATE: tuple[Deliberate, ...] = ()


def unexplained(verdict: Verdict) -> list[str]:
    """The differences of a line that no entry of the table covers."""
    meant = [entry.what for entry in DELIBERATE if entry.lines(verdict.line)]
    return [text for text in verdict.differences if not text.startswith(tuple(meant))]
