"""Read only: pointers that a kernel only reads through are `__restrict__` where a launch shows that no store is there.

`y[i] = x[i]; z[i] = x[i] + x[i + n];` loads x[i] twice, and one load after the other: a store might have changed what
x points to. docs/read-only.md; docs/writing-plugins.md goes through this plugin line by line.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Decision, Finding, Kernel, PluginInfo, Proposal, Variant, hookimpl

from .codes import APPLIED, EXPLANATIONS, NOT_REWRITABLE
from .find import Refusal, found, is_read_again
from .rewrite import NAME, edits, why_not


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name and codes."""
    said = "tells nvcc which pointers no store of a launch can reach"
    return PluginInfo(NAME, said, EXPLANATIONS, only_measured=True)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding per kernel, and a version where stores stand in the way of loads."""
    pointers = found(kernel)
    if isinstance(pointers, Refusal):
        return Proposal(findings=(_finding(kernel, pointers.decision, pointers.code, pointers.reason),))
    source = context.unit.files[kernel.span.file]
    reason = why_not(kernel, source, pointers) or context.undispatchable
    if reason or not context.learning:
        said = f"left alone: {reason or 'programs do not measure versions here'}"
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, NOT_REWRITABLE, said),))
    names = [pointer.name for pointer in pointers]
    stores = list(dict.fromkeys(fact.other.pointer for pointer in pointers for fact in pointer.requires))
    message = (
        f"a version with {', '.join(names)} restricted is measured at launches where no store to {', '.join(stores)} "
        "reaches them"
    )
    applied = _finding(kernel, Decision.APPLIED, APPLIED, message)
    version = Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=edits(kernel, source, pointers),
        guard="\n  return false;",
        candidates='\n  gpuopt_o.add(gpuopt_o.blank(), 1, 1, 1.02, "restricted");',
        author=NAME,
        only_measured=True,
        requires=tuple(fact for pointer in pointers for fact in pointer.requires),
        follows=frozenset(name for name in names if is_read_again(kernel, name)),
    )
    return Proposal(findings=(applied,), variants=(version,))


def _finding(kernel: Kernel, decision: Decision, code: str, message: str) -> Finding:
    return Finding.at(kernel.name_span, NAME, kernel.qualified, decision, code, message)
