"""How many blocks of a kernel an SM holds, what limits them, and how much L1 is left beside them.

CATT eq. 1-4, plus what the paper leaves out: block and warp slots, allocation granularity, shared memory that the
system reserves for every block, and the grid itself (320 blocks on 80 SMs are 4 per SM whatever fits).
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class BlockUse:
    """What one block needs. `registers` per thread (None: not known), shared memory in bytes, `grid_blocks` in all."""

    threads: int
    registers: int | None = None
    static_shared: int = 0
    dynamic_shared: int = 0
    grid_blocks: int | None = None
    barriers: int = 1  # that the kernel names


@dataclass(frozen=True, slots=True)
class NextStep:
    """What would let one more block become resident: at most these registers per thread and shared bytes per block.

    None: that resource does not stand in the way; 0: no value of it would do.
    """

    blocks: int
    registers: int | None
    shared_bytes: int | None


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What is resident on one SM.

    `resident_blocks` is the occupancy limit; `blocks` is that or fewer where the grid is small. `limits` holds the
    blocks that each resource alone would allow, `limiters` the resources that allow the fewest.
    `shared_configuration` is the carve-out (bytes) and `l1_bytes` the L1 data cache beside it.
    """

    blocks: int
    resident_blocks: int
    warps_per_block: int
    limits: Mapping[str, int]
    limiters: tuple[str, ...]
    registers_assumed: bool
    shared_per_block: int
    shared_configuration: int
    l1_bytes: int
    next_step: NextStep | None

    @property
    def warps(self) -> int:
        """Resident warps of the SM."""
        return self.blocks * self.warps_per_block


def ceil_div(value: int, by: int) -> int:
    """The quotient of two non-negative integers, rounded up."""
    return -(-value // by)


def round_up(value: int, unit: int) -> int:
    """The smallest multiple of `unit` that is at least `value`."""
    return ceil_div(value, unit) * unit if unit > 0 else value


def shared_per_block(arch: Arch, use: BlockUse) -> int:
    """Bytes of shared memory that a block takes: its own, the system's, and what allocation rounds up to."""
    wanted = use.static_shared + use.dynamic_shared + arch.shared.reserved_per_block
    return round_up(wanted, arch.shared.allocation_unit)


def _by_registers(arch: Arch, threads: int, registers: int) -> int:
    """Blocks that the register file holds (CATT eq. 2, with the allocation granularity of the hardware)."""
    limits = arch.limits
    if registers <= 0:
        return limits.blocks_per_sm
    warps = ceil_div(threads, limits.warp_size)
    if limits.register_allocation_per == "block":
        allocated = round_up(warps, limits.warp_allocation_granularity)
        per_block = round_up(allocated * limits.warp_size * registers, limits.register_allocation_unit)
        return 0 if per_block > limits.registers_per_block else limits.registers_per_sm // per_block
    per_warp = round_up(registers * limits.warp_size, limits.register_allocation_unit)
    granularity = limits.warp_allocation_granularity
    if round_up(warps, granularity) * per_warp > limits.registers_per_block:
        return 0
    part = limits.registers_per_sm // granularity
    return part // per_warp * granularity // warps


def _limits(arch: Arch, use: BlockUse) -> dict[str, int]:
    """Blocks per SM that each resource alone allows (CATT eq. 1-3); registers only where they are known."""
    limits = arch.limits
    warps = ceil_div(use.threads, limits.warp_size)
    per_block = shared_per_block(arch, use)
    found = {
        "blocks": limits.blocks_per_sm,
        "warps": limits.warps_per_sm // warps,
        "threads": limits.threads_per_sm // use.threads,
    }
    if per_block:
        found["shared"] = arch.shared.per_sm // per_block
    if limits.barriers_per_sm and use.barriers > 1:
        found["barriers"] = limits.barriers_per_sm // use.barriers
    if use.registers is not None:
        found["registers"] = _by_registers(arch, use.threads, use.registers)
    if use.static_shared + use.dynamic_shared > arch.shared.per_block_optin or use.threads > limits.threads_per_block:
        found["shared" if use.threads <= limits.threads_per_block else "threads"] = 0
    return found


def smallest_configuration(arch: Arch, use_bytes: int) -> int:
    """The smallest shared-memory configuration that holds `use_bytes` (CATT eq. 4), the largest if none does."""
    return next((size for size in arch.shared.configurations if size >= use_bytes), arch.shared.configurations[-1])


def chosen_configuration(arch: Arch, use_bytes: int, *, largest_l1: bool = False) -> int:
    """The configuration in force when resident blocks use `use_bytes`.

    The driver does not go below the GPU's default without a preference; `largest_l1` asks for the paper's choice, the
    smallest configuration that is large enough.
    """
    return smallest_configuration(arch, use_bytes if largest_l1 else max(use_bytes, arch.shared.default_configuration))


def _next_step(arch: Arch, use: BlockUse, limits: Mapping[str, int], resident: int) -> NextStep | None:
    """What registers and shared memory must come down to for one more block; None where slots are the limit."""
    target = resident + 1
    if target > min(limits["blocks"], limits["warps"], limits["threads"]):
        return None
    registers: int | None = None
    if use.registers is not None and limits["registers"] < target:
        fitting = (
            count for count in range(use.registers - 1, 0, -1) if _by_registers(arch, use.threads, count) >= target
        )
        registers = next(fitting, 0)
    shared: int | None = None
    if limits.get("shared", target) < target:
        unit = arch.shared.allocation_unit
        shared = max(0, arch.shared.per_sm // target // unit * unit - arch.shared.reserved_per_block)
    return NextStep(target, registers, shared)


def occupancy(arch: Arch, use: BlockUse, *, largest_l1: bool = False) -> Occupancy:
    """What an SM of `arch` holds of a kernel. Registers that are not known are assumed not to limit, and flagged."""
    if use.threads <= 0:
        raise ValueError("a block has at least one thread")
    limits = _limits(arch, use)
    resident = max(0, min(limits.values()))
    blocks = resident
    if use.grid_blocks is not None:
        limits["grid"] = ceil_div(use.grid_blocks, arch.sms)
        blocks = min(resident, limits["grid"])
    per_block = shared_per_block(arch, use)
    wanted = per_block
    if arch.partition is not None and not largest_l1:
        wanted += use.static_shared * (arch.partition.static_counts - 1)
    configuration = chosen_configuration(arch, wanted * resident, largest_l1=largest_l1)
    return Occupancy(
        blocks=blocks,
        resident_blocks=resident,
        warps_per_block=ceil_div(use.threads, arch.limits.warp_size),
        limits=limits,
        limiters=tuple(name for name, value in limits.items() if value == blocks),
        registers_assumed=use.registers is None,
        shared_per_block=per_block,
        shared_configuration=configuration,
        l1_bytes=arch.l1_bytes(configuration),
        next_step=_next_step(arch, use, limits, resident),
    )
