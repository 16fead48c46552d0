"""`gpuopt verify`: whether a program's patched kernels compute, bit for bit, what the originals compute."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.commands.machine import has_gpu
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.commands.tune import add_program_arguments, program_of
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.progress import telling
from gpuopt_driver.tuning.programs import Outcome, Program, compile_program, first_difference, run_program

_EMULATED = (
    "on the emulator: versions that `gpuopt explain` calls to be measured are not in its builds, and were not run",
)
_ORIGINAL = "original: "  # in the trace, behind the launch, where no version was picked


@dataclass(frozen=True, slots=True)
class Check:
    """One way to run the program, against the program built without us."""

    name: str
    outcome: Outcome
    difference: str  # "" where the output is the same


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("sources", nargs="*", metavar="FILE.cu", help="what to build (or --build)")
    add_program_arguments(parser)
    parser.add_argument(
        "--backend",
        choices=("auto", "nvcc", "emulator"),
        default="auto",
        help="where it runs; auto: on the GPU, without one on the emulator",
    )
    parser.add_argument(
        "--gpu", metavar="NAME", default="", help="decide for this GPU, and play it (see `gpuopt gpus`)"
    )
    parser.add_argument("--policy", metavar="FILE", default="", help="this toolchain.toml instead of the one found")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Build with and without us, run both, compare. Exit status 1 where an output differs."""
    program = program_of(arguments)
    settings = {"GPUOPT_GPU": arguments.gpu, "GPUOPT_POLICY": arguments.policy, "GPUOPT_EMU_GPU": arguments.gpu}
    backend = "emulator" if arguments.backend == "auto" and not has_gpu(os.environ) else arguments.backend
    if backend == "nvcc" and not arguments.build and not has_gpu(os.environ):
        raise GpuoptError("no GPU answers here, so that nothing that nvcc builds can run; --backend emulator can")
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        checks = _checks(program, {k: v for k, v in settings.items() if v}, backend, Path(scratch))
    picked = [version for version in checks[-1].outcome.versions if f": {_ORIGINAL.strip(': ')}" not in version]
    differing = [check for check in checks if check.difference]
    if arguments.json:
        checked = [
            {"run": check.name, "same": not check.difference, "difference": check.difference} for check in checks
        ]
        show_json({"same": not differing, "patched_launches": picked, "checks": checked})
    else:
        show(_lines(checks, picked))
        if backend == "emulator" and not arguments.build:
            show(_EMULATED)
    return 1 if differing else 0


def _checks(program: Program, settings: Mapping[str, str], backend: str, scratch: Path) -> list[Check]:
    """Originals in the patched program, and the patched program as it is; the last one is the latter."""
    plain, patched = scratch / "plain", scratch / "patched"
    with telling("verify: building the program without patches"):
        compile_program(program, plain, {**settings, "GPUOPT_OFF": "1"}, backend)
    with telling("verify: running it"):
        expected = run_program(program, plain, settings)
    if expected.status != 0:
        raise GpuoptError(f"the program as it is fails: {expected.complaint}")
    with telling("verify: running it again, to see whether it repeats itself"):
        again = run_program(program, plain, settings)
    if again.digest != expected.digest:
        way = "--ignore REGEX leaves lines out"
        said = first_difference(expected.counted, again.counted)
        raise GpuoptError(f"the program as it is does not repeat itself: {said}; {way}")
    with telling("verify: building the patched program"):
        compile_program(program, patched, settings, backend)
    runs = (("patched build, original kernels", "original"), ("patched build", "trace"))
    checks = []
    for name, dispatch in runs:
        with telling(f"verify: running the {name}"):
            outcome = run_program(program, patched, {**settings, "GPUOPT_DISPATCH": dispatch})
        difference = outcome.complaint
        if not difference and outcome.digest != expected.digest:
            difference = first_difference(expected.counted, outcome.counted)
        checks.append(Check(name, outcome, difference))
    return checks


def _lines(checks: list[Check], picked: list[str]) -> Iterator[str]:
    for check in checks:
        yield f"{check.name}: {f'NOT THE SAME: {check.difference}' if check.difference else 'same output'}"
    if picked:
        yield from (f"  {version}" for version in picked)
    elif checks[-1].outcome.versions:
        yield "no launch took a patched version: at these sizes the originals were kept"
    else:
        yield "no launched kernel has a patched version; `gpuopt explain FILE` says why"
