"""One run of `gpuopt-nvcc`: policy, patches, report, backend. Whatever goes wrong in our part, the build goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from gpuopt_driver import remember, store, traced, variables
from gpuopt_driver.backends import nvcc as nvcc_backend
from gpuopt_driver.backends.ahead import Ahead
from gpuopt_driver.backends.base import EMULATOR, choose_backend
from gpuopt_driver.backends.nvcc import Shown
from gpuopt_driver.backends.proof import Proof, proof_of, with_emptied
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError, ToolchainError, one_line
from gpuopt_driver.kept import decoded
from gpuopt_driver.memo import Remembered
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.find import RealNvcc, find_nvcc
from gpuopt_driver.nvcc.overlay import Overlay, OverlayUnavailable, prepare
from gpuopt_driver.nvcc.stdin import keep_stdin, source_to_feed
from gpuopt_driver.outcome import Memory
from gpuopt_driver.patching import (
    Patches,
    authors,
    checked,
    find_patches,
    retry,
    switched_off,
    without_kernels,
    without_one,
)
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision, Problem, Severity, UnitReport
from gpuopt_driver.shown import complete_depfiles, completed_output, completes_depfiles, completes_output, shown_files
from gpuopt_driver.source.marks import has_marks, in_source
from gpuopt_driver.stamps import touch_below
from gpuopt_driver.variants.emitted import Refused
from gpuopt_driver.variants.pasted import has_runtime

if TYPE_CHECKING:
    from gpuopt_driver.backends.operators import Operators

UNCOMPILABLE = "the patched source does not compile; it was compiled as it was"
_MOST_PROOFS = 4  # builds that versions may be left out of, one after the other; what joins others shows up later
GUILTY = "plugin {}: its changes do not compile; it is left out"
LEFT_OUT = "{}: no versions that the compiler takes; compiled without them"
DEBUG_HINT = "compiled without patches (GPUOPT_DEBUG=1 shows where)"


def say(text: str) -> None:
    """Write to standard error; that nobody can be told is no reason not to build."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def warn(text: str) -> None:
    """One warning on standard error."""
    say(_warning(text))


def _warning(text: str) -> str:
    return f"gpuopt: warning: {one_line(text)}\n"


@dataclass(slots=True)
class Work:
    """What has been decided so far about one command line."""

    command: NvccCommand
    policy: Policy
    env: Mapping[str, str]
    nvcc: RealNvcc | None
    backend: str
    patches: Patches = field(default_factory=Patches)
    operators: Operators | None = None
    refused: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)  # versions that must not be made
    guilty: dict[str, Patches] = field(default_factory=dict)  # plugins whose changes do not compile, and what had them
    checks: bool = False  # whether patched sources are parsed as nvcc has refused some
    news: str = ""  # what standard error is to hear once nvcc has accepted the sources

    def tell(self) -> None:
        """Say what there is to say."""
        say(self.news)
        self.news = ""

    def abandon(self, reason: str, *, quiet: bool = False) -> None:
        """Go on without patches; every report says so, and so does one warning."""
        problem = Problem(Severity.WARNING, reason)
        lost = bool(self.patches.patched)
        self.patches = Patches(reports=tuple(_abandoned(report, problem) for report in self.patches.reports))
        if lost and not quiet:
            self.news += _warning(reason)

    def fall_back(self, *, quiet: bool = False, changed: str = "") -> None:
        """The patched build failed and the original one takes its place; `quiet`: that one fails too.

        `changed` is a file that is not any more what was analysed.
        """
        names = authors(self.patches.reports)
        reason = f"{UNCOMPILABLE} (changed by {', '.join(names)})" if names else UNCOMPILABLE
        if changed:
            reason = f"{changed}: changed while it was being compiled; compiled without patches"
        self.abandon("the source does not compile" if quiet else reason, quiet=quiet)
        self.write_report()

    def alternatives(self) -> nvcc_backend.Alternatives:
        """What nvcc could be shown in place of patches that do not compile: those that were parsed, those without
        versions of some kernels, and those without one of the plugins."""
        whole = self.patches
        find = retry(self.command, self.policy, self.backend, self.nvcc, self.env, whole)
        sound = None
        if self.operators is None:
            sound = checked(find, whole, MappingProxyType(self.refused), tuple(self.guilty))
        if sound is not None:
            self.patches = sound
            shown = _shown(self)
            if shown is not None and self.operators is None:
                yield shown, self.check
            self.operators = None
        fewer = without_kernels(find, whole, MappingProxyType(self.refused), tuple(self.guilty))
        for kernels, refused, patches in fewer if self.operators is None else ():
            self.patches = patches
            shown = _shown(self)
            if shown is not None and self.operators is None:
                yield shown, lambda names=kernels, no=refused: self.leave_out_kernels(names, no)  # type: ignore[misc]
            self.operators = None
        self.patches = whole
        rest = without_one(find, whole, dict(self.refused), tuple(self.guilty))
        for name, patches in rest if self.operators is None else ():
            self.patches = patches
            shown = _shown(self)
            if shown is not None and self.operators is None:
                yield shown, lambda name=name: self.leave_out(name, whole)  # type: ignore[misc]
            self.operators = None
        self.patches = whole

    def check(self) -> None:
        """Go on with patches that are parsed before nvcc gets them."""
        self.checks = True

    def leave_out_kernels(self, names: Sequence[str], refused: Refused) -> None:
        """Go on with patches that were made without the versions of some kernels, which do not compile."""
        self.refused.update(refused)
        reports = []
        for one in self.patches.reports:
            lost = {item.kernel.rpartition("::")[2] for item in one.findings if item.code == "GPUOPT007"}
            told = [f"kernel {name}" for name in names if name in lost]
            more = (Problem(Severity.WARNING, LEFT_OUT.format(", ".join(told))),) if told else ()
            reports.append(replace(one, problems=(*one.problems, *more)))
        self.patches = replace(self.patches, reports=tuple(reports))

    def leave_out(self, plugin: str, whole: Patches) -> None:
        """Go on with patches that were made without a plugin whose changes do not compile; `whole` has these."""
        self.guilty[plugin] = whole
        self.blame(plugin)

    def blame(self, plugin: str) -> None:
        """Have the reports say what a plugin that is left out wanted, and why it did not get it."""
        whole = self.guilty[plugin]
        problem = Problem(Severity.WARNING, GUILTY.format(plugin), plugin)
        findings = {one.source: _abandoned(one, problem).findings for one in whole.reports}
        reports = []
        for one in self.patches.reports:
            lost = [item for item in findings.get(one.source, ()) if item.plugin == plugin]
            reports.append(
                replace(
                    one, findings=(*one.findings, *lost), problems=(*one.problems, problem) if lost else one.problems
                )
            )
        self.patches = replace(self.patches, reports=tuple(reports))

    def write_report(self) -> None:
        """Write the report, if it was asked for; that it cannot be written is no reason not to build."""
        path = self.command.gpuopt.report
        if not path:
            return
        from gpuopt_driver.report.document import write_report  # noqa: PLC0415

        try:
            write_report(self.command.path(path), self.patches.reports)
        except GpuoptError as error:
            warn(str(error))


