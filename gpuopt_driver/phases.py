"""The linear pipeline of one unit: parse, and per phase analyse, propose, merge, apply, re-parse, check."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace

from gpuopt_driver import host
from gpuopt_driver.arch.choose import UNKNOWN_GPU, choose
from gpuopt_driver.arch.load import load_named
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.facts import kernel_facts
from gpuopt_driver.frontend.model import Kernel, ParseLevel, Unit
from gpuopt_driver.frontend.options import has_carveout_of_launch
from gpuopt_driver.frontend.parse import ParseOptions, parse_errors, parse_unit
from gpuopt_driver.hooks import Context, PluginInfo, Resources
from gpuopt_driver.installation import OURS, disabled_names
from gpuopt_driver.plan import CONFLICT, Wish, emitted, gather, settle, unmeasured, within
from gpuopt_driver.plugins import LoadedPlugin, Plugins, is_stranger, load_plugins
from gpuopt_driver.policy.options import bind_options, check_plugins, is_enabled, phases_of
from gpuopt_driver.policy.schema import KernelRule, Phase, Policy
from gpuopt_driver.report.model import CORE, Decision, Finding, Json, Problem, RuleUse, Severity, Timing, UnitReport
from gpuopt_driver.source.edits import Edit, apply_all
from gpuopt_driver.source.text import Span
from gpuopt_driver.suggest import did_you_mean
from gpuopt_driver.variants import elsewhere
from gpuopt_driver.variants.emit import why_no_version, why_not
from gpuopt_driver.variants.emitted import Emitted, Refused
from gpuopt_driver.variants.pasted import declared_only

_SWITCHES = ("on", "off")
_TRIALS = 12  # parses that may be spent on finding out which change breaks a source


@dataclass(frozen=True, slots=True)
class Job:
    """One translation unit to work on. `parse` options come from the command line; `registers` by kernel name."""

    source: str
    parse: ParseOptions
    policy: Policy
    backend: str = "nvcc"
    capabilities: tuple[int, ...] = ()  # of -arch and -gencode, e.g. 90
    has_host_code: bool = True
    load_cache: str = ""  # of -Xptxas -dlcm: "ca", "cg"
    per_thread_stream: bool = False  # whether the null stream is that of the calling thread
    resources: Mapping[str, Resources] = field(default_factory=dict)  # by kernel name
    refused: Refused = field(default_factory=dict)  # versions that an earlier compilation has shown to be wrong
    checks: bool = False  # whether patched sources are parsed again where nvcc would tell the same
    is_built: bool = False  # whether nvcc compiles what comes of it, host and device code, and we hear what it says
    shows: bool = True  # whether anybody may read the model of kernels in the report


@dataclass(frozen=True, slots=True)
class Examination:
    """What became of a unit: its model, the report, original and patched bytes of the files that changed.

    `parse`: how the unit was read. `emitted`: the versions of kernels that stand in the patched bytes.
    """

    unit: Unit | None
    report: UnitReport
    original: Mapping[str, bytes] = field(default_factory=dict)
    patched: Mapping[str, bytes] = field(default_factory=dict)
    parse: ParseOptions = field(default_factory=ParseOptions)
    emitted: tuple[Emitted, ...] = ()


@dataclass
class _Run:
    """The state that the phases hand on: the unit as it stands, patched bytes, and everything said so far."""

    job: Job
    plugins: Plugins
    arch: Arch
    archs: tuple[Arch, ...]
    unit: Unit
    patched: dict[str, bytes] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    facts: dict[str, dict[str, Json]] = field(default_factory=dict)
    emitted: list[Emitted] = field(default_factory=list)
    is_last: bool = False  # no phase comes that would look at the versions which this one makes


@dataclass(frozen=True, slots=True)
class _Way:
    """How versions of a kernel come to be launched: why not in this file, "" if they can be; whether in other files."""

    undispatchable: str
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class _Veto:
    """Why a plugin's changes of a kernel are taken back; `is_own`: its own check says so."""

    why: str
    is_own: bool = False


