"""From a kernel's loops to findings and, where something is to be gained, one version of the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuopt_driver.api import (
    PLAN_SLOTS,
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    SyncKind,
    Variant,
)

from . import codes
from .cpp import is_writable
from .decide import Outcome, Rules, Verdict, as_outcome, decide
from .guard import Slot, fixed_guard, guard
from .options import Options
from .place import Place, Refusal, outermost, place, refuse_kernel
from .rewrite import NAME, edits
from .support import SUPPORT
from .survey import LoopFacts, Site, demand, is_exact, requests, room, rules_of, sites, survey

_DECLINED = {
    Outcome.FITS: codes.FITS,
    Outcome.MARGIN: codes.MARGIN,
    Outcome.NO_LOCALITY: codes.NO_LOCALITY,
    Outcome.NEVER_FITS: codes.NEVER_FITS,
    Outcome.FEW_TRIPS: codes.FEW_TRIPS,
    Outcome.NOT_MODELLED: codes.NOT_MODELLED,
    Outcome.OUTER: codes.OUTER,
}
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


@dataclass(frozen=True, slots=True)
class Task:
    """What stays the same for all loops of a kernel."""

    kernel: Kernel
    context: Context
    options: Options
    rules: Rules

    def finding(
        self, decision: Decision, code: str, message: str, facts: LoopFacts | None = None, **figures: object
    ) -> Finding:
        """A finding at the loop, or at the kernel's name where there is none."""
        span = self.kernel.stmt(facts.loop.stmt).span if facts is not None else self.kernel.name_span
        return Finding(
            plugin=NAME,
            kernel=self.kernel.qualified,
            decision=decision,
            code=code,
            message=message,
            file=span.file,
            line=span.line,
            column=span.column,
            figures=figures,  # type: ignore[arg-type]
        )


def analyze(kernel: Kernel, context: Context) -> tuple[LoopFacts, ...]:
    """The loops of the kernel: what every launch needs to decide."""
    return survey(kernel, context.unit.files[kernel.span.file]) if kernel.loops else ()


def propose(kernel: Kernel, context: Context, facts: tuple[LoopFacts, ...]) -> Proposal:
    """One finding per loop (or for the kernel), and a version of the kernel where some loop gains."""
    options: Options = context.options or Options()
    task = Task(kernel, context, options, rules_of(options, context.arch))
    early = _not_at_all(task, facts)
    if early is not None:
        return Proposal(findings=(early,))
    judged = [item for nest in _nests(facts) for item in _judge(task, nest)]
    judged.sort(key=lambda item: item.facts.loop.stmt)
    wanted = [item for item in judged if item.wanted]
    findings = [_declined(task, item) for item in judged if not item.wanted]
    variants: tuple[Variant, ...] = ()
    if wanted:
        made, variants = _apply(task, judged, wanted)
        findings.extend(made)
    findings.sort(key=lambda item: (item.line, item.column))
    return Proposal(findings=tuple(findings), variants=variants, facts={"loops": [_facts(item) for item in judged]})


def _not_at_all(task: Task, facts: tuple[LoopFacts, ...]) -> Finding | None:
    """The finding of a kernel in which no loop needs a decision."""
    if not facts:
        return task.finding(Decision.NOT_APPLICABLE, codes.NO_LOOP, "the kernel has no loop of its own")
    if not any(item.references for item in facts):
        return task.finding(Decision.NOT_APPLICABLE, codes.NO_LOADS, "no loop reads global memory through L1")
    if not task.context.arch.l1.caches_global_loads and not task.options.l1_bytes:
        return task.finding(
            Decision.DECLINED, codes.NOT_CACHED, f"{task.context.arch.title} does not keep global loads in L1"
        )
    if not task.context.launches:
        return task.finding(Decision.NOT_APPLICABLE, codes.NO_LAUNCH, "no launch of the kernel in this file")
    return None


def _nests(facts: Iterable[LoopFacts]) -> list[tuple[LoopFacts, ...]]:
    """The loops that make references, by outermost loop, outer ones first."""
    by_root: dict[int, list[LoopFacts]] = {}
    roots: dict[int, int] = {}
    for item in facts:
        parent = item.loop.parent
        root = roots.get(parent, item.loop.stmt) if parent is not None else item.loop.stmt
        roots[item.loop.stmt] = root
        by_root.setdefault(root, []).append(item)
    return [tuple(items) for items in by_root.values()]


def _judge(task: Task, nest: tuple[LoopFacts, ...]) -> list[Judged]:
    """A verdict per loop of a nest: over all launches, the one where most is to be gained.

    The paper's model passes over a nest whose outer loop has reuse that fits at no TLP (its CORR).
    """
    context = task.context
    found: dict[int, Judged] = {}
    for site in sites(task.kernel, context.launches, context.arch, context.resources, task.rules):
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


