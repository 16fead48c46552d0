"""Normal form of expressions: a sum of products with integer coefficients, so that equal index forms look equal."""

from __future__ import annotations

import functools

from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, add, constant, mul, op

Monomial = tuple[Expr, ...]
Polynomial = dict[Monomial, int]
_TERM_LIMIT = 48  # beyond this, products are left as they are


def _order(atom: Expr) -> tuple[int, str]:
    return (0, atom.name) if isinstance(atom, Sym) else (1, _text(atom))


@functools.lru_cache(maxsize=1 << 14)
def _text(atom: Expr) -> str:
    """A text to sort by."""
    return repr(atom) if not isinstance(atom, Op) else f"{atom.op}({','.join(map(_text, atom.args))})"


def _plus(left: Polynomial, right: Polynomial) -> Polynomial:
    result = dict(left)
    for monomial, factor in right.items():
        total = result.get(monomial, 0) + factor
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for first, a in left.items():
        for second, b in right.items():
            monomial = tuple(sorted((*first, *second), key=_order))
            total = result.get(monomial, 0) + a * b
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
    return result


def polynomial(expr: Expr) -> Polynomial:
    """The expression as monomial -> coefficient; what is not polynomial is an atom with normal arguments."""
    if isinstance(expr, Const):
        return {(): expr.value} if expr.value else {}
    if isinstance(expr, Sym):
        return {(expr,): 1}
    if expr.op == "+":
        total: Polynomial = {}
        for arg in expr.args:
            total = _plus(total, polynomial(arg))
        return _rejoined(total)
    if expr.op == "*":
        product: Polynomial = {(): 1}
        for arg in expr.args:
            factor = polynomial(arg)
            if len(product) * len(factor) > _TERM_LIMIT:
                return {(mul(*(normal(arg) for arg in expr.args)),): 1}
            product = _times(product, factor)
        return product
    if expr.op == "<<" and isinstance(expr.args[1], Const) and 0 <= expr.args[1].value < 63:
        return polynomial(mul(expr.args[0], Const(1 << expr.args[1].value)))
    made = op(expr.op, *(normal(arg) for arg in expr.args))
    if isinstance(made, Const):
        return {(): made.value} if made.value else {}
    return {(made,): 1}


def _rejoined(terms: Polynomial) -> Polynomial:
    """`x / c * c + x % c` is x, as C has it for every x: a flat index that was taken apart and put together again."""
    for monomial, factor in terms.items():
        for at, atom in enumerate(monomial):
            parts = _parts(atom)
            if parts is None:
                continue
            value, quotient, divisor = parts
            rest = monomial[:at] + monomial[at + 1 :]
            more: Monomial = () if isinstance(divisor, Const) else (divisor,)
            partner = tuple(sorted((*rest, *more, quotient), key=_order))
            if terms.get(partner) == (factor * divisor.value if isinstance(divisor, Const) else factor):
                left = {key: number for key, number in terms.items() if key not in (monomial, partner)}
                return _rejoined(_plus(left, _times(polynomial(value), {rest: factor})))
    return terms


def _parts(atom: Expr) -> tuple[Expr, Expr, Const | Sym] | None:
    """(x, x / c, c) of a remainder x % c, also where it is written with a mask and a shift."""
    if not isinstance(atom, Op) or atom.op not in ("%", "&"):
        return None
    value, divisor = atom.args
    if atom.op == "%":
        return (value, Op("/", atom.args), divisor) if isinstance(divisor, Const | Sym) else None
    if not isinstance(divisor, Const) or divisor.value <= 0 or divisor.value & (divisor.value + 1):
        return None
    shift = divisor.value.bit_length()
    return value, Op(">>", (value, Const(shift))), Const(1 << shift)


def rebuild(terms: Polynomial) -> Expr:
    """The expression of a polynomial; terms in a fixed order, the constant last."""
    ordered = sorted(terms.items(), key=lambda item: (not item[0], len(item[0]), [_order(atom) for atom in item[0]]))
    return add(*(mul(constant(factor), *monomial) for monomial, factor in ordered))


def normal(expr: Expr) -> Expr:
    """The expression in normal form."""
    return _normal(expr) if isinstance(expr, Op) else expr


@functools.lru_cache(maxsize=1 << 14)
def _normal(expr: Expr) -> Expr:
    return rebuild(polynomial(expr))


def difference(left: Expr, right: Expr) -> Expr:
    """left - right in normal form."""
    return rebuild(_plus(polynomial(left), {key: -value for key, value in polynomial(right).items()}))


def exact_quotient(expr: Expr, divisor: int) -> Expr | None:
    """expr / divisor where every coefficient is divisible, else None."""
    terms = polynomial(expr)
    if divisor == 0 or any(factor % divisor for factor in terms.values()):
        return None
    return rebuild({key: factor // divisor for key, factor in terms.items()})