def process(job: Job, plugins: Plugins | None = None) -> Examination:
    """Everything up to the patched bytes of one unit; wrong policy is an error, a broken plugin or parse is not."""
    plugins = plugins or load_plugins()
    absent = {problem.plugin for problem in plugins.problems if problem.plugin} | disabled_names()
    check_plugins(job.policy, [plugin.info for plugin in plugins.loaded], absent)
    choice = choose(job.policy.gpu, job.capabilities)
    arch = choice.arch.with_loads(job.load_cache)
    timings: list[Timing] = []
    job = replace(job, parse=replace(job.parse, launched_only=_patches_launched_kernels_alone(job, plugins, arch)))
    with _timed(timings, "parse"):
        unit = parse_unit(job.source, job.parse)
    archs = tuple(arch.with_loads(job.load_cache) for arch in load_named().values())
    said = (Problem(Severity.NOTE, choice.note),) if choice.note and unit.kernels else ()
    run = _Run(job, plugins, arch, archs, unit, problems=[*plugins.problems, *said], timings=timings)
    run.problems.extend(_wrong_markers(unit.kernels, {*plugins.names, *absent}))
    original = dict(unit.files)
    rules = tuple(_use(rule, job.policy, unit.kernels) for rule in job.policy.kernels)
    for kernel in unit.kernels if job.shows else ():
        run.facts.setdefault(_key(kernel), kernel_facts(unit, kernel))
    phases = phases_of(job.policy, plugins.names)
    for phase in phases:
        run.is_last = phase is phases[-1]
        if choice.stands:
            _phase(run, phase)
        else:
            run.findings.extend(_undecided(run, phase, choice.unknown))
    report = UnitReport(
        source=unit.main,
        gpu=arch.name if choice.stands else "none",
        backend=job.backend,
        findings=tuple(run.findings),
        problems=tuple(run.problems),
        timings=tuple(run.timings),
        facts=tuple(run.facts.values()),
        patched_files=tuple(sorted(run.patched)),
        rules=rules,
    )
    before = {name: original[name].data for name in run.patched}
    return Examination(unit, report, before, dict(sorted(run.patched.items())), job.parse, tuple(run.emitted))


def _use(rule: KernelRule, policy: Policy, kernels: Sequence[Kernel]) -> RuleUse:
    """How many kernels of the unit a `[[kernel]]` table speaks of."""
    found = {one.usr for one in kernels if rule.matches(one.name, one.qualified, one.span.file)}
    path = os.path.abspath(policy.path)  # noqa: PTH100 - as it is spelled, links and all
    return RuleUse(path, rule.origin.line, rule.name, rule.source, len(found))


def _undecided(run: _Run, phase: Phase, why: str) -> Iterator[Finding]:
    """What is said where no GPU's figures hold for what is compiled: which decisions rest on them, nobody knows."""
    for plugin in filter(None, map(run.plugins.get, phase.plugins)):
        for kernel in run.unit.kernels:
            yield host.finding(plugin.name, kernel, UNKNOWN_GPU, why, Decision.NOT_APPLICABLE)


def _phase(run: _Run, phase: Phase) -> None:
    """One phase: plugins propose on the same source; what they want is merged, applied, re-parsed and checked."""
    kernels = run.unit.kernels
    ways: dict[int, _Way] = {}
    unfit = unmeasured(kernels, run.job.policy.learn.versions) if _measures(run.job) else {}
    said = host.run_phase(
        run.plugins,
        phase.plugins,
        kernels,
        lambda p, k: _context(run, p, k, ways),
        run.job.policy.driver.plugin_seconds,
        unfit,
    )
    run.problems.extend(said.problems)
    run.timings.extend(replace(timing, step=f"{phase.name}: {timing.step}") for timing in said.timings)
    wanted = within(gather(said.proposals), run.job.policy.learn.versions, unfit)
    wanted = [wish.without(run.job.refused) for wish in wanted]
    reaches = _reaches(run.job, run.plugins, run.arch, phase.plugins)
    shut: frozenset[str] = frozenset()
    knocks = _knocks(run, shut) if reaches else ()
    for _ in range(len(wanted) + 1):
        with _timed(run.timings, f"{phase.name}: merge and check"):
            changed, after, wishes = _patch(run, wanted, knocks)
            while knocks and (error := _new_errors(run.unit.diagnostics, after.diagnostics)):
                # An overloaded kernel, one with default arguments, ...: its launches stay as they are.
                more = elsewhere.named_at(run.unit, _line_of(error)) - shut
                shut |= more
                knocks = _knocks(run, shut) if more else ()
                changed, after, wishes = _patch(run, wanted, knocks)
            vetoed = _vetoes(run, wishes, after) if changed else {}
        if not vetoed:
            break
        _warn_of_vetoes(run, vetoed, wishes)
        wanted = [
            wish.declined("GPUOPT003", vetoed[(wish.plugin, wish.usr)].why)
            if (wish.plugin, wish.usr) in vetoed
            else wish
            for wish in wanted
        ]
    run.findings.extend(_knocked(*place) for place in elsewhere.knocking(run.unit, knocks))
    if reaches:
        run.findings.extend(_left(*place) for place in elsewhere.left(run.unit, knocks))
    _warn_of_conflicts(run, wishes)
    run.patched.update(changed)
    run.unit = after
    run.findings.extend(said.findings)
    places: dict[tuple[str, str], tuple[int, ...]] = {}
    for wish in wishes:
        first = len(run.findings)
        run.findings.extend(wish.findings)
        places[(wish.plugin, wish.usr)] = tuple(range(first, len(run.findings)))
        for kernel, _, proposal in wish.proposals:
            run.facts.setdefault(_key(kernel), {}).update({wish.plugin: dict(proposal.facts)} if proposal.facts else {})
    run.emitted.extend(emitted(wishes, run.job.refused, places, always_copied=_always_copied(run, wishes)))


