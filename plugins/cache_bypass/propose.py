"""From a kernel's loads to a finding and, where some are better off past L1, a version of the kernel."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.api import (
    Access,
    Arch,
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    Variant,
    called_loop,
    guard_loads,
    no_launch,
    why_not_modelled,
)

from . import codes
from .decide import BASELINES, At, Choice, decide
from .findings import figures, finding, load_facts, tightest, would_bypass
from .guard import SUPPORT, always, as_profiled, candidates, guard
from .options import Options
from .place import is_ordered, refuse_kernel
from .profiled import Reason, chosen, has_hits, kernel_profile, profiled_metrics, traffic
from .rewrite import L2_FIRST, NAME, edits, marked, support
from .rounding import may_round_differently
from .static import Loads, survey

_PREFERRED = ("cs", "evict_first", "no_allocate", "lu", "cg")  # of those that spare L1, the first one (see docs)


def analyze(kernel: Kernel, context: Context) -> tuple[Loads, ...]:
    """The loops that make loads."""
    return survey(kernel, context) if kernel.loops else ()


def operator_of(arch: Arch, options: Options) -> str:
    """The operator that protects what is in L1 on this GPU, "" where that was not measured."""
    if options.operator != "auto":
        return options.operator
    for name in _PREFERRED:
        one = arch.operators.get(name)
        if one is not None and one.spares_used_once >= 0.9 and (one.hits or not arch.caching):
            return name
    return ""


def propose(kernel: Kernel, context: Context, loops: tuple[Loads, ...]) -> Proposal:
    """One finding per kernel, and a version of it where L2 traffic would fall."""
    options: Options = context.options or Options()
    early = _not_at_all(kernel, context, options, loops)
    if early is not None:
        return Proposal(findings=(early,))
    if options.method in BASELINES:
        return _as_asked(kernel, context, options, loops)
    if options.profile:
        return _by_profile(kernel, context, options, loops)
    modelled = tuple(item for item in loops if item.made.modelled)
    if not any(not reason for item in modelled for reason in item.reasons):
        return Proposal(findings=(_no_candidate(kernel, loops, modelled),))
    found = decide(kernel, context, options, modelled)
    if found is None:
        message = "left alone: no launch that can run here is computable"
        return Proposal(findings=(finding(kernel, Decision.DECLINED, codes.NOT_MODELLED, message),))
    if isinstance(found, At):
        return Proposal(findings=(_fits(kernel, found),))
    return _proposal(kernel, context, options, modelled, found)


def _not_at_all(kernel: Kernel, context: Context, options: Options, loops: tuple[Loads, ...]) -> Finding | None:
    """The finding of a kernel in which no load needs a decision."""
    arch = context.arch
    if not loops:
        message = f"no own loop reads global memory through L1{called_loop(kernel)}"
        return finding(kernel, Decision.NOT_APPLICABLE, codes.NO_LOADS, message)
    if not arch.l1.caches_global_loads and not options.l1_bytes:
        message = f"{arch.title} does not keep global loads in L1"
        return finding(kernel, Decision.NOT_APPLICABLE, codes.NOT_CACHED, message)
    if not context.launches:
        return finding(kernel, Decision.NOT_APPLICABLE, codes.NO_LAUNCH, no_launch(context.unit, kernel))
    if not operator_of(arch, options):
        message = f"which cache operator protects L1 on {arch.title} has not been measured"
        return finding(kernel, Decision.DECLINED, codes.NO_OPERATOR, message)
    return None


def _no_candidate(kernel: Kernel, loops: tuple[Loads, ...], modelled: tuple[Loads, ...]) -> Finding:
    if len(modelled) < len(loops) and not any(not reason for item in modelled for reason in item.reasons):
        loop = next(item.made for item in loops if not item.made.modelled)
        message = f"left alone: what the loop at line {loop.line} reads {why_not_modelled(loop, kernel)}"
        return finding(kernel, Decision.DECLINED, codes.NOT_MODELLED, message)
    reasons = {
        one.reference.text: reason
        for item in modelled
        for one, reason in zip(item.made.loads, item.reasons, strict=True)
    }
    said = "; ".join(f"{text}: {reason}" for text, reason in reasons.items())
    return finding(kernel, Decision.DECLINED, codes.NO_CANDIDATE, "left alone: no load may go past L1", loads=said)


def _fits(kernel: Kernel, at: At) -> Finding:
    numbers = tightest(at)
    if not at.free and at.overflow > at.cache.survival[0][0]:
        held, l1 = numbers["held_bytes"], numbers["l1_bytes"]
        message = f"left alone: no load may go past L1, as each reads its lines again ({held} B overflow L1 {l1} B)"
        return finding(kernel, Decision.DECLINED, codes.NO_CANDIDATE, message, **numbers)
    message = f"left alone: {numbers['held_bytes']} B at most fit L1 {numbers['l1_bytes']} B"
    return finding(kernel, Decision.DECLINED, codes.ALL_FIT, message, **numbers)


def _as_asked(kernel: Kernel, context: Context, options: Options, loops: tuple[Loads, ...]) -> Proposal:
    """A baseline: the loads that the policy names, or all, whatever a model would say."""
    loads = [one for item in loops for one in item.made.loads]
    rewritable = [legal for item in loops for legal in item.legal]
    legal = frozenset(index for index, one in enumerate(rewritable) if one)
    wanted = {"bypass-all": legal, "fixed": legal & frozenset(options.fixed)}.get(options.method, frozenset())
    numbered = [
        {"load": index, "text": one.reference.text, "line": one.reference.line} for index, one in enumerate(loads)
    ]
    if not wanted:
        message = "left alone, as the policy asks: every load goes through L1"
        return Proposal(findings=(finding(kernel, Decision.DECLINED, codes.AS_ASKED, message, loads=numbered),))
    refusal = _refusal(kernel, context, options)
    if refusal is not None:
        return Proposal(findings=(finding(kernel, Decision.DECLINED, refusal[0], f"left alone: {refusal[1]}"),))
    operator = operator_of(context.arch, options)
    texts = ", ".join(loads[index].reference.text for index in sorted(wanted))
    message = f"{texts} loaded with .{operator}, as the policy asks"
    said = finding(
        kernel,
        Decision.APPLIED,
        codes.AS_ASKED,
        message,
        loads=numbered,
        bypassed=sorted(wanted),
        **_how(operator, options),
    )
    return Proposal(
        findings=(said,), variants=(variant(kernel, loops, wanted, options, operator, always(context.arch)),)
    )


def _by_profile(kernel: Kernel, context: Context, options: Options, loops: tuple[Loads, ...]) -> Proposal:
    """The loads that a profiled run says gain nothing from L1, in launches like the profiled one."""
    found = kernel_profile(kernel, context, options)
    if isinstance(found, Reason):
        return Proposal(findings=(finding(kernel, Decision.DECLINED, found.code, f"left alone: {found.text}"),))
    profile, source = found
    metrics = profiled_metrics(profile, source, loops, context)
    rewritable = [legal for item in loops for legal in item.legal]
    legal = frozenset(index for index, one in enumerate(rewritable) if one)
    solution, bypassed, by_method = chosen(metrics, legal, options, profile)
    numbers: dict[str, object] = {"source": metrics.source, "method": solution.method, "bypassed": sorted(bypassed)}
    numbers.update(note=solution.note, resident_warps=profile.warps, loads=load_facts(metrics, bypassed))
    numbers["traffic_bytes"] = {name: round(traffic(metrics, cached)) for name, cached in sorted(by_method.items())}
    numbers["would_bypass"] = would_bypass(metrics, by_method)
    by_sector = context.arch.l1.sector_bytes < context.arch.l1.line_bytes  # past L1 then costs what a miss costs
    if not bypassed or (by_sector and not has_hits(profile)):
        message = "left alone: the profile shows no load that L1 would be better off without"
        return Proposal(findings=(finding(kernel, Decision.DECLINED, codes.NO_GAIN, message, **numbers),))
    refusal = _refusal(kernel, context, options)
    if refusal is not None:
        declined = finding(kernel, Decision.DECLINED, refusal[0], f"left alone: {refusal[1]}", **numbers)
        return Proposal(findings=(declined,))
    operator = operator_of(context.arch, options)
    texts = ", ".join(one.text for one in metrics.loads if one.index in bypassed)
    message = f"{texts} loaded with .{operator} in launches of about {profile.warps} warps per SM, as profiled"
    said = finding(kernel, Decision.APPLIED, codes.FROM_PROFILE, message, **numbers, **_how(operator, options))
    text = as_profiled(context.arch, profile.warps)
    return Proposal(findings=(said,), variants=(variant(kernel, loops, bypassed, options, operator, text),))


def _how(operator: str, options: Options) -> dict[str, str]:
    """The figures of an applied finding that say what is put on the loads, and where."""
    return {"operator": operator, "realisation": options.realisation}


def _refusal(kernel: Kernel, context: Context, options: Options) -> tuple[str, str] | None:
    """Code and reason why no version of the kernel can be made."""
    refusal = refuse_kernel(kernel, context)
    if refusal is None and options.realisation == "ptx" and options.operator == L2_FIRST:
        refusal = codes.NO_OPERATOR, f"{L2_FIRST} needs a register: it has a source form alone"
    if refusal is None and options.rounding == "same" and options.realisation == "source":
        rounding = may_round_differently(kernel, context)
        refusal = None if rounding is None else (codes.ROUNDING, rounding)
    return refusal


def _proposal(kernel: Kernel, context: Context, options: Options, loops: tuple[Loads, ...], choice: Choice) -> Proposal:
    numbers = figures(choice)
    facts = {"loads": numbers["loads"]}
    if not choice.bypassed or choice.gain < options.minimum_gain:
        message = (
            f"left alone: loads hold {choice.held} B, L1 {choice.cache.l1} B, and L2 traffic would fall by a factor "
            f"of {choice.gain:.2f} at most"
        )
        declined = finding(kernel, Decision.DECLINED, codes.NO_GAIN, message, **numbers)
        return Proposal(findings=(declined,), facts=facts)
    refusal = _refusal(kernel, context, options)
    if refusal is None and not all(guard_loads.is_writable(item.made) for item in loops):
        refusal = codes.NOT_MODELLED, "a launch cannot compute the addresses"
    if refusal is not None:
        code, reason = refusal
        return Proposal(findings=(finding(kernel, Decision.DECLINED, code, f"left alone: {reason}", **numbers),))
    operator = operator_of(context.arch, options)
    texts = ", ".join(one.text for one in choice.metrics.loads if one.index in choice.bypassed)
    message = (
        f"{texts} loaded with .{operator} at launches where L1 overflows: {choice.held} B > {choice.cache.l1} B, "
        f"{choice.kept} B stay"
    )
    said = finding(kernel, Decision.APPLIED, codes.CHOSEN, message, **numbers, **_how(operator, options))
    text = guard(loops, choice.bypassed, options, context.arch, choice.cache)
    made = replace(
        variant(kernel, loops, choice.bypassed, options, operator, text), candidates=candidates(context.arch)
    )
    return Proposal(findings=(said,), variants=(made,), facts=facts)


def variant(
    kernel: Kernel,
    loops: tuple[Loads, ...],
    bypassed: frozenset[int],
    options: Options,
    operator: str,
    guard_text: str,
) -> Variant:
    """The version of the kernel with these loads (numbered through the loops) past L1."""
    chosen: list[tuple[Access, str, bool]] = []
    number = 0
    for item in loops:
        for one in item.made.loads:
            if number in bypassed:
                chosen += [(access, operator, is_ordered(kernel, access.array)) for access in one.accesses]
            number += 1
    flavours = sorted({ordered for _, _, ordered in chosen})
    texts = "".join(support(operator, ordered=ordered) for ordered in flavours)
    places = tuple(sorted({access.span.start for access, _, _ in chosen}))
    changed = marked(kernel, chosen) if options.realisation == "ptx" else edits(chosen)
    made = Variant(kernel=kernel.usr, name=NAME, edits=changed, guard=guard_text, author=NAME)
    return replace(made, support=texts + SUPPORT, joins=("unified_memory", "accumulators"), past_l1=places)
