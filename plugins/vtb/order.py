"""VTB_pipe's order: virtual blocks hand the shared memory round, one after the other, as the compiler lays down.

Yang et al., PACT 2012, section 4.2: barriers say whose turn it is, nobody asks. That needs every virtual block to come
as often as the others, or to say that it comes no more: in front of every return, and at the kernel's end.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from gpuopt_driver.api import LOOP_KINDS, Expr, Kernel, Region, Shape, StmtKind, SymKind, expr, values_of

from .guard import largest
from .options import Options

_THREADS = 1024  # of a block
_SAME = (SymKind.PARAM, SymKind.BLOCK_DIM, SymKind.GRID_DIM, SymKind.TEMPLATE)


class Order(Enum):
    """How virtual blocks know whose turn it is: all come equally often, they tell when they leave, or (no pipe) not."""

    ALIKE = "alike"
    TOLD = "told"
    UNKNOWN = "unknown"


def order_of(kernel: Kernel, regions: Sequence[Region]) -> Order:
    """How a pipe's order can be kept; instances of a template share a text: there it is told. No regions: no pipe."""
    if not regions:
        return Order.UNKNOWN
    if not kernel.template_head and _come_alike(kernel, regions):
        return Order.ALIKE
    return Order.TOLD if _can_tell(kernel) else Order.UNKNOWN


def own_barriers(kernel: Kernel, shapes: Sequence[Shape], options: Options) -> int:
    """How many virtual blocks there may be that need barriers of their own; 0 where each is one warp."""
    sizes = [] if kernel.template_head else [shape.threads for shape in shapes]  # instantiations share a text
    if sizes and all(size <= 32 for size in sizes):
        return 0
    return min([largest(options)] + [max(1, _THREADS // min(sizes)) for _ in sizes[:1]])


def barriers_of(most: int) -> int:
    """The barriers that a version names: one that all have, and those of virtual blocks or of a pipe's turns."""
    return 1 + (2 if most == 0 else max(4, most))


def longest_pipe(most: int, order: Order) -> int:
    """The most virtual blocks of a pipe where so many have barriers of their own (0: need none); 0: no pipe.

    A block has few barriers, and an SM twice as many as it holds blocks.
    """
    return 0 if order is Order.UNKNOWN else max(2, most // 2)


def _come_alike(kernel: Kernel, regions: Sequence[Region]) -> bool:
    """Whether all blocks of a launch enter each region equally often: what is around it depends on arguments alone."""
    last = max((_last(kernel, region) for region in regions), default=0)
    if any(region.jumps for region in regions):
        return False
    if any(stmt.kind is StmtKind.RETURN and stmt.id <= last for stmt in kernel.stmts):
        return False
    return all(_is_alike(kernel, around.id) for region in regions for around in kernel.ancestors(region.first))


def _is_alike(kernel: Kernel, around: int) -> bool:
    stmt = kernel.stmt(around)
    if stmt.kind is StmtKind.COMPOUND:
        return True
    if stmt.kind is StmtKind.IF:
        return stmt.condition is not None and _known(stmt.condition)
    loop = kernel.loop_of(around) if stmt.kind in LOOP_KINDS else None
    if loop is None:
        return False
    if loop.trips is not None:
        return _known(loop.trips)
    inner = {one.kind for one in kernel.descendants(around)}
    leaves = inner & {StmtKind.BREAK, StmtKind.CONTINUE, StmtKind.GOTO}
    return loop.following is not None and not leaves and values_of(kernel, loop, {}) is not None


def _known(value: Expr) -> bool:
    return all(symbol.kind in _SAME for symbol in expr.symbols(value))


def _last(kernel: Kernel, region: Region) -> int:
    """The id of the last statement in a region and in the loops around it."""
    outer = region.last
    for around in kernel.ancestors(region.last):
        if around.kind in LOOP_KINDS:
            outer = around.id
    return max(stmt.id for stmt in kernel.descendants(outer))


def _can_tell(kernel: Kernel) -> bool:
    """Whether all threads of a block return together, and where an edit can say so."""
    returns = [stmt for stmt in kernel.stmts if stmt.kind is StmtKind.RETURN]
    return all(stmt.reached_uniformly and stmt.span.editable and stmt.span.file == kernel.span.file for stmt in returns)