def _warn_of_vetoes(run: _Run, vetoed: Mapping[tuple[str, str], _Veto], wishes: Sequence[Wish]) -> None:
    """One warning for a plugin whose changes are wrong; what its own check takes back is its own business."""
    for wish in wishes:
        veto = vetoed.get((wish.plugin, wish.usr))
        if veto is not None and not veto.is_own:
            _warn_once(run, wish.plugin, f"its changes of {wish.proposals[0][0].qualified} are left out: {veto.why}")


def _warn_of_conflicts(run: _Run, wishes: Sequence[Wish]) -> None:
    """One warning for a stranger's plugin that is in another's way; ours are made to give way to each other."""
    for wish in wishes:
        lost = next((item for item in wish.findings if item.code == CONFLICT), None)
        plugin = run.plugins.get(wish.plugin)
        if lost is not None and plugin is not None and is_stranger(plugin):
            _warn_once(run, wish.plugin, f"its changes of {lost.kernel} are left out: {lost.message}")


def _warn_once(run: _Run, plugin: str, what: str) -> None:
    if not any(problem.plugin == plugin for problem in run.problems):
        run.problems.append(Problem(Severity.WARNING, f"plugin {plugin}: {what}", plugin))


def _reaches(job: Job, plugins: Plugins, arch: Arch, names: Sequence[str]) -> bool:
    """Whether one of these plugins may have versions of kernels for launches of other files."""
    if not job.has_host_code:
        return False
    for name in names:
        plugin = plugins.get(name)
        if plugin is None or plugin.info.anywhere is None:
            continue
        policy = job.policy.of_plugin(name, "", "", job.source)
        if is_enabled(plugin.info, policy) and host.reaches(plugin, arch, bind_options(plugin.info, policy)):
            return True
    return False


def _patches_launched_kernels_alone(job: Job, plugins: Plugins, arch: Arch) -> bool:
    """Whether all that may become of a kernel are versions for launches of its own file: not with others' plugins,
    which may change kernels in place, nor where the policy speaks of kernels by name."""
    names = [name for phase in phases_of(job.policy, plugins.names) for name in phase.plugins]
    own = all(f"{plugin.module}.".startswith(OURS) for plugin in plugins.loaded)
    return own and not job.policy.kernels and not _reaches(job, plugins, arch, names)


def _knocks(run: _Run, shut: Collection[str]) -> tuple[Edit, ...]:
    """The edits of launches whose kernels other files define."""
    return elsewhere.edits(run.unit, per_thread=run.job.per_thread_stream, shut=shut)


def _line_of(diagnostic: str) -> int:
    """The line that `file:line: message` names, 0 for anything else."""
    found = re.match(r"[^\n]*?:(\d+): ", diagnostic)
    return int(found.group(1)) if found else 0


def _left(span: Span, name: str, why: str) -> Finding:
    message = f"this file only declares {name}, and this launch takes no versions of it: {why}"
    return Finding.at(span, CORE, name, Decision.DECLINED, "GPUOPT011", message)


def _knocked(span: Span, name: str) -> Finding:
    message = f"another file defines {name}: its versions there, if it has any, are taken here too"
    return Finding.at(span, CORE, name, Decision.APPLIED, "GPUOPT010", message)


