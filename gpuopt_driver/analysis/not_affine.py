"""Why an address is no sum of indices times constants: the operation in it, or the data that it depends on."""

from __future__ import annotations

from gpuopt_driver.analysis.loop_loads import LoopLoads
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr, Op, Sym, SymKind
from gpuopt_driver.frontend.model import Access, Kernel
from gpuopt_driver.frontend.polynomial import polynomial

_NAMES = {
    "/": "a division",
    "%": "a remainder",
    "min": "a minimum",
    "max": "a maximum",
    "?:": "a choice",
    "&": "a bit mask",
    "|": "a bitwise or",
    "^": "a bitwise exclusive or",
    ">>": "a shift",
}
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"})
_INDEX = (SymKind.THREAD, SymKind.BLOCK, SymKind.LOOP)


def why_not_affine(access: Access, kernel: Kernel) -> str:
    """What an irregular access has to do with data, or which operation is not affine: words for a finding."""
    where = f"({access.text}, {kernel.line_of(access.span)})"
    if access.in_callee_loop:
        return f"is in a loop of a called function {where}"
    if access.offset is None or any(one.kind is SymKind.UNKNOWN for one in expr.symbols(access.offset)):
        return f"depends on data {where}"
    if _counts_from_data(access.offset, kernel):
        return f"depends on data {where}"
    operation = _operation(access.offset)
    return f"is not affine: {operation} {where}" if operation else f"depends on data or is not affine {where}"


def why_not_modelled(loop: LoopLoads, kernel: Kernel) -> str:
    """Why the addresses of a loop's loads, or their distances between iterations, are not known; "" if they are."""
    for one in loop.loads:
        if one.reference.offset is None or one.reference.step is None:
            return why_not_affine(one.accesses[0], kernel)
    return ""


def _counts_from_data(offset: Expr, kernel: Kernel) -> bool:
    """Whether a loop's counter in an address starts or steps by what data says."""
    names = {one.name for one in expr.symbols(offset)}
    parts = [part for loop in kernel.loops if loop.symbol in names for part in (loop.start, loop.step)]
    return any(one.kind is SymKind.UNKNOWN for part in parts if part is not None for one in expr.symbols(part))


def _operation(offset: Expr) -> str:
    for monomial in polynomial(offset):
        if sum(isinstance(atom, Sym) and atom.kind in _INDEX for atom in monomial) > 1:
            return "a product of indices"
        for atom in monomial:
            if isinstance(atom, Op) and any(one.kind in _INDEX for one in expr.symbols(atom)):
                return _NAMES.get(atom.op, "a comparison" if atom.op in _COMPARISONS else "a conversion")
    return ""
