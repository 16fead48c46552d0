"""prefer_l1: a launch without shared memory asks for all of the unified memory as L1 data cache.

A stranger's plugin, as far as gpuopt can tell: a distribution of its own, found through its entry point. It makes a
version of a kernel without changing a byte of it: the guard looks at the launch and sets its carve-out.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuopt_driver.api import Context, Decision, Finding, Kernel, PluginInfo, Proposal, Variant, hookimpl

NAME = "prefer_l1"
CODES = {
    "PREFER001": "Applied: launches that use no shared memory, of a program that set no preference, get all of L1.",
    "PREFER002": "Left alone: the GPU's L1 is a memory of its own.",
    "PREFER003": "Left alone: the kernel uses shared memory.",
    "PREFER004": "Left alone: no launch of the kernel in this file can pick a version.",
}


@dataclass(frozen=True)
class Options:
    """`[plugins.prefer_l1]`."""

    blocks: int = 1  # launches with fewer blocks than this stay as they are


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(NAME, "launches without shared memory ask for all of it as L1", CODES, Options)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding; a version whose launches differ only in their carve-out."""
    if not context.arch.l1.unified:
        return _finding(kernel, "PREFER002", f"the {context.arch.title} has an L1 of its own")
    if kernel.static_shared_bytes != 0 or kernel.uses_dynamic_shared:
        return _finding(kernel, "PREFER003", "the kernel uses shared memory")
    if context.undispatchable or not context.has_host_code:
        return _finding(kernel, "PREFER004", context.undispatchable or "there is no host code")
    guard = f"""
  if (gpuopt_l.shared || gpuopt_l.static_shared || gpuopt_l.carveout_set) return false;
  if (gpuopt_l.grid.x * gpuopt_l.grid.y * gpuopt_l.grid.z < {context.options.blocks}u) return false;
  gpuopt_c.carveout = 0;
  return true;"""
    return _finding(kernel, "PREFER001", "no shared memory", Variant(kernel.usr, NAME, (), guard))


def _finding(kernel: Kernel, code: str, message: str, *variants: Variant) -> Proposal:
    decision = Decision.APPLIED if variants else Decision.DECLINED
    at = kernel.name_span
    finding = Finding(NAME, kernel.qualified, decision, code, message, at.file, at.line, at.column)
    return Proposal(findings=(finding,), variants=variants)
