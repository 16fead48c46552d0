"""What holds where a statement of a kernel runs: by the tests around it, and by those in front of it that leave."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.frontend.expr import Expr, Op
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Stmt, StmtKind
from gpuopt_driver.frontend.values import negation

_LEAVING = frozenset({StmtKind.RETURN, StmtKind.BREAK, StmtKind.CONTINUE})


def holding(kernel: Kernel, access: Access) -> Iterator[Expr]:
    """Conditions that hold whenever an access is made, as comparisons; what is not modelled is left out."""
    for one in access.predicate:
        yield from _parts(one)
    yield from around(kernel, access.stmt)


def around(kernel: Kernel, stmt: int) -> Iterator[Expr]:
    """Conditions that hold whenever a statement runs, of the iteration that runs it, as comparisons."""
    inner = kernel.stmt(stmt)
    for outer in kernel.ancestors(stmt):
        if outer.kind is StmtKind.IF and inner.role in ("then", "else"):
            yield from _parts(outer.condition if inner.role == "then" else negation(outer.condition))
        elif outer.kind in LOOP_KINDS and outer.kind is not StmtKind.DO and inner.role == "body":
            yield from _parts(outer.condition)
        elif outer.kind is StmtKind.COMPOUND:
            for before in outer.children[: outer.children.index(inner.id)]:
                yield from _passed(kernel, kernel.stmt(before))
        inner = outer


def _passed(kernel: Kernel, stmt: Stmt) -> Iterator[Expr]:
    """What holds behind a statement that leaves under a condition: `if (i >= n) return;`."""
    if stmt.kind is not StmtKind.IF:
        return
    branches = {kernel.stmt(child).role: kernel.stmt(child) for child in stmt.children}
    if "else" not in branches and "then" in branches and _leaves(kernel, branches["then"]):
        yield from _parts(negation(stmt.condition))


def _leaves(kernel: Kernel, stmt: Stmt) -> bool:
    """Whether nothing behind a statement runs once it does."""
    if stmt.kind is StmtKind.COMPOUND:
        return bool(stmt.children) and _leaves(kernel, kernel.stmt(stmt.children[-1]))
    return stmt.kind in _LEAVING


def _parts(condition: Expr | None) -> Iterator[Expr]:
    """The conditions that all hold where one does."""
    if not isinstance(condition, Op):
        return
    if condition.op == "&&":
        for arg in condition.args:
            yield from _parts(arg)
    elif condition.op == "!" and isinstance(condition.args[0], Op) and condition.args[0].op == "||":
        for arg in condition.args[0].args:
            yield from _parts(negation(arg))
    elif condition.op in ("<", "<=", ">", ">=", "==", "!="):
        yield condition