def _abandoned(report: UnitReport, problem: Problem) -> UnitReport:
    if not report.patched_files:
        return report
    findings = tuple(
        replace(item, decision=Decision.DECLINED, code="GPUOPT007", message=problem.message)
        if item.decision is Decision.APPLIED
        else item
        for item in report.findings
    )
    return replace(report, findings=findings, problems=(*report.problems, problem), patched_files=())


def _policy(command: NvccCommand, env: Mapping[str, str]) -> Policy:
    options = command.gpuopt
    flags = {"backend": options.backend or "", "gpu": options.gpu or ""}
    return load_policy(
        [item.absolute for item in command.cuda_inputs],
        explicit=options.policy,
        env=env,
        cwd=command.cwd,
        flags={name: value for name, value in flags.items() if value and value != env.get(f"GPUOPT_{name.upper()}")},
    )


def _shown(work: Work) -> Shown | None:
    """What nvcc is to see, None where that is nothing of ours or it cannot work here."""
    patched = work.patches.patched
    try:
        shown = shown_files(work.command, work.policy, patched, work.patches.sources, work.env)
        if not shown:
            return None
        shown = _with_compiled_runtime(work, shown)
        source = source_to_feed(work.command, shown)
        overlay = _overlay(work, shown) if shown else Overlay(())
        overlay = _with_operators(work, overlay, shown)
        if work.patches.emptied:
            overlay = with_emptied(overlay, work.patches.emptied, work.env)
        return Shown(overlay, source, bool(patched), lambda: _unpatched(work))
    except OverlayUnavailable as error:
        work.abandon(f"{error}; compiled without patches", quiet=error.quiet)
    except Exception as error:
        work.abandon(f"overlay: {type(error).__name__}: {error}; {DEBUG_HINT}")
    return None


def _with_compiled_runtime(work: Work, shown: dict[str, bytes]) -> dict[str, bytes]:
    """What is to be shown, with what launches call as assembly: as text they double the host compiler's part."""
    if work.nvcc is None or not any(map(has_runtime, shown.values())):
        return shown
    from gpuopt_driver.backends.launch_side import compiled  # noqa: PLC0415 - where there are versions

    return compiled(work.command, work.nvcc, shown, work.env)


def _overlay(work: Work, shown: Mapping[str, bytes]) -> Overlay:
    nvcc = work.nvcc.path if work.nvcc else ""
    return prepare(work.command, shown, work.env, _by_real_path(work.patches.originals), nvcc)


