"""Running plugins: the host owns order, isolation, time limits and attribution.

Within a phase every plugin sees the same source. A plugin that raises, hangs or returns something else than it
promised is left out for the unit with one warning; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from gpuopt_driver import isolate, rules
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.hooks import Context, Proposal
from gpuopt_driver.plugins import LoadedPlugin, Plugins
from gpuopt_driver.report.model import Decision, Finding, Problem, Severity, Timing

T = TypeVar("T")

CODES = {
    "GPUOPT001": "The plugin ran over the kernel and had nothing to say about it.",
    "GPUOPT002": "The edits of two plugins for this kernel overlap. The plugin that comes later in the policy was left "
    "out; put the two into different [[phase]] tables so that the later one sees the other's result.",
    "GPUOPT003": "The patched source did not parse as intended, so this kernel was left as it was.",
    "GPUOPT004": "The instantiations of a kernel template want different changes of the one text that they share.",
    "GPUOPT005": "The plugin is switched off for this kernel by the policy or by a marker in the source.",
    "GPUOPT006": "Several sources of one command include the same file and would compile it with different bytes; the "
    "units that would patch it were left as they are. Compile the sources one by one.",
    "GPUOPT007": "The patched source did not compile or could not be shown to the compiler; it was compiled as it was.",
    "GPUOPT008": "The plugin raised, ran too long or returned something else than it promised, for this kernel or for "
    "another one of the same source; it was left out of the whole source. GPUOPT_DEBUG=1 shows the traceback.",
    "GPUOPT009": "The PTX does not tell which instructions the chosen loads are, or ptxas could not be shown another "
    "PTX; they keep their cache operator.",
    "GPUOPT010": "Another file defines the kernel that is launched here. If that file was built with versions of it "
    "that hold for launches anywhere (a carve-out), this launch picks among them, too; else it is what it was.",
    "GPUOPT011": "Another file defines the kernel, and this launch keeps the original: it is a kernel template's, "
    "cooperative, a graph's node, or written where it cannot be changed alone (a macro, a header).",
    rules.UNDISPATCHABLE: "The plugin proposed a version of a kernel that no launch of this build can get (no host "
    "code, no launch that can be rewritten); the version was left out, whatever the plugin reported of it.",
    "GPUOPT013": "The analysis of the source would have taken more memory than nvcc itself takes for it (or than "
    "memory_mb in [driver] allows), or more than three times plugin_seconds; it was compiled as it is.",
    "GPUOPT020": "nvcc fuses a product and a sum to one operation with one rounding (FMA contraction) where the code "
    "around them lets it, and it fused others in this version than in the kernel, or that could not be compared. The "
    'version would have other last digits and is left out; `rounding = "any"` in [driver] allows it.',
    "GPUOPT021": "The version gives a built-in variable (blockIdx) another meaning, but what nvcc made of it still "
    "reads the launch's own where the version does not reach: in a constructor, a default argument, a callee.",
}

KernelContexts = Callable[[LoadedPlugin, Kernel], "Context | None"]


@dataclass
class PhaseRun:
    """What the plugins of one phase said: proposals by plugin and kernel, problems, and how long it took."""

    proposals: list[tuple[str, Kernel, Context, Proposal]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)


def run_phase(
    plugins: Plugins, names: Sequence[str], kernels: Sequence[Kernel], contexts: KernelContexts, seconds: float
) -> PhaseRun:
    """Every plugin of the phase over every kernel, in the policy's order. `contexts` gives None where it is off."""
    run = PhaseRun()
    for name in names:
        plugin = plugins.get(name)
        if plugin is not None:
            _run_plugin(plugins, plugin, kernels, contexts, seconds, run)
    return run