def _patch(run: _Run, wishes: Sequence[Wish], knocks: Sequence[Edit]) -> tuple[dict[str, bytes], Unit, list[Wish]]:
    """The files that wishes change, the unit that they give, and the wishes as granted."""
    learning, copied = run.job.policy.learn, _always_copied(run, wishes)
    edits, granted = settle(run.unit, wishes, run.archs, knocks, run.job.refused, learning, always_copied=copied)
    changed = apply_all(run.unit.files, edits)
    if not changed:
        return changed, run.unit, granted
    contents = {**run.patched, **changed}
    if not run.is_last:
        return changed, parse_unit(run.job.source, _at_level(run), contents), granted
    only = {wish.usr for wish in granted if _is_looked_at(run, wish)}
    if not only and not knocks and _is_left_to_nvcc(run):
        return changed, run.unit, granted
    if not only:  # the kernels are what they were
        return changed, replace(run.unit, diagnostics=_errors_of(run, contents)), granted
    return changed, parse_unit(run.job.source, _at_level(run), contents, only), granted


def _always_copied(run: _Run, wishes: Sequence[Wish]) -> bool:
    """Whether versions that are their kernel launched in another way must be copies, as launches have no carve-outs."""
    if all(variant.has_text for wish in wishes for _, variant in wish.variants):
        return False
    return run.job.backend == "nvcc" and not has_carveout_of_launch(run.job.parse)


def _is_looked_at(run: _Run, wish: Wish) -> bool:
    """Whether a kernel's patched text is to be read: it has changed, or its plugin has a look of its own."""
    return wish.changes and (bool(wish.edits) or host.checks(run.plugins, wish.plugin))


def _is_left_to_nvcc(run: _Run) -> bool:
    """Whether nvcc is to find what is wrong with the patched source: parsing takes a tenth of what we add to a small
    file, with all headers a second or two.

    Where it does not compile the driver asks for patches that were checked.
    """
    if run.job.backend != "nvcc" or run.job.checks:
        return False
    return run.job.is_built or run.unit.level is not ParseLevel.BUNDLED


def _at_level(run: _Run) -> ParseOptions:
    """The options for the patched source: errors of another level would look like new ones."""
    return replace(run.job.parse, level=run.unit.level)


def _errors_with(run: _Run, wishes: Sequence[Wish]) -> str:
    """The first new error of the source with these wishes alone."""
    learning, copied = run.job.policy.learn, _always_copied(run, wishes)
    refused = run.job.refused
    edits, _ = settle(run.unit, wishes, run.archs, refused=refused, learning=learning, always_copied=copied)
    changed = apply_all(run.unit.files, edits)
    return _new_errors(run.unit.diagnostics, _errors_of(run, {**run.patched, **changed}))


def _errors_of(run: _Run, contents: Mapping[str, bytes]) -> tuple[str, ...]:
    """What is wrong with the patched source, by the runtime's declarations: its text may be compiled without it."""
    trimmed = {path: declared_only(data) for path, data in contents.items()}
    return parse_errors(run.job.source, _at_level(run), trimmed)


def _vetoes(run: _Run, wishes: Sequence[Wish], after: Unit) -> dict[tuple[str, str], _Veto]:
    """Which wishes must be taken back, and why: new errors in the patched source, or the plugin's own check."""
    changing = [wish for wish in wishes if wish.changes]
    looked_at = [wish for wish in changing if _is_looked_at(run, wish)]
    fresh = _new_errors(run.unit.diagnostics, after.diagnostics)
    if fresh:
        # A kernel's text that cannot stand elsewhere spoils the versions of all plugins: these are next to each other.
        order = sorted(range(len(changing)), key=lambda at: changing[at].usr)
        found = [(changing[at], error) for at, error in _culprits(run, changing, [], order, fresh, [])]
        return {(wish.plugin, wish.usr): _Veto(f"the patched source does not parse: {error}") for wish, error in found}
    vetoed: dict[tuple[str, str], _Veto] = {}
    for wish in looked_at:
        for kernel, context, proposal in wish.proposals:
            again = next((k for k in after.kernels if k.usr == kernel.usr and k.facts_of == kernel.facts_of), None)
            if again is None or (again.problems and not kernel.problems):
                why = again.problems[0] if again else "it is gone"
                vetoed[(wish.plugin, wish.usr)] = _Veto(f"the patched kernel does not parse as intended: {why}")
                break
            verdict = host.check(
                run.plugins, wish.plugin, again, context, proposal, run.job.policy.driver.plugin_seconds
            )
            if verdict.failure or verdict.value:
                failed = _Veto(f"gpuopt_check: {verdict.failure}")
                own = _Veto(f"check of the patched kernel: {verdict.value}", is_own=True)
                vetoed[(wish.plugin, wish.usr)] = failed if verdict.failure else own
                break
    return vetoed


