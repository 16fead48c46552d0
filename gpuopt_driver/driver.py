"""One run of `gpuopt-nvcc`: policy, patches, report, backend. Whatever goes wrong in our part, the build goes on."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpuopt_driver.backends import nvcc as nvcc_backend
from gpuopt_driver.backends.base import EMULATOR, NVCC, choose_backend
from gpuopt_driver.cache import Cache
from gpuopt_driver.errors import ArchError, GpuoptError, PolicyError, ToolchainError, UsageError
from gpuopt_driver.nvcc.command import NvccCommand, Phase, parse_command
from gpuopt_driver.nvcc.find import RealNvcc, find_nvcc
from gpuopt_driver.nvcc.inputs import Input, InputKind
from gpuopt_driver.nvcc.overlay import Overlay, OverlayUnavailable, prepare
from gpuopt_driver.nvcc.scan import may_have_kernels
from gpuopt_driver.nvcc.tokens import is_set
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision, Problem, Severity, UnitReport

_NOTHING_TO_COMPILE = frozenset({Phase.INFO, Phase.DEPENDENCIES})
UNCOMPILABLE = "the patched source does not compile; it was compiled as it was"


def warn(text: str) -> None:
    """One warning on standard error."""
    sys.stderr.write(f"gpuopt: warning: {text}\n")
    sys.stderr.flush()


@dataclass(slots=True)
class Work:
    """What has been decided so far about one command line."""

    command: NvccCommand
    policy: Policy
    env: Mapping[str, str]
    nvcc: RealNvcc | None
    backend: str
    patched: dict[str, bytes] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)
    reports: tuple[UnitReport, ...] = ()

    def abandon(self, reason: str, *, quiet: bool = False) -> None:
        """Go on without patches; every report says so, and so does one warning."""
        problem = Problem(Severity.WARNING, reason)
        self.reports = tuple(_abandoned(report, problem) for report in self.reports)
        self.patched = {}
        if not quiet:
            warn(reason)

    def fall_back(self, *, quiet: bool = False) -> None:
        """The patched build failed and the original one takes its place; `quiet`: that one fails too."""
        self.abandon("the source does not compile" if quiet else UNCOMPILABLE, quiet=quiet)
        _write_report(self)


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


def _sources(command: NvccCommand) -> tuple[Input, ...]:
    """The inputs that are worth an analysis; none where one of them is missing (nvcc says so)."""
    if command.gpuopt.off or command.phase in _NOTHING_TO_COMPILE or command.cleans:
        return ()
    inputs = command.cuda_inputs
    if not all(Path(item.absolute).is_file() for item in inputs):
        return ()
    return tuple(item for item in inputs if _may_have_kernels(command, item.absolute))


def _may_have_kernels(command: NvccCommand, source: str) -> bool:
    if any("global" in define for define in command.defines):
        return True
    dirs = tuple(map(command.path, command.include_dirs))
    places = (command.cwd, *dirs)
    forced = [os.path.join(place, name) for name in command.forced_includes for place in places]  # noqa: PTH118
    return may_have_kernels(source, dirs, tuple(path for path in forced if Path(path).is_file()))


def _optimize(work: Work, sources: tuple[Input, ...]) -> None:
    """Fill in patches and reports. Plugins' prints go to standard error: standard output is nvcc's."""
    from gpuopt_driver.nvcc.toolkit import describe_toolkit  # noqa: PLC0415
    from gpuopt_driver.pipeline import optimize  # noqa: PLC0415 - loads libclang and the plugins

    cuda_include = None
    if work.nvcc is not None and work.backend == NVCC:
        with contextlib.suppress(ToolchainError):  # then our own declarations serve
            cuda_include = describe_toolkit(work.nvcc, work.env).runtime_header_dir or None
    cache = Cache.find(work.env)
    with contextlib.redirect_stdout(sys.stderr):
        outcome = optimize(
            replace(work.command, inputs=sources),
            work.policy,
            work.backend,
            cuda_include=cuda_include,
            cache_dir=str(cache.root) if cache else None,
        )
    work.patched = dict(outcome.patched)
    work.originals = dict(outcome.originals)
    work.reports = outcome.reports


def _guarded_optimize(work: Work) -> None:
    """`_optimize`, whose failure costs one warning; a policy that is wrong is the user's to correct."""
    try:
        sources = _sources(work.command)
        if sources:
            _optimize(work, sources)
    except (PolicyError, ArchError, UsageError):
        raise
    except Exception as error:
        work.patched, work.reports = {}, ()
        _internal_error(work.env, error)
    known = {report.source for report in work.reports}
    skipped = (item for item in work.command.inputs if item.kind is InputKind.CUDA and item.absolute not in known)
    work.reports = (*work.reports, *(_skipped(work, item) for item in skipped))


