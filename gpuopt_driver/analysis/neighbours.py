"""What threads that are neighbours along x have in common: whether all come to a statement, which elements they access.

A condition that is an upper limit of a thread's index holds for all of some neighbours if it holds for the last one.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import CONVERSIONS, Const, Expr, Op, Sym, SymKind, symbols
from gpuopt_driver.frontend.model import Kernel, Stmt, StmtKind
from gpuopt_driver.frontend.polynomial import Monomial, Polynomial, difference, polynomial, rebuild
from gpuopt_driver.frontend.values import negation

_OWN = (SymKind.THREAD, SymKind.BLOCK)
_LIMITS = frozenset({SymKind.PARAM, SymKind.BLOCK_DIM, SymKind.GRID_DIM})
_ANY = frozenset({SymKind.PARAM, SymKind.THREAD})  # these may be of any sign, or change what a block multiplies
_LANE = "threadIdx.x"
_JUMPS = frozenset({StmtKind.RETURN, StmtKind.GOTO, StmtKind.LABEL, StmtKind.TRY})


@dataclass(frozen=True, slots=True)
class Limit:
    """A condition as `index <= most`: `most` is the same for all threads, `index` for those that differ in x alone, or
    it grows by one from such a thread to the next one. They are numbers of 64 bits. No type wraps them where both
    `sides` of the condition as it was are indices.
    """

    index: Expr
    most: Expr
    sides: tuple[Expr, Expr]


def reaching(kernel: Kernel, stmt: int) -> tuple[Limit, ...] | None:
    """The limits under which, and only under which, a thread comes to a statement; None where something else decides.

    Only what a thread does once is told of: nothing in a loop.
    """
    found: list[Limit] = []
    inner = kernel.stmt(stmt)
    for outer in kernel.ancestors(stmt):
        conditions: list[Expr | None] = []
        if outer.kind is StmtKind.IF:
            conditions += {"then": [outer.condition], "else": [negation(outer.condition)]}.get(inner.role, [])
        elif outer.kind is StmtKind.COMPOUND:
            for before in outer.children[: outer.children.index(inner.id)]:
                conditions += _passed(kernel, kernel.stmt(before))
        else:
            return None
        for condition in conditions:
            limits = _limits(condition)
            if limits is None:
                return None
            found += limits
        inner = outer
    return tuple(dict.fromkeys(found))


def _passed(kernel: Kernel, stmt: Stmt) -> Iterator[Expr | None]:
    """What must hold for a thread to get behind a statement; None: not known."""
    if not any(one.kind in _JUMPS for one in kernel.descendants(stmt.id)):
        return
    branches = {kernel.stmt(child).role: kernel.stmt(child) for child in stmt.children}
    leaves = stmt.kind is StmtKind.IF and set(branches) == {"then"} and _returns(kernel, branches["then"])
    yield negation(stmt.condition) if leaves else None


def leaves_for_good(kernel: Kernel, stmt: int) -> tuple[Limit, ...] | None:
    """Limits of which a thread that comes to a `return` is behind one; None where it may have work in later blocks.

    It has none along x where such an index does not become smaller from block to block, and where nothing in front of
    the `return` writes or waits.
    """
    tests = [one for one in kernel.ancestors(stmt) if one.kind is StmtKind.IF]
    if kernel.stmt(stmt).kind is not StmtKind.RETURN or len(tests) != 1:
        return None
    test = tests[0]
    passed = list(_passed(kernel, test))
    limits = None if passed == [None] else _limits(passed[0])
    if limits is None or test.parent is None or kernel.stmt(test.parent).parent is not None:
        return None
    writes = (access.stmt for access in kernel.accesses if access.is_write)
    waits = (sync.stmt for sync in kernel.syncs)
    works = any(one <= test.id for one in (*writes, *waits))
    return None if works or not all(_grows(limit.index) for limit in limits) else tuple(limits)


def _grows(index: Expr) -> bool:
    """Whether an index does not become smaller from a block to the next one along x."""
    for key, factor in polynomial(index).items():
        kinds = [(atom.kind, atom.name) for atom in key if isinstance(atom, Sym)]
        if (SymKind.BLOCK, "blockIdx.x") in kinds and (factor < 0 or any(kind in _ANY for kind, _name in kinds)):
            return False
    return True


def _returns(kernel: Kernel, stmt: Stmt) -> bool:
    """Whether a statement is nothing but a `return`."""
    if stmt.kind is StmtKind.COMPOUND:
        return len(stmt.children) == 1 and _returns(kernel, kernel.stmt(stmt.children[0]))
    return stmt.kind is StmtKind.RETURN


def _limits(condition: Expr | None) -> list[Limit] | None:
    """The limits that a condition is made of, None where it is anything else."""
    if not isinstance(condition, Op):
        return [] if isinstance(condition, Const) and condition.value else None
    if condition.op == "&&":
        parts = [_limits(arg) for arg in condition.args]
        return None if None in parts else [one for part in parts for one in part or []]
    if condition.op == "!":
        inner = condition.args[0]
        if isinstance(inner, Op) and inner.op == "||":
            return _limits(Op("&&", tuple(Op("!", (arg,)) for arg in inner.args)))
        opposite = negation(inner)
        return None if opposite == condition else _limits(opposite)
    limit = _limit(condition)
    return None if limit is None else [limit]


def _limit(condition: Op) -> Limit | None:
    if condition.op not in ("<", "<=", ">", ">="):
        return None
    small, large = condition.args if condition.op in ("<", "<=") else reversed(condition.args)
    terms = polynomial(difference(small, large))
    index = {key: factor for key, factor in terms.items() if _is_own(key)}
    most = {key: -factor for key, factor in terms.items() if key not in index}
    if not _is_index(index) or not all(_is_limit(atom) for key in most for atom in key):
        return None
    if condition.op in ("<", ">"):
        most[()] = most.get((), 0) - 1
    return Limit(rebuild(index), rebuild({key: factor for key, factor in most.items() if factor}), (small, large))


def _is_own(key: Monomial) -> bool:
    return any(symbol.kind in _OWN for atom in key for symbol in symbols(atom))


def _is_index(terms: Polynomial) -> bool:
    """Whether this grows by one from a thread to the next one along x, or is the same for both."""
    for key, factor in terms.items():
        if not all(isinstance(atom, Sym) and atom.kind in (*_OWN, *_LIMITS) for atom in key):
            return False
        if any(isinstance(atom, Sym) and atom.name == _LANE for atom in key) and (len(key) != 1 or factor != 1):
            return False
    return True


def _is_limit(atom: Expr) -> bool:
    """Whether 64 bits with a sign say of a limit what its type says, or less."""
    if isinstance(atom, Op):
        divided = atom.op in ("/", ">>") and isinstance(atom.args[1], Const) and atom.args[1].value > 0
        return (divided or atom.op in ("+", "*") or atom.op in CONVERSIONS) and all(map(_is_limit, atom.args))
    return isinstance(atom, Const) or atom.kind in _LIMITS


def beside_thread(value: Expr, bytes: int) -> Expr | None:
    """`r`, where an offset in bytes is that of element threadIdx.x + r; else None.

    `r` is the same for the threads of a block that differ in x alone, and made of parameters, dimensions and the other
    indices.
    """
    terms = polynomial(value)
    if any(factor % bytes for factor in terms.values()):
        return None
    index = {key: factor // bytes for key, factor in terms.items()}
    own = {key: factor for key, factor in index.items() if any(_names_lane(atom) for atom in key)}
    if not _is_index(index) or len(own) != 1:
        return None
    return rebuild({key: factor for key, factor in index.items() if key not in own})


def is_multiple(value: Expr, of: int) -> bool:
    """Whether a sum is a multiple of a number that blockDim.x is one of: each of its products is."""
    return all(
        factor % of == 0 or any(isinstance(atom, Sym) and atom.name == "blockDim.x" for atom in key)
        for key, factor in polynomial(value).items()
    )


def _names_lane(atom: Expr) -> bool:
    return any(symbol.name == _LANE for symbol in symbols(atom))