def _with_operators(work: Work, overlay: Overlay, shown: Mapping[str, bytes]) -> Overlay:
    """The overlay with what is to happen to the PTX, and the findings with what that is."""
    if not any(map(has_marks, shown.values())):
        return overlay
    from gpuopt_driver.backends.operators import with_operators  # noqa: PLC0415 - a plugin's option asks for it

    nvcc = work.nvcc.path if work.nvcc else ""
    made = with_operators(work.command, nvcc, overlay, shown, _by_real_path(work.patches.originals), work.env)
    reports = tuple(
        replace(report, findings=tuple(made.finding(item) for item in report.findings))
        for report in work.patches.reports
    )
    work.patches = replace(work.patches, reports=reports)
    work.operators = made
    return made.overlay


def _unpatched(work: Work) -> Overlay | None:
    """What is left to show without patches: what the sources depend on, if anybody asks for it."""
    sources = [item.absolute for item in work.command.cuda_inputs if not item.is_stdin]
    try:
        shown = shown_files(work.command, work.policy, {}, sources, work.env)
        return _overlay(work, shown) if shown else None
    except (OverlayUnavailable, OSError):
        return None


def _by_real_path(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {os.path.realpath(path): data for path, data in files.items()}


def _told(work: Work) -> str:
    """What standard error is to hear: problems always, decisions where the policy asks for them."""
    from gpuopt_driver.report.text import problem_line, report_lines  # noqa: PLC0415

    failure, reports = work.patches.failure, work.patches.reports
    first = _warning(f"{failure}; {DEBUG_HINT}") if failure else ""
    if work.policy.driver.verbose:
        lines = list(report_lines(reports, work.command.cwd))
    else:
        told = {
            problem.message: problem_line(problem, report.source, work.command.cwd)
            for report in reversed(reports)
            for problem in reversed(report.problems)
            if problem.severity is Severity.WARNING and problem.message != failure
        }  # what several sources have in common (a plugin that cannot be loaded) is said once, of the first
        lines = list(reversed(told.values()))
    return first + "".join(f"gpuopt: {line}\n" for line in lines)


def _refusals(work: Work) -> str:
    """What there is to say about variables, and a policy and caches that others can change; it may change, so it is not
    remembered."""
    lines = [*variables.faults(work.env), *store.refusals(work.env), *filter(None, [work.policy.refused])]
    return "".join(map(_warning, lines))


def _patches(work: Work, refused: Refused = MappingProxyType({}), ahead: Ahead | None = None) -> Patches:
    """The patches; what keeps us from so much as looking for them (no process can be made) costs a warning too."""
    try:
        given = (work.command, work.policy, work.backend, work.nvcc, work.env, refused, ahead)
        return find_patches(*given, checks=work.checks)
    except (OSError, MemoryError) as error:
        traced.forbid("there is no analysis")
        return Patches(failure=f"analysis: {type(error).__name__}: {error}")


def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    known: Remembered | None = None,
    ahead: Ahead | None = None,
) -> int:
    """Do what one command line asks for; GpuoptError for what only the user can put right.

    `known` is what the analysis of this very command line came to before, `ahead` an nvcc that runs already.
    """
    trace = remember.begin(env) if known is None else None
    command = parse_command(argv, env, cwd)
    policy = _policy(command, env)
    if policy.refused:
        traced.forbid("a policy is left aside for who can change it, which is not looked at again")
        known = None
    if any(item.is_stdin for item in command.inputs):
        traced.forbid("standard input is not part of the command line")
    command = keep_stdin(command, env)
    if policy.path and policy.path not in (command.gpuopt.policy, env.get("GPUOPT_POLICY")):
        touch_below(str(Path(policy.path).parent), env)
    nvcc = find_nvcc(env, policy.driver.nvcc, str(policy.origins.get("driver.nvcc", "driver.nvcc")))
    work = Work(command, policy, env, nvcc, choose_backend(policy.driver.backend, nvcc))
    if ahead is not None and (work.backend == EMULATOR or nvcc is None or nvcc.path != ahead.nvcc):
        ahead.cancel()  # the policy has another one
        ahead = None
    patches = decoded(known.value) if known else None
    if known and patches is None:  # no entry that we write: as if there were none
        known, trace = None, remember.begin(env)
    work.patches = _patches(work, ahead=ahead) if patches is None else patches
    if work.backend == EMULATOR:
        say(_refusals(work) + _told(work))
        traced.stop()
        work.write_report()
        return _emulate(work)
    if nvcc is None:
        raise ToolchainError("no nvcc found; set GPUOPT_NVCC")
    memory = Memory(argv, env, command, nvcc.path, trace, known is not None)
    for _ in range(_MOST_PROOFS):
        status = _build(work, nvcc, memory, ahead)
        if isinstance(status, int):
            return status
        work.refused.update(status)
        ahead = work.operators = None
        if status:  # else the patches are others already: without a plugin whose changes do not compile
            with switched_off(work.guilty):
                work.patches = _patches(work, work.refused)
            for plugin in work.guilty:
                work.blame(plugin)
    work.abandon("versions of kernels were refused again and again; compiled without patches", quiet=True)
    status = _build(work, nvcc, memory, None)
    assert isinstance(status, int), "without versions nothing is refused"
    return status


