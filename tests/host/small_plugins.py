"""Small plugins and one-file units for the tests of host and phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import PluginInfo, Proposal, hookimpl
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.plugins import Plugins, no_plugins, register
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.source.edits import Edit

KERNEL = """__global__ void add(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
void all(float *x, int n) { add<<<(n + 63) / 64, 64>>>(x, n); }
"""


def finding(name: str, kernel: Any, decision: Decision, message: str = "") -> Finding:
    """A finding with the code that every plugin of the tests has."""
    span = kernel.name_span
    return Finding(name, kernel.qualified, decision, f"{name.upper()}001", message, span.file, span.line)


def plugin(name: str, propose: Callable[..., Any], **hooks: Any) -> ModuleType:
    """A plugin around a function (kernel, context, facts) -> Proposal."""

    @hookimpl
    def gpuopt_describe() -> PluginInfo:
        return PluginInfo(name, name, {f"{name.upper()}001": "said"})

    @hookimpl
    def gpuopt_propose(kernel: Any, context: Any, facts: Any) -> Any:
        return propose(kernel, context, facts)

    made = ModuleType(name)
    made.__dict__.update(gpuopt_describe=gpuopt_describe, gpuopt_propose=gpuopt_propose, **hooks)
    return made


def swap(name: str, old: str, new: str, **hooks: Any) -> ModuleType:
    """A plugin that replaces the first `old` of every kernel by `new`."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        data = context.unit.files[kernel.span.file].data
        at = data.find(old.encode(), kernel.span.start, kernel.span.end)
        if at < 0:
            return Proposal((finding(name, kernel, Decision.DECLINED, "not there"),))
        edit = Edit(kernel.span.file, at, at + len(old), new.encode())
        return Proposal((finding(name, kernel, Decision.APPLIED, "swapped"),), (edit,))

    return plugin(name, propose, **hooks)


def together(*modules: ModuleType) -> Plugins:
    """These plugins and no other."""
    plugins = no_plugins()
    for module in modules:
        plugins = register(plugins, module.__name__, module)
    return plugins


def examined(
    directory: Path, modules: Sequence[ModuleType], source: str = KERNEL, policy: Policy | None = None
) -> Examination:
    """What the plugins make of a source file."""
    path = directory / "a.cu"
    path.write_text(source)
    return process(Job(str(path), ParseOptions(), policy or Policy()), together(*modules))


def patched(result: Examination) -> str:
    """The patched main file, "" where it stays as it is."""
    data: Mapping[str, bytes] = result.patched
    return next((text.decode() for name, text in data.items() if name.endswith("a.cu")), "")


def said(result: Examination) -> list[tuple[str, str, str]]:
    """(plugin, decision, code) of every finding."""
    return [(item.plugin, item.decision.value, item.code) for item in result.report.findings]
