"""Guards: whether a launch has exactly the numbers of a version."""

from __future__ import annotations

from .known import Known
from .rewrite import SCOPE, Form, literal


def condition(values: Known) -> str:
    """C++ that compares block, grid and arguments of a launch with those of a version."""
    parts = [
        f"gpuopt_l.{name}.{axis} == {size}u"
        for name, sizes in (("block", values.block), ("grid", values.grid))
        for axis, size in zip("xyz", sizes or (), strict=False)
    ]
    parts += [f"{name} == static_cast<decltype({name})>({literal(value)})" for name, value in values.arguments]
    return " && ".join(parts)


def guard(values: Known, form: Form) -> str:
    """The guard that picks the version wherever it may run."""
    return f"{_excluded(values, form)}  return true;"


def candidates(values: Known, form: Form) -> str:
    """The version as it is, as one candidate; one with fewer registers only where it has more blocks resident."""
    lines = _excluded(values, form)
    if form.blocks:
        lines += (
            "  if (gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared) <= gpuopt_l.resident_blocks)\n"
        )
        lines += "    return false;\n"
    return f'{lines}  gpuopt_o.add(gpuopt_o.blank(), 1, 1.05, 1.5, "{form.name}");'


def _excluded(values: Known, form: Form) -> str:
    """Statements that rule out launches with other numbers, and compilers without what the form needs."""
    lines = f"  if (!({condition(values)})) return false;\n"
    if form.spills:
        lines += f"  if (gpuopt_l.shared || !{SCOPE}::spills_to_shared()) return false;\n"
    return lines
