"""Running plugins: the host owns order, isolation, time limits and attribution.

Within a phase every plugin sees the same source. A plugin that raises, hangs or returns something else than it
promised is left out for the unit with one warning; the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from gpuopt_driver import apart, isolate, rules, suspects
from gpuopt_driver.arch.choose import UNKNOWN_GPU
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.hooks import Context, Proposal
from gpuopt_driver.plugins import LoadedPlugin, Plugins, is_stranger
from gpuopt_driver.report.document import plain
from gpuopt_driver.report.model import Decision, Finding, Problem, Severity, Timing

T = TypeVar("T")

CODES = {
    "GPUOPT001": "The plugin ran over the kernel and had nothing to say about it. Plugins owe a finding for every "
    "kernel: tell the plugin's author.",
    "GPUOPT002": "The edits of two plugins for this kernel overlap. The plugin that comes later in the policy was "
    "left out; put the two into different [[phase]] tables so that the later one sees the other's result.",
    "GPUOPT003": "The patched source did not parse as intended, so this kernel was left as it was. The message says "
    "what was found; a build is not affected.",
    "GPUOPT004": "The instantiations of a kernel template want different changes of the one text that they share, "
    "so it is left as it is.",
    "GPUOPT005": "The plugin is switched off for this kernel: by `enabled = false` in [plugins.NAME] or a "
    "[[kernel]] table of the policy, or by `#pragma gpuopt` in the source (docs/policy.md).",
    "GPUOPT006": "Several sources of one command include the same file and would compile it with different bytes; "
    "the units that would patch it were left as they are. Compile the sources one by one.",
    "GPUOPT007": "The patched source did not compile or could not be shown to the compiler; it was compiled as it was.",
    "GPUOPT008": "The plugin raised, ran too long or returned something else than it promised, for this kernel or "
    "for another one of the same source; it was left out of the whole source. GPUOPT_DEBUG=1 shows the traceback.",
    "GPUOPT009": "The loads that were chosen go through L1 as before: nvcc's PTX does not tell which instructions "
    "they are, or ptxas could not be shown a changed one.",
    "GPUOPT010": "Another file defines the kernel that is launched here. If that file was built with versions of it "
    "that hold for launches anywhere (a carve-out, with `other_files = true`), this launch chooses among them, "
    "too; else it is what it was.",
    "GPUOPT011": "Another file defines the kernel, and this launch keeps the original: it is a kernel template's, "
    "cooperative, a graph's node, or written where it cannot be changed alone (a macro, a header).",
    rules.UNDISPATCHABLE: "The plugin proposed a version of a kernel that no launch of this build can get (no host "
    "code, no launch that can be rewritten); the version was left out, whatever the plugin reported of it.",
    UNKNOWN_GPU: "No GPU file stands for the architecture that is compiled for, nor for one of its generation, so that "
    "nothing that rests on a GPU's figures (cache sizes, limits) is decided. --gpuopt-gpu=NAME or `name` in [gpu] says "
    "for which GPU to decide; `gpuopt calibrate` measures yours and writes a file.",
    "GPUOPT014": "The analysis of the source would have taken more memory than nvcc itself takes for it (or than "
    "memory_mb in [driver] allows), or more than three times plugin_seconds; it was compiled as it is.",
    "GPUOPT015": "No model expects a gain of the version, so it would be made for measurements in the program's run "
    "alone. The file has as many of these as `versions` in [learn] allows, or the kernel is long (loops unrolled, all "
    "instantiations, with the functions that it calls): each costs time to compile. A `versions` above its default "
    "raises the limits for long ones, too. Or the kernel only sets up cuRAND's generators, which a program does once.",
    "GPUOPT016": "No launch of the kernel in this file could get a version of it (there is none, or none that names a "
    "kernel of a header, all are in bodies of macros or in arguments that macros change, in device code or by "
    "functions of the runtime, or a version of the template cannot be named), so that its code was not analysed. It is "
    "where a plugin has versions for launches of other files (`other_files = true` in [plugins.unified_memory]), and "
    "with a [[kernel]] table in the policy.",
    "GPUOPT020": "nvcc fuses a product and a sum to one operation with one rounding (FMA contraction) where the "
    "code around them lets it, and it fused others in this version than in the kernel, or that could not be "
    "compared; or nvcc left out of one of them what changes NaN and denormal numbers alone (`x * 1.0f`). The version "
    'would have other last digits, or other such numbers, and is left out; `rounding = "any"` in [driver] allows it.',
    "GPUOPT021": "The version gives a built-in variable (blockIdx) another meaning, but what nvcc made of it still "
    "reads the launch's own where the version does not reach: in a constructor, a default argument, a callee. The "
    "version is left out.",
    "GPUOPT022": "A GPU shifts everything out by 32 and more, and gives a number for a division by 0. Where nvcc sees "
    "such a constant, it takes any result, and may leave out the stores of what is made of it. With the numbers that "
    "this version has as constants some shift or division of the kernel may come to that (in a loop that nvcc "
    "unrolls, behind a macro, in a function), or a product or sum of what was loaded is compared or divided, of which "
    "nvcc takes for granted that it does not overflow, with these numbers or because the version has elements of "
    "arrays in registers; so the version is left out.",
}

_ANYWHERE_SECONDS = 5.0
KernelContexts = Callable[[LoadedPlugin, Kernel], "Context | None"]


@dataclass
class PhaseRun:
    """What the plugins of one phase said: proposals by plugin and kernel, problems, and how long it took."""

    proposals: list[tuple[str, Kernel, Context, Proposal]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)


def run_phase(
    plugins: Plugins,
    names: Sequence[str],
    kernels: Sequence[Kernel],
    contexts: KernelContexts,
    seconds: float,
    unmeasured: Mapping[str, str] = MappingProxyType({}),
) -> PhaseRun:
    """Every plugin of the phase over every kernel, in the policy's order. `contexts` gives None where it is off.

    `unmeasured`: by USR, why a kernel gets no version for measurements alone, whatever plugins find.
    """
    run = PhaseRun()
    for name in names:
        plugin = plugins.get(name)
        if plugin is not None:
            unfit = unmeasured if plugin.info.only_measured else {}
            _run_plugin(plugins, plugin, kernels, contexts, seconds, run, unfit)
    return run


def _run_plugin(
    plugins: Plugins,
    plugin: LoadedPlugin,
    kernels: Sequence[Kernel],
    contexts: KernelContexts,
    seconds: float,
    run: PhaseRun,
    unfit: Mapping[str, str],
) -> None:
    """One plugin over all kernels; its first failure ends it for this unit and takes back what it proposed."""
    off: list[Finding] = []
    asked: list[tuple[Kernel, Context]] = []
    spent = {"analyze": 0.0, "propose": 0.0}
    for kernel in kernels:
        context = contexts(plugin, kernel)
        if context is None:
            message = f"{plugin.name} is switched off for this kernel"
            off.append(finding(plugin.name, kernel, "GPUOPT005", message, Decision.NOT_APPLICABLE))
        elif kernel.idle:
            message = f"not analysed, as no launch here could get a version: {kernel.idle}"
            off.append(finding(plugin.name, kernel, "GPUOPT016", message, Decision.NOT_APPLICABLE))
        elif kernel.usr in unfit:
            off.append(
                finding(plugin.name, kernel, "GPUOPT015", f"not looked at: {unfit[kernel.usr]}", Decision.DECLINED)
            )
        else:
            asked.append((kernel, context))
    ask_all = _ask_stranger if is_stranger(plugin) else _ask_all
    done = ask_all(plugins, plugin, asked, seconds, spent) if asked else []
    if isinstance(done, str):
        run.problems.append(Problem(Severity.WARNING, f"plugin {plugin.name} {done}; it is left out", plugin.name))
        why = f"{plugin.name} {done}; it is left out of this source"
        off = [finding(plugin.name, each, "GPUOPT008", why, Decision.DECLINED) for each in kernels]
        done, asked = [], []
    proposals = [(plugin.name, *pair, proposal) for pair, proposal in zip(asked, done, strict=True)]
    said = dict.fromkeys(text for _, _, _, proposal in proposals for text in proposal.warnings)
    run.problems.extend(Problem(Severity.WARNING, f"plugin {plugin.name}: {text}") for text in said)
    run.findings.extend(off)
    run.proposals.extend(proposals)
    run.timings.extend(Timing(step, took, plugin.name) for step, took in spent.items())


_Call = Callable[[Callable[[], Any], float], isolate.Result[Any]]
_Asked = Sequence[tuple[Kernel, Context]]


def _ask_all(
    plugins: Plugins,
    plugin: LoadedPlugin,
    asked: _Asked,
    seconds: float,
    spent: dict[str, float],
    call: _Call = isolate.call,
) -> list[Proposal] | str:
    """A plugin's proposals for all kernels, or what went wrong. `call` is how its hooks are called."""
    found: list[Proposal] = []
    left = [seconds]
    for kernel, context in asked:
        done = _ask(plugins, plugin, kernel, context, left, spent, call)
        if isinstance(done, str):
            return done
        found.append(done)
    return found


