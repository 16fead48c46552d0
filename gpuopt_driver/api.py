"""Everything that a plugin may import, and nothing else is needed to write one."""

from __future__ import annotations

from gpuopt_driver.analysis import coalescing, footprint, guard_loads, l1_reuse, loop_loads, loop_work
from gpuopt_driver.analysis.block_agents import agent_edits, agent_guard
from gpuopt_driver.analysis.block_choice import Choice as BlockChoice
from gpuopt_driver.analysis.block_choice import Machine, best_tile
from gpuopt_driver.analysis.block_choice import Near as NearCache
from gpuopt_driver.analysis.block_forms import BlockForm
from gpuopt_driver.analysis.block_independence import Obstacle, returns_before_barrier
from gpuopt_driver.analysis.block_independence import objection as block_objection
from gpuopt_driver.analysis.block_survey import Kind as BlockKind
from gpuopt_driver.analysis.block_survey import Survey as BlockSurvey
from gpuopt_driver.analysis.block_survey import survey as block_survey
from gpuopt_driver.analysis.block_traffic import Walk as BlockWalk
from gpuopt_driver.analysis.block_traffic import numbers as walk_numbers
from gpuopt_driver.analysis.block_traffic import support as block_support
from gpuopt_driver.analysis.block_traffic import walks as block_walks
from gpuopt_driver.analysis.block_warps import TurnTouch, lines_of_warp, turn_touches, warp_terms
from gpuopt_driver.analysis.called_loops import called_loop
from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.cooperation import Cooperation, Together, cooperation, waited_for
from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.analysis.exits import Missed, missed
from gpuopt_driver.analysis.extents import counted as counted_number
from gpuopt_driver.analysis.extents import extent
from gpuopt_driver.analysis.guard_terms import Unwritable, are_writable, divisors, guard_term
from gpuopt_driver.analysis.headers import Header, begins, in_front, loop_header
from gpuopt_driver.analysis.independence import blocks_independent
from gpuopt_driver.analysis.loop_loads import LoopLoad, LoopLoads
from gpuopt_driver.analysis.loop_work import Work
from gpuopt_driver.analysis.neighbours import Limit as IndexLimit
from gpuopt_driver.analysis.neighbours import beside_thread, is_multiple, leaves_for_good, reaching
from gpuopt_driver.analysis.not_affine import why_not_modelled
from gpuopt_driver.analysis.occupancy import BlockUse, Occupancy, occupancy
from gpuopt_driver.analysis.phase_cost import WAIT, Cost, Latencies, Split, split_cost
from gpuopt_driver.analysis.pointers import Aligned, Counted, Disjoint, Extent
from gpuopt_driver.analysis.references import Inner, Reference, loads_by_reference, references, trip_count
from gpuopt_driver.analysis.shared_division import (
    Declared,
    Division,
    aligned,
    declared_arrays,
    divisions,
    own_access,
    subscripts,
)
from gpuopt_driver.analysis.shared_iterations import free_behind, own_iterations, rows_before, takes_sides
from gpuopt_driver.analysis.shared_points import values_of
from gpuopt_driver.analysis.shared_regions import (
    Region,
    SharedObstacle,
    SharedProblem,
    SharedUse,
    declares_shared,
    joined,
    region_between,
    shared_regions,
)
from gpuopt_driver.analysis.sites import GUESS, Site, sites
from gpuopt_driver.arch.spec import L1, L2, Arch, Limits, Partition, SharedMemory
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.evaluation import NOTHING, Evaluation, evaluation
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind
from gpuopt_driver.frontend.launch_sites import Dim3, Launch, LaunchKind
from gpuopt_driver.frontend.model import (
    LOOP_KINDS,
    Access,
    Array,
    Assignment,
    Call,
    CallSite,
    Convergence,
    Effect,
    Function,
    FunctionProblem,
    Instantiation,
    Kernel,
    Loop,
    Param,
    Place,
    Space,
    Stmt,
    StmtKind,
    Sync,
    SyncKind,
    Unit,
    Variable,
)
from gpuopt_driver.frontend.polynomial import difference, normal
from gpuopt_driver.frontend.uses import BuiltinUse, Construct
from gpuopt_driver.hooks import Context, PluginInfo, Proposal, Resources, hookimpl
from gpuopt_driver.profiles import KernelProfile, LineLoads, Profile, digest, read_profile
from gpuopt_driver.proposals import Kind as ObjectionKind
from gpuopt_driver.proposals import Objection, Unlaunched, declined, finding, said, why_not_elsewhere
from gpuopt_driver.report.model import Decision, Finding, counted
from gpuopt_driver.source import marks
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.source.text import SourceFile, Span
from gpuopt_driver.suggest import did_you_mean
from gpuopt_driver.variants.copies import (
    CopyObstacle,
    NotCopied,
    can_capture,
    copied,
    why_not_copied,
    why_not_redefined,
)
from gpuopt_driver.variants.emitted import SHARED_MEMORY
from gpuopt_driver.variants.model import PLAN_SLOTS, FunctionCopy, Variant, Watch
from gpuopt_driver.variants.rows import for_whole_warps
from gpuopt_driver.variants.unseen import no_launch
from gpuopt_driver.variants.virtual import (
    Hidden,
    NotHidden,
    body_closure,
    body_edits,
    repeated_edits,
    shadows,
    virtual_copies,
    virtual_edits,
    why_not_virtual,
)

