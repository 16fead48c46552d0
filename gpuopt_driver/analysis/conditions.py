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
    entered = _entered(kernel)
    for outer in kernel.ancestors(stmt):
        if outer.id in entered and outer.kind is not StmtKind.COMPOUND:
            pass  # some thread may have come in behind the test
        elif outer.kind is StmtKind.IF and inner.role in ("then", "else"):
            yield from _parts(outer.condition if inner.role == "then" else negation(outer.condition))
        elif outer.kind in LOOP_KINDS and outer.kind is not StmtKind.DO and inner.role == "body":
            yield from _parts(outer.condition)
        elif outer.kind is StmtKind.COMPOUND:
            at = outer.children.index(inner.id)
            first = max((place for place in range(at + 1) if outer.children[place] in entered), default=0)
            for before in outer.children[first:at]:
                yield from _passed(kernel, kernel.stmt(before))
        inner = outer


def _entered(kernel: Kernel) -> frozenset[int]:
    """The statements that a `switch` or `goto` outside of them may jump into, labels themselves among them."""
    found: set[int] = set()
    for label in kernel.stmts:
        if label.kind in (StmtKind.CASE, StmtKind.LABEL):
            found.add(label.id)
            for outer in kernel.ancestors(label.id):
                if label.kind is StmtKind.CASE and outer.kind is StmtKind.SWITCH:
                    break
                found.add(outer.id)
    return frozenset(found)


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
