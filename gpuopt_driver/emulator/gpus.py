"""The GPU figures as a table for the C++ runtime."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gpuopt_driver.arch.spec import Arch


def _row(arch: Arch) -> str:
    limits, shared = arch.limits, arch.shared
    major, minor = arch.compute_capability
    figures = (
        json.dumps(arch.name),
        json.dumps(arch.title),
        *(major, minor, arch.sms, arch.clock_mhz),
        *(limits.threads_per_block, limits.threads_per_sm, limits.warps_per_sm, limits.blocks_per_sm),
        *(limits.registers_per_sm, limits.registers_per_block, limits.registers_per_thread),
        limits.register_allocation_unit,
        "true" if limits.register_allocation_per == "warp" else "false",
        limits.warp_allocation_granularity,
        *(shared.per_sm, shared.per_block, shared.per_block_optin, shared.reserved_per_block, shared.allocation_unit),
        arch.l2.capacity,
        arch.l2.reported or arch.l2.capacity,
        *(arch.dram_bytes_per_second, arch.dram_bytes, arch.dram_bus_bits, "true" if arch.ecc else "false"),
    )
    return "  {" + ", ".join(map(str, figures)) + "},\n"


def gpu_table(archs: Iterable[Arch]) -> str:
    """C++ source with one entry of `gpuopt_emu::Gpu` (runtime/state.h) per GPU, by name."""
    rows = "".join(_row(arch) for arch in sorted(archs, key=lambda arch: arch.name))
    return (
        '#include "state.h"\n'
        "namespace gpuopt_emu {\n"
        f"const Gpu gpus[] = {{\n{rows}}};\n"
        "const unsigned gpu_count = sizeof gpus / sizeof gpus[0];\n"
        "}\n"
    )
