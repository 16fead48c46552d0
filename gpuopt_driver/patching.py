"""From a command line to patched files, in a child process: what goes wrong there costs a warning, never the build."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

from gpuopt_driver import forked, installation, suspects, traced, unanalysed
from gpuopt_driver.backends.ahead import Ahead
from gpuopt_driver.backends.base import NVCC
from gpuopt_driver.cache import Cache
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ArchError, GpuoptError, PolicyError, ToolchainError, UsageError
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.inputs import Input, InputKind
from gpuopt_driver.nvcc.scan import may_have_kernels
from gpuopt_driver.nvcc.stdin import NAME as STDIN
from gpuopt_driver.nvcc.stdin import kept_source
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import CORE, Decision, Problem, Severity, UnitReport
from gpuopt_driver.variables import is_on
from gpuopt_driver.variants.emitted import Emitted, Refused

_PLUGINS_AT_LEAST = 3  # the analysis of a source may take this many times a plugin's time limit
_MOST_TRIALS = 6  # builds that may be spent on finding out which plugin's changes do not compile
_NOT_COMPILED = "the compiler does not take its versions"
_DISABLED = "GPUOPT_DISABLE_PLUGINS"
_USERS_FAULT = (PolicyError, ArchError, UsageError)


@dataclass(frozen=True, slots=True)
class Patches:
    """New bytes by absolute path, the bytes they were made from, and a report for every CUDA source.

    `failure` says in one line why there is nothing, "" if all went well. `sources` are the absolute paths of the
    inputs that plugins could patch, `emitted` the versions of kernels that stand in the patched bytes. `emptied` are
    the rows for `ptx.c` (`judge.Judge.rows`) about those of them that have no body, or another one, in what is built.
    """

    patched: Mapping[str, bytes] = field(default_factory=dict)
    originals: Mapping[str, bytes] = field(default_factory=dict)
    reports: tuple[UnitReport, ...] = ()
    failure: str = ""
    sources: tuple[str, ...] = ()
    emitted: tuple[Emitted, ...] = ()
    emptied: tuple[str, ...] = ()

    def withdrawn(self, refused: Refused, emptied: tuple[str, ...]) -> Patches:
        """The same patches once versions have no body (what plugins said of these is declined) or another one."""
        wishes: dict[tuple[int, tuple[int, ...]], list[Emitted]] = {}
        for one in self.emitted:
            wishes.setdefault((one.report, one.findings), []).append(one)
        reports = list(self.reports)
        for (number, places), versions in wishes.items():
            why = [refused.get((one.kernel, one.clone)) for one in versions]
            if places and why[0] and all(why):
                reports[number] = _declined(reports[number], places, *why[0])
        return replace(self, reports=tuple(reports), emptied=emptied)


def _declined(report: UnitReport, places: Sequence[int], code: str, reason: str) -> UnitReport:
    findings = tuple(
        replace(item, decision=Decision.DECLINED, code=code, message=reason)
        if number in places and item.decision is Decision.APPLIED
        else item
        for number, item in enumerate(report.findings)
    )
    return replace(report, findings=findings)


def worth_analysing(command: NvccCommand) -> tuple[Input, ...]:
    """The inputs that are worth an analysis; none where nvcc rejects the command, or misses one of them."""
    if command.gpuopt.off or command.phase is Phase.INFO or command.cleans or not _repeatable(command):
        return ()
    if command.problem:
        return ()
    inputs = command.cuda_inputs
    if not all(Path(item.absolute).is_file() for item in inputs):
        return ()
    return tuple(item for item in inputs if has_kernels(command, item.absolute))


def _repeatable(command: NvccCommand) -> bool:
    """Whether the build can be tried and, if that fails, done again: not with standard input that is not kept."""
    return all(item.kept or not item.is_stdin for item in command.inputs)


def has_kernels(command: NvccCommand, source: str) -> bool:
    """Whether a kernel can be in a source of the command; if unsure, True."""
    if any("global" in define for define in command.defines):
        return True
    dirs = tuple(map(command.path, command.include_dirs))
    places = (command.cwd, *dirs)
    forced = [os.path.join(place, name) for name in command.forced_includes for place in places]  # noqa: PTH118
    return may_have_kernels(source, dirs, tuple(path for path in forced if Path(path).is_file()))


def _optimize(
    command: NvccCommand,
    policy: Policy,
    backend: str,
    nvcc: RealNvcc | None,
    env: Mapping[str, str],
    refused: Refused,
    checks: bool,  # noqa: FBT001
) -> Patches:
    """The child's work. What it returns is plain data, whatever plugins put into their figures."""
    from gpuopt_driver.nvcc.native import with_actual_gpus  # noqa: PLC0415
    from gpuopt_driver.nvcc.toolkit import describe_toolkit  # noqa: PLC0415
    from gpuopt_driver.pipeline import optimize  # noqa: PLC0415 - loads libclang and the plugins
    from gpuopt_driver.report.document import plain  # noqa: PLC0415

    cuda_include = None
    if nvcc is not None and backend == NVCC:
        with suppress(ToolchainError):  # then our own declarations serve
            with traced.paused():
                toolkit = describe_toolkit(nvcc, env)
            cuda_include = toolkit.runtime_header_dir or None
            command = with_actual_gpus(command, toolkit, env)
    cache = Cache.find(env)
    cache_dir = str(cache.root) if cache else None
    outcome = optimize(
        command, policy, backend, cuda_include=cuda_include, cache_dir=cache_dir, refused=refused, checks=checks
    )
    reports = tuple(
        replace(
            report,
            findings=tuple(replace(item, figures=plain(item.figures)) for item in report.findings),
            facts=tuple(plain(facts) for facts in report.facts),
        )
        for report in outcome.reports
    )
    return Patches(dict(outcome.patched), dict(outcome.originals), reports, emitted=outcome.emitted)


