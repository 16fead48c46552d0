"""How loops count: symbol, start and step, and the number of iterations that a condition allows."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import ONE, ZERO, Const, Expr, Op, Sym, SymKind, add, coefficient, mul, op, symbols
from gpuopt_driver.frontend.expr import sub as minus
from gpuopt_driver.frontend.machine import Path
from gpuopt_driver.frontend.polynomial import difference, exact_quotient, normal, polynomial, rebuild
from gpuopt_driver.frontend.values import Value

_RELATIONS = frozenset({"<", "<=", ">", ">=", "!="})
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass
class Counter:
    """How the loop counts: the symbol, what it starts with, and its step; `key` is the variable's, if one counts."""

    symbol: Sym
    start: Expr
    step: Expr
    key: int | None

    def iterations(self, step: Expr) -> Expr:
        """What a variable with another step has gained at the top of the present iteration."""
        distance = minus(self.symbol, self.start)
        if self.step == ONE:
            return mul(step, distance)
        if isinstance(self.step, Const):
            quotient = exact_quotient(step, self.step.value)
            if quotient is not None:
                return mul(quotient, distance)
        ratio = _ratio(step, self.step)
        if ratio is not None:
            return mul(Const(ratio), distance)
        return mul(step, op("/", distance, self.step))


def _ratio(left: Expr, right: Expr) -> int | None:
    """left / right where that is one integer."""
    first, second = polynomial(left), polynomial(right)
    if not first or first.keys() != second.keys():
        return None
    ratios = {(first[key] // second[key], first[key] % second[key]) for key in first}
    return next(iter(ratios))[0] if len(ratios) == 1 and next(iter(ratios))[1] == 0 else None


@dataclass
class Found:
    """What one pass over a loop's body showed."""

    condition: Expr | None = None
    uniform: bool = False
    endless: bool = False
    tested_at_end: bool = False
    exit: Path | None = None
    bottom: dict[int, Value] | None = None
    bound: Expr | None = None
    trips: Expr | None = None
    leaves: int = 0
    changing: str = ""
    following: Expr | None = None


def trips_of(found: Found, counter: Counter | None, inside: set[str]) -> Expr | None:
    """The number of iterations of a loop that only its condition ends; sets the bound on the way.

    `inside` names the symbols that have no value outside the loop.
    """
    if counter is None or found.condition is None:
        return None
    condition = found.condition
    exact = found.leaves == 0
    if isinstance(condition, Op) and condition.op == "&&":
        exact = False
        condition = next((part for part in condition.args if _reads(part, counter)), condition)
    if not isinstance(condition, Op):
        condition = Op("!=", (condition, ZERO))
    if condition.op not in _RELATIONS:
        return None
    sides = _sides(condition, counter, inside)
    if sides is None:
        return _scaled(condition, counter, inside, found) if exact else None
    relation, bound = sides
    if relation == "<=":
        bound = add(bound, ONE)
    elif relation == ">=":
        bound = minus(bound, ONE)
    found.bound = normal(bound)
    return _count(relation, found.bound, counter, at_end=found.tested_at_end) if exact else None


def _reads(part: Expr, counter: Counter) -> bool:
    return any(symbol.name == counter.symbol.name for symbol in symbols(part))


def _sides(condition: Op, counter: Counter, inside: set[str]) -> tuple[str, Expr] | None:
    """(relation, bound) such that the loop goes on while counter RELATION bound."""
    terms = polynomial(difference(*condition.args))
    factor = terms.pop((counter.symbol,), 0)
    if factor not in (1, -1):
        return None
    for key in terms:
        if any(symbol.name in inside for atom in key for symbol in symbols(atom)):
            return None
    relation = condition.op if factor == 1 else _MIRROR[condition.op]
    return relation, rebuild({key: -value * factor for key, value in terms.items()})


def _positive(step: Expr) -> bool:
    """Whether a step is positive, dimensions and parameters taken as positive (else the loop would not end)."""
    terms = polynomial(step)
    kinds = (SymKind.BLOCK_DIM, SymKind.GRID_DIM, SymKind.PARAM, SymKind.TEMPLATE)
    return bool(terms) and all(
        factor > 0 and all(isinstance(atom, Sym) and atom.kind in kinds for atom in key)
        for key, factor in terms.items()
    )


def _scaled(condition: Op, counter: Counter, inside: set[str], found: Found) -> Expr | None:
    """Iterations where the condition compares a multiple of the counter, as for pointers: factor * n + rest < 0."""
    if counter.key is not None or condition.op not in ("<", "<=", ">", ">="):
        return None
    left, right = condition.args if condition.op in ("<", "<=") else reversed(condition.args)
    gap = difference(left, right)
    factor = coefficient(gap, counter.symbol.name)
    if factor is None or not _positive(factor):
        return None
    rest = difference(gap, mul(factor, counter.symbol))
    if any(symbol.name in inside for symbol in symbols(rest)):
        return None
    distance = mul(Const(-1), rest) if condition.op in ("<", ">") else minus(ONE, rest)
    steps = op("max", ZERO, normal(op("/", add(distance, factor, Const(-1)), factor)))
    return normal(add(steps, ONE)) if found.tested_at_end else normal(steps)


def _count(relation: str, bound: Expr, counter: Counter, *, at_end: bool) -> Expr | None:
    """How many iterations there are."""
    step = counter.step
    up = _positive(step)
    down = _positive(mul(Const(-1), step))
    if relation in ("<", "<=") and up:
        distance, width = minus(bound, counter.start), step
    elif relation in (">", ">=") and down:
        distance, width = minus(counter.start, bound), mul(Const(-1), step)
    elif relation == "!=" and step in (ONE, Const(-1)):
        distance, width = mul(step, minus(bound, counter.start)), ONE
    else:
        return None
    steps = normal(distance)
    if width != ONE:
        steps = normal(op("/", add(distance, width, Const(-1)), width))
    if isinstance(steps, Const):
        steps = Const(max(0, steps.value))
    elif not _never_negative(steps):
        steps = op("max", ZERO, steps)
    return normal(add(steps, ONE)) if at_end else steps


def _never_negative(expr: Expr) -> bool:
    terms = polynomial(expr)
    kinds = (SymKind.BLOCK_DIM, SymKind.GRID_DIM, SymKind.THREAD, SymKind.BLOCK)
    return all(
        factor >= 0 and all(isinstance(atom, Sym) and atom.kind in kinds for atom in key)
        for key, factor in terms.items()
    )
