"""How many iterations' loads a compiler issues together: what decides whether L1 has to keep a line between them.

nvcc unrolls counted loops by four and moves the loads of the copies to the front, unless something in the body could
change what they read. Loads that are issued together find their line under way (hit under miss) and need no capacity;
only the reuse from one such batch to the next can be lost. Measured on an H200, a row-per-thread walk over two matrices
at twice the L1 capacity loses nothing with sums in registers and a factor of 4.5 with sums in memory.

Small loops inside with constant trip counts do not change that: nvcc unrolls them whole first (read off its PTX).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Const, symbols
from gpuopt_driver.frontend.model import Access, Kernel, Loop, Space, StmtKind, SyncKind

DEFAULT_UNROLL = 4  # nvcc's factor for a counted loop without a pragma
# Loads of a body after its inner loops are unrolled whole, and by how much nvcc 13.0 then unrolls the loop itself; 1
# beyond. Read off its PTX for sm_90 (4 up to 14, 2 from 16 to 26, none from 32 on).
WHOLE = ((14, 4), (26, 2))
_STRAIGHT = frozenset({StmtKind.COMPOUND, StmtKind.FOR, StmtKind.DECL, StmtKind.EXPR, StmtKind.EMPTY})
_UNROLL = re.compile(r"#\s*pragma\s+(?:GCC\s+|clang\s+loop\s+)?(nounroll|unroll(?:\s*\(?\s*(\d+)\s*\)?)?)")
_BOUNDARIES = (SyncKind.BLOCK, SyncKind.NAMED, SyncKind.GRID, SyncKind.CLUSTER, SyncKind.FENCE, SyncKind.UNKNOWN)


def unroll_factor(pragmas: str) -> int:
    """The unroll factor that the pragmas in front of a loop ask for, nvcc's own without any."""
    factor = DEFAULT_UNROLL
    for match in _UNROLL.finditer(pragmas):
        if match.group(1) == "nounroll":
            factor = 1
        else:
            factor = max(1, int(match.group(2))) if match.group(2) else max(factor, 8)
    return factor


@dataclass(frozen=True, slots=True)
class Ordering:
    """What keeps the loads of different iterations of a loop apart, found once per loop.

    `unroll` is 1 where everything stays apart; `open_stores` says that a store may go anywhere, `arrays` are those with
    stores that go to no other array (`__restrict__`).
    """

    unroll: int
    open_stores: bool
    arrays: frozenset[str]

    def batch(self, load: Access) -> int:
        """Iterations whose loads at this access are issued together; 1 where none are."""
        if load.array.restrict:
            return self.unroll
        return 1 if self.open_stores or load.array.name in self.arrays else self.unroll


def ordering(kernel: Kernel, loop: Loop, pragmas: str = "") -> Ordering:
    """The ordering of a loop's loads; `pragmas` is the text in front of it."""
    mine = [access for access in kernel.accesses if loop.stmt in access.loops]
    most = _beside_inner(kernel, loop, mine)
    factor = unroll_factor(pragmas) if most is None else min(most, unroll_factor(pragmas))
    stores = [one.array for one in mine if one.is_write and one.array.space in (Space.GLOBAL, Space.UNKNOWN)]
    return Ordering(
        unroll=1 if _keeps_order(kernel, loop, mine) else factor,
        open_stores=any(not array.restrict for array in stores),
        arrays=frozenset(array.name for array in stores if array.restrict),
    )


def _beside_inner(kernel: Kernel, loop: Loop, mine: Sequence[Access]) -> int | None:
    """The most that nvcc unrolls a loop with loops inside, which it unrolls whole first; None where there are none.

    1 where they stay loops: trip counts that are not constant, too many loads, branches.
    """
    inside = [other for other in kernel.loops if loop.stmt in _parents(kernel, other)]
    if not inside:
        return None
    trips = {other.symbol: other.trips.value for other in inside if isinstance(other.trips, Const)}
    branches = any(stmt.kind not in _STRAIGHT for other in inside for stmt in kernel.descendants(other.stmt))
    if branches or len(trips) < len(inside):
        return 1
    copies = 0
    for access in mine:
        if access.is_read and access.offset is not None:
            copies += math.prod(trips.get(name, 1) for name in {symbol.name for symbol in symbols(access.offset)})
        elif access.is_read:
            copies += math.prod(trips[other.symbol] for other in inside if other.stmt in access.loops)
    return next((factor for loads, factor in WHOLE if copies <= loads), 1)


def _parents(kernel: Kernel, loop: Loop) -> Iterator[int]:
    while loop.parent is not None:
        yield loop.parent
        outer = kernel.loop_of(loop.parent)
        if outer is None:
            return
        loop = outer


def _keeps_order(kernel: Kernel, loop: Loop, mine: Sequence[Access]) -> bool:
    """Whether something in the loop keeps all loads of different iterations apart, whatever they read."""
    if loop.trips is None or any(access.is_volatile or access.in_callee_loop for access in mine):
        return True
    inside = {stmt.id for stmt in kernel.descendants(loop.stmt)}
    if any(sync.stmt in inside and sync.kind in _BOUNDARIES for sync in kernel.syncs):
        return True
    return any(call.stmt in inside and not call.known for call in kernel.calls)
