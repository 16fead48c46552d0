"""One source file through the pipeline, as the build would take it: same policy, same toolkit, same decisions."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.arch import load_arch
from gpuopt_driver.cache import Cache
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.hooks import Resources
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import RealNvcc, find_nvcc
from gpuopt_driver.nvcc.resources import by_name, kernel_resources
from gpuopt_driver.nvcc.toolkit import describe_toolkit, supported_archs
from gpuopt_driver.phases import Examination
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Problem, Severity

_DIAGNOSTICS = 3  # as many are shown; the first ones usually explain the others


def examine_file(arguments: argparse.Namespace) -> Examination:
    """What gpuopt-nvcc would do to the file `arguments.target`."""
    source = arguments.target
    policy = load_policy([source], explicit=arguments.policy)
    if arguments.gpu:
        policy = replace(policy, gpu=arguments.gpu)
    include, resources = None, None
    with contextlib.suppress(ToolchainError):  # without a toolkit our own declarations serve
        nvcc = find_nvcc(os.environ, policy.driver.nvcc)
        if nvcc is not None:
            include = describe_toolkit(nvcc, os.environ).runtime_header_dir or None
            resources = _resources(source, arguments.nvcc_args, policy, nvcc)
    cache = Cache.find(os.environ)
    with contextlib.redirect_stdout(sys.stderr):  # what plugins print must not get into --json
        examined = examine(
            source,
            arguments.nvcc_args,
            policy,
            resources=resources,
            cuda_include=include,
            cache_dir=str(cache.root) if cache else None,
        )
    problems = (*examined.report.problems, *_misread(examined))
    return replace(examined, report=replace(examined.report, problems=problems))


def _misread(examined: Examination) -> Iterator[Problem]:
    """What the parser stumbled over. A build does not say it: there, nvcc is the judge of the source."""
    said = examined.unit.diagnostics if examined.unit else ()
    for text in said[:_DIAGNOSTICS]:
        yield Problem(Severity.NOTE, f"not understood: {' '.join(text.split())}")
    if len(said) > _DIAGNOSTICS:
        yield Problem(Severity.NOTE, f"and {len(said) - _DIAGNOSTICS} more that were not understood")


def _resources(source: str, nvcc_args: Sequence[str], policy: Policy, nvcc: RealNvcc) -> dict[str, Resources]:
    """Registers and shared memory of the file's kernels by name, as nvcc allots them for the GPU (or its default)."""
    command = parse_command([*nvcc_args, "-c", source], os.environ, str(Path.cwd()))
    archs = command.archs[-1:]
    if not archs and policy.gpu != "auto":
        major, minor = load_arch(policy.gpu).compute_capability
        known = supported_archs(describe_toolkit(nvcc, os.environ), os.environ)
        archs = tuple(arch for arch in known if arch == major * 10 + minor)
    found = by_name(kernel_resources(command, source, nvcc, archs, os.environ))
    said = f"nvcc -Xptxas -v{f' for sm_{archs[0]}' if archs else ''}"
    return {
        name.rpartition("::")[2]: Resources(item.registers, item.static_shared_bytes, item.local_bytes, said)
        for name, item in found.items()
    }
