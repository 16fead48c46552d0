"""Profiles: what a run said of every source line's loads, kept in files that can be committed and go stale visibly.

A profile holds, per kernel, the SHA-256 of the file that defines it: another text is another profile. Counts are those
of one launch, the kernel's largest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gpuopt_driver.errors import UsageError

SCHEMA = "gpuopt-profile/1"


@dataclass(frozen=True, slots=True)
class LineLoads:
    """The loads of one source line from one array: warp requests, sectors asked for, and sectors that L1 had."""

    line: int
    requests: int
    sectors: int
    hits: int


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """One kernel of a profiled run. `digest` is that of its source file; `warps` were resident on an SM."""

    kernel: str
    file: str
    digest: str
    block: tuple[int, int, int]
    warps: int
    l1_bytes: int
    loads: tuple[LineLoads, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A profiled run: where its figures come from ("emulator"), the GPU, and what ran."""

    source: str
    gpu: str
    command: tuple[str, ...]
    kernels: tuple[KernelProfile, ...]

    def of(self, kernel: str) -> KernelProfile | None:
        """What the profile has about a kernel, by its qualified name."""
        return next((one for one in self.kernels if one.kernel == kernel), None)


def digest(data: bytes) -> str:
    """What tells whether a source is the one that was profiled."""
    return hashlib.sha256(data).hexdigest()


def text_of(profile: Profile) -> str:
    """The file's text, the same for the same profile."""
    return json.dumps({"schema": SCHEMA, **asdict(profile)}, indent=1, sort_keys=True) + "\n"


def read_profile(path: str | Path) -> Profile:
    """A profile file; UsageError says in one line why it is none."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document.pop("schema") != SCHEMA:
            raise UsageError(f"{path}: not a profile of this version ({SCHEMA}); profile again")
        kernels = tuple(
            KernelProfile(
                **{
                    **one,
                    "block": tuple(one["block"]),
                    "loads": tuple(LineLoads(**load) for load in one["loads"]),
                }
            )
            for one in document.pop("kernels")
        )
        return Profile(**{**document, "command": tuple(document["command"])}, kernels=kernels)
    except OSError as error:
        raise UsageError(f"{path}: cannot read profile: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path}: not a profile of gpuopt: {error}; profile again") from error


def of_emulated(document: Mapping[str, Any], command: Sequence[str]) -> Profile:
    """A profile from the emulator's report: of every kernel the launch that asked for most."""
    largest: dict[str, Mapping[str, Any]] = {}
    for launch in document["launches"]:
        before = largest.get(launch["kernel"])
        if before is None or launch["l1_load_sectors"] > before["l1_load_sectors"]:
            largest[launch["kernel"]] = launch
    beside = Path(command[0]).parent  # relative names are of where the program was built
    found = (_of_launch(launch, document.get("device", {}), beside) for _, launch in sorted(largest.items()))
    return Profile("emulator", document["gpu"], tuple(command), tuple(one for one in found if one is not None))


def _of_launch(launch: Mapping[str, Any], device: Mapping[str, Any], beside: Path) -> KernelProfile | None:
    """One kernel; None where no line of it is in a file that can be read."""
    lines = [one for one in launch["lines"] if one.get("load_requests") and one.get("space") == "global"]
    if not lines:
        return None
    files = [one["file"] for one in lines]
    path = max(sorted(set(files)), key=files.count)
    source = next((place for place in (Path(path), beside / path) if place.is_file()), None)
    if source is None:
        return None
    data = source.read_bytes()
    grid, block = launch["grid"], launch["block"]
    per_sm = -(-grid[0] * grid[1] * grid[2] // max(1, device.get("sms", 1)))
    blocks = min(per_sm, launch.get("resident_blocks", per_sm))
    return KernelProfile(
        kernel=launch["kernel"],
        file=Path(path).name,
        digest=digest(data),
        block=(block[0], block[1], block[2]),
        warps=blocks * -(-block[0] * block[1] * block[2] // 32),
        l1_bytes=launch.get("l1_bytes", 0),
        loads=tuple(
            LineLoads(one["line"], one["load_requests"], one.get("load_sectors", 0), one.get("load_hits", 0))
            for one in lines
            if one["file"] == path
        ),
    )
