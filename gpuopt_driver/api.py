"""Everything that a plugin may import, and nothing else is needed to write one."""

from __future__ import annotations

from gpuopt_driver.analysis import coalescing, footprint
from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.guard_terms import Unwritable, divisors, guard_term
from gpuopt_driver.analysis.occupancy import BlockUse, Occupancy, occupancy
from gpuopt_driver.analysis.references import Inner, Reference, loads_by_reference, references, trip_count
from gpuopt_driver.analysis.sites import GUESS, Site, sites
from gpuopt_driver.arch.spec import L1, L2, Arch, Limits, SharedMemory
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind
from gpuopt_driver.frontend.model import (
    LOOP_KINDS,
    Access,
    Array,
    Call,
    CallSite,
    Dim3,
    Function,
    Instantiation,
    Kernel,
    Launch,
    LaunchKind,
    Loop,
    Param,
    Space,
    Stmt,
    StmtKind,
    Sync,
    SyncKind,
    Unit,
    Variable,
)
from gpuopt_driver.hooks import Context, PluginInfo, Proposal, Resources, hookimpl
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.source.text import SourceFile, Span
from gpuopt_driver.variants.copies import copied, why_not_copied
from gpuopt_driver.variants.model import PLAN_SLOTS, FunctionCopy, Variant

__all__ = [
    "GUESS",
    "L1",
    "L2",
    "LOOP_KINDS",
    "PLAN_SLOTS",
    "Access",
    "Arch",
    "Array",
    "BlockUse",
    "Call",
    "CallSite",
    "Const",
    "Context",
    "Decision",
    "Dim3",
    "Edit",
    "Expr",
    "Finding",
    "Function",
    "FunctionCopy",
    "Inner",
    "Instantiation",
    "Kernel",
    "Launch",
    "LaunchKind",
    "Limits",
    "Loop",
    "Occupancy",
    "Op",
    "Param",
    "PluginInfo",
    "Proposal",
    "Reference",
    "Resources",
    "Shape",
    "SharedMemory",
    "Site",
    "SourceFile",
    "Space",
    "Span",
    "Stmt",
    "StmtKind",
    "Sym",
    "SymKind",
    "Sync",
    "SyncKind",
    "Unit",
    "Unwritable",
    "Variable",
    "Variant",
    "coalescing",
    "copied",
    "divisors",
    "expr",
    "footprint",
    "guard_term",
    "hookimpl",
    "loads_by_reference",
    "occupancy",
    "references",
    "sites",
    "trip_count",
    "why_not_copied",
]