def _skipped(work: Work, item: Input) -> UnitReport:
    """The report of a source that was not analysed."""
    if item.is_stdin:
        problem = Problem(Severity.NOTE, "a source from standard input is compiled as it is")
        return UnitReport("<stdin>", work.policy.gpu, work.backend, problems=(problem,))
    return UnitReport(item.absolute, work.policy.gpu, work.backend)


def _internal_error(env: Mapping[str, str], error: Exception) -> None:
    if is_set(env.get("GPUOPT_DEBUG")):
        import traceback  # noqa: PLC0415 - costs milliseconds that only this needs

        traceback.print_exception(error, file=sys.stderr)
    text = " ".join(str(error).split())
    what = text if isinstance(error, GpuoptError) else f"internal error: {type(error).__name__}: {text}"
    warn(f"{what}; compiled without patches (GPUOPT_DEBUG=1 shows where)")


def _overlay(work: Work) -> Overlay | None:
    """The overlay for the patches, None where there are none or it cannot work here."""
    if not work.patched:
        return None
    try:
        return prepare(work.command, work.patched, work.env, work.originals)
    except OverlayUnavailable as error:
        work.abandon(f"{error}; compiled without patches")
    except Exception as error:
        work.abandon("the patched files cannot be handed to nvcc; compiled without patches")
        _internal_error(work.env, error)
    return None


def _tell(work: Work) -> None:
    """Problems always, decisions where the policy asks for them, on standard error."""
    from gpuopt_driver.report.text import problem_line, report_lines  # noqa: PLC0415

    if work.policy.driver.verbose:
        lines = list(report_lines(work.reports, work.command.cwd))
    else:
        lines = [
            problem_line(problem, report.source, work.command.cwd)
            for report in work.reports
            for problem in report.problems
            if problem.severity is Severity.WARNING
        ]
    sys.stderr.write("".join(f"gpuopt: {line}\n" for line in lines))
    sys.stderr.flush()


def _write_report(work: Work) -> None:
    """The report, if it was asked for; that it cannot be written is no reason not to build."""
    path = work.command.gpuopt.report
    if not path:
        return
    from gpuopt_driver.report.document import write_report  # noqa: PLC0415

    try:
        write_report(work.command.path(path), work.reports)
    except GpuoptError as error:
        warn(str(error))


def run(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> int:
    """Do what one command line asks for; GpuoptError for what only the user can put right."""
    command = parse_command(argv, env, cwd)
    policy = _policy(command, env)
    nvcc = find_nvcc(env, policy.driver.nvcc, str(policy.origins.get("driver.nvcc", "driver.nvcc")))
    work = Work(command, policy, env, nvcc, choose_backend(policy.driver.backend, nvcc))
    _guarded_optimize(work)
    if work.backend == EMULATOR:
        return _emulate(work)
    if nvcc is None:
        raise ToolchainError("no nvcc found; set GPUOPT_NVCC")
    _tell(work)
    overlay = _overlay(work)
    _write_report(work)

    def on_failure(original_compiles: bool) -> None:  # noqa: FBT001
        work.fall_back(quiet=not original_compiles)

    return nvcc_backend.build(command, nvcc, overlay, env, on_failure)


def _emulate(work: Work) -> int:
    from gpuopt_driver.backends.emulator import build  # noqa: PLC0415 - not needed where there is an nvcc

    _tell(work)
    _write_report(work)
    return build(
        work.command,
        work.patched,
        work.env,
        host_compiler=work.policy.driver.host_compiler,
        gpu="" if work.policy.gpu == "auto" else work.policy.gpu,
        on_failure=work.fall_back,
    )
