"""Profiles: what a run said of every source line's loads, kept in files that can be committed and go stale visibly.

A profile holds, per kernel, the SHA-256 of the file that defines it: another text is another profile. Counts are those
of one launch, the kernel's largest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.digests import sha256
from gpuopt_driver.errors import UsageError

SCHEMA = "gpuopt-profile/2"


@dataclass(frozen=True, slots=True)
class LineLoads:
    """The loads of one source line from one array: warp requests, sectors asked for, and sectors that L1 had.

    `accesses` are the units that L1 fetches, lines or sectors (access_i of the bypassing paper), `alone` how many of
    them L1 would have if nothing else were cached (hit_i); -1 where that was not looked at. `hits` is -1 where the
    source of the profile does not tell them by line.
    """

    line: int
    requests: int
    sectors: int
    hits: int
    accesses: int = 0
    alone: int = -1
    array: str = ""


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """One kernel of a profiled run. `digest` is that of its source file; `warps` were resident on an SM.

    `together` holds hit_ij: two numbers of `loads`, and the hits of both when these two alone are cached. `hits` are
    those of all loads, in sectors, where they were counted as a whole; -1: they are the sum of the lines'.
    """

    kernel: str
    file: str
    digest: str
    block: tuple[int, int, int]
    warps: int
    l1_bytes: int
    loads: tuple[LineLoads, ...]
    together: tuple[tuple[int, int, int], ...] = ()
    cycles: tuple[int, int] = (0, 0)  # with all loads cached, and with all past L1; 0: not looked at
    hits: int = -1


@dataclass(frozen=True, slots=True)
class Profile:
    """A profiled run: where its figures come from ("emulator", "hardware"), the GPU, and what ran."""

    source: str
    gpu: str
    command: tuple[str, ...]
    kernels: tuple[KernelProfile, ...]

    def of(self, kernel: str) -> KernelProfile | None:
        """What the profile has about a kernel, by its qualified name."""
        return next((one for one in self.kernels if one.kernel == kernel), None)


def digest(data: bytes) -> str:
    """What tells whether a source is the one that was profiled."""
    return sha256(data)


def text_of(profile: Profile) -> str:
    """The file's text, the same for the same profile."""
    return json.dumps({"schema": SCHEMA, **asdict(profile)}, indent=1, sort_keys=True) + "\n"


def read_profile(path: str | Path) -> Profile:
    """A profile file; UsageError says in one line why it is none."""
    try:
        document = given.read_json(path)
        if not isinstance(document, dict) or document.pop("schema") != SCHEMA:
            raise UsageError(f"{path}: not a profile of this version ({SCHEMA}); profile again")
        kernels = tuple(
            KernelProfile(
                **{
                    **one,
                    "block": (one["block"][0], one["block"][1], one["block"][2]),
                    "loads": tuple(LineLoads(**load) for load in one["loads"]),
                    "cycles": (one["cycles"][0], one["cycles"][1]),
                    "together": tuple((pair[0], pair[1], pair[2]) for pair in one["together"]),
                }
            )
            for one in document.pop("kernels")
        )
        made = Profile(**{**document, "command": tuple(document["command"])}, kernels=kernels)
        _check_types(made)
        return made
    except given.Unusable as error:
        raise UsageError(f"{error.told(path, 'profile', 'not a profile of gpuopt: ')}; profile again") from error
    except (ValueError, IndexError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path}: not a profile of gpuopt: {error}; profile again") from error


def _check_types(value: Any) -> None:
    """TypeError where a part of a profile is not of its type, or a number that no run has."""
    for item in fields(value):
        part, hint = getattr(value, item.name), get_type_hints(type(value))[item.name]
        parts = part if isinstance(part, tuple) else (part,)
        for one in parts:
            if is_dataclass(one):
                _check_types(one)
            elif hint is str and not isinstance(one, str):
                raise TypeError(f"'{item.name}' is no text")
            elif hint not in (str, tuple[str, ...]) and not _is_count(one):
                raise TypeError(f"'{item.name}' is no number that a run has")


def _is_count(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_count, value))
    return type(value) is int and -1 <= value < 1 << 63


def of_emulated(
    document: Mapping[str, Any], command: Sequence[str], bypassed: Mapping[str, Any] | None = None
) -> Profile:
    """A profile from the emulator's report: of every kernel the launch that asked for most.

    `bypassed` is the report of the same run with all loads past L1.
    """
    largest: dict[str, Mapping[str, Any]] = {}
    for launch in document["launches"]:
        before = largest.get(launch["kernel"])
        if before is None or launch["l1_load_sectors"] > before["l1_load_sectors"]:
            largest[launch["kernel"]] = launch
    beside = Path(command[0]).parent  # relative names are of where the program was built
    without = {launch["index"]: launch["cycles"] for launch in (bypassed or {}).get("launches", ())}
    found = (
        _of_launch(launch, document.get("device", {}), beside, without.get(launch["index"], 0))
        for _, launch in sorted(largest.items())
    )
    return Profile("emulator", document["gpu"], tuple(command), tuple(one for one in found if one is not None))


def _of_launch(
    launch: Mapping[str, Any], device: Mapping[str, Any], beside: Path, without: int
) -> KernelProfile | None:
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
        cycles=(launch["cycles"], without) if without else (0, 0),
        **_loads([one for one in lines if one["file"] == path], launch.get("pairs", {}), path),
    )


def _loads(lines: Sequence[Mapping[str, Any]], pairs: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The loads of a launch, with their hits alone and in pairs where these were looked at."""
    alone = {(one["line"], one["array"]): one for one in pairs.get("loads", ()) if one["file"] == path}
    found: list[LineLoads] = []
    numbers: dict[tuple[int, str], int] = {}
    for one in lines:
        key = (one["line"], one["array"])
        counted = alone.get(key, {})
        numbers[key] = len(found)
        found.append(
            LineLoads(
                line=one["line"],
                requests=one["load_requests"],
                sectors=one.get("load_sectors", 0),
                hits=one.get("load_hits", 0),
                accesses=counted.get("accesses", 0),
                alone=counted.get("hits", -1),
                array=one["array"],
            )
        )
    order = [(one["line"], one["array"]) if one["file"] == path else None for one in pairs.get("loads", ())]
    together = []
    for first, second, hits in pairs.get("together", ()):
        a, b = (numbers.get(key) if (key := order[at]) is not None else None for at in (first, second))
        if a is not None and b is not None:
            together.append((min(a, b), max(a, b), hits))
    return {"loads": tuple(found), "together": tuple(sorted(together))}
