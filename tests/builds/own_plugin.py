"""A plugin that is installed beside a project, and installed again in another version, as its author would."""

from __future__ import annotations

from pathlib import Path

MODULE = '''\
"""Multiplies the weights, which no optimizer may: its builds can be told apart."""

from gpuopt_driver.api import Decision, Edit, Finding, PluginInfo, Proposal, hookimpl

OLD, NEW = b"weights[column]", b"weights[column] * FACTOR"


@hookimpl
def gpuopt_describe():
    return PluginInfo("multiply", "multiplies", {"MULTIPLY001": "multiplied"})


@hookimpl
def gpuopt_propose(kernel, context):
    span = kernel.span
    at = context.unit.files[span.file].data.find(OLD, span.start, span.end)
    if at < 0:
        return Proposal()
    found = Finding("multiply", kernel.qualified, Decision.APPLIED, "MULTIPLY001", "multiplied", span.file, span.line)
    return Proposal((found,), (Edit(span.file, at, at + len(OLD), NEW),))
'''


def install(site: Path, factor: int) -> None:
    """What pip would put into `site`."""
    information = site / "multiply-1.0.dist-info"
    information.mkdir(parents=True, exist_ok=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: multiply\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[gpuopt.plugins]\nmultiply = multiply\n")
    (site / "multiply.py").write_text(MODULE.replace("FACTOR", f"{factor}.0f"))
