"""Every candidate built, run and measured; what is known already comes from a state file, so that a search goes on."""

from __future__ import annotations

import json
import re
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from math import prod
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError, ToolchainError
from gpuopt_driver.report.emulated import EmulatedReport, read_emulated
from gpuopt_driver.store import digest, write_atomic
from gpuopt_driver.tuning.candidates import Candidate
from gpuopt_driver.tuning.programs import Outcome, Program, compile_program, first_difference, run_program


@dataclass(frozen=True, slots=True)
class Measure:
    """What counts: modelled cycles, a time that the program prints (`pattern`, its groups 1 added up), or wall time."""

    on_model: bool
    gpu: str = ""  # the GPU to build for, and that the emulator plays
    kernel: str = "*"  # whose cycles count
    pattern: str = ""
    runs: int = 1

    @property
    def unit(self) -> str:
        """What a value is counted in."""
        return "cycles" if self.on_model else "as printed" if self.pattern else "s"


@dataclass(frozen=True, slots=True)
class Result:
    """One candidate. `value` is None where `problem` says why.

    `versions`: what was picked at its launches. `loops`: CATT's decisions in its build. `resident`: the most warps per
    block and blocks per SM in a modelled run of the program as it is.
    """

    name: str
    value: float | None
    problem: str = ""
    versions: tuple[str, ...] = ()
    loops: tuple[Mapping[str, Any], ...] = ()
    resident: tuple[int, ...] = ()
    differs: bool = False  # the problem is that the program's output is another one


class State:
    """Results by candidate, kept in a file (or not, without a path) under a key of what was measured."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self.results: dict[str, Result] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            document = given.read_json(path)
            if document["key"] == self.key:
                self.results = {item["name"]: _result(item) for item in document["results"]}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = f" ({error})" if isinstance(error, given.Unusable) else ""
            raise GpuoptError(
                f"{path}: not a state of `gpuopt tune`{why}; delete it or name another with --state"
            ) from error

    def add(self, result: Result) -> None:
        """Keep a result; the file is whole at every moment."""
        self.results[result.name] = result
        if self.path is not None:
            items = [asdict(item) for item in self.results.values()]
            text = json.dumps({"key": self.key, "results": items}, indent=1)
            write_atomic(self.path, text.encode())


def _result(item: Mapping[str, Any]) -> Result:
    if not isinstance(item["value"], int | float | None):
        raise TypeError("value")
    several = {key: tuple(item[key]) for key in ("versions", "loops", "resident")}
    return Result(item["name"], item["value"], item["problem"], **several, differs=item["differs"])


def state_key(program: Program, measure: Measure, version: str) -> str:
    """What a state is good for: the sources' bytes, how they are built, run and measured. Headers are not looked at."""
    parts: list[bytes | str] = [version, str(Path.cwd()), repr(program), repr(measure)]
    for source in program.sources:
        try:
            parts.append(Path(source).read_bytes())
        except OSError as error:
            raise GpuoptError(f"{source}: cannot read source: {error.strerror}") from error
    return digest(*parts)


