"""The frozen description of one GPU. Every figure's origin is in its TOML file and in `Arch.origins`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from gpuopt_driver.dataclass import dataclass


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
    barriers_per_sm: int = 0  # that the blocks of an SM share; 0: as many as they want


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
    loads_opt_in: bool = False  # -Xptxas -dlcm=ca makes it keep global loads where it does not by default


@dataclass(frozen=True, slots=True)
class L2:
    """Second-level cache of the device."""

    capacity: int  # bytes
    line_bytes: int
    sector_bytes: int
    reported: int = 0  # bytes that cudaDeviceProp::l2CacheSize names, where they differ from what can be used; else 0


@dataclass(frozen=True, slots=True)
class Slices:
    """Into what L2 is divided; addresses choose a slice by an exclusive or of their fields."""

    count: int
    parts: int  # 1 or 2 halves with slices and SMs of their own; what lives in the other one is copied when it is read
    bytes_per_cycle: float  # of a slice
    far_latency: float  # cycles that what is read from the other part takes longer


@dataclass(frozen=True, slots=True)
class Timing:
    """How long loads take, in cycles of the SM's clock, and bytes per such cycle. Measured by `gpuopt calibrate`."""

    l1_latency: float
    shared_latency: float
    l2_latency: float  # of an L2 that holds all that is in use
    dram_latency: float
    l1_bytes_per_cycle: float  # of one SM
    shared_bytes_per_cycle: float  # of one SM
    l2_bytes_per_cycle: float  # of the device
    dram_bytes_per_cycle: float  # of the device


@dataclass(frozen=True, slots=True)
class Caching:
    """How L1 decides what it keeps. Measured by `gpuopt calibrate`."""

    fill: str  # "line" or "sector": what a miss brings
    index: str  # "linear" or "hashed": how addresses choose sets
    ways: int  # lines of a set, 0 where strides do not show it
    replacement: str  # "lru", "segmented" (lines used twice are protected from those used once) or "other"
    protected_fraction: float  # of the capacity, the part that a segmented policy protects; 0 for other policies
    store_allocates: bool  # a store leaves what it wrote in L1
    store_updates: bool  # a store leaves a line that is in L1 there
    l2_near_bytes: int  # up to here loads have the best L2 latency


@dataclass(frozen=True, slots=True)
class Execution:
    """How warps are run, for the emulator's model; and what it takes where `Timing` and `Caching` are not there.

    Latencies in cycles of the SM's clock, bytes per such cycle of one SM.
    """

    coalescing: str  # "half-warp" (segments), "lines" of 128 bytes or "sectors" of 32: what a request becomes
    schedulers: int  # of an SM
    banks: int  # of shared memory
    issue: str  # "round-robin", "oldest" or "longest" (the warp at work, then the oldest or who waited longest)
    alu_latency: float  # from one arithmetic instruction of a warp to the next that needs its result
    l1_latency: float
    shared_latency: float
    l2_latency: float
    dram_latency: float
    l1_bytes_per_cycle: float
    shared_bytes_per_cycle: float
    l2_bytes_per_cycle: float
    loads_in_flight: int  # of a warp
    lookups_waiting: int  # instructions of an SM that can wait for L1; more are not issued
    lookups_of_scheduler: int  # of them, while L1 is not far behind; 0: any number
    launch_cycles: int  # what a launch takes beyond its instructions
    dram_fetch_bytes: int  # that a miss in L2 brings at least
    merging_groups: int  # groups of SMs in parts of which equal requests to L2 are merged, 0: none are
    merging_sms: int  # of such a part
    merged_requests: int  # that become one at most
    l1_unusable_bytes: int  # of L1 that hold no data
    l1_index: str  # as Caching.index
    l1_ways: int  # as Caching.ways
    random_victims: float  # of a segmented policy's victims, the part that is not the oldest line
    constant_operands: bool = False  # a constant that all lanes read is an operand, no instruction of its own
    issue_cycles: int = 1  # that an instruction keeps its scheduler: more where warps are wider than lanes
    dependent_part: float = 0.5  # of a warp's arithmetic that needs the result of the instruction before it
    misses_in_flight: int = 0  # lines that an SM's L1 can wait for before it takes nothing more; 0: no limit is known
    lines_reserved: bool = False  # lines on their way keep their places; L1 takes nothing while a set has no other


@dataclass(frozen=True, slots=True)
class Blocks:
    """What is known of running blocks otherwise than the GPU does by itself."""

    agents_pay: bool  # persistent blocks bound to SMs were measured to be faster where neighbouring blocks share data


@dataclass(frozen=True, slots=True)
class Partition:
    """How L1 and shared memory are divided, and what a division is worth (Liang et al., TCAD 2015, equation 1).

    Performance = constant + occupancy * Occ + hit_rate * HitRate + both * Occ * HitRate, relative to the best division
    of the same launch. The driver's own choice is the smallest configuration for all blocks that an SM could hold, with
    static shared memory counted `static_counts` times. Where the file has coefficients for it, time is compared.
    With `asked`, of an SM, in nanoseconds: time^4 = (wave * waves of blocks * iterations)^4 + (missed * sectors that
    miss L1)^4 + (asked * sectors that full waves ask L1 for)^4. With `instruction` otherwise, of the GPU: time =
    instruction * instructions of warps / Occ + sector * sectors that miss L1.
    """

    static_counts: int
    constant: float
    occupancy: float
    hit_rate: float
    both: float
    wave: float = 0.0
    missed: float = 0.0
    asked: float = 0.0
    instruction: float = 0.0
    sector: float = 0.0


@dataclass(frozen=True, slots=True)
class Operator:
    """A cache operator of global loads. Measured by `gpuopt calibrate`."""

    allocates: bool  # what it loads is in L1 afterwards
    hits: bool  # what is in L1 is taken from there
    keeps: bool  # what is in L1 stays there
    spares_used_once: float  # of half an L1 of data, loaded once, the part left by a stream of twice L1's size with it
    spares_used_twice: float  # the same of data that was loaded twice


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
    timing: Timing | None = None  # None where nobody has measured it
    caching: Caching | None = None
    execution: Execution | None = None
    slices: Slices | None = None
    blocks: Blocks | None = None
    partition: Partition | None = None
    operators: Mapping[str, Operator] = field(default_factory=dict)  # "cg", "no_allocate", ... as PTX spells them
    dram_bytes: int = 0  # 0: not known, as below
    dram_bus_bits: int = 0
    stands: bool = False  # for its compute capability, where a GPU is known by that only
    assumed: frozenset[str] = frozenset()  # figures (`device.clock_mhz`) that nobody knows: another GPU's was taken
    ecc: bool = False  # device memory is checked for errors, as delivered

    def l1_bytes(self, shared_configuration: int) -> int:
        """Bytes of L1 data cache left by a shared-memory configuration (bytes)."""
        if not self.l1.unified:
            return self.l1.capacity
        return min(self.l1.capacity, self.l1.unified_bytes - shared_configuration)

    def with_loads(self, load_cache: str) -> Arch:
        """The GPU for code compiled with -Xptxas -dlcm=`load_cache` ("ca", "cg"; "" for the GPU's own way)."""
        kept = self.l1.caches_global_loads
        asked = {"ca": kept or self.l1.loads_opt_in, "cg": False}.get(load_cache, kept)
        return self if asked == kept else replace(self, l1=replace(self.l1, caches_global_loads=asked))
