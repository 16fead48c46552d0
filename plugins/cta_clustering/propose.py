"""From a kernel's reuse between blocks to one finding and, where it pays, a version in another order."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.api import (
    Arch,
    BlockKind,
    BlockSurvey,
    BlockWalk,
    Context,
    Decision,
    Finding,
    Kernel,
    Obstacle,
    Proposal,
    Unwritable,
    Variant,
    agent_edits,
    agent_guard,
    block_objection,
    block_walks,
    copied,
    dataclass,
    expr,
    for_whole_warps,
    missed,
    returns_before_barrier,
    turn_touches,
    why_not_copied,
    why_not_redefined,
)

from . import codes, figures, guard
from .memory import ahead, past_l1
from .options import Options
from .rewrite import NAME, SCOPE, axis_numbers, copies, customised, expressions_of, redirect, tiled

_KINDS = {
    BlockKind.STREAMING: codes.STREAMING,
    BlockKind.DATA: codes.DATA,
    BlockKind.WRITE: codes.WRITE,
    BlockKind.LINE: codes.LINE,
}
_OBSTACLES = {
    Obstacle.NOT_COPYABLE: codes.NOT_REWRITABLE,
    Obstacle.ASSEMBLY: codes.ASSEMBLY,
    Obstacle.WHERE_AND_WHEN: codes.WHERE_AND_WHEN,
    Obstacle.GRID_BARRIER: codes.BARRIER,
    Obstacle.UNKNOWN_CALL: codes.UNKNOWN_CALL,
    Obstacle.COMMUNICATES: codes.COMMUNICATES,
    Obstacle.FLOAT_ATOMICS: codes.FLOAT_ATOMICS,
    Obstacle.RACES: codes.RACES,
    Obstacle.OUTPUT: codes.OUTPUT,
    Obstacle.CLUSTER: codes.CLUSTER,
    Obstacle.LAMBDA: codes.LAMBDA,
}
_FORCED = ("row", "column", "tile", "direction", "custom")
_TILES = {"row": (0, 1, 1), "column": (1, 0, 1)}


@dataclass(frozen=True, slots=True)
class Task:
    """What stays the same for one kernel."""

    kernel: Kernel
    context: Context
    options: Options
    survey: BlockSurvey

    def finding(self, decision: Decision, code: str, message: str, **more: object) -> Finding:
        """A finding at the kernel's name, with its reuse."""
        survey = self.survey
        told = {
            "class": survey.kind.value,
            "evidence": survey.evidence,
            "direction": survey.direction,
            "reuse_distance_blocks": list(survey.distances),
            "shared_with_neighbour_bytes": list(survey.shared_bytes) if survey.shared_bytes else None,
            "exact": survey.exact,
            **more,
        }
        return Finding.at(self.kernel.name_span, NAME, self.kernel.qualified, decision, code, message, **told)  # type: ignore[arg-type]

    def declined(self, code: str, reason: str, **more: object) -> Proposal:
        """Nothing but the reason."""
        return Proposal(findings=(self.finding(Decision.DECLINED, code, f"left alone: {reason}", **more),))


def propose(kernel: Kernel, context: Context, survey: BlockSurvey) -> Proposal:
    """One finding, and at most one version of the kernel."""
    options = context.options or Options()
    task = Task(kernel, context, options, survey)
    is_forced = options.order in _FORCED or options.form in ("agents", "clusters")
    return _useless(task, is_forced=is_forced) or _unsafe(task) or _version(task, is_forced=is_forced)


def _with_agents(task: Task) -> bool:
    """Whether agents are to run the blocks: the policy says so, or they pay on this GPU."""
    if task.options.form != "auto":
        return task.options.form == "agents"
    return _pays(task.context.arch) and task.survey.kind is BlockKind.ALGORITHM and _is_strided(task)


def _is_strided(task: Task) -> bool:
    """Whether something that blocks share is read by strides, which models of time go by, not by quotients alone."""
    modelled = {form.array for form in task.survey.found.modelled}
    return any(any(one.bytes) and one.array in modelled for one in task.survey.reuse)


def _useless(task: Task, *, is_forced: bool) -> Proposal | None:
    """Kernels from which no order gains anything."""
    kernel, survey = task.kernel, task.survey
    named = any(use.name == "blockIdx" for use in kernel.builtin_uses)
    reads = any(one.is_read for one in survey.found.forms) or any(one.is_read for one in survey.found.irregular)
    if not named or not reads:
        why = "the kernel reads no global memory" if named else "all blocks of the kernel do the same"
        return Proposal(findings=(task.finding(Decision.NOT_APPLICABLE, codes.NO_BLOCKS, why),))
    if task.options.order == "none":
        return task.declined(codes.SWITCHED_OFF, "the policy asks for no other order")
    if not is_forced and survey.kind in _KINDS:
        return task.declined(_KINDS[survey.kind], f"{survey.kind.value}: {survey.evidence}")
    return None


