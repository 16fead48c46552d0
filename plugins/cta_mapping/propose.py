"""From a kernel's direction of reuse to one finding and, where there is something to map with, a version."""

from __future__ import annotations

from gpuopt_driver.api import (
    BlockKind,
    BlockSurvey,
    Context,
    Decision,
    Finding,
    Kernel,
    Obstacle,
    Proposal,
    Variant,
    agent_guard,
    block_objection,
    block_support,
    copied,
    counted,
    for_whole_warps,
    missed,
    returns_before_barrier,
    why_not_redefined,
)

from . import codes
from .options import Options
from .rewrite import NAME, PRIORITY, REGISTER, edits, first_warps, register_guard


def propose(kernel: Kernel, context: Context, survey: BlockSurvey) -> Proposal:
    """One finding, and at most one version of the kernel."""
    options: Options = context.options or Options()
    direction = survey.direction if options.direction == "auto" else options.direction

    def said(decision: Decision, code: str, message: str) -> Finding:
        figures = {
            "direction": direction,
            "reuse_distance_blocks": list(survey.distances),
            "max_reuse_distance_blocks": survey.distance,
            "class": survey.kind.value,
        }
        return Finding.at(kernel.name_span, NAME, kernel.qualified, decision, code, message, **figures)  # type: ignore[arg-type]

    refused = _refused(kernel, context, survey, options, direction)
    if refused is not None:
        code, reason = refused
        return Proposal((said(Decision.DECLINED, code, f"left alone: {reason}"),))
    along = f"along {direction} (reuse over up to {counted(survey.distance, 'block')})"
    if options.form == "agents":
        message, code, guard = f"agents run blocks {along}", codes.AGENTS, agent_guard((1, 1, 1), 0, ())
        made, support = edits(kernel, direction), block_support()
    else:
        group = first_warps(survey, direction, context.arch.l1.line_bytes) if options.priority == "auto" else ""
        first = ", and as many warps as L1 holds the data of go first" if group else ""
        message, code, guard = f"blocks are mapped {along}{first}", codes.REGISTER, register_guard(direction, group)
        made, support = (), REGISTER + (PRIORITY + block_support() if options.priority == "auto" else "")
    variant = Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=made,
        guard=survey.condition + guard,
        author=NAME,
        support=support,
        redefines=frozenset({"blockIdx", "gridDim"} if options.form == "agents" else ()),
    )
    variant = for_whole_warps(variant, kernel) if options.form == "agents" else variant
    return Proposal((said(Decision.APPLIED, code, message),), variants=(variant,))


def _nothing(kernel: Kernel, survey: BlockSurvey, direction: str) -> tuple[str, str] | None:
    """Code and reason why there is nothing to map."""
    if direction == "none":
        return codes.SWITCHED_OFF, "the policy asks for no mapping"
    if not any(use.name == "blockIdx" for use in kernel.builtin_uses):
        return codes.NO_REUSE, "all blocks of the kernel do the same"
    if direction == "round-robin":
        if survey.kind is BlockKind.DATA:
            return codes.IRREGULAR, survey.evidence
        return codes.NO_REUSE, "blocks reuse no lines of each other along x or y"
    return None


def _refused(
    kernel: Kernel, context: Context, survey: BlockSurvey, options: Options, direction: str
) -> tuple[str, str] | None:
    """Code and reason why blocks go where the GPU sends them."""
    nothing = _nothing(kernel, survey, direction)
    if nothing is not None:
        return nothing
    if options.form == "report":
        return codes.NO_REGISTER, f"blocks reuse data along {direction}, but a program cannot say which SM runs a block"
    if context.undispatchable or not context.has_host_code:
        return codes.NO_LAUNCH, context.undispatchable or "no host code is built here"
    source = context.unit.files[kernel.span.file]
    found = block_objection(kernel, source, survey.found, survey.grid)
    if found is not None:
        return codes.IMPLICIT if found.obstacle is Obstacle.LAMBDA else codes.UNSAFE, found.reason
    return _without_agents(kernel, context) if options.form == "agents" else None


def _without_agents(kernel: Kernel, context: Context) -> tuple[str, str] | None:
    """Code and reason why agents cannot run the blocks."""
    if copied(kernel, lambda one: bool({"blockIdx", "gridDim"} & one.builtins)):
        return codes.FUNCTIONS, "a function that the kernel calls names blockIdx or gridDim"
    implicit = why_not_redefined(kernel, ("blockIdx", "gridDim"))
    if implicit:
        return codes.IMPLICIT, implicit
    returns = returns_before_barrier(kernel)
    if returns:
        return codes.RETURNS, returns
    absent = missed(kernel, context.launches)
    if absent is not None:
        return codes.RETURNS, absent.reason
    return None
