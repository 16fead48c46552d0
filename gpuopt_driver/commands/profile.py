"""`gpuopt profile`: run a program and keep what its loads did, emulated or under ncu; or fit a GPU's regression."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.calibration import regression
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import UsageError
from gpuopt_driver.profiles import Profile, of_emulated, text_of
from gpuopt_driver.progress import telling
from gpuopt_driver.store import write_named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("-o", "--output", metavar="FILE", default="gpuopt.profile.json", help="where to write it")
    parser.add_argument("--gpu", metavar="NAME", default="h200", help="the GPU to emulate, or of this machine (h200)")
    parser.add_argument(
        "--ncu", action="store_true", help="run on this machine's GPU, under Nsight Compute (build with -lineinfo)"
    )
    parser.add_argument(
        "--fit",
        metavar="FILE.csv",
        help="fit equation 1 to such runs instead, and other forms if they say enough; prints a [partition] table",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(nvcc_args=[])  # what stands behind `--`: the program and its arguments


def run(arguments: argparse.Namespace) -> int:
    """Profile a program, or fit."""
    if arguments.fit:
        return _fit(Path(arguments.fit), as_json=arguments.json)
    command = list(arguments.nvcc_args)
    if not command:
        raise UsageError("nothing to run; write: gpuopt profile -- ./program arguments")
    output = Path(arguments.output)
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: {'is a directory' if output.is_dir() else 'no such directory'}; -o names the file")
    load_arch(arguments.gpu)  # before the program runs for long
    profile = _counted(command, arguments.gpu) if arguments.ncu else _profiled(command, arguments.gpu)
    write_named(output, text_of(profile).encode())
    if arguments.json:
        show_json(json.loads(text_of(profile)))
    else:
        kernels = ", ".join(f"{one.kernel} ({len(one.loads)} loads)" for one in profile.kernels)
        show(f"{arguments.output}: {kernels or 'no kernel loads global memory'}")
    return 0


def _counted(command: list[str], gpu: str) -> Profile:
    """What hardware counters say."""
    from gpuopt_driver.commands.ncu import profiled  # noqa: PLC0415 - not needed for the emulator

    with telling("profile: running it under ncu"):
        return profiled(command, gpu)


def _profiled(command: list[str], gpu: str) -> Profile:
    """Two runs in the emulator's model mode: as the program is, and with all loads past L1."""
    with telling("profile: running it in model mode"):
        as_is = _report(command, gpu, {"GPUOPT_EMU_PAIRS": "1"})
    with telling("profile: running it again, with all loads past L1"):
        past_l1 = _report(command, gpu, {"GPUOPT_EMU_LOADS": "cg"})
    return of_emulated(as_is, command, past_l1)


