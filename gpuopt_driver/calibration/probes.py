"""Building and running the probes: small CUDA programs that print one JSON object per line."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.calibration.derive import l1_bytes, l1_hit_limit
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.progress import telling

Record = Mapping[str, Any]
PROBES = ("device", "latency", "lines", "order", "bandwidth")
_BUILD_SECONDS, _RUN_SECONDS = 300, 300


def measure(nvcc: str) -> list[Record]:
    """What all probes print on this machine's GPU; ToolchainError where one cannot be built or fails."""
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="gpuopt-calibrate-") as scratch:
        for number, name in enumerate(PROBES, 1):
            with telling(f"calibrate: {name}, {number} of {len(PROBES)} programs"):
                program = _build(nvcc, name, Path(scratch))
                records += _run(program, _arguments(name, records))
    return records


def _arguments(name: str, records: Sequence[Record]) -> list[str]:
    """What a probe needs to know from those before it."""
    return [str(l1_bytes(records)), str(l1_hit_limit(records))] if name == "lines" else []


def _build(nvcc: str, name: str, scratch: Path) -> Path:
    source = resources.files("gpuopt_driver.calibration") / "probes" / f"{name}.cu"
    with resources.as_file(source) as path:
        words = [nvcc, "-O2", "-std=c++14", "-arch=native", str(path), "-o", str(scratch / name)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=_BUILD_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ToolchainError(f"{nvcc} does not come to an end with the probe {name}.cu") from error
    if done.returncode:
        first = next(iter(done.stderr.splitlines()), f"status {done.returncode}")
        raise ToolchainError(f"{nvcc} cannot compile the probe {name}.cu: {first}")
    return scratch / name


def _run(program: Path, arguments: list[str]) -> list[Record]:
    try:
        done = subprocess.run(
            [str(program), *arguments], capture_output=True, text=True, timeout=_RUN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(f"the probe {program.name} does not come to an end; is the GPU in use?") from error
    if done.returncode:
        last = next(reversed(done.stderr.splitlines()), f"status {done.returncode}")
        if program.name == PROBES[0]:  # it does nothing but ask for the GPU's properties
            why = last.rpartition(": ")[2]
            raise ToolchainError(f"no GPU answers on this machine ({why}); run it where one does, or name --from FILE")
        raise ToolchainError(f"the probe {program.name} failed: {last}")
    return read_records(done.stdout, program.name)


def read_records(text: str, origin: str) -> list[Record]:
    """The JSON objects in a probe's output; what else is in it is an error."""
    records: list[Record] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            record = given.json_document(line.encode("utf-8", "surrogateescape"))
        except given.Unusable as error:
            raise ToolchainError(f"{origin}: line {number} is {error}") from error
        if not isinstance(record, dict) or not isinstance(record.get("probe"), str):
            raise ToolchainError(f"{origin}: line {number} is not a record of a probe")
        records.append(record)
    return records