def _figures(task: Task, item: Judged) -> dict[str, object]:
    """The numbers behind a verdict, with units in their names."""
    site, verdict = item.site, item.verdict
    figures: dict[str, object] = {"model": "sectored" if task.rules.sectored else "paper"}
    if site is None:
        return figures
    warps, blocks = site.shape.warps, site.occupancy.blocks
    figures.update(
        footprint_bytes=verdict.footprint,
        l1_bytes=verdict.l1_bytes,
        requests_per_warp=requests(item.facts, task.rules, site),
        resident_warps=site.occupancy.warps,
        resident_blocks=blocks,
        limiter=" ".join(site.occupancy.limiters),
        registers_assumed=site.occupancy.registers_assumed,
        shared_configuration_bytes=site.occupancy.shared_configuration,
        n=verdict.n,
        m=verdict.m,
        tlp=[warps // verdict.n, blocks - verdict.m],
        exact=item.exact,
    )
    if site.launch is not None:
        figures["launch_line"] = site.launch.span.line
    return figures


def _declined(task: Task, item: Judged) -> Finding:
    verdict, site = item.verdict, item.site
    code = _DECLINED[verdict.outcome]
    if not item.exact and verdict.outcome is Outcome.FITS:
        code = codes.NEVER_EXCEEDS
    if site is not None and site.occupancy.blocks == 0:
        reason = "no block of this launch fits an SM"
        return task.finding(Decision.DECLINED, codes.NOT_MODELLED, f"left alone: {reason}", item.facts)
    message = f"left alone: {_why(task, item, code)}"
    return task.finding(Decision.DECLINED, code, message, item.facts, **_figures(task, item))


def _why(task: Task, item: Judged, code: str) -> str:
    """The reason behind a code, with its numbers."""
    size, l1 = f"footprint {item.verdict.footprint} B", f"L1 {item.verdict.l1_bytes} B"
    if code == codes.MARGIN:
        return f"{size}, {l1}: {_margin(task, item)}"
    if code == codes.OUTER and not task.rules.sectored:
        return "the loop around it fits at no TLP"
    return {
        codes.FITS: f"{size} fits {l1}",
        codes.NEVER_EXCEEDS: f"{size} at most, fits {l1} at any launch",
        codes.NO_LOCALITY: "no iteration finds the lines of the one before",
        codes.NEVER_FITS: f"{size} exceeds {l1} at the smallest TLP too",
        codes.FEW_TRIPS: f"fewer than {task.rules.minimum_trips} iterations",
        codes.NOT_MODELLED: "trip count or addresses depend on data",
        codes.OUTER: "its reuse lies a whole inner loop back",
    }[code]


def _margin(task: Task, item: Judged) -> str:
    """What a footprint between L1 and the margin means."""
    verdict = item.verdict
    rate = verdict.footprint / verdict.l1_bytes
    if verdict.margin == task.rules.margin:
        return f"{rate:.2f} times is within the margin of {verdict.margin / 1000:g}"
    batch = max(one.batch for one in item.facts.references)
    return (
        f"the loads of {batch} iterations are issued together, so {rate:.2f} times costs nothing "
        f"(margin {verdict.margin / 1000:g})"
    )


def _apply(task: Task, judged: list[Judged], wanted: list[Judged]) -> tuple[list[Finding], tuple[Variant, ...]]:
    """The version of the kernel with the wanted loops in groups, and what is said of each of them."""
    blocked = refuse_kernel(task.kernel)
    if blocked is None and task.context.undispatchable:
        blocked = Refusal(codes.NO_LAUNCH, task.context.undispatchable)
    if blocked is None and not task.context.has_host_code:
        blocked = Refusal(codes.NO_LAUNCH, "no host code is built here")
    if blocked is not None:
        return [_refused(task, item, blocked) for item in wanted], ()
    source = task.context.unit.files[task.kernel.span.file]
    places: dict[int, Place] = {}
    findings: list[Finding] = []
    for item in wanted:
        found = place(task.kernel, item.facts.loop.stmt, source)
        if isinstance(found, Place):
            places[item.facts.loop.stmt] = found
        else:
            findings.append(_refused(task, item, found))
    chosen = list(outermost(task.kernel, list(places.values())))
    slots: list[tuple[Place, list[Judged]]] = []
    for spot in chosen:
        members = [item for item in wanted if item.facts.loop.stmt in places and _within(task.kernel, item, spot)]
        refusal = _spoils(task.kernel, judged, members, spot) or _too_many(len(slots))
        if refusal is None and spot.returns and not task.context.arch.independent_threads:
            refusal = Refusal(codes.OLD_GPU, f"threads return early, and {task.context.arch.title} waits for them")
        if refusal is not None:
            findings.extend(_refused(task, item, refusal) for item in members)
        else:
            slots.append((spot, members))
    if not slots:
        return findings, ()
    findings.extend(_applied(task, item) for _, members in slots for item in members)
    return findings, (_variant(task, slots),)


def _within(kernel: Kernel, item: Judged, spot: Place) -> bool:
    stmt = item.facts.loop.stmt
    return stmt == spot.stmt or any(around.id == spot.stmt for around in kernel.ancestors(stmt))


def _too_many(used: int) -> Refusal | None:
    return (
        Refusal(codes.NO_SLOT, f"only {PLAN_SLOTS} loops of a kernel can be run in groups")
        if used >= PLAN_SLOTS
        else None
    )


def _spoils(kernel: Kernel, judged: list[Judged], members: list[Judged], spot: Place) -> Refusal | None:
    """Whether the statement also holds loops that gain nothing and weigh more than those that do."""
    mine = {item.facts.loop.stmt for item in members}
    related = mine | {around.id for stmt in mine for around in kernel.ancestors(stmt)}
    related |= {inner.id for stmt in mine for inner in kernel.descendants(stmt)}
    others = [item for item in judged if _within(kernel, item, spot) and item.facts.loop.stmt not in related]
    if sum(map(_work, others)) > sum(map(_work, members)):
        lines = ", ".join(str(item.facts.line) for item in others)
        return Refusal(codes.SHARED_STATEMENT, f"the loop at line {lines} would be run in groups too, and it fits")
    return None


def _work(item: Judged) -> int:
    """A rough measure of a loop's share in the kernel's time: accesses times iterations."""
    from gpuopt_driver.api import expr  # noqa: PLC0415

    trips = 1
    if item.facts.trips is not None:
        names: Mapping[str, int] = {symbol.name: 1024 for symbol in expr.symbols(item.facts.trips)}
        trips = max(1, expr.evaluate(item.facts.trips, names) or 1)
    return trips * max(1, len(item.facts.references))


def _refused(task: Task, item: Judged, refusal: Refusal) -> Finding:
    return task.finding(
        Decision.DECLINED, refusal.code, f"left alone: {refusal.reason}", item.facts, **_figures(task, item)
    )


def _applied(task: Task, item: Judged) -> Finding:
    verdict, site = item.verdict, item.site
    assert site is not None
    figures = _figures(task, item)
    if task.options.fixed_tlp:
        warps, blocks = (*task.options.fixed_tlp, 0)[:2]
        message = f"{warps or 'all'} warps per block and {blocks or 'all'} blocks at a time, as the policy asks"
        figures["tlp"] = [warps or site.shape.warps, blocks or site.occupancy.blocks]
        return task.finding(Decision.APPLIED, codes.FIXED, message, item.facts, **figures)
    if verdict.outcome is Outcome.UNKNOWN:
        for unknown in ("n", "m", "tlp"):
            figures.pop(unknown)
        message = f"groups of warps chosen at launch: footprint up to {verdict.footprint} B, L1 {verdict.l1_bytes} B"
        return task.finding(Decision.APPLIED, codes.AT_LAUNCH, message, item.facts, **figures)
    warps, blocks = site.shape.warps, site.occupancy.blocks
    head = f"{warps // verdict.n} of {warps} warps at a time"
    if verdict.m:
        head += f", {blocks - verdict.m} of {blocks} blocks"
    message = f"{head}: footprint {verdict.footprint} B > L1 {verdict.l1_bytes} B"
    code = codes.BLOCKS if verdict.m else codes.WARPS
    return task.finding(Decision.APPLIED, code, message, item.facts, **figures)


def _variant(task: Task, slots: list[tuple[Place, list[Judged]]]) -> Variant:
    spots = [spot for spot, _ in slots]
    block_level = task.rules.block_level and _blocks_independent(task.kernel)
    if task.options.fixed_tlp:
        text = fixed_guard(
            len(spots),
            (*task.options.fixed_tlp, 0),
            task.rules,
            (spot.returns for spot in spots),
            block_level=block_level,
        )
    else:
        made = [
            Slot(_nests_of(task, [item.facts for item in members if is_writable(item.facts)]), spot.returns)
            for spot, members in slots
        ]
        text = guard(made, task.rules, task.options, block_level=block_level)
    return Variant(
        kernel=task.kernel.usr, name=NAME, edits=edits(task.kernel, spots), guard=text, author=NAME, support=SUPPORT
    )


def _nests_of(task: Task, facts: list[LoopFacts]) -> tuple[tuple[LoopFacts, ...], ...]:
    """Loops that are decided together: whole nests in the paper's model, each loop alone in the other."""
    if task.rules.sectored:
        return tuple((item,) for item in facts)
    return tuple(_nests(facts))


def _blocks_independent(kernel: Kernel) -> bool:
    """Whether no block can wait for another one: with fewer resident blocks, one that is waited for may never start."""
    if any(access.is_atomic or access.is_volatile for access in kernel.accesses):
        return False
    waiting = (SyncKind.FENCE, SyncKind.GRID, SyncKind.CLUSTER, SyncKind.UNKNOWN)
    return not any(sync.kind in waiting for sync in kernel.syncs) and all(call.known for call in kernel.calls)


def _facts(item: Judged) -> dict[str, object]:
    """A loop's references as JSON facts."""
    from gpuopt_driver.api import expr  # noqa: PLC0415

    def text(value: object) -> str | None:
        return None if value is None else expr.to_text(value)  # type: ignore[arg-type]

    return {
        "line": item.facts.line,
        "trips": text(item.facts.trips),
        "references": [
            {
                "text": one.text,
                "array": one.array,
                "line": one.line,
                "offset_bytes": text(one.offset),
                "step_bytes": text(one.step),
                "irregular": one.irregular,
                "batch": one.batch,
            }
            for one in item.facts.references
        ],
    }
