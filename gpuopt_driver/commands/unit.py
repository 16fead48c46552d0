"""One source file through the pipeline, as the build would take it: same policy, same toolkit, same decisions."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gpuopt_driver import forked, installation, suspects, unanalysed, variables
from gpuopt_driver.arch.choose import choose
from gpuopt_driver.backends.base import AUTO, EMULATOR, NVCC
from gpuopt_driver.cache import Cache
from gpuopt_driver.commands.show import warn
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ArchError, GpuoptError, ParseError, PolicyError, ToolchainError, UsageError
from gpuopt_driver.frontend.parse import errors_at_every_level
from gpuopt_driver.hooks import Resources
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.find import RealNvcc, find_nvcc
from gpuopt_driver.nvcc.resources import by_name, kernel_resources
from gpuopt_driver.nvcc.toolkit import describe_toolkit, supported_archs
from gpuopt_driver.phases import Examination
from gpuopt_driver.pipeline import examine, for_backend
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.progress import telling
from gpuopt_driver.report.document import plain
from gpuopt_driver.report.model import Problem, Severity, UnitReport, counted

_SEVERAL = ("native", "all", "all-major")  # architectures that this machine, or nvcc, names
_SECONDS = 60.0  # for everything beside the plugins
_PLUGINS_AT_LEAST = 3  # the analysis may take this many times a plugin's time limit
_PLACED = re.compile(r"(.+?):(\d+): (.*)")
_DIAGNOSTICS = 3  # as many are shown; the first ones usually explain the others


@dataclass(frozen=True, slots=True)
class Examined:
    """The report of a source, and the files that would be compiled instead (new and old bytes by absolute path).

    `misread`: what the parser did not understand, as many as are shown. `basis`: what is to be said of the GPU whose
    registers and limits were taken, "" where the command line says it all.
    """

    report: UnitReport
    patched: Mapping[str, bytes]
    original: Mapping[str, bytes]
    misread: tuple[Problem, ...] = ()
    basis: str = ""

    @property
    def status(self) -> int:
        """The exit status of a command that shows it: 1 where the file was not understood."""
        return 1 if self.misread else 0


def examine_file(arguments: argparse.Namespace) -> Examined:
    """What gpuopt-nvcc would do to the file `arguments.target`."""
    source = arguments.target
    if b"\0" in _beginning(source):
        raise UsageError(f"{source}: not a source file")
    policy = load_policy([source], explicit=arguments.policy)
    if policy.refused:
        warn(policy.refused)
    if arguments.gpu:
        policy = replace(policy, gpu=arguments.gpu)
    include, resources, nvcc, compiled, known = None, None, None, True, True
    if policy.driver.backend != EMULATOR:  # an nvcc that is named and cannot be it ends builds, too
        nvcc = find_nvcc(os.environ, policy.driver.nvcc)
        if nvcc is None and policy.driver.backend == AUTO:  # as the build does
            policy = replace(policy, driver=replace(policy.driver, backend=EMULATOR))
    backend = EMULATOR if policy.driver.backend == EMULATOR else NVCC
    command = parse_command([*arguments.nvcc_args, "-c", source], os.environ, str(Path.cwd()))
    named = command.value("gpu-architecture")
    if named and not command.archs and named not in _SEVERAL:
        raise UsageError(f"-arch={named}: no architecture that nvcc knows; sm_90 is one")
    is_named = bool(command.archs) or policy.gpu != "auto"
    policy = for_backend(policy, backend, command.archs)
    arch = _compiled_for(command, policy)
    with contextlib.suppress(ToolchainError):  # without a toolkit our own declarations serve
        if nvcc is not None and backend == NVCC:
            toolkit = describe_toolkit(nvcc, os.environ)
            include = toolkit.runtime_header_dir or None
            supported = supported_archs(toolkit, os.environ)
            compiled, known = not arch or arch in supported, not {*command.archs} - {*supported}
            if compiled:
                with telling(f"{source}: nvcc compiles it, for registers and shared memory"):
                    resources = _resources(source, arguments.nvcc_args, arch, nvcc)
    if not known and not choose("auto", command.archs).stands:
        raise UsageError(f"sm_{max(command.archs)}: no architecture that nvcc compiles for, nor one of a GPU file")
    memory = unanalysed.memory_of(policy.driver, backend, command, nvcc, os.environ)
    with telling(f"{source}: analysis"), memory as (least, allowance):
        returned = suspects.until_nobody_ends_it(
            lambda: forked.call(
                lambda: _examined(source, arguments.nvcc_args, policy, resources, include),
                _SECONDS + _PLUGINS_AT_LEAST * policy.driver.plugin_seconds,
                (PolicyError, ArchError, UsageError, ParseError, ToolchainError),
                debug=variables.is_on(os.environ, "GPUOPT_DEBUG"),
                memory_bytes=least,
                allowance=allowance,
            ),
            installation.strangers(),
        )
    if returned.error is not None:
        raise returned.error
    if why := unanalysed.of_option(command) or unanalysed.reason(returned):
        return _left_out(source, policy, command, backend, why)
    if returned.value is None:
        raise GpuoptError(f"{source}: analysis: {returned.failure}; GPUOPT_DEBUG=1 shows where")
    if backend == EMULATOR:
        said = "" if is_named else _played(policy)
    else:
        said = _basis(policy, arch, known=resources is not None, compiled=compiled)
    return replace(returned.value, basis=said if returned.value.report.facts else "")


def _left_out(source: str, policy: Policy, command: NvccCommand, backend: str, why: str) -> Examined:
    """What is said of a source that is not analysed."""
    path = str(Path.cwd() / source)
    gpu = choose(policy.gpu, command.archs).arch.name
    return Examined(UnitReport(path, gpu, backend, unanalysed.findings(path, why)), {}, {})


def _beginning(source: str) -> bytes:
    """What a file begins with; b"" where it cannot be read, of which others tell."""
    try:
        with Path(source).open("rb") as file:
            return file.read(1024)
    except OSError:
        return b""


def _played(policy: Policy) -> str:
    """What is to be said of the GPU that the emulator plays where nothing names one."""
    arch = choose(policy.gpu, ()).arch
    named = f"{arch.name}, sm_{''.join(map(str, arch.compute_capability))}"
    return (
        f"the emulator builds this, and the arguments name no architecture: decided for the GPU that it plays, {named}"
    )


def _compiled_for(command: NvccCommand, policy: Policy) -> int:
    """The capability that registers are asked for, where the arguments name none: of the GPU that is decided for."""
    major, minor = choose(policy.gpu, ()).arch.compute_capability
    return 0 if command.archs else 10 * major + minor


def _basis(policy: Policy, arch: int, *, known: bool, compiled: bool) -> str:
    """What is to be said of the GPU that was taken; `known`: registers are; `compiled`: there was an nvcc for it."""
    if not arch:
        return ""
    if not compiled:
        return f"this nvcc does not compile for sm_{arch}: registers are not known"
    if policy.gpu != "auto":
        return ""
    what = "limits and registers are" if known else "limits (registers are not known) are"
    return f"the arguments name no architecture: {what} those of {choose(policy.gpu, ()).arch.name}, sm_{arch}"


def _examined(
    source: str,
    nvcc_args: Sequence[str],
    policy: Policy,
    resources: Mapping[str, Resources] | None,
    include: str | None,
) -> Examined:
    """The child's work: libclang and plugins may crash or print, which must not reach the command's output."""
    cache = Cache.find(os.environ)
    cache_dir = str(cache.root) if cache else None
    made = examine(source, nvcc_args, policy, resources=resources, cuda_include=include, cache_dir=cache_dir)
    misread = tuple(_misread(made))
    report = replace(
        made.report,
        findings=tuple(replace(item, figures=plain(item.figures)) for item in made.report.findings),
        facts=tuple(plain(facts) for facts in made.report.facts),
        problems=(*misread, *made.report.problems),
    )
    return Examined(report, dict(made.patched), dict(made.original), misread)


def _misread(examined: Examination) -> Iterator[Problem]:
    """What the parser stumbled over. A build does not say it: there, nvcc is the judge of the source."""
    said = errors_at_every_level(examined.unit, examined.parse) if examined.unit else ()
    for text in said[:_DIAGNOSTICS]:
        found = _PLACED.fullmatch(" ".join(text.split()))
        file, line, message = (found[1], int(found[2]), found[3]) if found else ("", 0, text)
        yield Problem(Severity.ERROR, message, file=file, line=line)
    if said:
        more = f" ({_DIAGNOSTICS} of them above)" if len(said) > _DIAGNOSTICS else ""
        what = "could not be read: what is said of kernels there, or left out, is no verdict"
        yield Problem(Severity.NOTE, f"{counted(len(said), 'place')}{more} {what}")


def _resources(source: str, nvcc_args: Sequence[str], arch: int, nvcc: RealNvcc) -> dict[str, Resources]:
    """Registers and shared memory of the file's kernels by name, as nvcc allots them for `arch` (0: for -arch)."""
    command = parse_command([*nvcc_args, "-c", source], os.environ, str(Path.cwd()))
    archs = (arch,) if arch else command.archs[-1:]
    found = by_name(kernel_resources(command, source, nvcc, archs, os.environ))
    said = f"nvcc -Xptxas -v for sm_{archs[0]}"
    return {
        name.rpartition("::")[2]: Resources(item.registers, item.static_shared_bytes, item.local_bytes, said)
        for name, item in found.items()
    }
