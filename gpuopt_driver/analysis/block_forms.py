"""Addresses as affine functions of block, thread and iteration numbers: what blocks have in common starts here.

An offset such as `4*n*(16*blockIdx.y + threadIdx.y) + 4*loop3` is taken apart by its parameter factors (n; 1), which
gives back the subscripts of a multi-dimensional array without knowing n: the alphas of Liu et al., eq. 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver.analysis.clamps import unclamped
from gpuopt_driver.analysis.quotients import Quotient, taken_apart
from gpuopt_driver.analysis.references import trip_count
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind
from gpuopt_driver.frontend.model import Access, Kernel, Loop, Space, StmtKind
from gpuopt_driver.frontend.polynomial import polynomial

_OFF_CHIP = (Space.GLOBAL, Space.UNKNOWN)
_INDEX = (SymKind.THREAD, SymKind.BLOCK, SymKind.LOOP)
_MOST_DIVIDED = 8  # forms of a kernel: what they share is computed pair by pair
TURN = "turn."  # prefix of the symbols that count iterations from 0


@dataclass(frozen=True, slots=True)
class Turn:
    """A loop around an access: the symbol that counts its iterations from 0, and how many there are (None: unknown)."""

    name: str
    trips: Expr | None


@dataclass(frozen=True, slots=True)
class BlockForm:
    """One or more accesses of a kernel through one affine index form.

    `offset` is in bytes from the array's base, over threadIdx, blockIdx, `turns`, `quotients` and parameters.
    `accesses` counts the sites in the source that share the form.
    """

    array: str
    offset: Expr
    bytes: int
    turns: tuple[Turn, ...]
    is_read: bool
    is_write: bool
    is_atomic: bool
    conditions: tuple[Expr, ...]
    text: str
    where: str  # as Kernel.line_of
    accesses: int = 1
    quotients: tuple[Quotient, ...] = ()


@dataclass(frozen=True, slots=True)
class Accesses:
    """The off-chip accesses of a kernel: affine ones by form, and those that are not.

    Of the latter, `near` are clamped indices as they are where no clamp takes hold, which is nearly everywhere, and
    `divided` those that are affine but for quotients and remainders. Both are for models of what is shared and of time:
    nothing about what is read or written may rest on them. `unclear` are the others.
    """

    forms: tuple[BlockForm, ...]
    irregular: tuple[Access, ...]
    near: tuple[BlockForm, ...] = ()
    divided: tuple[BlockForm, ...] = ()
    unclear: tuple[Access, ...] = ()

    @property
    def modelled(self) -> tuple[BlockForm, ...]:
        """The forms that models of time go by."""
        return (*self.forms, *self.near)


@dataclass(frozen=True, slots=True)
class Subscript:
    """One subscript: what multiplies the parameter product `factor` (texts of its symbols; () for bytes)."""

    factor: tuple[str, ...]
    linear: tuple[tuple[str, int], ...]  # coefficient per index symbol
    constant: int


def accesses(kernel: Kernel) -> Accesses:
    """Every access of the kernel to memory that blocks share."""
    by_stmt = {loop.stmt: loop for loop in kernel.loops}
    forms: dict[object, BlockForm] = {}
    near: dict[object, BlockForm] = {}
    divided: dict[object, BlockForm] = {}
    irregular: list[Access] = []
    unclear: list[Access] = []
    for access in kernel.accesses:
        if access.array.space not in _OFF_CHIP:
            continue
        loops = [by_stmt[stmt] for stmt in access.loops if stmt in by_stmt]
        form = _form(kernel, access, loops, access.offset)
        if form is not None:
            _add(forms, form)
            continue
        irregular.append(access)
        free = None if access.offset is None else unclamped(access.offset)
        form = _form(kernel, access, loops, free) or _form(kernel, access, loops, free, by_quotients=True)
        if form is None or (form.quotients and len(divided) >= _MOST_DIVIDED):
            unclear.append(access)
        else:
            _add(divided if form.quotients else near, form)
    return Accesses(
        tuple(forms.values()), tuple(irregular), tuple(near.values()), tuple(divided.values()), tuple(unclear)
    )


def _add(forms: dict[object, BlockForm], form: BlockForm) -> None:
    kind = (form.is_read, form.is_write, form.is_atomic)
    key = (form.array, form.offset, form.quotients, form.bytes, form.turns, kind)
    before = forms.get(key)
    forms[key] = form if before is None else _joined(before, form)


def _joined(first: BlockForm, second: BlockForm) -> BlockForm:
    """The same addresses from two places: only conditions that hold at both are kept."""
    kept = tuple(one for one in first.conditions if one in second.conditions)
    return BlockForm(
        first.array,
        first.offset,
        first.bytes,
        first.turns,
        first.is_read,
        first.is_write,
        first.is_atomic,
        kept,
        first.text,
        first.where,
        first.accesses + second.accesses,
        first.quotients,
    )


def _form(
    kernel: Kernel, access: Access, loops: Sequence[Loop], offset: Expr | None, *, by_quotients: bool = False
) -> BlockForm | None:
    if offset is None or access.in_callee_loop:
        return None
    turned = _turned(kernel, loops)
    if turned is None:
        return None
    names, turns = turned
    quotients: tuple[Quotient, ...] = ()
    if by_quotients:
        apart = taken_apart(offset, _is_parameter, names)
        if apart is None or any(subscripts(one.dividend) is None for one in apart[1]):
            return None
        offset, quotients = apart
    else:
        offset = _apply(offset, names)
    if subscripts(offset) is None:
        return None
    conditions = [_apply(one, names) for one in (*access.predicate, *_around(kernel, access.stmt))]
    return BlockForm(
        array=access.array.name,
        offset=offset,
        bytes=max(1, access.bytes),
        turns=tuple(turns),
        is_read=access.is_read,
        is_write=access.is_write,
        is_atomic=access.is_atomic,
        conditions=tuple(conditions),
        text=access.text,
        where=kernel.line_of(access.span),
        quotients=quotients,
    )


def _turned(kernel: Kernel, loops: Sequence[Loop]) -> tuple[dict[str, Expr], list[Turn]] | None:
    """Loop symbols as start + step * turn, outermost first; None where a loop does not count in even steps."""
    names: dict[str, Expr] = {}
    turns: list[Turn] = []
    for loop in loops:
        name = TURN + loop.symbol
        trips = trip_count(kernel, loop)
        if trips is not None:
            first = {one.name: Const(0) for one in expr.symbols(trips) if one.kind is SymKind.BLOCK}
            trips = expr.substitute(trips, first)
        turns.append(Turn(name, trips))
        if loop.start is not None and loop.step is not None:
            turn = Sym(name, SymKind.LOOP, uniform=True)
            names[loop.symbol] = expr.add(_apply(loop.start, names), expr.mul(_apply(loop.step, names), turn))
    return names, turns


def _apply(value: Expr, names: Mapping[str, Expr]) -> Expr:
    return expr.substitute(value, names) if names else value


def _around(kernel: Kernel, stmt: int) -> list[Expr]:
    """The conditions of the IFs whose then-branches an access lies in."""
    found: list[Expr] = []
    inner = kernel.stmt(stmt)
    for outer in kernel.ancestors(stmt):
        if outer.kind is StmtKind.IF and outer.condition is not None and inner.role == "then":
            found.append(outer.condition)
        inner = outer
    return found


def subscripts(offset: Expr, values: Mapping[str, int] | None = None) -> tuple[Subscript, ...] | None:
    """An offset by parameter factors, bytes last; None where it is not affine in the index symbols.

    `values` gives numbers to launch dimensions (and whatever else is known) first.
    """
    if values:
        offset = expr.substitute(offset, {name: Const(value) for name, value in values.items()})
    groups: dict[tuple[str, ...], tuple[dict[str, int], list[int]]] = {(): ({}, [0])}
    for monomial, factor in polynomial(offset).items():
        indices = [atom for atom in monomial if isinstance(atom, Sym) and atom.kind in _INDEX]
        rest = [atom for atom in monomial if atom not in indices]
        if len(indices) > 1 or not all(map(_is_parameter, rest)):
            return None
        key = tuple(expr.to_text(atom) for atom in rest)
        linear, constant = groups.setdefault(key, ({}, [0]))
        if indices:
            name = indices[0].name
            linear[name] = linear.get(name, 0) + factor
        else:
            constant[0] += factor
    ordered = sorted(groups.items(), key=lambda item: (not item[0], item[0]))
    return tuple(Subscript(key, tuple(sorted(linear.items())), constant[0]) for key, (linear, constant) in ordered)


def _is_parameter(atom: Expr) -> bool:
    """Whether a factor has the same value in the whole grid."""
    kinds = (SymKind.PARAM, SymKind.TEMPLATE, SymKind.BLOCK_DIM, SymKind.GRID_DIM)
    return all(symbol.kind in kinds for symbol in expr.symbols(atom))
