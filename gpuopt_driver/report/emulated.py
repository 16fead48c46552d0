"""The emulator's report of a modelled run: read and checked. `emulated.schema.json` describes the document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError

SCHEMA = "gpuopt-emulator-report/1"
_FAMILY = SCHEMA.rpartition("/")[0]
_REQUIRED = (
    *("l1_load_requests", "l1_load_sectors", "l1_load_hit_rate", "l2_read_sectors"),
    *("l2_hit_rate", "dram_read_bytes", "achieved_occupancy", "cycles"),
)
_OF_A_VERSION = re.compile(r"__gpuopt_\w+$")  # what variants/ appends to a kernel's name
_SECTOR_BYTES = 32  # where the report names no other


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one source line and array, or one array, asked for. `figures`: counts by the schema's names."""

    array: str
    file: str
    line: int
    space: str
    figures: Mapping[str, float]

    def figure(self, name: str) -> float:
        """A count; 0 where the report leaves it out."""
        return self.figures.get(name, 0)

    @property
    def hit_rate(self) -> float | None:
        """Hits of loads by sectors, 0 to 1; None where nothing was loaded through L1."""
        sectors = self.figure("load_sectors")
        return self.figure("load_hits") / sectors if sectors else None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Resident blocks on all simulated SMs together, at equal intervals of cycles."""

    interval_cycles: float
    resident_blocks: tuple[float, ...]
    active_warps: tuple[float, ...] = ()
    sms: int = 0  # that were simulated; 0: all


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch. `figures`: every number of the report by its name there."""

    index: int
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    figures: Mapping[str, float]
    lines: tuple[Traffic, ...]
    arrays: tuple[Traffic, ...]
    limits: Mapping[str, float]  # cycles that each resource alone would take
    occupancy_limiter: str = ""
    place: tuple[str, int] | None = None
    timeline: Timeline | None = None
    sampled: tuple[int, int] | None = None  # simulated blocks, all blocks
    errors: Mapping[str, float] | None = None  # of sampling: half a 95 % confidence interval, by figure

    def figure(self, name: str) -> float:
        """A number; 0 where the report leaves it out."""
        return self.figures.get(name, 0)

    @property
    def base(self) -> str:
        """The kernel's name without what a version of it has behind it."""
        return _OF_A_VERSION.sub("", self.kernel)

    @property
    def title(self) -> str:
        """`name<<<(grid), (block)>>>`."""
        return f"{self.kernel}<<<{_dim(self.grid)}, {_dim(self.block)}>>>"


@dataclass(frozen=True, slots=True)
class EmulatedReport:
    """A program's launches on one GPU. `device`: what the model took the GPU to be able to do."""

    path: str
    gpu: str
    program: str
    device: Mapping[str, float]
    launches: tuple[Launch, ...]
    arguments: tuple[str, ...] = ()  # of the program

    @property
    def sector_bytes(self) -> float:
        """Bytes of a sector."""
        return self.device.get("sector_bytes", _SECTOR_BYTES)


def emulated_schema_text() -> str:
    """The JSON schema of the document."""
    return (Path(__file__).parent / "emulated.schema.json").read_text(encoding="utf-8")


def is_emulated(document: object) -> bool:
    """Whether a JSON document is an emulator's report, of any version."""
    return isinstance(document, dict) and str(document.get("schema", "")).rpartition("/")[0] == _FAMILY


def load_json(path: str) -> Any:
    """The JSON document of a file; GpuoptError says in one line why there is none."""
    try:
        return given.read_json(path)
    except given.Unusable as error:
        raise GpuoptError(error.told(path, "report", "not a report: ")) from error


def read_emulated(path: str, document: object = None) -> EmulatedReport:
    """The report in a file (or in its parsed `document`); GpuoptError says in one line why it is not one."""
    document = load_json(path) if document is None else document
    if not isinstance(document, dict) or not is_emulated(document):
        raise GpuoptError(
            f"{path}: not an emulator report; GPUOPT_EMU_MODE=model GPUOPT_EMU_REPORT=FILE.json writes one"
        )
    if document["schema"] != SCHEMA:
        raise GpuoptError(f"{path}: report of form {document['schema']}; this gpuopt reads {SCHEMA}")
    try:
        words = (document.get("program", ""), *document.get("arguments", ()))
        return EmulatedReport(
            path=path,
            gpu=document["gpu"],
            program=" ".join(map(str, words)),
            device=_numbers(document.get("device", {})),
            launches=tuple(_launch(number, launch) for number, launch in enumerate(document["launches"])),
            arguments=tuple(map(str, document.get("arguments", ()))),
        )
    except KeyError as error:
        raise GpuoptError(f"{path}: not an emulator report: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise GpuoptError(f"{path}: not an emulator report: {type(error).__name__}: {error}") from error


def _launch(number: int, launch: Mapping[str, Any]) -> Launch:
    for key in _REQUIRED:
        if not isinstance(launch[key], int | float):
            raise TypeError(f"{key} of launch {number} is no number")
    timeline, sampling = launch.get("timeline"), launch.get("sampling", {})
    return Launch(
        index=launch.get("index", number),
        kernel=launch["kernel"],
        grid=_three(launch["grid"]),
        block=_three(launch["block"]),
        figures=_numbers(launch),
        lines=_traffic(launch["lines"]),
        arrays=_traffic(launch["arrays"]),
        limits=_numbers(launch.get("limits", {})),
        occupancy_limiter=launch.get("occupancy_limiter", ""),
        place=(launch["file"], launch.get("line", 0)) if launch.get("file") else None,
        timeline=_timeline(timeline) if timeline else None,
        sampled=(sampling["simulated_blocks"], sampling["blocks"]) if sampling else None,
        errors=_numbers(sampling["errors"]) if sampling.get("errors") else None,
    )


def _timeline(timeline: Mapping[str, Any]) -> Timeline:
    blocks, warps = timeline["resident_blocks"], timeline.get("active_warps", ())
    interval, sms = float(timeline["interval_cycles"]), timeline.get("sms", 0)
    return Timeline(interval, tuple(map(float, blocks)), tuple(map(float, warps)), sms)


def _traffic(items: Sequence[Mapping[str, Any]]) -> tuple[Traffic, ...]:
    return tuple(
        Traffic(item["array"], item.get("file", ""), item.get("line", 0), item.get("space", ""), _numbers(item))
        for item in items
    )


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in values.items() if isinstance(value, int | float) and key != "line"}


def _three(values: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = map(int, values)
    return x, y, z


def _dim(values: tuple[int, int, int]) -> str:
    """(4, 1, 1) as `4`, (4, 2, 1) as `(4,2)`."""
    kept = values[: max(number for number, value in enumerate((1, *values[1:]), 1) if value != 1 or number == 1)]
    return str(kept[0]) if len(kept) == 1 else f"({','.join(map(str, kept))})"
