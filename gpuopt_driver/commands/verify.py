"""`gpuopt verify`: whether a program's patched kernels compute, bit for bit, what the originals compute."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.commands.machine import has_gpu
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.commands.tune import add_program_arguments, program_of
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.policy import load_policy
from gpuopt_driver.progress import telling
from gpuopt_driver.tuning.programs import Outcome, Program, compile_program, first_difference, run_program

_EMULATED = (
    "on the emulator: versions that `gpuopt explain` calls to be measured are not in its builds, and were not run",
)
_CANNOT_RUN = b"no launch could run as that arm"  # what programs say then (variants/asked.h)
_MOST_ARMS = 16  # of a launch, the original among them (learning/learner.h)


@dataclass(frozen=True, slots=True)
class Check:
    """One way to run the program, against the program built without us."""

    name: str
    outcome: Outcome
    difference: str  # "" where the output is the same

    @property
    def ran(self) -> tuple[str, ...]:
        """The versions that its launches got, each once."""
        return tuple(dict.fromkeys(map(_version, filter(_is_patched, self.outcome.versions))))


def _version(traced: str) -> str:
    return traced.rpartition(">>>: ")[2].split(" ", 1)[0]


def _is_patched(traced: str) -> bool:
    return _version(traced) != "original"


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
    parser.add_argument(
        "--chosen",
        action="store_true",
        help="run what the launches choose alone, not each arm (way to run) of them, too",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Build with and without us, run both, compare. Exit status 1 where an output differs."""
    program = program_of(arguments)
    if arguments.gpu:
        load_arch(arguments.gpu)  # errors name what is wrong with the option, not with a build
    if arguments.policy:
        load_policy(arguments.sources, explicit=arguments.policy)
    settings = {"GPUOPT_GPU": arguments.gpu, "GPUOPT_POLICY": arguments.policy, "GPUOPT_EMU_GPU": arguments.gpu}
    backend = "emulator" if arguments.backend == "auto" and not has_gpu(os.environ) else arguments.backend
    if backend == "nvcc" and not arguments.build and not has_gpu(os.environ):
        raise GpuoptError("no GPU answers here, so that nothing that nvcc builds can run; --backend emulator can")
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        given = {k: v for k, v in settings.items() if v}
        checks = _checks(program, given, backend, Path(scratch), every_arm=not arguments.chosen)
    picked = [version for version in checks[1].outcome.versions if _is_patched(version)]
    differing = [check for check in checks if check.difference]
    if arguments.json:
        checked = [
            {"run": check.name, "same": not check.difference, "difference": check.difference, "versions": check.ran}
            for check in checks
        ]
        show_json({"same": not differing, "patched_launches": picked, "checks": checked})
    else:
        show(_lines(checks, picked))
        show(_compared(checks, every_arm=not arguments.chosen))
        if backend == "emulator" and not arguments.build:
            show(_EMULATED)
    return 1 if differing else 0


def _checks(
    program: Program, settings: Mapping[str, str], backend: str, scratch: Path, *, every_arm: bool
) -> list[Check]:
    """Originals in the patched program, the patched program as it is, and each arm that its launches have."""
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
    checks = []
    for name, dispatch in _runs(every_arm=every_arm):
        with telling(f"verify: running the {name}"):
            outcome = run_program(program, patched, {**settings, "GPUOPT_DISPATCH": dispatch})
        if dispatch.startswith("arm:") and not any(map(_is_patched, outcome.versions)) and outcome.status == 0:
            if _CANNOT_RUN in outcome.stderr:
                continue
            break  # no launch has this arm, nor one behind it
        difference = outcome.complaint
        if not difference and outcome.digest != expected.digest:
            difference = first_difference(expected.counted, outcome.counted)
        checks.append(Check(name, outcome, difference))
        if dispatch == "trace" and not outcome.versions:
            break
    return checks


def _runs(*, every_arm: bool) -> Iterator[tuple[str, str]]:
    """What the runs are called, and GPUOPT_DISPATCH for each."""
    yield "patched build, original kernels", "original"
    yield "patched build", "trace"
    for arm in range(1, _MOST_ARMS if every_arm else 1):
        yield f"patched build, arm:{arm}", f"arm:{arm}"


def _compared(checks: list[Check], *, every_arm: bool) -> Iterator[str]:
    """What was run beside the program as it is, and how the rest can be."""
    if not checks[1].outcome.versions:
        return
    ran = list(dict.fromkeys(name for check in checks for name in check.ran))
    named = f"{len(ran)} version{'s' * (len(ran) != 1)} ({', '.join(ran)})" if ran else "the originals alone"
    if every_arm:
        last = checks[-1].name.rpartition(" ")[2]
        yield f"compared: {named}, in every way that launches have (arm:0, the original, to {last})"
        return
    yield (
        f"compared: {named}, as the launches choose; other arms were not run: leave out --chosen, "
        "or run the program with GPUOPT_DISPATCH=arm:1 (arm:2, ...)"
    )


def _lines(checks: list[Check], picked: list[str]) -> Iterator[str]:
    """How each run went; behind that of the patched build what its launches got."""
    for number, check in enumerate(checks):
        ran = f" ({', '.join(check.ran)})" if number > 1 else ""
        yield f"{check.name}{ran}: {f'NOT THE SAME: {check.difference}' if check.difference else 'same output'}"
        if number == 1 and picked:
            yield from (f"  {version}" for version in picked)
        elif number == 1 and check.outcome.versions:
            yield "no launch took a patched version: at these sizes the originals were kept"
        elif number == 1:
            yield "no launched kernel has a patched version; `gpuopt explain FILE` says why"
