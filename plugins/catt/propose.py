"""From a kernel's loops to findings and, where something is to be gained, one version of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpuopt_driver.api import (
    PLAN_SLOTS,
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    Variant,
    blocks_independent,
    called_loop,
    expr,
    for_whole_warps,
    no_launch,
)

from . import codes
from .cpp import is_writable
from .decide import Rules
from .findings import applied, declined, finding, loop_facts, refused
from .guard import Slot, candidates, fixed_guard, guard
from .judge import Judged, Task, judge, nests
from .options import Options
from .place import Place, Refusal, outermost, place, refuse_kernel
from .races import happens
from .rewrite import NAME, edits
from .support import SUPPORT
from .survey import LoopFacts, rules_of, survey


def analyze(kernel: Kernel, context: Context) -> tuple[LoopFacts, ...]:
    """The loops of the kernel: what every launch needs to decide."""
    return survey(kernel, context.unit.files[kernel.span.file]) if kernel.loops else ()


def propose(kernel: Kernel, context: Context, facts: tuple[LoopFacts, ...]) -> Proposal:
    """One finding per loop (or for the kernel), and a version of the kernel where some loop gains."""
    options: Options = context.options or Options()
    task = Task(kernel, context, options, _rules(kernel, context, options))
    early = _not_at_all(task, facts)
    if early is not None:
        return Proposal(findings=(early,))
    judged = [item for nest in nests(facts) for item in judge(task, nest)]
    if not judged:
        text = f"no launch of the kernel in this file can run on {context.arch.title}"
        return Proposal(findings=(finding(task, Decision.NOT_APPLICABLE, codes.NO_LAUNCH, text),))
    judged.sort(key=lambda item: item.facts.loop.stmt)
    wanted = [item for item in judged if item.wanted]
    if context.learning and not wanted:
        wanted = [item for item in judged if item.is_open]
        if not wanted and task.rules.block_level:
            wanted = [item for item in judged if item.is_unknown]
    findings = [declined(task, item) for item in judged if item not in wanted]
    variants: tuple[Variant, ...] = ()
    if wanted:
        made, variants = _apply(task, judged, wanted)
        findings.extend(made)
    findings.sort(key=lambda item: (item.line, item.column))
    return Proposal(findings=tuple(findings), variants=variants, facts={"loops": [loop_facts(item) for item in judged]})


def _not_at_all(task: Task, facts: tuple[LoopFacts, ...]) -> Finding | None:
    """The finding of a kernel in which no loop needs a decision."""
    called = called_loop(task.kernel)
    if not facts:
        return finding(task, Decision.NOT_APPLICABLE, codes.NO_LOOP, f"the kernel has no loop of its own{called}")
    if not any(item.references for item in facts):
        return finding(
            task, Decision.NOT_APPLICABLE, codes.NO_LOADS, f"no own loop reads global memory through L1{called}"
        )
    if not task.context.arch.l1.caches_global_loads and not task.options.l1_bytes:
        return finding(
            task, Decision.DECLINED, codes.NOT_CACHED, f"{task.context.arch.title} does not keep global loads in L1"
        )
    if not task.context.launches:
        return finding(task, Decision.NOT_APPLICABLE, codes.NO_LAUNCH, no_launch(task.context.unit, task.kernel))
    return None


def _apply(task: Task, judged: list[Judged], wanted: list[Judged]) -> tuple[list[Finding], tuple[Variant, ...]]:
    """The version of the kernel with the wanted loops in groups, and what is said of each of them."""
    blocked = refuse_kernel(task.kernel, task.context.launches)
    if blocked is None and task.context.undispatchable:
        blocked = Refusal(codes.NO_LAUNCH, task.context.undispatchable)
    if blocked is None and not task.context.has_host_code:
        blocked = Refusal(codes.NO_LAUNCH, "no host code is built here")
    if blocked is not None:
        return [refused(task, item, blocked) for item in wanted], ()
    source = task.context.unit.files[task.kernel.span.file]
    places: dict[int, Place] = {}
    findings: list[Finding] = []
    for item in wanted:
        found = place(task.kernel, item.facts.loop.stmt, source)
        if isinstance(found, Place):
            places[item.facts.loop.stmt] = found
        else:
            findings.append(refused(task, item, found))
    chosen = list(outermost(task.kernel, list(places.values())))
    slots: list[tuple[Place, list[Judged]]] = []
    for spot in chosen:
        members = [item for item in wanted if item.facts.loop.stmt in places and _within(task.kernel, item, spot)]
        refusal = _spoils(task.kernel, judged, members, spot) or _too_many(len(slots))
        if refusal is None and spot.returns and not task.context.arch.independent_threads:
            refusal = Refusal(codes.OLD_GPU, f"threads return early, and {task.context.arch.title} waits for them")
        refusal = refusal or _races(task, spot)
        if refusal is not None:
            findings.extend(refused(task, item, refusal) for item in members)
        else:
            slots.append((spot, members))
    if not slots:
        return findings, ()
    findings.extend(applied(task, item) for _, members in slots for item in members)
    return findings, (_variant(task, slots),)


def _races(task: Task, spot: Place) -> Refusal | None:
    """Whether all launches let threads of different warps update the same locations."""
    if spot.single and all(happens(spot.single, launch) for launch in task.context.launches):
        shared = [one for one in spot.single if any(happens((one,), launch) for launch in task.context.launches)]
        text = f"threads along {' and '.join(shared)} update the same locations without a barrier or an atomic"
        return Refusal(codes.RACES, text)
    return None


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
    trips = 1
    if item.facts.trips is not None:
        names: Mapping[str, int] = {symbol.name: 1024 for symbol in expr.symbols(item.facts.trips)}
        trips = max(1, expr.evaluate(item.facts.trips, names) or 1)
    return trips * max(1, len(item.facts.references))


def _variant(task: Task, slots: list[tuple[Place, list[Judged]]]) -> Variant:
    spots = [spot for spot, _ in slots]
    made = [
        Slot(_nests_of(task, [item.facts for item in members if is_writable(item.facts)]), spot.returns, spot.single)
        for spot, members in slots
    ]
    block_level = task.rules.block_level
    measured = not any(item.wanted for _, members in slots for item in members)
    if measured and all(item.is_unknown for _, members in slots for item in members):
        return _fewer_blocks(task)
    if task.options.fixed_tlp:
        text = fixed_guard(made, (*task.options.fixed_tlp, 0), task.rules, block_level=block_level)
    elif measured:
        text = "  return false;"
    else:
        text = guard(made, task.rules, task.options, block_level=block_level)
    variant = Variant(
        kernel=task.kernel.usr,
        name=NAME,
        edits=edits(task.kernel, spots),
        guard=text,
        author=NAME,
        support=SUPPORT,
        joins=("unified_memory", "accumulators", "cache_bypass"),
        only_measured=measured,
        candidates="" if task.options.fixed_tlp else candidates(made, task.rules, block_level=block_level),
    )
    return for_whole_warps(variant, task.kernel)


def _fewer_blocks(task: Task) -> Variant:
    """The kernel as it is with fewer resident blocks, as measured."""
    rules = replace(task.rules, warp_level=False)
    return Variant(
        kernel=task.kernel.usr,
        name=NAME,
        edits=(),
        guard="  return false;",
        author=NAME,
        support=SUPPORT,
        joins=("unified_memory", "accumulators", "cache_bypass"),
        only_measured=True,
        candidates=candidates((), rules, block_level=rules.block_level),
    )


def _nests_of(task: Task, facts: list[LoopFacts]) -> tuple[tuple[LoopFacts, ...], ...]:
    """Loops that are decided together: whole nests in the paper's model, each loop alone in the other."""
    if task.rules.sectored:
        return tuple((item,) for item in facts)
    return tuple(nests(facts))


def _rules(kernel: Kernel, context: Context, options: Options) -> Rules:
    """The rules of the GPU and the policy; fewer blocks only where nobody counts on those of the original."""
    rules = rules_of(options, context.arch)
    counted = context.unit.occupancy_queries(kernel) or not blocks_independent(kernel)
    return replace(rules, block_level=rules.block_level and not counted)
