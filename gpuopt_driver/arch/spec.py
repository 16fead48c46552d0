"""The frozen description of one GPU. Every figure's origin is in its TOML file and in `Arch.origins`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What an SM can hold at once."""

    warp_size: int  # threads
    threads_per_block: int
    threads_per_sm: int
    warps_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int  # 32-bit registers
    registers_per_block: int
    registers_per_thread: int
    register_allocation_unit: int  # registers
    register_allocation_per: str  # "warp" or "block"
    warp_allocation_granularity: int  # warps


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Shared memory of an SM. Sizes in bytes."""

    per_sm: int  # largest configuration
    per_block: int  # without opt-in
    per_block_optin: int
    reserved_per_block: int  # taken by the system for every block
    allocation_unit: int
    configurations: tuple[int, ...]  # the carve-outs (or fixed split choices) there are, ascending
    default_configuration: int  # what a kernel without shared memory and without a preference gets


@dataclass(frozen=True, slots=True)
class L1:
    """First-level data cache of an SM. Sizes in bytes."""

    unified_bytes: int  # L1 and shared memory together; equals `capacity` where L1 is separate
    capacity: int  # largest capacity as data cache
    unified: bool  # taken from the same memory as shared memory
    line_bytes: int
    sector_bytes: int  # equal to line_bytes where lines are not sectored
    caches_global_loads: bool  # with default compiler flags
    usable_fraction: float  # part of the capacity that data of one kernel was seen to use


@dataclass(frozen=True, slots=True)
class L2:
    """Second-level cache of the device."""

    capacity: int  # bytes
    line_bytes: int
    sector_bytes: int


@dataclass(frozen=True, slots=True)
class Arch:
    """One GPU. `name` is the file's name, as `--gpu` takes it."""

    name: str
    title: str
    generation: str
    compute_capability: tuple[int, int]
    sms: int
    limits: Limits
    shared: SharedMemory
    l1: L1
    l2: L2
    clock_mhz: int
    dram_bytes_per_second: float
    independent_threads: bool  # exited threads are not waited for at barriers, per thread (Volta and later)
    catt_model: str  # the footprint model that is the better one here: "paper" or "sectored"
    catt_margin: float  # the footprint must exceed the capacity by this factor before throttling is predicted to pay
    origins: Mapping[str, str]  # dotted field name -> where the figure comes from

    def l1_bytes(self, shared_configuration: int) -> int:
        """Bytes of L1 data cache left by a shared-memory configuration (bytes)."""
        if not self.l1.unified:
            return self.l1.capacity
        return min(self.l1.capacity, self.l1.unified_bytes - shared_configuration)