def _watched(work: Callable[[], Patches]) -> tuple[Patches, traced.Trace | None]:
    """The child's result with all that it was seen to depend on."""
    traced.watch_environment()
    return work(), traced.active()


def find_patches(
    command: NvccCommand,
    policy: Policy,
    backend: str,
    nvcc: RealNvcc | None,
    env: Mapping[str, str],
    refused: Refused = MappingProxyType({}),
    beside: Ahead | None = None,
    *,
    checks: bool = False,
) -> Patches:
    """The patches for a command; an error in the policy, in a flag or in a GPU's description is raised.

    `refused` are versions that a compilation has shown to be wrong. `beside` is an nvcc that compiles the same sources
    meanwhile: once it has failed nobody wants patches. `checks`: nvcc has refused what was left to it to check.
    """
    made, why = Patches(), unanalysed.of_option(command)
    sources = worth_analysing(command)
    if sources and not why and command.phase is not Phase.DEPENDENCIES:
        asked = replace(command, inputs=sources)
        with unanalysed.memory_of(policy.driver, backend, command, nvcc, env, beside) as (memory, allowance):
            returned = suspects.until_nobody_ends_it(
                lambda: forked.call(
                    lambda: _watched(lambda: _optimize(asked, policy, backend, nvcc, env, refused, checks)),
                    len(sources) * _PLUGINS_AT_LEAST * policy.driver.plugin_seconds,
                    _USERS_FAULT,
                    debug=is_on(env, "GPUOPT_DEBUG"),
                    memory_bytes=memory,
                    allowance=allowance,
                    is_moot=None if beside is None else beside.has_failed,
                ),
                installation.strangers(),
            )
        if suspects.left_out:
            traced.forbid("a plugin failed")
        if returned.error is not None:
            raise returned.error
        why = unanalysed.reason(returned)
        made, seen = returned.value or (Patches(failure="" if why else f"analysis: {returned.failure}"), None)
        if not returned.is_too_large:  # it will be again
            traced.join(seen, "" if not returned.has_printed else "something was printed")
    known = {report.source for report in made.reports}
    rest = (item for item in command.inputs if item.kind is InputKind.CUDA and item.absolute not in known)
    skipped = (
        _skipped(item, policy.gpu, backend, *((made.failure, why) if item in sources else ("", ""))) for item in rest
    )
    paths = tuple(item.absolute for item in sources)
    reports = as_stdin(command, (*made.reports, *skipped))
    return replace(made, reports=reports, sources=paths)


def authors(reports: Iterable[UnitReport]) -> tuple[str, ...]:
    """The plugins that changed something, in the order in which they were asked."""
    changed = [report for report in reports if report.patched_files]
    applied = (item.plugin for report in changed for item in report.findings if item.decision is Decision.APPLIED)
    return tuple(dict.fromkeys(name for name in applied if name != CORE))