def _unsafe(task: Task) -> Proposal | None:
    """Kernels that cannot be reordered, or of which no version can be launched."""
    kernel, context, options = task.kernel, task.context, task.options
    if context.undispatchable or not context.has_host_code:
        return task.declined(codes.NO_LAUNCH, context.undispatchable or "no host code is built here")
    source = context.unit.files[kernel.span.file]
    found = block_objection(kernel, source, task.survey.found, task.survey.grid, float_atomics=options.float_atomics)
    if found is not None:
        return task.declined(_OBSTACLES[found.obstacle], found.reason)
    functions = copied(kernel, lambda one: "blockIdx" in one.builtins)
    not_copied = why_not_copied(kernel, functions)
    if not_copied is not None:
        return task.declined(codes.FUNCTIONS, not_copied.reason)
    agents = options.order != "custom" and _with_agents(task)
    reason = why_not_redefined(kernel, ("blockIdx", "gridDim") if agents else ("blockIdx",))
    if reason:
        return task.declined(codes.IMPLICIT, reason)
    if agents:
        if copied(kernel, lambda one: bool({"blockIdx", "gridDim"} & one.builtins)):
            return task.declined(codes.FUNCTIONS, "a function that the kernel calls names blockIdx or gridDim")
        returns = returns_before_barrier(kernel)
        if returns:
            return task.declined(codes.RETURNS, returns)
        absent = missed(kernel, context.launches)
        if absent is not None:
            return task.declined(codes.RETURNS, absent.reason)
    return None


def _version(task: Task, *, is_forced: bool) -> Proposal:
    """The version in the order that the policy or the model asks for."""
    options = task.options
    axes = axis_numbers(options.axes if options.order == "tile" else "xyz xyz")
    if axes is None:
        raise ValueError(f'axes = "{options.axes}" is not two words of x, y and z')
    if options.order == "custom":
        return _custom(task)
    if _with_agents(task) or is_forced:
        return _forced(task, _tile(task), tiled(axes))
    return _modelled(task, tiled(axes))


def _custom(task: Task) -> Proposal:
    """The order that the policy writes down."""
    given = expressions_of(task.options.custom)
    if given is None:
        raise ValueError(
            f"custom = {list(task.options.custom)} is not three expressions of n, x, y, z, gx, gy, gz "
            "that divide by numbers and gx, gy, gz only"
        )
    if task.options.form not in ("auto", "redirect"):
        raise ValueError(f'order = "custom" needs form = "redirect", not "{task.options.form}"')
    message = "blocks run in the policy's own order, where it runs every block of the grid once"
    variant = _variant(task, guard.customised(given), customised(given))
    return Proposal((task.finding(Decision.APPLIED, codes.FORCED, message),), variants=(variant,))


def _tile(task: Task) -> tuple[int, ...]:
    """The tile that the policy names, or rows or columns along the direction with most reuse (Li et al., 4.2.1)."""
    options, survey = task.options, task.survey
    if options.order == "tile":
        return (*options.tile, 1, 1, 1)[:3]
    if options.order in _TILES:
        return _TILES[options.order]
    x, y = survey.distances[:2]
    bytes_x, bytes_y = (survey.shared_bytes or (0, 0, 0))[:2]
    return _TILES["column" if (y > x or (x == y and bytes_y > bytes_x)) else "row"]


def _forced(task: Task, tile: tuple[int, ...], meaning: str) -> Proposal:
    options = task.options
    shape = "x".join(str(size or "all") for size in tile)
    if _with_agents(task):
        return _agents(task, tile, meaning)
    text = guard.forced(tile, clusters=options.form == "clusters")
    message = f"blocks run in tiles {shape}, as the policy asks"
    variant = _variant(task, text, meaning)
    return Proposal((task.finding(Decision.APPLIED, codes.FORCED, message, tile=shape),), variants=(variant,))


def _agents(task: Task, tile: tuple[int, ...], meaning: str) -> Proposal:
    """Agents in the tiles that the policy names, or, with `order = "auto"`, in those that the launch finds best."""
    options = task.options
    asked = options.form == "agents"
    walks = _walks(task, reads=True)
    if walks is None and not asked:
        return task.declined(codes.NOT_MODELLED, "strides or trip counts are not known at the launch")
    worth = guard.worth_agents(walks) if walks is not None and not asked else ""
    gpus = () if asked else sorted({guard.capability(one) for one in task.context.all_archs if _pays(one)})
    shape, by = "x".join(str(size or "all") for size in tile), []
    if walks is not None and options.order == "auto":
        turn = None if task.kernel.syncs else turn_touches(task.survey.found.modelled)  # barriers hold warps together
        by = guard.gathered(walks, turn, must_save=not asked)
        shape = "chosen at launch"
    text = worth + agent_guard(tile, options.active_agents, gpus, by)
    why = "as the policy asks" if asked else task.survey.evidence
    message = f"agents run clusters of tiles {shape}: {why}"
    variant = _variant(task, text, meaning, with_agents=True)
    return Proposal((task.finding(Decision.APPLIED, codes.AGENTS, message, tile=shape),), variants=(variant,))


def _walks(task: Task, *, reads: bool = False) -> tuple[BlockWalk, ...] | None:
    """The walks of all accesses, or of reads alone; None where a launch cannot compute them."""
    walks = block_walks([one for one in task.survey.found.modelled if one.is_read or not reads])
    try:
        return walks if walks is not None and guard.is_writable(walks) else None
    except Unwritable:
        return None