def _run_plugin(
    plugins: Plugins,
    plugin: LoadedPlugin,
    kernels: Sequence[Kernel],
    contexts: KernelContexts,
    seconds: float,
    run: PhaseRun,
) -> None:
    """One plugin over all kernels; its first failure ends it for this unit and takes back what it proposed."""
    proposals: list[tuple[str, Kernel, Context, Proposal]] = []
    off: list[Finding] = []
    spent = {"analyze": 0.0, "propose": 0.0}
    left = [seconds]
    for kernel in kernels:
        context = contexts(plugin, kernel)
        if context is None:
            message = f"{plugin.name} is switched off for this kernel"
            off.append(finding(plugin.name, kernel, "GPUOPT005", message, Decision.NOT_APPLICABLE))
            continue
        done = _ask(plugins, plugin, kernel, context, left, spent)
        if isinstance(done, str):
            run.problems.append(Problem(Severity.WARNING, f"plugin {plugin.name} {done}; it is left out", plugin.name))
            why = f"{plugin.name} {done}; it is left out of this source"
            off = [finding(plugin.name, each, "GPUOPT008", why, Decision.DECLINED) for each in kernels]
            proposals = []
            break
        proposals.append((plugin.name, kernel, context, done))
    run.findings.extend(off)
    run.proposals.extend(proposals)
    run.timings.extend(Timing(step, took, plugin.name) for step, took in spent.items())


def _ask(
    plugins: Plugins, plugin: LoadedPlugin, kernel: Kernel, context: Context, left: list[float], spent: dict[str, float]
) -> Proposal | str:
    """A plugin's proposal for one kernel, or what went wrong, as the rest of a sentence. What counts of the time that
    it takes is taken off `left`."""
    facts: Any = None
    if "gpuopt_analyze" in plugin.hooks:
        analyze = plugins.caller(plugin, "gpuopt_analyze")
        first = isolate.call(lambda: analyze(kernel=kernel, context=context), max(left[0], 0.001))
        spent["analyze"] += first.seconds
        left[0] -= first.counted
        if first.failure:
            return f"{first.failure} in gpuopt_analyze of {kernel.qualified}"
        facts = first.value
    if "gpuopt_propose" not in plugin.hooks:
        return _checked(plugin.name, kernel, context, None)
    propose = plugins.caller(plugin, "gpuopt_propose")
    second = isolate.call(lambda: propose(kernel=kernel, context=context, facts=facts), max(left[0], 0.001))
    spent["propose"] += second.seconds
    left[0] -= second.counted
    if second.failure:
        return f"{second.failure} in gpuopt_propose of {kernel.qualified}"
    return _checked(plugin.name, kernel, context, second.value)


def _checked(name: str, kernel: Kernel, context: Context, value: object) -> Proposal | str:
    """The proposal with its author filled in, or why it is not one."""
    if value is None:
        value = Proposal()
    if not isinstance(value, Proposal):
        return f"returned {type(value).__name__} instead of a Proposal for {kernel.qualified}"
    fault = rules.broken(kernel, context, value)
    if fault is not None:
        return f"proposed {fault.how} for {kernel.qualified} (rule: {fault.rule.value})"
    findings = value.findings or (
        finding(name, kernel, "GPUOPT001", f"{name} has nothing to say about this kernel", Decision.NOT_APPLICABLE),
    )
    if any(item.plugin != name or not item.code for item in findings):
        return f"returned a finding without its name or without a code for {kernel.qualified}"
    variants = tuple(
        replace(variant, author=name, edits=tuple(replace(edit, author=name) for edit in variant.edits))
        for variant in value.variants
    )
    edits = tuple(replace(edit, author=name) for edit in value.edits)
    made = replace(value, findings=findings, edits=edits, variants=variants)
    return rules.launchable(
        kernel, context, made, lambda said: finding(name, kernel, rules.UNDISPATCHABLE, said, Decision.DECLINED)
    )


def finding(plugin: str, kernel: Kernel, code: str, message: str, decision: Decision) -> Finding:
    """A finding of the host about one kernel."""
    return Finding.at(kernel.name_span, plugin, kernel.qualified, decision, code, message)


def check(
    plugins: Plugins, name: str, kernel: Kernel, context: Context, proposal: Proposal, seconds: float
) -> isolate.Result[str | None]:
    """A plugin's own verdict on its patched kernel: None in `value` is a good one."""
    plugin = plugins.get(name)
    if plugin is None or "gpuopt_check" not in plugin.hooks:
        return isolate.Result(None, "", 0.0)
    verdict = plugins.caller(plugin, "gpuopt_check")
    return isolate.call(lambda: verdict(kernel=kernel, context=context, proposal=proposal), seconds)