def _culprits(
    run: _Run, wishes: Sequence[Wish], sound: list[int], suspects: Sequence[int], error: str, trials: list[str]
) -> list[tuple[int, str]]:
    """Which of the wishes bring errors into the source, each with its own, found by halves; the others go to `sound`.

    `trials` collects what every parse said: after some of them, all that are still suspected are guilty.
    """
    if len(suspects) == 1 or len(trials) >= _TRIALS:
        return [(at, error) for at in suspects]
    found: list[tuple[int, str]] = []
    middle = len(suspects) // 2
    for half in (suspects[:middle], suspects[middle:]):
        trials.append(_errors_with(run, [wishes[at] for at in sorted([*sound, *half])]))
        if trials[-1]:
            found.extend(_culprits(run, wishes, sound, half, trials[-1], trials))
        else:
            sound.extend(half)
    return found


def _new_errors(before: Sequence[str], after: Sequence[str]) -> str:
    """The first error message of the patched unit that the original does not have."""
    old = [_message(text) for text in before]
    for text in after:
        message = _message(text)
        if message in old:
            old.remove(message)
        else:
            return text
    return ""


def _message(text: str) -> str:
    """A diagnostic without its position: `file:line:col: message`."""
    parts = text.split(": ", 1)
    return parts[1] if len(parts) == 2 else text


def _key(kernel: Kernel) -> str:
    return kernel.usr + ("" if kernel.facts_of is None else "<" + ", ".join(kernel.facts_of.arguments) + ">")


def _context(run: _Run, plugin: LoadedPlugin, kernel: Kernel, ways: dict[int, _Way]) -> Context | None:
    """What the plugin may know about the kernel, or None where policy or a marker in the source switches it off.

    `ways` by kernel (its identity) are filled here: all plugins of a phase get the same answer.
    """
    policy = run.job.policy.of_plugin(plugin.name, kernel.name, kernel.qualified, kernel.span.file)
    if not _enabled(plugin.info, is_enabled(plugin.info, policy), kernel.markers):
        return None
    way = ways.get(id(kernel))
    if way is None:
        way = ways[id(kernel)] = _way(run.unit, kernel)
    return Context(
        unit=run.unit,
        arch=run.arch,
        options=bind_options(plugin.info, policy),
        launches=run.unit.launches_of(kernel),
        resources=run.job.resources.get(kernel.name, Resources()),
        has_host_code=run.job.has_host_code,
        undispatchable=way.undispatchable,
        elsewhere=way.elsewhere,
        learning=_measures(run.job),
        all_archs=run.archs,
    )


def _way(unit: Unit, kernel: Kernel) -> _Way:
    return _Way(why_not(unit, kernel) or "", elsewhere.reachable(kernel) and why_no_version(unit, kernel) is None)


def _measures(job: Job) -> bool:
    """Whether the program will measure its launches: by nvcc's build, or where the policy asks for it."""
    learn = job.policy.learn
    return learn.mode != "off" and learn.versions > 0 and (job.backend == "nvcc" or "learn.mode" in job.policy.origins)


def _enabled(info: PluginInfo, by_policy: bool, markers: Sequence[str]) -> bool:  # noqa: FBT001
    """Markers in the source (`off`, `catt: off`, `catt: on`) override the policy; the last one that applies wins."""
    enabled = by_policy
    for name, word in map(_parts, markers):
        if name in ("", info.name) and word in _SWITCHES:
            enabled = word == "on"
    return enabled


def _parts(marker: str) -> tuple[str, str]:
    """A marker's plugin, "" for all of them, and what it says to it."""
    name, _, word = marker.replace('"', "").rpartition(":")
    return name.strip(), word.strip()


def _wrong_markers(kernels: Sequence[Kernel], plugins: Collection[str]) -> Iterator[Problem]:
    """What is to be said of misspelled switches; other words are for the plugin that is named."""
    for marker in dict.fromkeys(marker for kernel in kernels for marker in kernel.markers):
        name, word = _parts(marker)
        if word in _SWITCHES and name and name not in plugins:
            way = did_you_mean(name, plugins) or f"; these are: {', '.join(sorted(plugins))}"
            yield Problem(Severity.WARNING, f"#pragma gpuopt {marker}: no plugin '{name}'{way}")
        elif word not in _SWITCHES and name in ("", *plugins) and (way := did_you_mean(word, _SWITCHES)):
            yield Problem(Severity.WARNING, f"#pragma gpuopt {marker}: neither on nor off{way}")


@contextmanager
def _timed(timings: list[Timing], step: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        timings.append(Timing(step, time.perf_counter() - started))