def _ask_stranger(
    plugins: Plugins, plugin: LoadedPlugin, asked: _Asked, seconds: float, spent: dict[str, float]
) -> list[Proposal] | str:
    """The same for a plugin that is not ours, in a process of its own: whatever it does there, nobody else sees it."""

    def work() -> tuple[list[Proposal] | str, dict[str, float]]:
        found = _ask_all(plugins, plugin, asked, seconds, spent, _here)
        return found if isinstance(found, str) else [_plain(one) for one in found], spent

    with suspects.running(plugin.name, "when it was asked about kernels"):
        done = apart.call(work, seconds)
        if done.value is None:
            return f"{done.failure} when it was asked about kernels"
        found, took = done.value
        spent.update(took)
        if isinstance(found, str):
            return found
        checked: list[Proposal] = []
        for (kernel, context), one in zip(asked, found, strict=True):  # what came back is what counts
            again = _checked(plugin.name, kernel, context, one)
            if isinstance(again, str):
                return again
            checked.append(again)
        return checked


def _here(function: Callable[[], Any], _seconds: float) -> isolate.Result[Any]:
    """A call in this process, which is the plugin's own: others see to it that it ends."""
    started = time.perf_counter()
    try:
        value = function()
    except BaseException as error:  # isolation is the purpose
        return isolate.Result(None, isolate.described(error), time.perf_counter() - started, error)
    return isolate.Result(value, "", time.perf_counter() - started)


