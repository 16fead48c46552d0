"""What the emulator's model has to know of each GPU, as a table for the C++ runtime: `ModelFigures` of model_gpu.h."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.arch.spec import Arch, Caching, Execution, Operator
from gpuopt_driver.emulator.operators import OPERATORS
from gpuopt_driver.errors import ArchError

_MOST_CONFIGURATIONS = 12
_ENUMS = {
    "half-warp": "Coalescing::half_warp",
    "lines": "Coalescing::lines",
    "sectors": "Coalescing::sectors",
    "round-robin": "Issue::round_robin",
    "oldest": "Issue::oldest",
    "longest": "Issue::longest",
    "linear": "Index::linear",
    "hashed": "Index::hashed",
    "exclusive-or": "Index::exclusive_or",
    "fermi": "Index::fermi",
    "lru": "Replacement::lru",
    "other": "Replacement::lru",
    "segmented": "Replacement::segmented",
}


def execution_of(arch: Arch) -> Execution:
    """How it runs warps; ArchError where its file does not say."""
    if arch.execution is None:
        raise ArchError(
            f"{arch.name}: the emulator needs [execution] in the GPU's file; gpuopt_driver/arch has examples"
        )
    return arch.execution


def caching_of(arch: Arch) -> Caching:
    """How its L1 decides: measured, or as measured on an H200 where L1 is of that kind, or as documented before."""
    if arch.caching is not None:
        return arch.caching
    execution = execution_of(arch)
    like_hopper = arch.l1.unified and arch.l1.sector_bytes < arch.l1.line_bytes
    return Caching(
        fill="sector" if arch.l1.sector_bytes < arch.l1.line_bytes else "line",
        index=execution.l1_index,
        ways=execution.l1_ways,
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
    execution, caching, timing = execution_of(arch), caching_of(arch), arch.timing
    l1, shared, slices = arch.l1, arch.shared, arch.slices
    configurations = ", ".join(map(str, shared.configurations[:_MOST_CONFIGURATIONS]))
    names = ("l1_latency", "shared_latency", "l2_latency", "dram_latency")
    latencies = [getattr(timing or execution, name) for name in names]
    if timing:
        rates = [timing.l1_bytes_per_cycle, timing.shared_bytes_per_cycle, timing.l2_bytes_per_cycle]
        rates.append(timing.dram_bytes_per_cycle)
    else:
        rates = [
            execution.l1_bytes_per_cycle,
            execution.shared_bytes_per_cycle,
            execution.l2_bytes_per_cycle * arch.sms,
        ]
        rates.append(round(arch.dram_bytes_per_second / (arch.clock_mhz * 1e6), 2))
    cells: list[str] = [
        f"{l1.unified_bytes}, {l1.capacity}, {_bool(l1.unified)}, {l1.line_bytes}, {l1.sector_bytes}",
        f"{_bool(l1.caches_global_loads)}, {l1.usable_fraction}",
        f"{len(shared.configurations)}, {{{configurations}}}, {shared.default_configuration}, {caching.l2_near_bytes}",
        ", ".join(map(str, (*latencies, *rates))),
        _bool(timing is not None and arch.caching is not None),
        f"{_bool(caching.fill == 'line')}, {_ENUMS[caching.index]}, {caching.ways}, {_ENUMS[caching.replacement]}",
        f"{caching.protected_fraction}, {execution.random_victims}",
        f"{_bool(caching.store_allocates)}, {_bool(caching.store_updates)}",
        _operators(arch, cached=l1.caches_global_loads),
        f"{_bool(l1.loads_opt_in)}, {_operators(arch, cached=True)}",
        f"{_ENUMS[execution.coalescing]}, {_ENUMS[execution.issue]}, Dispatch::demand",
        f"{execution.schedulers}, {execution.banks}, {execution.loads_in_flight}, {execution.lookups_waiting}",
        f"{execution.lookups_of_scheduler}",
        f"{execution.alu_latency}, {execution.dram_fetch_bytes}, {execution.l1_unusable_bytes}",
        f"{execution.launch_cycles}, {execution.misses_in_flight}, {_bool(execution.lines_reserved)}",
        f"{execution.merging_groups}, {execution.merging_sms}, {execution.merged_requests}",
        _bool(execution.constant_operands),
        f"{slices.count}, {slices.parts}, {slices.bytes_per_cycle}, {slices.far_latency}" if slices else "0, 1, 0, 0",
        f"{execution.issue_cycles}, {execution.dependent_part}",
    ]
    return "  {" + ", ".join(cells) + "},\n"


def model_table(archs: Iterable[Arch]) -> str:
    """C++ source with one entry of `gpuopt_emu::ModelFigures` per GPU, by name."""
    rows = "".join(_row(arch) for arch in sorted(archs, key=lambda arch: arch.name))
    return f'#include "model_gpu.h"\nnamespace gpuopt_emu {{\nconst ModelFigures model_figures[] = {{\n{rows}}};\n}}\n'