@contextmanager
def switched_off(names: Iterable[str]) -> Iterator[None]:
    """These plugins are not loaded, beside those that the environment leaves out."""
    before = os.environ.get(_DISABLED)
    off = [*filter(None, [before]), *names]
    if off:
        os.environ[_DISABLED] = ",".join(off)
    try:
        yield
    finally:
        os.environ.pop(_DISABLED, None)
        if before is not None:
            os.environ[_DISABLED] = before


Retry = Callable[[Refused, Sequence[str], bool], Patches | None]


def retry(
    command: NvccCommand, policy: Policy, backend: str, nvcc: RealNvcc | None, env: Mapping[str, str], made: Patches
) -> Retry:
    """What finds other patches than those that were made, with these versions refused, these plugins left out, and
    patched sources parsed or not; None where there are none."""

    def find(refused: Refused, off: Sequence[str], checks: bool) -> Patches | None:  # noqa: FBT001
        try:
            with switched_off(off):
                rest = find_patches(command, policy, backend, nvcc, env, refused, checks=checks)
        except GpuoptError:
            return None
        return rest if rest.patched and not rest.failure and rest.patched != made.patched else None

    return find


def checked(find: Retry, made: Patches, refused: Refused, off: Sequence[str]) -> Patches | None:
    """The patches without what parsing the patched sources shows to be wrong, None where that is nothing, or the
    sources are others by now."""
    rest = find(refused, off, True)
    return rest if rest is not None and rest.originals == made.originals else None


def without_one(find: Retry, made: Patches, refused: Refused, off: Sequence[str]) -> Iterator[tuple[str, Patches]]:
    """The patches without one of the plugins that changed something, the last one first: whose do not compile?

    Nothing where one plugin made all changes, or so many did that trying costs too much. `off` are left out anyway.
    """
    names = authors(made.reports)
    if not 1 < len(names) <= _MOST_TRIALS:
        return
    for name in reversed(names):
        rest = find(refused, (*off, name), False)
        if rest is not None:
            yield name, rest


def without_kernels(
    find: Retry, made: Patches, refused: Refused, off: Sequence[str]
) -> Iterator[tuple[Sequence[str], Refused, Patches]]:
    """The patches without the versions of one kernel, or of half of them: whose do not compile?

    Each with the kernels' names, and all versions that are refused then, those of `refused` too. Nothing where one
    kernel has all versions. `off`: plugins that are left out.
    """
    kernels = list(dict.fromkeys(one.kernel for one in made.emitted))
    middle = len(kernels) // 2
    groups = [[name] for name in kernels] if len(kernels) <= _MOST_TRIALS else []
    if len(kernels) != 2:
        groups += [kernels[middle:], kernels[:middle]]
    for group in groups if len(kernels) > 1 else ():
        mine = {(one.kernel, one.clone): ("GPUOPT007", _NOT_COMPILED) for one in made.emitted if one.kernel in group}
        without = {**refused, **mine}
        rest = find(without, off, False)
        if rest is not None:
            yield group, without, rest


def as_stdin(command: NvccCommand, reports: tuple[UnitReport, ...]) -> tuple[UnitReport, ...]:
    """The reports with standard input under its own name, not under that of the file in which it is kept."""
    path = kept_source(command)
    return tuple(_renamed(report, path, STDIN) if path and report.source == path else report for report in reports)


def _renamed(report: UnitReport, old: str, new: str) -> UnitReport:
    return replace(
        report,
        source=new,
        findings=tuple(replace(item, file=new) if item.file == old else item for item in report.findings),
        problems=tuple(replace(item, file=new) if item.file == old else item for item in report.problems),
        patched_files=tuple(new if name == old else name for name in report.patched_files),
    )


def _skipped(item: Input, gpu: str, backend: str, failure: str, why: str) -> UnitReport:
    """The report of a source that was not analysed: for a failure of ours, or `why`, for want of memory or time."""
    if item.is_stdin:
        notes = () if item.kept else (Problem(Severity.NOTE, "a source from standard input is compiled as it is"),)
        return UnitReport(STDIN, gpu, backend, problems=notes)
    problems = (Problem(Severity.WARNING, failure),) if failure else ()
    findings = unanalysed.findings(item.absolute, why) if why else ()
    return UnitReport(item.absolute, gpu, backend, problems=problems, findings=findings)