def _plain(proposal: Proposal) -> Proposal:
    """A proposal whose figures and facts are data."""
    findings = tuple(replace(one, figures=plain(one.figures)) for one in proposal.findings)
    return replace(proposal, findings=findings, facts=plain(proposal.facts))


def _ask(
    plugins: Plugins,
    plugin: LoadedPlugin,
    kernel: Kernel,
    context: Context,
    left: list[float],
    spent: dict[str, float],
    call: _Call,
) -> Proposal | str:
    """A plugin's proposal for one kernel, or what went wrong, as the rest of a sentence. What counts of the time that
    it takes is taken off `left`."""
    facts: Any = None
    if "gpuopt_analyze" in plugin.hooks:
        analyze = plugins.caller(plugin, "gpuopt_analyze")
        first = call(lambda: analyze(kernel=kernel, context=context), max(left[0], 0.001))
        spent["analyze"] += first.seconds
        left[0] -= first.counted
        if first.failure:
            return f"{first.failure} in gpuopt_analyze of {kernel.qualified}"
        facts = first.value
    if "gpuopt_propose" not in plugin.hooks:
        return _checked(plugin.name, kernel, context, None)
    propose = plugins.caller(plugin, "gpuopt_propose")
    second = call(lambda: propose(kernel=kernel, context=context, facts=facts), max(left[0], 0.001))
    spent["propose"] += second.seconds
    left[0] -= second.counted
    if second.failure:
        return f"{second.failure} in gpuopt_propose of {kernel.qualified}"
    return _checked(plugin.name, kernel, context, second.value)


def _checked(name: str, kernel: Kernel, context: Context, value: object) -> Proposal | str:
    """The proposal with its author filled in, or why it is not one."""
    try:
        return _accepted(name, kernel, context, value)
    except Exception as error:  # parts of wrong types break what looks at them, anywhere
        what = f"{type(error).__name__}: {error}"
        return f"returned a Proposal with parts of wrong types for {kernel.qualified} ({what})"


def _accepted(name: str, kernel: Kernel, context: Context, value: object) -> Proposal | str:
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


def checks(plugins: Plugins, name: str) -> bool:
    """Whether a plugin looks at its patched kernels."""
    plugin = plugins.get(name)
    return plugin is not None and "gpuopt_check" in plugin.hooks


def check(
    plugins: Plugins, name: str, kernel: Kernel, context: Context, proposal: Proposal, seconds: float
) -> isolate.Result[str | None]:
    """A plugin's own verdict on its patched kernel: None in `value` is a good one."""
    plugin = plugins.get(name)
    if plugin is None or not checks(plugins, name):
        return isolate.Result(None, "", 0.0)
    verdict = plugins.caller(plugin, "gpuopt_check")
    if not is_stranger(plugin):
        return isolate.call(lambda: verdict(kernel=kernel, context=context, proposal=proposal), seconds)
    with suspects.running(name, f"in gpuopt_check of {kernel.qualified}"):
        done = apart.call(lambda: _words(verdict(kernel=kernel, context=context, proposal=proposal)), seconds)
        return isolate.Result(done.value, done.failure, 0.0)


def reaches(plugin: LoadedPlugin, arch: Arch, options: Any) -> bool:
    """Whether a plugin has versions on a GPU for launches of other files; not where it cannot say so."""
    anywhere = plugin.info.anywhere
    if anywhere is None:
        return False
    if not is_stranger(plugin):
        return anywhere(arch, options)
    with suspects.running(plugin.name, "when it was asked about launches of other files"):
        return apart.call(lambda: bool(anywhere(arch, options)), _ANYWHERE_SECONDS).value or False


def _words(verdict: object) -> str | None:
    return None if verdict is None else str(verdict)
