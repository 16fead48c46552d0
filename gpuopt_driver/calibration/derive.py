"""From what the probes print to the figures of a GPU file. Pure: what was measured once can be read again, better."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gpuopt_driver.errors import ToolchainError

LINE = 128  # bytes
_RISE = 1.03  # a latency this much above a plateau is not of that plateau
_FEW = 0.05  # of a number of accesses

Records = Sequence[Mapping[str, Any]]
Figures = dict[str, dict[str, Any]]


def one(records: Records, probe: str, **match: Any) -> Mapping[str, Any]:
    """The record of a probe; ToolchainError where it did not print one."""
    for record in records:
        if record["probe"] == probe and all(record.get(key) == value for key, value in match.items()):
            return record
    wanted = " ".join([probe, *(f"{key}={value}" for key, value in match.items())])
    raise ToolchainError(f"the measurements lack '{wanted}'; run `gpuopt calibrate` anew")


def _plateau(record: Mapping[str, Any]) -> tuple[float, int]:
    """(latency in cycles of the smallest sizes, bytes up to which it holds) of a latency curve."""
    cycles, sizes = record["cycles"], record["kilobytes"]
    level = statistics.median(cycles[:3])
    held = 0
    for size, value in zip(sizes, cycles, strict=True):
        if value > level * _RISE:
            break
        held = size * 1024
    return level, held


def l1_bytes(records: Records) -> int:
    """The bytes of L1 that a chain of loads was seen to use."""
    return _plateau(one(records, "l1_latency"))[1]


def l1_hit_limit(records: Records) -> int:
    """A latency in cycles between an L1 hit and a miss as the probe `lines` times them: its loop is part of the time.

    The time around one load has some 80 cycles of its own, the same for hits and misses.
    """
    hit, miss = _plateau(one(records, "l1_latency"))[0], _plateau(one(records, "l2_latency"))[0]
    return round(80 + hit + (miss - hit) / 3)


def figures(records: Records) -> Figures:
    """The tables `timing`, `caching` and `operators.NAME` of a GPU file."""
    made: Figures = {"timing": _timing(records), "caching": _caching(records)}
    limit = l1_hit_limit(records)
    for record in records:
        if record["probe"] == "operator":
            name = record["operator"]
            kept = one(records, "stream", operator=name)["kept"]
            made[f"operators.{name}"] = {
                "allocates": record["then_ca"][2] < limit,
                "hits": record["after_ca"][2] < limit,
                "keeps": record["after_ca"][3] < limit,
                "spares_used_once": round(kept[0], 3),
                "spares_used_twice": round(kept[1], 3),
            }
    return made


def _timing(records: Records) -> dict[str, float]:
    device = one(records, "device")
    clock, sms = device["clock_mhz"] * 1e6, device["sms"]
    rate = {level: one(records, "bandwidth", level=level)["bytes_per_second"] / clock for level in _LEVELS}
    return {
        "l1_latency": round(_plateau(one(records, "l1_latency"))[0], 1),
        "shared_latency": float(one(records, "shared_latency")["cycles"]),
        "l2_latency": round(_plateau(one(records, "l2_latency"))[0], 1),
        "dram_latency": float(one(records, "dram_latency")["cycles"]),
        "l1_bytes_per_cycle": round(rate["l1"] / sms, 1),
        "shared_bytes_per_cycle": round(rate["shared"] / sms, 1),
        "l2_bytes_per_cycle": round(rate["l2"], 1),
        "dram_bytes_per_cycle": round(rate["dram"], 1),
    }


_LEVELS = ("l1", "shared", "l2", "dram")


def _caching(records: Records) -> dict[str, Any]:
    limit = l1_hit_limit(records)
    index, ways = _index(records)
    replacement, protected = _replacement(records)
    return {
        "fill": "line" if one(records, "fill")["cycles"][3] < limit else "sector",
        "index": index,
        "ways": ways,
        "replacement": replacement,
        "protected_fraction": protected,
        "store_allocates": one(records, "store_absent")["cycles"][2] < limit,
        "store_updates": one(records, "store_present")["cycles"][4] < limit,
        "l2_near_bytes": _plateau(one(records, "l2_latency"))[1],
    }


def _index(records: Records) -> tuple[str, int]:
    """How addresses choose sets, and the lines of a set where a stride puts all lines into one.

    With a linear index, lines that are a power of two of sets apart meet in one set: what fits falls with the stride
    to the number of ways. A hashed index spreads them.
    """
    fits = {record["stride_lines"]: record["fits"] for record in records if record["probe"] == "index"}
    if len(fits) < 2:
        raise ToolchainError("the measurements lack 'index'; run `gpuopt calibrate` anew")
    smallest, whole = min(fits.values()), fits[min(fits)]
    if smallest * 4 > whole:
        return "hashed", 0
    return "linear", smallest


def _replacement(records: Records) -> tuple[str, float]:
    """The policy, and the part of L1 that it protects.

    Under LRU a stream longer than L1 leaves nothing, and a cycle of lines somewhat larger than L1 never hits. A
    segmented policy leaves what was used twice, up to the size of its protected segment.
    """
    left = {
        (record["used"], record["touches"]): dict(zip(record["stream"], record["kept"], strict=True)).get(1.5, 0.0)
        for record in records
        if record["probe"] == "protection"
    }
    once = max((kept for (_, touches), kept in left.items() if touches == 1), default=0.0)
    twice = max((used * kept for (used, touches), kept in left.items() if touches == 2), default=0.0)
    if once < _FEW and twice > _FEW:
        return "segmented", round(twice, 2)
    record = one(records, "replacement")
    beyond = [hit for part, hit in zip(record["of_capacity"], record["hits"], strict=True) if 1.2 <= part <= 1.6]
    return ("lru" if max(beyond) < _FEW else "other"), 0.0
