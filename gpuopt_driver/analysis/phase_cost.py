"""What a kernel's statements cost one warp that runs alone: cycles of latency, instructions, requests to memory.

A rough static estimate, told apart by whether the statements lie in shared-memory access regions: enough to say whether
a kernel waits for memory or computes, and how much of it one region holds. Trip counts stay symbolic where they are
kernel arguments, so that a guard can put in the true numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from gpuopt_driver.analysis.batching import DEFAULT_UNROLL
from gpuopt_driver.analysis.function_cost import OPERATIONS, operations_of_calls
from gpuopt_driver.analysis.shared_points import values_of
from gpuopt_driver.analysis.shared_regions import Region
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import ONE, ZERO, Const, Expr, Op, SymKind, add, constant, mul, op, substitute, symbols
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Loop, Space, Stmt, StmtKind, SyncKind, Variable
from gpuopt_driver.source.text import SourceFile

_FAR = (Space.GLOBAL, Space.UNKNOWN, Space.TEXTURE)
_UNKNOWN_TRIPS = 16
_STORE = 4  # cycles of a store to shared memory
LOOP_CARRIED = "~"  # in the name of a symbol: a variable at the top of a loop that changes it (frontend/induction.py)
WAIT = DEFAULT_UNROLL  # a load's latency where loads of so many iterations overlap is one share of so many
_SCALE = 10  # latencies are kept in tenths of cycles, so that they stay integers when loads overlap


@dataclass(frozen=True, slots=True)
class Latencies:
    """Cycles that one warp waits."""

    memory: int = 600
    near: int = 270  # of a load that finds its line in L2
    shared: int = 30
    barrier: int = 30
    operation: int = 3  # of a chain of arithmetic, with what the compiler overlaps
    step: int = 4  # of such a chain with nothing to overlap

    @classmethod
    def of(cls, arch: Arch) -> Latencies:
        """A GPU's own figures where they were measured, and how long its arithmetic takes."""
        step = 4 if arch.execution is None else round(arch.execution.alu_latency)
        if arch.timing is None:
            return cls(step=step)
        found = arch.timing
        return cls(round(found.dram_latency), round(found.l2_latency), shared=round(found.shared_latency), step=step)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one warp: tenths of `cycles` of latency, `instructions`, loads with regular and with `scattered` index.

    `serial` are those of the scattered loads whose address an earlier iteration of a loop has loaded, `meeting` those
    of them whose next address follows from this one and what lies there: chains that meet stay together. `waits`: how
    many loads' latencies `cycles` holds, in shares of one (`WAIT`).
    """

    cycles: Expr = ZERO
    instructions: Expr = ZERO
    loads: Expr = ZERO
    scattered: Expr = ZERO
    serial: Expr = ZERO
    meeting: Expr = ZERO
    waits: Expr = ZERO

    def __add__(self, other: Cost) -> Cost:
        if other is _NOTHING or self is _NOTHING:
            return self if other is _NOTHING else other
        return Cost(
            add(self.cycles, other.cycles),
            add(self.instructions, other.instructions),
            add(self.loads, other.loads),
            add(self.scattered, other.scattered),
            add(self.serial, other.serial),
            add(self.meeting, other.meeting),
            add(self.waits, other.waits),
        )

    def times(self, trips: Expr) -> Cost:
        """The cost of that many runs."""
        return Cost(
            mul(trips, self.cycles),
            mul(trips, self.instructions),
            mul(trips, self.loads),
            mul(trips, self.scattered),
            mul(trips, self.serial),
            mul(trips, self.meeting),
            mul(trips, self.waits),
        )


_NOTHING = Cost()
More = Callable[[Access], int]  # operators that an access takes beside those in its text, one after the other


def nothing_more(_access: Access) -> int:
    """An access takes the operators in its text."""
    return 0


@dataclass(frozen=True, slots=True)
class Split:
    """The costs outside and inside of the shared-memory access regions; `entries`: how often a region is entered."""

    private: Cost = _NOTHING
    shared: Cost = _NOTHING
    entries: Expr = ZERO

    def __add__(self, other: Split) -> Split:
        return Split(self.private + other.private, self.shared + other.shared, add(self.entries, other.entries))


@dataclass
class _Walk:
    """The state of one walk: whether a load that is under way would be waited for together with the next one."""

    kernel: Kernel
    source: SourceFile
    latencies: Latencies
    regions: dict[int, Region]
    early: frozenset[int] = frozenset()
    more: More = nothing_more
    ahead: Mapping[int, int] = field(default_factory=dict)
    without: frozenset[int] = frozenset()
    at: dict[int, list[Access]] = field(default_factory=dict)
    pending: bool = False


def split_cost(
    kernel: Kernel,
    source: SourceFile,
    regions: Sequence[Region],
    latencies: Latencies,
    stmts: Sequence[int] = (0,),
    early: frozenset[int] = frozenset(),
    more: More = nothing_more,
    ahead: Mapping[int, int] | None = None,
) -> Split:
    """The cost of some statements (the whole kernel), those of the regions apart.

    What the statements `early` load and compute is done before their region is entered, they only store in it.
    `more`: operators that accesses take when they are written otherwise, each of which waits for the one before.
    `ahead`: loops (statements) in regions, and how many of their first iterations come before the region is entered.
    """
    walk = _Walk(kernel, source, latencies, {region.first: region for region in regions}, early, more, ahead or {})
    for access in kernel.accesses:
        walk.at.setdefault(access.stmt, []).append(access)
    total = Split()
    for stmt in stmts:
        total += _stmt(walk, kernel.stmt(stmt), inside=False, unrolled=False)
    return total


def instructions(kernel: Kernel, source: SourceFile, stmts: Sequence[int], without: frozenset[int]) -> Expr:
    """What one warp executes in some statements; `without` those, with all that is in them."""
    walk = _Walk(kernel, source, Latencies(), {}, without=without)
    total = Split()
    for stmt in stmts:
        total += _stmt(walk, kernel.stmt(stmt), inside=False, unrolled=False)
    return total.private.instructions


def _stmt(walk: _Walk, stmt: Stmt, *, inside: bool, unrolled: bool) -> Split:
    if stmt.id in walk.without:
        return Split()
    waits, own, stores = _own(walk, stmt, unrolled=unrolled)
    late = inside and stmt.id not in walk.early
    total = Split(shared=stores) if inside else Split(private=stores)
    total += Split(shared=own + waits) if late else Split(private=own + waits)
    if stmt.kind in LOOP_KINDS:
        loop = walk.kernel.loop_of(stmt.id)
        trips = _trips(_counted(walk.kernel, loop))
        flat = bool(loop and loop.trips is not None) and not _has_boundary(walk.kernel, stmt)
        walk.pending = False
        body = _children(walk, stmt, inside=inside, unrolled=flat)
        walk.pending = False
        first = walk.ahead.get(stmt.id, 0)
        if inside and first and isinstance(trips, Const):
            number = min(first, trips.value)
            total += Split(body.shared.times(Const(number)))
            left = Const(trips.value - number)
            return total + Split(body.private.times(trips), body.shared.times(left))
        return total + Split(body.private.times(trips), body.shared.times(trips), mul(trips, body.entries))
    return total + _children(walk, stmt, inside=inside, unrolled=unrolled)


def _children(walk: _Walk, stmt: Stmt, *, inside: bool, unrolled: bool) -> Split:
    total = Split()
    last = -1  # the region that is open here
    for child in stmt.children:
        region = walk.regions.get(child)
        if region is not None and not inside:
            last = region.last
            walk.pending = False
            total += Split(entries=ONE)
        within = inside or child <= last
        total += _stmt(walk, walk.kernel.stmt(child), inside=within, unrolled=unrolled)
        if child == last:
            walk.pending = False
    return total


def _own(walk: _Walk, stmt: Stmt, *, unrolled: bool) -> tuple[Cost, Cost, Cost]:
    """What a statement's loads from memory cost, what its stores to shared memory do, and what all else of it does.

    The statements in it are left out.
    """
    kernel, latencies = walk.kernel, walk.latencies
    operations, more = _operations(walk, stmt), sum(map(walk.more, walk.at.get(stmt.id, ())))
    cycles = (operations * latencies.operation + more * latencies.step) * _SCALE
    waits_for = loads = scattered = chained = met = stored = 0
    for access in walk.at.get(stmt.id, ()):
        if access.array.space is Space.SHARED:
            ahead = DEFAULT_UNROLL if unrolled and not _serial(access) else 1
            cycles += latencies.shared * _SCALE // ahead if access.is_read else 0
            stored += 0 if access.is_read else _STORE * _SCALE
        elif access.array.space in _FAR and access.is_read:
            depends, serial = _depends(access), _serial(access)
            loads, scattered, chained = loads + (not depends), scattered + depends, chained + (depends and serial)
            met += depends and serial and _meets(kernel, access)
            if serial or not walk.pending:
                waits_for += 1 if unrolled and not serial else WAIT
            walk.pending = not depends
    for sync in kernel.syncs:
        if sync.stmt == stmt.id and sync.kind is not SyncKind.FENCE:
            cycles += latencies.barrier * _SCALE
            walk.pending = walk.pending and sync.kind is SyncKind.WARP
    waiting = waits_for * latencies.memory * _SCALE // WAIT
    counted = (loads, scattered, chained, met, waits_for)
    memory = Cost(constant(waiting), ZERO, *map(constant, counted)) if any(counted) else _NOTHING
    stores = Cost(constant(stored)) if stored else _NOTHING
    return memory, Cost(constant(cycles), constant(2 * (operations + more) + 2)), stores


def _operations(walk: _Walk, stmt: Stmt) -> int:
    """Operators in a statement's own text, and those that the functions that it calls execute."""
    data = walk.source.data
    kernel = walk.kernel
    end = min([kernel.stmt(child).span.start for child in stmt.children] + [stmt.span.end])
    if stmt.kind is StmtKind.COMPOUND or stmt.span.file != walk.source.path:
        return 0
    return len(OPERATIONS.findall(data, stmt.span.start, end)) + operations_of_calls(kernel, walk.source, stmt.id)


