"""`gpuopt calibrate`: measure the GPU of this machine and write its file."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.arch import load_arch, read_arch
from gpuopt_driver.arch.choose import choose
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.calibration.derive import Figures, one
from gpuopt_driver.calibration.derive import figures as derived
from gpuopt_driver.calibration.probes import measure, read_records
from gpuopt_driver.calibration.writing import gpu_file
from gpuopt_driver.commands.gpus import figures
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.errors import ArchError, ToolchainError, UsageError
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.report.columns import table

_DEVICE = {"device.sms": "sms", "limits.threads_per_block": "threads_per_block"}
_DEVICE |= {"limits.threads_per_sm": "threads_per_sm", "limits.blocks_per_sm": "blocks_per_sm"}
_DEVICE |= {"limits.registers_per_sm": "registers_per_sm", "limits.registers_per_block": "registers_per_block"}
_DEVICE |= {"shared.per_block": "shared_per_block", "shared.per_block_optin": "shared_per_block_optin"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("-o", "--output", metavar="FILE.toml", help="where to write the GPU file (never over another)")
    parser.add_argument("--base", metavar="GPU", help="where to take from what cannot be measured")
    parser.add_argument("--records", metavar="FILE", help="keep what the probes print there, one JSON object per line")
    parser.add_argument("--from", dest="source", metavar="FILE", help="read such a file instead of measuring")
    parser.add_argument("--json", action="store_true", help="print the measured figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure (or read), derive, write the file, and print what was measured beside what the base file says."""
    output = Path(arguments.output) if arguments.output else None
    if output is not None and (output.suffix != ".toml" or output.exists()):
        raise UsageError(f"{output}: {'exists already' if output.exists() else 'a GPU file ends in .toml'}")
    records = _records(arguments)
    if arguments.records:
        text = "".join(json.dumps(record) + "\n" for record in records)
        _write(Path(arguments.records), text)
    try:
        base = _base(records, arguments.base)
        measured = derived(records)
        text = _text(records, base, measured) if output is not None else ""
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # of somebody's file
        what = arguments.source or "the probes' output"
        raise UsageError(f"{what}: not usable measurements: {type(error).__name__}: {error}; measure anew") from error
    if output is not None:
        _write_checked(output, text)
    if arguments.json:
        show_json({"gpu": one(records, "device")["name"], "base": base.name, "figures": measured})
    else:
        show(_comparison(base, measured))
    return 0


def _records(arguments: argparse.Namespace) -> list[Mapping[str, Any]]:
    if arguments.source:
        try:
            text = given.read_text(arguments.source, given.RESULTS)
        except given.Unusable as error:
            raise UsageError(error.told(arguments.source, "measurements")) from error
        return list(read_records(text, arguments.source))
    nvcc = find_nvcc(os.environ)
    if nvcc is None:
        raise ToolchainError("no nvcc found to build the probes with; set GPUOPT_NVCC")
    return list(measure(nvcc.path))


def _base(records: Sequence[Mapping[str, Any]], named: str | None) -> Arch:
    """The GPU whose figures hold where nothing was measured: the named one, or one of the same capability."""
    if named:
        return load_arch(named)
    device = one(records, "device")
    capability = 10 * device["major"] + device["minor"]
    choice = choose("auto", (capability,))
    if not choice.stands:
        raise ArchError(f"there is no file of a GPU of compute capability {capability / 10}; name one with --base")
    return choice.arch


def _text(records: Sequence[Mapping[str, Any]], base: Arch, measured: Figures) -> str:
    device = one(records, "device")
    told = {name: device[key] for name, key in _DEVICE.items()}
    told["device.clock_mhz"] = round(device["clock_mhz"])
    runtime = f"{device['runtime'] // 1000}.{device['runtime'] % 1000 // 10}"
    properties = f"properties of one {device['name']} (CUDA {runtime})"
    known = {name: value for name, value in figures(base).items() if not name.startswith(_MEASURED)}
    head = {
        "title": re.sub(r"^NVIDIA ", "", device["name"]),
        "generation": base.generation,
        "compute_capability": [device["major"], device["minor"]],
    }
    origins = {**base.origins, **dict.fromkeys(told, properties)}
    origin = f"measured by gpuopt calibrate on one {device['name']} (CUDA {runtime})"
    return gpu_file(head, {**known, **told}, origins, measured, origin)


_MEASURED = ("timing.", "caching.", "operators.")


def _write_checked(path: Path, text: str) -> None:
    """Write a GPU file that reads back without complaint, or none."""
    beside = path.with_name(f".{path.stem}.{os.getpid()}.toml")
    _write(beside, text)
    try:
        read_arch(beside)
    except ArchError:
        beside.unlink()
        raise
    os.link(beside, path)  # fails where somebody else wrote it meanwhile
    beside.unlink()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}") from error


def _comparison(base: Arch, measured: Figures) -> list[str]:
    """Every measured figure beside the base file's."""
    before = figures(base)
    rows = [
        (name, _shown(value), _shown(before.get(name, "")))
        for part, values in measured.items()
        for name, value in ((f"{part}.{key}", value) for key, value in values.items())
    ]
    return table(("figure", "measured", f"{base.name} file"), rows)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