class Search:
    """Measures candidates against the first one, which is the program as it is."""

    def __init__(self, program: Program, measure: Measure, state: State) -> None:
        self.program, self.measure, self.state = program, measure, state
        self.reference: Outcome | None = None

    def result(self, candidate: Candidate) -> Result:
        """The candidate's result, measured or remembered. The first candidate must work: GpuoptError where not."""
        known = self.state.results.get(candidate.name)
        if known is not None:
            return known
        with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
            result = self._measured(candidate, Path(scratch))
        self.state.add(result)
        return result

    def _measured(self, candidate: Candidate, scratch: Path) -> Result:
        is_reference = candidate.policy is None
        try:
            built = self._built(candidate, scratch)
            values, outcome = self._runs(built, scratch, fixed=candidate.name.startswith("("))
        except ToolchainError as error:
            if is_reference:
                raise
            return Result(candidate.name, None, str(error))
        loops = _catt_loops(scratch / "report.json")
        if is_reference:
            if outcome.status != 0:
                raise GpuoptError(f"the program as it is fails: {outcome.complaint}")
            self.reference = outcome
            report = read_emulated(str(scratch / "run.json")) if self.measure.on_model else None
            held = _resident(report) if report else ()
            return Result(candidate.name, statistics.median(values), versions=outcome.versions, resident=held)
        problem = outcome.complaint
        expected = self._reference(scratch)
        differs = not problem and outcome.digest != expected.digest
        if differs:
            problem = f"other output: {first_difference(expected.counted, outcome.counted)}"
        value = None if problem else statistics.median(values)
        return Result(candidate.name, value, problem, outcome.versions, loops, differs=differs)

    def _built(self, candidate: Candidate, scratch: Path) -> Path:
        environment = {"GPUOPT_REPORT": str(scratch / "report.json")}
        if candidate.policy is None:
            environment["GPUOPT_OFF"] = "1"
        else:
            rules = scratch / "toolchain.toml"
            rules.write_text(candidate.policy)
            environment["GPUOPT_POLICY"] = str(rules)
        if self.measure.gpu:
            environment["GPUOPT_GPU"] = self.measure.gpu
        compile_program(self.program, scratch / "program", environment, "emulator" if self.measure.on_model else "")
        return scratch / "program"

    def _runs(self, built: Path, scratch: Path, *, fixed: bool) -> tuple[list[float], Outcome]:
        """The values of all runs, and the outcome of the last one, or of the first one that fails.

        The first run tells which versions are picked; where times count, its time does not.
        """
        outcome = self._run(built, scratch, trace=True)
        if outcome.status != 0:
            return [], outcome
        if self.measure.on_model:
            return [_cycles(read_emulated(str(scratch / "run.json")), self.measure.kernel)], outcome
        same = self._same_launches(outcome) if fixed else None
        if same is not None:
            return [same], outcome
        traced, values = outcome, []
        for _ in range(self.measure.runs):
            outcome = self._run(built, scratch, trace=False)
            if outcome.status != 0 or outcome.digest != traced.digest:
                return [], outcome
            values.append(_time(outcome, self.measure.pattern))
        return values, traced

    def _same_launches(self, traced: Outcome) -> float | None:
        """The value of a fixed TLP whose launches ran the same versions with the same limits, if one was measured."""
        known = (item for name, item in self.state.results.items() if name.startswith("(") and item.value is not None)
        found = (item.value for item in known if item.versions and item.versions == traced.versions)
        return next(found, None)

    def _run(self, built: Path, scratch: Path, *, trace: bool) -> Outcome:
        environment = {"GPUOPT_DISPATCH": "trace"} if trace else {}
        if self.measure.on_model:
            environment |= {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_REPORT": str(scratch / "run.json")}
            if self.measure.gpu:
                environment["GPUOPT_EMU_GPU"] = self.measure.gpu
        return run_program(self.program, built, environment)

    def _reference(self, scratch: Path) -> Outcome:
        """What the program says as it is; run again where its result was remembered."""
        if self.reference is None:
            place = scratch / "reference"
            place.mkdir()
            self.reference = self._run(self._built(Candidate("", None), place), place, trace=False)
        return self.reference


def _cycles(report: EmulatedReport, kernel: str) -> float:
    counted = [launch.figure("cycles") for launch in report.launches if fnmatchcase(launch.base, kernel)]
    if not counted:
        raise GpuoptError(f"no launched kernel matches {kernel}")
    return sum(counted)


def _time(outcome: Outcome, pattern: str) -> float:
    if not pattern:
        return outcome.seconds
    found = re.findall(pattern, outcome.stdout.decode("utf-8", "replace"), re.MULTILINE)
    if not found:
        raise GpuoptError(f"the program prints nothing that matches {pattern}")
    try:
        return sum(float(value) for value in found)
    except (TypeError, ValueError) as error:
        raise GpuoptError(f"{pattern}: it must have one group, around a number") from error


def _catt_loops(path: Path) -> tuple[Mapping[str, Any], ...]:
    """CATT's decisions of a build, without what is not about a loop's parallelism."""
    try:
        units = json.loads(path.read_bytes())["units"]
    except (OSError, ValueError, KeyError):
        return ()  # a build by make that remembers its objects writes none
    keys = ("kernel", "file", "line", "decision", "code", "message", "tlp")
    decisions: Sequence[Mapping[str, Any]] = [item for unit in units for item in unit["decisions"]]
    return tuple({key: item.get(key) for key in keys} for item in decisions if item["plugin"] == "catt")


def _resident(report: EmulatedReport) -> tuple[int, ...]:
    """(warps of a block, resident blocks of an SM): the most of all launches in a modelled run.

    No more than a launch has for every SM: limits above that are all the same launch.
    """
    sms = max(1, int(report.device.get("sms", 1)))
    warps = [-(-prod(launch.block) // 32) for launch in report.launches]
    blocks = [min(int(launch.figure("resident_blocks")), -(-prod(launch.grid) // sms)) for launch in report.launches]
    return max(warps, default=1), max(1, *blocks, 1)
