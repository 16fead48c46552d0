"""Original and patched programs side by side on the emulator, from the same seed."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.backends.emulator import build
from gpuopt_driver.backends.host_options import toolchain_for
from gpuopt_driver.backends.launch_side_emulated import with_assembly
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.phases import Examination
from gpuopt_driver.report.model import Decision
from gpuopt_driver.testing.cases import Case, CaseError, read_case
from gpuopt_driver.testing.check import Plugin, examine_case, need_run
from gpuopt_driver.testing.harness import difference, harness, has_shim, kernel_of, layout

_TRACE = re.compile(rb"^gpuopt: (.+?)<<<.*?>>>: (\S+) .*\n", re.MULTILINE)
_NO_ARM = re.compile(rb"^gpuopt: warning: GPUOPT_DISPATCH=arm:.*\n", re.MULTILINE)  # said where no launch got it
_CANNOT_RUN = b"no launch could run as that arm"
_SECONDS = 120.0
_MOST_ARMS = 16  # of a launch, the original among them (learning/learner.h)


@dataclass(frozen=True, slots=True)
class Pick:
    """The version (`original` or a variant's name) that a launch configuration of a kernel got."""

    kernel: str
    version: str


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a program: what it wrote, and, for a patched one, what was picked for its launches."""

    stdout: bytes
    stderr: bytes
    status: int
    buffers: bytes = b""
    picks: tuple[Pick, ...] = ()
    is_behind_all_arms: bool = False  # no launch has the arm that was asked for


def check_execution(case: Case, plugin: Plugin, *, seed: int = 1) -> tuple[Pick, ...]:
    """Run every `run:` line of a case, original and patched (AssertionError where they differ or one is missing).

    Every kernel that was changed has to be launched, and where versions were made, one of them has to be picked.
    """
    examined = examine_case(case, plugin)
    if not case.runs:
        if examined.patched:
            need_run(case)
        return ()
    picks = list(_compare_launches(case, examined, seed))
    for run in case.runs:
        if run.program is not None:
            picks.extend(_compare_programs(case, examined, run.program, seed))
    _check_coverage(case, examined, picks)
    return tuple(picks)


def assert_same_output(
    source: str | Path | Case, plugin: Plugin, *, arguments: Sequence[str] = (), seed: int = 1
) -> tuple[Pick, ...]:
    """Run a program, original and patched, with the same arguments and GPUOPT_SEED: the same output and exit status.

    Returns which versions its launches got; AssertionError says what differs.
    """
    case = source if isinstance(source, Case) else read_case(source)
    return _compare_programs(case, examine_case(case, plugin), tuple(arguments), seed)


def _check_coverage(case: Case, examined: Examination, picks: Sequence[Pick]) -> None:
    assert examined.unit is not None
    patched = b"".join(examined.patched.values())
    applied = {item.kernel for item in examined.report.findings if item.decision is Decision.APPLIED}
    program = any(run.program is not None for run in case.runs)
    launched = {kernel_of(case, examined.unit, run).qualified for run in case.runs if run.program is None}
    for kernel in examined.unit.kernels:
        if kernel.qualified not in applied:
            continue
        if not program and kernel.qualified not in launched:
            raise CaseError(f"{case.source}: {kernel.qualified} is changed, but no // run: line launches it")
        versions = {pick.version for pick in picks if pick.kernel == kernel.qualified}
        has_versions = any(one.kernel == kernel.name for one in examined.emitted)  # launches may be watched alone
        if has_versions and has_shim(patched, kernel) and versions <= {"original"}:
            raise CaseError(f"{case.source}: no run of {kernel.qualified} gets its version, so that is not executed")


def _compare_launches(case: Case, examined: Examination, seed: int) -> tuple[Pick, ...]:
    """The launches of a case by our own `main`."""
    assert examined.unit is not None
    if all(run.program is not None for run in case.runs):
        return ()
    before = harness(case, examined.unit)
    after = harness(case, examined.unit, b"".join(examined.patched.values()))
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        programs = _build(case, examined, Path(scratch), before, after)
        return _compare(case, examined, programs, None, seed)


def _compare_programs(case: Case, examined: Examination, arguments: tuple[str, ...], seed: int) -> tuple[Pick, ...]:
    """A case's own `main`."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        return _compare(case, examined, _build(case, examined, Path(scratch)), arguments, seed)


def _build(
    case: Case, examined: Examination, scratch: Path, before: bytes = b"", after: bytes = b""
) -> tuple[Path, Path]:
    """The original and the patched program; `before` and `after` are appended to their sources."""
    source, env = case.source.resolve(), {**os.environ, "GPUOPT_EMU_MODE": "fast"}
    made = []
    for name, files, tail in (("original", {}, before), ("patched", examined.patched, after)):
        place = scratch / name
        place.mkdir()
        argv = [*case.nvcc_args, f"-I{source.parent}", str(place / source.name), "-o", str(place / "program")]
        command = parse_command(argv, os.environ, str(source.parent))
        contents = {
            str(source): source.read_bytes(),
            **with_assembly(command, toolchain_for(command, env, "", ""), files),
        }
        for path, data in contents.items():
            if not Path(path).is_relative_to(source.parent):
                raise CaseError(f"{path} is patched, but lies outside of {source.parent}: the kit cannot build that")
            copy = place / Path(path).relative_to(source.parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data + tail if path == str(source) else data)
        if build(command, {}, env):
            raise AssertionError(f"{case.source}: the {name} program does not compile; the compiler's words are above")
        made.append(place / "program")
    return made[0], made[1]


def _compare(
    case: Case, examined: Examination, programs: tuple[Path, Path], arguments: tuple[str, ...] | None, seed: int
) -> tuple[Pick, ...]:
    """Run the original, and the patched program as it would run and with its original kernels."""
    original = _run(programs[0], arguments, _environment(examined, seed, "trace"))
    if arguments is None and original.status:
        said = original.stderr.decode("utf-8", "replace").strip()
        raise CaseError(f"{case.source}: the original fails with status {original.status}: {said}")
    patched = _run(programs[1], arguments, _environment(examined, seed, "trace"))
    forced = _run(programs[1], arguments, _environment(examined, seed, "original"))
    for what, other in (("patched", patched), ("patched with GPUOPT_DISPATCH=original", forced)):
        different = _difference(original, other)
        if different:
            raise AssertionError(f"{case.source}: original and {what} program differ (seed {seed}): {different}")
    return (*patched.picks, *_arms(case, examined, programs[1], arguments, original, seed))


def _arms(
    case: Case,
    examined: Examination,
    program: Path,
    arguments: tuple[str, ...] | None,
    original: Execution,
    seed: int,
) -> list[Pick]:
    """Run the patched program in each of the ways that its versions offer: a measurement may choose any."""
    picks: list[Pick] = []
    offers = any(b"__gpuopt_" in data and b"_offers(" in data for data in examined.patched.values())
    for arm in range(1, _MOST_ARMS if offers else 0):
        made = _run(program, arguments, _environment(examined, seed, f"arm:{arm}"))
        different = _difference(original, made)
        if different:
            what = f"with GPUOPT_DISPATCH=arm:{arm}"
            raise AssertionError(f"{case.source}: original and program {what} differ (seed {seed}): {different}")
        if made.is_behind_all_arms:
            break  # an arm that cannot run as it is offered may have others behind it
        picks.extend(made.picks)
    return picks


def _difference(original: Execution, other: Execution) -> str:
    if original.status != other.status:
        said = other.stderr.decode("utf-8", "replace").strip()
        return f"exit status {original.status} and {other.status}; {said}"
    for name in ("stdout", "stderr"):
        pairs = zip(getattr(original, name).splitlines(), getattr(other, name).splitlines(), strict=False)
        for old, new in pairs:
            if old != new:
                return f"{name}: {old.decode('utf-8', 'replace')!r} and {new.decode('utf-8', 'replace')!r}"
        if getattr(original, name) != getattr(other, name):
            return f"{name} is longer in one of them"
    return difference(layout(original.stdout), original.buffers, other.buffers)


def _environment(examined: Examination, seed: int, dispatch: str) -> dict[str, str]:
    gpu = examined.report.gpu
    return {**os.environ, "GPUOPT_SEED": str(seed), "GPUOPT_EMU_GPU": gpu, "GPUOPT_DISPATCH": dispatch}


def _run(program: Path, arguments: tuple[str, ...] | None, env: Mapping[str, str]) -> Execution:
    """`arguments` None: a program with our harness, which is told where to write its buffers."""
    output = program.with_suffix(".buffers")
    output.unlink(missing_ok=True)
    given = (str(output),) if arguments is None else arguments
    try:
        done = subprocess.run([str(program), *given], env=dict(env), capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"{program.parent.name} program: still running after {_SECONDS:g} s") from error
    picks = tuple(Pick(*(word.decode() for word in found)) for found in _TRACE.findall(done.stderr))
    said = _TRACE.sub(b"", done.stderr)
    behind = any(_CANNOT_RUN not in line for line in _NO_ARM.findall(said)) or not picks
    made = Execution(done.stdout, _NO_ARM.sub(b"", said), done.returncode, picks=picks, is_behind_all_arms=behind)
    return replace(made, buffers=output.read_bytes()) if output.exists() else made