def _depends(access: Access) -> bool:
    """Whether the address comes out of memory (or is not modelled)."""
    if access.offset is None:
        return True
    return any(symbol.kind is SymKind.UNKNOWN and not symbol.uniform for symbol in symbols(access.offset))


def _serial(access: Access) -> bool:
    """Whether the address comes out of an earlier iteration, so that no two of these loads are under way at a time."""
    return access.offset is None or any(
        symbol.kind is SymKind.UNKNOWN and LOOP_CARRIED in symbol.name for symbol in symbols(access.offset)
    )


def _meets(kernel: Kernel, access: Access) -> bool:
    """Whether a chain of loads is a walk by its place alone: two that are at one place go on together.

    Then what all threads touch shrinks with every step, and comes out of L2. Not so where the next address depends on
    something else that the thread carries, or that differs between threads.
    """
    if access.offset is None or access.in_callee_loop or not access.loops:
        return False
    inside = {stmt.id for stmt in kernel.descendants(access.loops[-1])}
    carried = [one.name for one in symbols(access.offset) if LOOP_CARRIED in one.name and "!" not in one.name]
    place = [
        one for one in kernel.variables if any(name.startswith(f"?{one.name}@{one.span.start}~") for name in carried)
    ]
    counters = {loop.variable for loop in kernel.loops if loop.stmt in access.loops}
    seen: list[Variable] = list(place)
    for one in seen:  # grows: what the values of these are made of
        for stmt in inside.intersection(one.definitions):
            used = [other for other in kernel.variables if stmt in other.uses and other not in seen]
            if any(other.stmt not in inside and other.name not in counters for other in used):
                return False
            seen.extend(used)
    return bool(place)


