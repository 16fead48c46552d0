"""What the emulator's model has to know of each GPU, as a table for the C++ runtime: `ModelFigures` of model_gpu.h."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomli

from gpuopt_driver.arch.spec import Arch, Caching, Operator
from gpuopt_driver.emulator.operators import OPERATORS

_GENERATIONS = Path(__file__).with_name("generations.toml")
_MOST_CONFIGURATIONS = 12
# Of the victims of a segmented policy, those that are not the oldest: fits cycles of 1.02 to 1.5 times an H200's L1.
_RANDOM_VICTIMS = 0.05
_ENUMS = {
    "half-warp": "Coalescing::half_warp",
    "lines": "Coalescing::lines",
    "sectors": "Coalescing::sectors",
    "round-robin": "Issue::round_robin",
    "oldest": "Issue::oldest",
    "linear": "Index::linear",
    "hashed": "Index::hashed",
    "exclusive-or": "Index::exclusive_or",
    "lru": "Replacement::lru",
    "other": "Replacement::lru",
    "segmented": "Replacement::segmented",
}


@lru_cache(maxsize=1)
def _generations() -> Mapping[str, Any]:
    return tomli.loads(_GENERATIONS.read_text(encoding="utf-8"))


def assumed(generation: str) -> Mapping[str, Any]:
    """What is taken for a GPU of this generation; one that nobody knows is taken for the newest one there is."""
    known = _generations()
    table: Mapping[str, Any] = known.get(generation, known["Hopper"])
    return table


def caching_of(arch: Arch) -> Caching:
    """How its L1 decides: measured, or as measured on an H200 where L1 is of that kind, or as documented before."""
    if arch.caching is not None:
        return arch.caching
    figures = assumed(arch.generation)
    like_hopper = arch.l1.unified and arch.l1.sector_bytes < arch.l1.line_bytes
    return Caching(
        fill="sector" if arch.l1.sector_bytes < arch.l1.line_bytes else "line",
        index=figures["index"],
        ways=figures["ways"],
        replacement="segmented" if like_hopper else "lru",
        protected_fraction=0.59 if like_hopper else 0.0,
        store_allocates=like_hopper,
        store_updates=like_hopper,
        l2_near_bytes=arch.l2.capacity,
    )


# What the PTX manual says of each: allocates, hits, keeps, first to go, stays.
_DOCUMENTED = {
    "none": (True, True, True, False, False),
    "ca": (True, True, True, False, False),
    "cg": (False, False, False, False, False),
    "cs": (True, True, True, True, False),
    "lu": (False, True, True, False, False),
    "cv": (False, False, False, False, False),
    "no_allocate": (False, True, True, False, False),
    "evict_first": (True, True, True, True, False),
    "evict_last": (True, True, True, False, True),
    "nc": (True, True, True, False, False),
}


def _measured(operator: Operator) -> tuple[bool, bool, bool, bool, bool]:
    first_out = operator.allocates and operator.spares_used_once > 0.5
    return operator.allocates, operator.hits, operator.keeps, first_out, operator.spares_used_twice < 0.5


def _operator(arch: Arch, name: str, *, cached: bool) -> str:
    figures = _measured(arch.operators[name]) if name in arch.operators else _DOCUMENTED[name]
    # Where plain loads bypass L1, so do those with operators; read-only data have the cache that textures use.
    reads_only = name == "nc" and not arch.l1.unified and arch.l1.capacity > 0
    if not cached and not reads_only:
        figures = (False, False, True, False, False)
    return "{" + ", ".join(("true" if name in arch.operators else "false", *(_bool(item) for item in figures))) + "}"


def _operators(arch: Arch, *, cached: bool) -> str:
    return "{" + ", ".join(_operator(arch, name, cached=cached) for name in OPERATORS) + "}"


def _bool(value: object) -> str:
    return "true" if value else "false"


def _row(arch: Arch) -> str:
    figures, caching, timing = assumed(arch.generation), caching_of(arch), arch.timing
    l1, shared = arch.l1, arch.shared
    configurations = ", ".join(map(str, shared.configurations[:_MOST_CONFIGURATIONS]))
    names = ("l1_latency", "shared_latency", "l2_latency", "dram_latency")
    latencies = [getattr(timing, name) if timing else figures[name] for name in names]
    if timing:
        rates = [timing.l1_bytes_per_cycle, timing.shared_bytes_per_cycle, timing.l2_bytes_per_cycle]
        rates.append(timing.dram_bytes_per_cycle)
    else:
        rates = [figures["l1_bytes"], figures["shared_bytes"], figures["l2_bytes"] * arch.sms]
        rates.append(round(arch.dram_bytes_per_second / (arch.clock_mhz * 1e6), 2))
    cells: list[str] = [
        f"{l1.unified_bytes}, {l1.capacity}, {_bool(l1.unified)}, {l1.line_bytes}, {l1.sector_bytes}",
        f"{_bool(l1.caches_global_loads)}, {l1.usable_fraction}",
        f"{len(shared.configurations)}, {{{configurations}}}, {shared.default_configuration}, {caching.l2_near_bytes}",
        ", ".join(map(str, (*latencies, *rates))),
        _bool(timing is not None and arch.caching is not None),
        f"{_bool(caching.fill == 'line')}, {_ENUMS[caching.index]}, {caching.ways}, {_ENUMS[caching.replacement]}",
        f"{caching.protected_fraction}, {_RANDOM_VICTIMS}, {_bool(caching.store_allocates)}, {_bool(caching.store_updates)}",
        _operators(arch, cached=l1.caches_global_loads),
        f"{_bool(l1.loads_opt_in)}, {_operators(arch, cached=True)}",
        f"{_ENUMS[figures['coalescing']]}, {_ENUMS[figures['issue']]}, Dispatch::demand",
        f"{figures['schedulers']}, {figures['banks']}, {figures.get('loads_in_flight', 8)}, {figures['alu_latency']}",
        f"{figures.get('dram_fetch', 32)}, {figures.get('l1_unusable', 0)}",
        f"{figures['launch_cycles']}, {figures.get('gpcs', 0)}",
    ]
    return "  {" + ", ".join(cells) + "},\n"


def model_table(archs: Iterable[Arch]) -> str:
    """C++ source with one entry of `gpuopt_emu::ModelFigures` per GPU, by name."""
    rows = "".join(_row(arch) for arch in sorted(archs, key=lambda arch: arch.name))
    return f'#include "model_gpu.h"\nnamespace gpuopt_emu {{\nconst ModelFigures model_figures[] = {{\n{rows}}};\n}}\n'