def _pays(arch: Arch) -> bool:
    """Whether agents were measured to pay there, with L1 keeping what blocks share (-Xptxas -dlcm=ca on some GPUs)."""
    return arch.blocks is not None and arch.blocks.agents_pay and arch.l1.caches_global_loads


def _modelled(task: Task, meaning: str) -> Proposal:
    found = task.survey.found
    measured = task.context.learning and _is_plane(task)
    if any(one.is_read and not one.is_atomic for one in found.unclear):
        one = next(one for one in found.unclear if one.is_read)
        where = task.kernel.line_of(one.span)
        if measured:
            return _measured(task, meaning, codes.NOT_MODELLED, f"some addresses depend on data ({one.text}, {where})")
        return task.declined(codes.NOT_MODELLED, f"some addresses depend on data ({one.text}, {where})")
    divided = _divided(task, meaning, measured=measured)
    if divided is not None:
        return divided
    walks = _walks(task)
    if walks is None:
        if measured:
            return _measured(task, meaning, codes.NOT_MODELLED, "strides or trip counts are not known at the launch")
        return task.declined(codes.NOT_MODELLED, "strides or trip counts are not known at the launch")
    if not figures.crosses(walks):
        return task.declined(
            codes.NO_GAIN, "blocks that share data lie in one row of the grid, and run together anyway"
        )
    costs = figures.figures(task.kernel, task.context, task.options, task.survey, walks)
    if costs is not None and costs["gains"] is False and measured:
        return _measured(
            task, meaning, codes.NO_GAIN, "no order is predicted to save enough traffic at this launch", **costs
        )
    if costs is not None and costs["gains"] is False:
        return task.declined(codes.NO_GAIN, "no order of blocks saves enough traffic at this launch", **costs)
    text = guard.modelled(
        walks,
        task.options,
        task.context.arch.l2.sector_bytes,
        turn_touches(found.modelled),
        together=bool(task.kernel.syncs),
    )
    if costs is None:
        code, message = codes.AT_LAUNCH, f"order of blocks chosen at launch: {task.survey.evidence}"
    else:
        code, message = codes.ORDER, f"blocks run in tiles {costs['tile']}: {task.survey.evidence}"
    finding = task.finding(Decision.APPLIED, code, message, **(costs or {}))
    return Proposal((finding,), variants=(_variant(task, text, meaning, offers=guard.orders()),))


def _divided(task: Task, meaning: str, *, measured: bool) -> Proposal | None:
    """Kernels that read by quotients or remainders, of which no strides are known."""
    one = next((form for form in task.survey.found.divided if form.is_read), None)
    if one is None:
        return None
    if _is_row(task):
        return task.declined(codes.NO_GAIN, "every launch here has one row of blocks, which run together anyway")
    why = f"some addresses have quotients or remainders ({one.text}, {one.where})"
    if measured and _is_strided(task):
        return _measured(task, meaning, codes.NOT_MODELLED, why)
    return task.declined(codes.NOT_MODELLED, why)


def _is_row(task: Task) -> bool:
    """Whether blocks are known to lie along x alone."""
    grids = [(launch.grid.y, launch.grid.z) for launch in task.context.launches]
    return bool(grids) and all(part == expr.ONE for grid in grids for part in grid)


def _is_plane(task: Task) -> bool:
    """Whether blocks lie in two dimensions, as far as is known."""
    return task.survey.grid.grid[1] != 1 and task.survey.grid.grid[0] != 1


def _measured(task: Task, meaning: str, code: str, why: str, **figures: object) -> Proposal:
    """The version of a kernel of which the model expects nothing; `code`: that of the reason."""
    variant = replace(_variant(task, "  return false;", meaning, offers=guard.orders()), only_measured=True)
    message = f"orders of blocks to be measured; the model leaves the kernel alone ({code}): {why}"
    return Proposal((task.finding(Decision.APPLIED, codes.MEASURED, message, **figures),), variants=(variant,))


def _variant(task: Task, text: str, meaning: str, *, with_agents: bool = False, offers: str = "") -> Variant:
    kernel, options, survey = task.kernel, task.options, task.survey
    functions = copied(kernel, lambda one: "blockIdx" in one.builtins)
    if with_agents:
        fetched = ahead(kernel, survey.found.forms) if options.prefetch else ""
        edits = agent_edits(kernel, f"{SCOPE}::agent<false, false>", NAME, ahead=fetched)
    else:
        edits = redirect(kernel, meaning)
    made = Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=edits + (past_l1(kernel, survey, task.context.arch) if options.bypass else ()),
        guard=survey.condition + text,
        author=NAME,
        support=guard.support(task.context.all_archs or (task.context.arch,)),
        functions=() if with_agents else copies(functions, meaning),
        redefines=frozenset({"blockIdx", "gridDim"} if with_agents else {"blockIdx"}),
        candidates=survey.condition + offers if offers else "",
    )
    return for_whole_warps(made, kernel) if with_agents else made