__all__ = [
    "GUESS",
    "L1",
    "L2",
    "LOOP_KINDS",
    "NOTHING",
    "PLAN_SLOTS",
    "SHARED_MEMORY",
    "WAIT",
    "Access",
    "Aligned",
    "Arch",
    "Array",
    "Assignment",
    "BlockChoice",
    "BlockForm",
    "BlockKind",
    "BlockSurvey",
    "BlockUse",
    "BlockWalk",
    "BuiltinUse",
    "Call",
    "CallSite",
    "Const",
    "Construct",
    "Context",
    "Convergence",
    "Cooperation",
    "CopyObstacle",
    "Cost",
    "Counted",
    "Decision",
    "Declared",
    "Dim3",
    "Disjoint",
    "Division",
    "Edit",
    "Effect",
    "Evaluation",
    "Expr",
    "Extent",
    "Finding",
    "Function",
    "FunctionCopy",
    "FunctionProblem",
    "GpuoptError",
    "Header",
    "Hidden",
    "IndexLimit",
    "Inner",
    "Instantiation",
    "Kernel",
    "KernelProfile",
    "Latencies",
    "Launch",
    "LaunchKind",
    "Limits",
    "LineLoads",
    "Loop",
    "LoopLoad",
    "LoopLoads",
    "Machine",
    "Missed",
    "NearCache",
    "NotCopied",
    "NotHidden",
    "Objection",
    "ObjectionKind",
    "Obstacle",
    "Occupancy",
    "Op",
    "Param",
    "Partition",
    "Place",
    "PluginInfo",
    "Profile",
    "Proposal",
    "Reference",
    "Region",
    "Resources",
    "Shape",
    "SharedMemory",
    "SharedObstacle",
    "SharedProblem",
    "SharedUse",
    "Site",
    "SourceFile",
    "Space",
    "Span",
    "Split",
    "Stmt",
    "StmtKind",
    "Sym",
    "SymKind",
    "Sync",
    "SyncKind",
    "Together",
    "TurnTouch",
    "Unit",
    "Unlaunched",
    "Unwritable",
    "Variable",
    "Variant",
    "Watch",
    "Work",
    "agent_edits",
    "agent_guard",
    "aligned",
    "are_writable",
    "begins",
    "beside_thread",
    "best_tile",
    "block_objection",
    "block_support",
    "block_survey",
    "block_walks",
    "blocks_independent",
    "body_closure",
    "body_edits",
    "called_loop",
    "can_capture",
    "coalescing",
    "cooperation",
    "copied",
    "counted",
    "counted_number",
    "dataclass",
    "declared_arrays",
    "declares_shared",
    "declined",
    "did_you_mean",
    "difference",
    "digest",
    "divisions",
    "divisors",
    "evaluation",
    "expr",
    "extent",
    "finding",
    "footprint",
    "for_whole_warps",
    "free_behind",
    "guard_loads",
    "guard_term",
    "hookimpl",
    "in_front",
    "is_multiple",
    "joined",
    "l1_reuse",
    "leaves_for_good",
    "lines_of_warp",
    "loads_by_reference",
    "loop_header",
    "loop_loads",
    "loop_work",
    "marks",
    "missed",
    "no_launch",
    "normal",
    "occupancy",
    "own_access",
    "own_iterations",
    "reaching",
    "read_profile",
    "references",
    "region_between",
    "repeated_edits",
    "returns_before_barrier",
    "rows_before",
    "said",
    "shadows",
    "shared_regions",
    "sites",
    "split_cost",
    "subscripts",
    "takes_sides",
    "trip_count",
    "turn_touches",
    "values_of",
    "virtual_copies",
    "virtual_edits",
    "waited_for",
    "walk_numbers",
    "warp_terms",
    "why_not_copied",
    "why_not_copyable",
    "why_not_elsewhere",
    "why_not_modelled",
    "why_not_redefined",
    "why_not_virtual",
]