def _build(work: Work, nvcc: RealNvcc, memory: Memory, ahead: Ahead | None) -> int | Refused:
    """Build what was decided so far; the exit status, or the versions that the build has shown to be wrong.

    None of these: other patches are to be built in place of what does not compile.
    """
    command, env = work.command, work.env
    analysed = work.patches
    told = _told(work)
    work.news = _refusals(work) + told
    traced.stop()
    shown = _shown(work)
    proof = _proof(work, shown) if shown is not None and not memory.is_known else Proof()

    def completed(output: bytes) -> bytes:
        return completed_output(output, command, work.policy, analysed.sources, env)

    def accept() -> Callable[[bytes], bytes] | None:
        """nvcc accepts the sources, and nothing can change any more: tell, report and remember."""
        nonlocal analysed, told
        if proof.refused or proof.emptied:
            analysed, told = _withdrawn(work, proof)
        is_simple = shown is None and work.patches is analysed and not command.gpuopt.report and not completes
        if completes:
            complete_depfiles(command, work.policy, work.patches.sources, env)
        by_policy = bool(work.policy.driver.nvcc and not env.get("GPUOPT_NVCC"))
        memory.keep(analysed, told, is_simple=is_simple and not by_policy)
        work.tell()
        work.write_report()
        return completed if prints else None

    completes = completes_depfiles(command, work.policy, analysed.sources)
    prints = completes_output(command, work.policy, analysed.sources)
    if prints and ahead is not None:  # what it prints is not what is to be seen
        ahead.cancel()
        ahead = None
    waits = shown is not None or bool(work.news) or completes
    if not waits:
        accept()
    if ahead is not None and shown is None:
        status = ahead.finish(accept if waits else None)
        if status is not None:
            _leave(status)
    elif ahead is not None:
        ahead.cancel()

    def on_failure(original_compiles: bool) -> None:  # noqa: FBT001
        files = shown.overlay.files if shown else ()
        changed = next((file.original for file in files if not file.is_unchanged()), "")
        work.fall_back(quiet=not original_compiles, changed=changed)
        if original_compiles:
            memory.keep(analysed, told, is_simple=False)
            return work.tell()
        return memory.refused()

    on_success = accept if waits else None
    if work.operators is None:
        done = nvcc_backend.build(command, nvcc, shown, env, on_failure, proof, on_success, work.alternatives())
    else:
        from gpuopt_driver.backends.operators import watched  # noqa: PLC0415

        with watched(work.operators, command, env, warn) as surroundings:
            done = nvcc_backend.build(command, nvcc, shown, surroundings, on_failure, proof, on_success)
    if done == 0 and completes:  # once more: also where another build took the place of the patched one
        complete_depfiles(command, work.policy, analysed.sources, env)
    return proof.refused if done is None else done


def _withdrawn(work: Work, proof: Proof) -> tuple[Patches, str]:
    """What was decided, and what there is to say, now that some versions have no body in what was built."""
    work.patches = work.patches.withdrawn(proof.refused, proof.emptied)
    told = _told(work)
    work.news = _refusals(work) + told
    return work.patches, told


def _proof(work: Work, shown: Shown) -> Proof:
    """What the build is to be asked about the versions in the patched sources."""
    versions = tuple(one for one in work.patches.emitted if one.is_copy) if work.patches.patched else ()
    any_rounding = work.policy.driver.rounding == "any"
    asks = work.operators is None  # of whose list there can be one
    return proof_of(work.command, shown.overlay, versions, work.env, any_rounding=any_rounding, asks=asks)


def _leave(status: int) -> NoReturn:
    """End without what Python does at its end, which takes longer than all that is left to do."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _emulate(work: Work) -> int:
    from gpuopt_driver.backends.emulator import build  # noqa: PLC0415 - not needed where there is an nvcc

    sources = work.patches.sources
    status = build(
        work.command,
        {path: in_source(data) for path, data in work.patches.patched.items()},
        work.env,
        host_compiler=work.policy.driver.host_compiler,
        gpu="" if work.policy.gpu == "auto" else work.policy.gpu,
        on_failure=work.fall_back,
    )
    if status == 0:
        complete_depfiles(work.command, work.policy, sources, work.env)
    return status
