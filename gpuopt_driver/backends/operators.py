"""Cache operators on the PTX between nvcc's steps, for loads that plugins have marked in the patched source.

A twin of the source is compiled to PTX with a line table that has a line for every marked load; what it says is true
of the build's own PTX where that has the same instructions, which the library inside ptxas looks at (`nvcc/ptx.c`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.backends.device_ptx import first_error, ptx_texts, without_flags
from gpuopt_driver.backends.ptx import entries, place
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import guarded
from gpuopt_driver.nvcc.overlay import Overlay, OverlayUnavailable, prepare
from gpuopt_driver.nvcc.preload import Preload, kept_list, without_overlay
from gpuopt_driver.report.model import Decision, Finding, Json
from gpuopt_driver.source.marks import FIRST_LINE, STAYS, Mark, name_of, numbered

CODE = "GPUOPT009"
LOG_VARIABLE = "GPUOPT_PTX_LOG"
REALISATION = "realisation"  # the figure by which a finding says that its loads are marked: "ptx"
_PLAN = 1  # versions of kernels have one parameter in front of the kernel's own


_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Load:
    """What became of one marked load: instructions that get its operator over all GPUs, or why none does."""

    kernel: str
    text: str
    instructions: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Operators:
    """The overlay that puts operators on loads, what became of each, and how often kernels are in the list."""

    overlay: Overlay
    loads: tuple[Load, ...] = ()
    expected: Mapping[str, int] = field(default_factory=dict)

    def finding(self, item: Finding) -> Finding:
        """A finding about marked loads, with what became of them; declined where none gets its operator."""
        if item.decision is not Decision.APPLIED or item.figures.get(REALISATION) != "ptx":
            return item
        mine = [load for load in self.loads if load.kernel == name_of(item.kernel)]
        told: list[Json] = [{"load": one.text, "instructions": one.instructions, "reason": one.reason} for one in mine]
        said = replace(item, figures={**item.figures, "ptx_loads": told})
        if any(one.instructions for one in mine):
            return said
        reasons = "; ".join(dict.fromkeys(f"{one.text}: {one.reason}" for one in mine)) or "no load is marked"
        return replace(said, decision=Decision.DECLINED, code=CODE, message=f"not on the PTX: {reasons}")

    def missing(self, log: Path) -> tuple[str, ...]:
        """The kernels of the list whose instructions ptxas was not seen to get."""
        try:
            seen = Counter(log.read_text("utf-8", "replace").split())
        except OSError:
            seen = Counter()
        return tuple(name for name, times in self.expected.items() if seen[name] < times)


def with_operators(
    command: NvccCommand,
    nvcc: str,
    overlay: Overlay,
    shown: Mapping[str, bytes],
    originals: Mapping[str, bytes],
    env: Mapping[str, str],
) -> Operators:
    """The overlay with the operators of the loads that are marked in `shown` (bytes by path)."""
    twins, marks = _twins(shown)
    try:
        return _placed(command, nvcc, overlay, twins, marks, originals, env)
    except (OverlayUnavailable, Unanswered, OSError) as error:
        return Operators(overlay, _refused(marks, str(error)))


def _twins(shown: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[Mark, ...]]:
    marks: list[Mark] = []
    twins: dict[str, bytes] = {}
    for path, data in shown.items():
        twins[path], found = numbered(data, FIRST_LINE + len(marks))
        marks.extend(found)
    return twins, tuple(marks)


def _refused(marks: Sequence[Mark], reason: str) -> tuple[Load, ...]:
    return tuple(Load(mark.kernel, mark.text, 0, reason) for mark in marks if mark.operator != STAYS)


def _placed(
    command: NvccCommand,
    nvcc: str,
    overlay: Overlay,
    twins: Mapping[str, bytes],
    marks: tuple[Mark, ...],
    originals: Mapping[str, bytes],
    env: Mapping[str, str],
) -> Operators:
    if not isinstance(overlay, Preload):
        raise OverlayUnavailable(f"the overlay by {overlay.mechanism} does not reach ptxas")
    if command.dryrun:
        raise OverlayUnavailable("caches of the steps that are printed (sccache) would not see it change")
    if command.device_debug or command.has("dlink-time-opt"):
        raise OverlayUnavailable("with -G or -dlto there is no PTX that tells")
    changes: dict[str, str] = {}
    found: Counter[int] = Counter()
    refused: dict[int, str] = {}
    expected: Counter[str] = Counter()
    twin = prepare(command, twins, env, originals, nvcc)
    surroundings = twin.environment(without_flags(guarded(without_overlay(env), nvcc)))

    def run(arguments: list[str]) -> str:
        done = ask(twin.arguments([nvcc, *arguments]), _SECONDS, surroundings, command.cwd)
        return first_error(done.stderr) if done.returncode != 0 else ""

    try:
        for text in ptx_texts(command, run, lines=True):
            for entry in entries(text):
                placed = place(entry, marks, _PLAN)
                refused.update(placed.refused)
                found.update(placed.found)
                if placed.changes and changes.setdefault(entry.row(placed), entry.name):
                    expected[entry.name] = sum(name == entry.name for name in changes.values())
    finally:
        twin.close()
    loads = tuple(
        Load(mark.kernel, mark.text, found[mark.line], refused.get(mark.line, "") if not found[mark.line] else "")
        for mark in marks
        if mark.operator != STAYS
    )
    loads = tuple(
        one if one.instructions or one.reason else replace(one, reason="no load instruction is its own")
        for one in loads
    )
    if not changes:
        return Operators(overlay, loads)
    return Operators(replace(overlay, ptx_map=kept_list("".join(sorted(changes)), env)), loads, dict(expected))


@contextmanager
def watched(
    made: Operators, command: NvccCommand, env: Mapping[str, str], warn: Callable[[str], None]
) -> Iterator[Mapping[str, str]]:
    """The environment for a build, after which `warn` is told of kernels whose PTX was another than expected."""
    if not made.expected or command.phase is Phase.RUN:  # we do not see the end of these
        yield env
        return
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        log = Path(scratch, "log")
        yield {**env, LOG_VARIABLE: str(log)}
        missing = made.missing(log)
    if missing:
        warn(f"{', '.join(missing)}: ptxas got other instructions than expected; loads keep their cache operator")
