"""From a command line to patched bytes: the units of the command, one after the other, and what they share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

from gpuopt_driver.arch.choose import EMULATED_GPU, choose
from gpuopt_driver.backends.base import AUTO, EMULATOR, NVCC
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ParseError
from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Resources
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.plugins import Plugins, load_plugins
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision, Finding, Problem, Severity, UnitReport
from gpuopt_driver.variants.emitted import Emitted, Refused


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is to be compiled instead of the user's bytes (by absolute path), and the report of every unit.

    `originals` are the bytes that the patched files had when they were analysed, `emitted` the versions of kernels that
    stand in them now.
    """

    patched: Mapping[str, bytes]
    reports: tuple[UnitReport, ...]
    originals: Mapping[str, bytes] = field(default_factory=dict)
    emitted: tuple[Emitted, ...] = ()


def optimize(
    command: NvccCommand,
    policy: Policy,
    backend: str,
    *,
    cuda_include: str | None = None,
    cache_dir: str | None = None,
    plugins: Plugins | None = None,
    refused: Refused = MappingProxyType({}),
    checks: bool = False,
) -> Outcome:
    """Patch the CUDA inputs of a command. A unit that cannot be parsed is left alone, with a problem in its report.

    `refused` are versions that an earlier compilation has shown to be wrong. `checks`: all patched sources are parsed.
    The model of each kernel is in the reports where somebody asks for these.
    """
    plugins = plugins or load_plugins()
    shows = bool(command.gpuopt.report) or policy.driver.verbose
    done: list[Examination] = []
    for item in command.cuda_inputs:
        job = job_of(command, item.absolute, policy, backend, cuda_include, cache_dir)
        try:
            job = replace(job, refused=refused, checks=checks, is_built=command.is_built, shows=shows)
            done.append(process(job, plugins))
        except ParseError as error:
            problem = Problem(Severity.WARNING, str(error), file=item.absolute)
            done.append(Examination(None, UnitReport(item.absolute, policy.gpu, backend, problems=(problem,))))
    done = agree(done)
    patched = {name: data for one in done for name, data in one.patched.items()}
    originals = {name: data for one in done for name, data in one.original.items() if name in patched}
    emitted = tuple(
        replace(version, report=number) for number, one in enumerate(done) if one.patched for version in one.emitted
    )
    return Outcome(dict(sorted(patched.items())), tuple(one.report for one in done), originals, emitted)


def examine(
    source: str,
    nvcc_args: Sequence[str],
    policy: Policy,
    gpu: str | None = None,
    *,
    resources: Mapping[str, Resources] | None = None,
    cuda_include: str | None = None,
    cache_dir: str | None = None,
    plugins: Plugins | None = None,
) -> Examination:
    """What `gpuopt-nvcc` would do to one source file with these nvcc arguments; nothing is built."""
    path = Path(source)
    if not path.is_file():
        raise ParseError(f"{source}: no such file")
    command = parse_command([*nvcc_args, "-c", source], os.environ, str(Path.cwd()))
    if gpu:
        policy = replace(policy, gpu=gpu)
    backend = NVCC if policy.driver.backend == AUTO else policy.driver.backend
    job = job_of(command, str(Path.cwd() / path), policy, backend, cuda_include, cache_dir)
    return process(replace(job, resources=resources or {}), plugins)


def for_backend(policy: Policy, backend: str, archs: Sequence[int]) -> Policy:
    """The policy that decides for a backend: without a GPU and an architecture, for the GPU that the emulator plays."""
    if backend == EMULATOR and policy.gpu == "auto" and not archs:
        return replace(policy, gpu=EMULATED_GPU)
    return policy


def job_of(
    command: NvccCommand,
    source: str,
    policy: Policy,
    backend: str,
    cuda_include: str | None = None,
    cache_dir: str | None = None,
) -> Job:
    """The work on one input of a command."""
    policy = for_backend(policy, backend, command.archs)
    asked_for = max(command.archs, default=90)
    if backend == EMULATOR and not command.archs:
        major, minor = choose(policy.gpu, ()).arch.compute_capability
        asked_for = 10 * major + minor
    return Job(
        source=source,
        parse=ParseOptions(
            include_dirs=tuple(map(command.path, command.include_dirs)),
            system_dirs=tuple(map(command.path, command.system_dirs)),
            defines=command.defines,
            undefines=command.undefines,
            forced_includes=command.forced_includes,
            std=command.std or None,
            arch=asked_for,
            cuda_include=cuda_include,
            cache_dir=cache_dir,
            working_dir=command.cwd,
        ),
        policy=policy,
        backend=backend,
        capabilities=command.archs,
        has_host_code=command.has_host_code,
        load_cache=command.load_cache,
        per_thread_stream=command.per_thread_stream,
    )


def agree(done: Sequence[Examination]) -> list[Examination]:
    """The units of one command share their headers: a file must get the same bytes in all of them, or stays as it is.

    Where units disagree, those that would patch the file are left unpatched as a whole.
    """
    kept = list(done)
    while True:
        bad = _disagreement(kept)
        if not bad:
            return kept
        kept = [_unpatched(one, bad) if bad in one.patched else one for one in kept]


def _disagreement(done: Sequence[Examination]) -> str:
    """A file that two units would compile with different bytes, "" if there is none."""
    texts: dict[str, bytes] = {}
    for one in done:
        for name, source in (one.unit.files if one.unit else {}).items():
            data = one.patched.get(name, one.original.get(name, source.data))
            if texts.setdefault(name, data) != data:
                return name
    return ""


def _unpatched(one: Examination, file: str) -> Examination:
    reason = f"{Path(file).name} is shared with another source of this command that would compile it differently"
    findings = tuple(_declined(item, reason) for item in one.report.findings)
    return replace(one, patched={}, report=replace(one.report, findings=findings, patched_files=()))


def _declined(item: Finding, reason: str) -> Finding:
    if item.decision is not Decision.APPLIED:
        return item
    return replace(item, decision=Decision.DECLINED, code="GPUOPT006", message=reason)