def _has_boundary(kernel: Kernel, loop: Stmt) -> bool:
    inside = {stmt.id for stmt in kernel.descendants(loop.id)}
    boundary = any(sync.stmt in inside and sync.kind not in (SyncKind.WARP, SyncKind.FENCE) for sync in kernel.syncs)
    return boundary or any(other.parent == loop.id for other in kernel.loops)


def _counted(kernel: Kernel, loop: Loop | None) -> Expr | None:
    """A loop's trip count, also where its variable changes by more than sums, between constants."""
    if loop is None or loop.following is None or loop.trips is not None:
        return loop.trips if loop is not None else None
    values = values_of(kernel, loop, {})
    return Const(len(values)) if values is not None else None


def _trips(trips: Expr | None) -> Expr:
    """A trip count over launch dimensions and arguments, for the first thread; a guess where data decide."""
    if trips is None:
        return Const(_UNKNOWN_TRIPS)
    zero = {one.name: ZERO for one in symbols(trips) if one.kind in (SymKind.THREAD, SymKind.BLOCK)}
    first = substitute(trips, zero)
    known = (SymKind.PARAM, SymKind.BLOCK_DIM, SymKind.GRID_DIM)
    if any(symbol.kind not in known for symbol in symbols(first)):
        return Const(_UNKNOWN_TRIPS)
    return first if isinstance(first, Const | Op) else op("max", ZERO, first)
