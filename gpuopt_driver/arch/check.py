"""What every GPU description must satisfy: the relations between figures that analyses rely on."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.arch.spec import Arch

CATT_MODELS = ("paper", "sectored")
_CHOICES = {
    "coalescing": ("half-warp", "lines", "sectors"),
    "issue": ("round-robin", "oldest", "longest"),
    "l1_index": ("linear", "hashed", "exclusive-or", "fermi"),
}


def check_arch(arch: Arch) -> str:
    """The first contradiction in a GPU description, in words; empty when there is none."""
    return next((message for holds, message in _rules(arch) if not holds), "")


def _rules(arch: Arch) -> Iterator[tuple[bool, str]]:
    """Each rule with what to say when it does not hold."""
    yield arch.sms > 0, "sms in [device] must be positive"
    yield arch.clock_mhz > 0, "clock_mhz in [device] must be positive"
    yield arch.dram_bytes_per_second > 0, "dram_bytes_per_second in [device] must be positive"
    yield arch.dram_bytes >= 0 and arch.dram_bus_bits >= 0, "dram_bytes and dram_bus_bits in [device] must be positive"
    yield arch.compute_capability >= (1, 0), "compute_capability must be [major, minor]"
    yield from _limits(arch)
    yield from _memories(arch)
    yield from _execution(arch)
    yield from _slices(arch)
    yield arch.catt_model in CATT_MODELS, f"model in [catt] must be one of {', '.join(CATT_MODELS)}"
    yield arch.catt_margin >= 1, "margin in [catt] must be at least 1"


def _limits(arch: Arch) -> Iterator[tuple[bool, str]]:
    limits = arch.limits
    for name in limits.__slots__:
        value = getattr(limits, name)
        least = 0 if name == "barriers_per_sm" else 1
        yield isinstance(value, str) or value >= least, f"{name} in [limits] must be positive"
    yield (
        limits.threads_per_sm == limits.warps_per_sm * limits.warp_size,
        "threads_per_sm in [limits] must be warps_per_sm times warp_size",
    )
    yield limits.threads_per_block <= limits.threads_per_sm, "threads_per_block in [limits] exceeds threads_per_sm"
    yield limits.registers_per_block <= limits.registers_per_sm, "registers_per_block exceeds registers_per_sm"
    yield limits.register_allocation_per in ("warp", "block"), "register_allocation_per must be 'warp' or 'block'"


def _execution(arch: Arch) -> Iterator[tuple[bool, str]]:
    execution = arch.execution
    if execution is None:
        return
    for name, choices in _CHOICES.items():
        yield getattr(execution, name) in choices, f"{name} in [execution] must be one of {', '.join(choices)}"
    yield 1 <= execution.lookups_waiting <= 64, "lookups_waiting in [execution] must be from 1 to 64"
    yield 0 <= execution.lookups_of_scheduler <= 64, "lookups_of_scheduler in [execution] must be from 0 to 64"
    yield execution.merging_sms > 0 and execution.merging_sms % 2 == 0, "merging_sms in [execution] must be even"
    yield execution.merged_requests > 0, "merged_requests in [execution] must be positive"
    yield 1 <= execution.loads_in_flight <= 16, "loads_in_flight in [execution] must be from 1 to 16"
    yield execution.issue_cycles > 0, "issue_cycles in [execution] must be positive"
    yield 0 <= execution.dependent_part <= 1, "dependent_part in [execution] must be from 0 to 1"
    yield execution.misses_in_flight >= 0, "misses_in_flight in [execution] must not be negative"
    yield execution.schedulers > 0, "schedulers in [execution] must be positive"
    yield execution.banks in (16, 32), "banks in [execution] must be 16 or 32"
    yield 0 <= execution.random_victims <= 1, "random_victims in [execution] must be from 0 to 1"


def _slices(arch: Arch) -> Iterator[tuple[bool, str]]:
    slices = arch.slices
    if slices is None:
        return
    yield slices.parts in (1, 2), "parts in [slices] must be 1 or 2"
    yield 0 < slices.count <= 1024, "count in [slices] must be from 1 to 1024"
    yield slices.count % slices.parts == 0, "count in [slices] must be a multiple of parts"
    yield slices.bytes_per_cycle > 0, "bytes_per_cycle in [slices] must be positive"
    yield slices.far_latency >= 0, "far_latency in [slices] must not be negative"
    groups = arch.execution.merging_groups if arch.execution else 0
    yield slices.parts == 1 or groups > 1, "two parts in [slices] need merging_groups in [execution]: SMs go by them"


def _memories(arch: Arch) -> Iterator[tuple[bool, str]]:
    shared, l1 = arch.shared, arch.l1
    sizes = shared.configurations
    yield bool(sizes), "configurations in [shared] must name at least one size"
    yield list(sizes) == sorted(set(sizes)), "configurations in [shared] must be ascending"
    yield min(sizes) >= 0, "configurations in [shared] must not be negative"
    yield sizes[-1] == shared.per_sm, "per_sm in [shared] must be the largest of the configurations"
    yield shared.default_configuration in sizes, "default_configuration in [shared] must be one of the configurations"
    yield 0 < shared.per_block <= shared.per_block_optin, "per_block in [shared] must not exceed per_block_optin"
    yield (
        shared.per_block_optin + shared.reserved_per_block <= shared.per_sm,
        "per_block_optin and reserved_per_block in [shared] together exceed per_sm",
    )
    yield shared.reserved_per_block >= 0, "reserved_per_block in [shared] must not be negative"
    yield shared.allocation_unit > 0, "allocation_unit in [shared] must be positive"
    for name, cache in (("l1", l1), ("l2", arch.l2)):
        yield cache.capacity >= 0, f"capacity in [{name}] must not be negative"
        yield 0 < cache.sector_bytes <= cache.line_bytes, f"sector_bytes in [{name}] must not exceed line_bytes"
        yield cache.line_bytes % cache.sector_bytes == 0, f"line_bytes in [{name}] must be a multiple of sector_bytes"
    yield 0 < l1.usable_fraction <= 1, "usable_fraction in [l1] must be above 0 and at most 1"
    yield l1.capacity <= l1.unified_bytes, "capacity in [l1] exceeds unified_bytes"
    yield (
        l1.unified or l1.capacity == l1.unified_bytes,
        "unified_bytes in [l1] must equal the capacity of a separate L1",
    )
    yield (
        not l1.unified or shared.per_sm <= l1.unified_bytes,
        "per_sm in [shared] exceeds unified_bytes in [l1], which it is taken from",
    )
