"""Every loop of a kernel with the verdict of the launch where most is to be gained."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.api import Context, Kernel, Site, dataclass, sites

from .cpp import is_writable
from .decide import Outcome, Rules, Verdict, as_outcome, decide
from .options import Options
from .survey import LoopFacts, demand, is_exact, room

_WEIGHT = {Outcome.THROTTLE: 9, Outcome.UNKNOWN: 8, Outcome.NEVER_FITS: 5, Outcome.MARGIN: 4, Outcome.FITS: 3}


@dataclass(frozen=True, slots=True)
class Judged:
    """A loop with the verdict of the launch where most is to be gained. `exact`: no number was guessed."""

    facts: LoopFacts
    verdict: Verdict
    site: Site | None
    exact: bool

    @property
    def wanted(self) -> bool:
        """Whether the loop should be run in groups, at least at some launches."""
        return self.verdict.outcome in (Outcome.THROTTLE, Outcome.UNKNOWN)

    @property
    def is_open(self) -> bool:
        """Whether groups of warps may be measured to gain: L1 overflows by little or by much."""
        return self.verdict.outcome in (Outcome.MARGIN, Outcome.NEVER_FITS)

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows what L1 has to hold: fewer blocks may be measured to gain (1.2 in a gather on an H200).

        Groups of warps were slower in all of nine kernels of seven public programs, 1.02 to 1.6 times at best.
        """
        is_read = self.facts.innermost and bool(self.facts.references) and self.site is not None
        return self.verdict.outcome is Outcome.NOT_MODELLED and is_read


@dataclass(frozen=True, slots=True)
class Task:
    """What stays the same for all loops of a kernel."""

    kernel: Kernel
    context: Context
    options: Options
    rules: Rules


def nests(facts: Iterable[LoopFacts]) -> list[tuple[LoopFacts, ...]]:
    """The loops that make references, by outermost loop, outer ones first."""
    by_root: dict[int, list[LoopFacts]] = {}
    roots: dict[int, int] = {}
    for item in facts:
        parent = item.loop.parent
        root = roots.get(parent, item.loop.stmt) if parent is not None else item.loop.stmt
        roots[item.loop.stmt] = root
        by_root.setdefault(root, []).append(item)
    return [tuple(items) for items in by_root.values()]


def judge(task: Task, nest: tuple[LoopFacts, ...]) -> list[Judged]:
    """A verdict per loop of a nest: over all launches, the one where most is to be gained.

    The paper's model passes over a nest whose outer loop has reuse that fits at no TLP (its CORR).
    """
    context = task.context
    found: dict[int, Judged] = {}
    for site in sites(
        task.kernel,
        context.launches,
        context.arch,
        registers=context.resources.registers,
        static_shared_bytes=context.resources.static_shared_bytes,
        largest_l1=not task.rules.sectored,
    ):
        dead = False
        for facts in nest:
            if not facts.references:
                continue
            one = _at(task, facts, site)
            if dead:
                one = Judged(facts, as_outcome(one.verdict, Outcome.OUTER), site, exact=one.exact)
            dead = dead or (not task.rules.sectored and one.verdict.outcome is Outcome.NEVER_FITS)
            before = found.get(facts.loop.stmt)
            if before is None or _rank(one) > _rank(before):
                found[facts.loop.stmt] = one
    return list(found.values())


def _rank(item: Judged) -> tuple[int, int]:
    return _WEIGHT.get(item.verdict.outcome, 1), item.verdict.footprint


def _at(task: Task, facts: LoopFacts, site: Site) -> Judged:
    """The verdict at one launch; a gain that rests on a guess is decided at launch."""
    exact = is_exact(facts, site)
    holds = room(task.context.arch, task.options, site)
    found = demand(facts, task.rules, site, holds.l1_bytes) if site.occupancy.blocks else None
    if found is None:
        outcome = Outcome.UNKNOWN if task.options.fixed_tlp and site.occupancy.blocks else Outcome.NOT_MODELLED
        return Judged(facts, Verdict(outcome), site, exact)
    verdict = decide(task.rules, found, holds)
    if task.options.fixed_tlp:
        return Judged(facts, as_outcome(verdict, Outcome.UNKNOWN), site, exact)
    return Judged(facts, as_outcome(verdict, _outcome(task, facts, verdict, exact=exact)), site, exact)


def _outcome(task: Task, facts: LoopFacts, verdict: Verdict, *, exact: bool) -> Outcome:
    """The model's word with what it cannot know taken into account."""
    outcome = verdict.outcome
    if task.rules.sectored and not facts.innermost and outcome is not Outcome.FITS:
        return Outcome.OUTER
    if outcome is Outcome.NO_LOCALITY and all(one.step is None for one in facts.references):
        return Outcome.NOT_MODELLED
    if exact or outcome not in (Outcome.THROTTLE, Outcome.NEVER_FITS):
        return outcome
    worth = is_writable(facts) and (outcome is Outcome.THROTTLE or facts.innermost)
    return Outcome.UNKNOWN if worth else Outcome.NOT_MODELLED
