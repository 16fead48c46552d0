"""Small kernels as model values, without a parser."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind, add, mul
from gpuopt_driver.frontend.model import Access, Array, Kernel, Loop, Space, Stmt, StmtKind
from gpuopt_driver.source.text import Span

SPAN = Span("k.cu", 0, 1, 1, 1)
TX, TY = Sym("threadIdx.x", SymKind.THREAD), Sym("threadIdx.y", SymKind.THREAD)
BX, DX = Sym("blockIdx.x", SymKind.BLOCK, uniform=True), Sym("blockDim.x", SymKind.BLOCK_DIM, uniform=True)
I = add(mul(BX, DX), TX)  # noqa: E741
N = Sym("n", SymKind.PARAM, uniform=True)
J = Sym("loop1", SymKind.LOOP, uniform=True)
K = Sym("loop2", SymKind.LOOP, uniform=True)


def loop(stmt: int = 1, trips: Expr | None = N, **changes: object) -> Loop:
    made = Loop(stmt=stmt, symbol=f"loop{stmt}", start=Const(0), step=Const(1), bound=trips, trips=trips)
    return replace(made, **changes)  # type: ignore[arg-type]


def access(name: str, index: Expr | None, loops: tuple[int, ...] = (1,), size: int = 4, **changes: object) -> Access:
    array = Array(name, Space.GLOBAL, "float", size, restrict=bool(changes.pop("restrict", False)), is_param=True)
    made = Access(
        stmt=loops[-1] + 1,
        loops=loops,
        array=array,
        offset=None if index is None else mul(Const(size), index),
        bytes=size,
        is_read=True,
        is_write=False,
        is_atomic=False,
        is_volatile=False,
        span=SPAN,
        text=f"{name}[...]",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def kernel(loops: tuple[Loop, ...], accesses: tuple[Access, ...]) -> Kernel:
    """A kernel whose statement 0 is its body and whose loops nest by their `parent`."""
    stmts = [Stmt(0, StmtKind.COMPOUND, SPAN, None, (1,))]
    for one in loops:
        inner = tuple(other.stmt for other in loops if other.parent == one.stmt)
        stmts.append(Stmt(one.stmt, StmtKind.FOR, SPAN, one.parent or 0, inner))
    stmts.append(Stmt(len(stmts), StmtKind.EXPR, SPAN, loops[-1].stmt))
    return Kernel(
        name="k", qualified="k", usr="k", span=SPAN, body=SPAN, name_span=SPAN, params_span=SPAN, top_start=0,
        params=(), stmts=tuple(stmts), loops=loops, accesses=accesses,
    )  # fmt: skip