def _report(command: list[str], gpu: str, more: dict[str, str]) -> dict[str, Any]:
    """What a run in model mode says."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        report = Path(scratch) / "report.json"
        settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report), **more}
        try:
            done = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise UsageError(f"{command[0]}: cannot be run: {error.strerror}") from error
        if not report.exists():
            how = "build it with GPUOPT_BACKEND=emulator gpuopt-nvcc"
            raise UsageError(f"{command[0]}: left no report (status {done.returncode}); {how}")
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found


def _summary(name: str, parts: Sequence[float], tie: float) -> str:
    """How good the choices for what was left out are, in one line."""
    exact, close = sum(part >= 1 for part in parts), sum(part >= tie for part in parts)
    return (
        f"# {name}: the best division for {exact} of {len(parts)}, within {100 * (1 - tie):.2g} % of it for {close}; "
        f"{sum(parts) / len(parts):.4f} of the best performance on average, at worst {min(parts):.3f}"
    )


def _held_out(name: str, runs: Sequence[regression.Run], form: regression.Regression, tie: float) -> list[str]:
    """A form's choices, free ones and where the driver's division stays unless much better."""
    lines: list[str] = []
    for margin in (1.0, regression.MARGIN):
        held_out, asked = regression.cross_validated(runs, margin, form), f"{100 * (margin - 1):.0f} % asked for"
        lines.append(_summary(f"{name}, {asked}", [one.chosen for one in held_out], tie))
        if own := [one.chosen for one in held_out if one.own]:
            lines.append(_summary(f"{name}, {asked}, beside the kernels' own shared memory", own, tie))
    return lines


def _another_input(by_inputs: Sequence[Sequence[float]], tie: float) -> list[str]:
    """How far the inputs agree with each other: no choice can be better than that."""
    if not by_inputs:
        return []
    counts = [(sum(part >= 1 for part in parts), sum(part >= tie for part in parts)) for parts in by_inputs]
    exact, close, worst = [one[0] for one in counts], [one[1] for one in counts], min(map(min, by_inputs))
    return [
        f"# all run with another input: the best division for {min(exact)} to {max(exact)} of {len(by_inputs[0])}, "
        f"within {100 * (1 - tie):.2g} % of it for {min(close)} to {max(close)}; at worst {worst:.3f}",
        f"# divisions within {100 * (1 - tie):.2g} % of each other are tied: 19 of 20 of those choices lose no more",
    ]


def _by_waves(runs: Sequence[regression.Run], tie: float) -> list[str]:
    """The third form, where the runs say in how many waves they ran; its lines of the table are the first three."""
    if not all(run.waves and run.iterations and run.sectors for run in runs):
        return []
    names = ("wave", "missed", "asked")
    table = [f"{name} = {1e6 * value:.8g}" for name, value in zip(names, regression.fit_waves(runs), strict=True)]
    return [*table, *_held_out("time of waves", runs, regression.by_waves, tie)]


def _by_time(runs: Sequence[regression.Run], tie: float) -> list[str]:
    """The second form, where the runs say what they did; a table by the source's instructions, as guards have."""
    lines: list[str] = []
    if all(run.source_instructions and run.sectors for run in runs):
        by_source = [replace(run, instructions=run.source_instructions) for run in runs]
        pairs = zip(("instruction", "sector"), regression.fit_time(by_source), strict=True)
        lines += [f"{name} = {1e6 * value:.8g}" for name, value in pairs]
        lines += _held_out("time, instructions by the source", by_source, regression.by_time, tie)
    if all(run.instructions and run.sectors for run in runs):
        instruction, sector = regression.fit_time(runs)
        figures = f"{1e6 * instruction:.4g} ns of an instruction / occupancy, {1e6 * sector:.4g} ns of a missed sector"
        lines += [f"# time: {figures}", *_held_out("time", runs, regression.by_time, tie)]
    return lines


def _fit(path: Path, *, as_json: bool) -> int:
    """Coefficients, mean square error and cross-validation of recorded runs."""
    try:
        text = given.read_text(path, given.RESULTS)
        runs = [regression.run_of(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
        by_inputs = regression.by_another_input(runs)
        runs = regression.averaged(runs)
        found = regression.fit(runs)
    except given.Unusable as error:
        raise UsageError(error.told(path, "runs")) from error
    except (ArithmeticError, LookupError, TypeError, ValueError, csv.Error) as error:
        why = f"no column {error}" if isinstance(error, KeyError) else f"{error}" if text.strip() else "it is empty"
        raise UsageError(f"{path}: not a table of runs: {why}") from error
    spread = regression.mean_square_error(found, runs)
    held_out = regression.cross_validated(runs)
    if as_json:
        cases = [{"case": one.case, "chosen": one.chosen, "default": one.default} for one in held_out]
        show_json({"coefficients": list(found), "mean_square_error": spread, "held_out": cases})
        return 0
    names = ("constant", "occupancy", "hit_rate", "both")
    lines = ["[partition]", *(f"{name} = {value:.8g}" for name, value in zip(names, found, strict=True))]
    within = regression.error_within_cases(found, runs)
    lines += [f"# mean square error {spread:.4f}, within cases {within:.4f}"]
    lines += ["# left out of the fit, part of the best performance:"]
    lines += [f"# {one.case}: {one.chosen:.2f} (driver's own: {one.default:.2f})" for one in held_out]
    tie = regression.tied(by_inputs)
    lines += _held_out("equation 1", runs, regression.by_equation_1, tie)
    lines += _by_time(runs, tie) + _by_waves(runs, tie) + _another_input(by_inputs, tie)
    show("\n".join(lines))
    return 0
