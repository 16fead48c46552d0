"""Where accesses through a pointer go at a launch: first and last byte, as C++ that the launch computes.

Index forms are sums of products. Each symbol has a range at a launch (`threadIdx.x` from 0 to `blockDim.x - 1`); the
range of a form follows by interval arithmetic, which never leaves out a value. Conditions that hold at an access
narrow it: where `i < n` holds, the part of the form that is a multiple of `i` ends at `n - 1`, so that a last block
that is not full does not reach into the next array. The ranges are those of C++'s own numbers as long as all of them
are indices of 31 bits; where one may not be, the range is not known (`reach.h`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.analysis.conditions import around, holding
from gpuopt_driver.analysis.guard_terms import Unwritable
from gpuopt_driver.analysis.pointers import Counted, Extent
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, symbols
from gpuopt_driver.frontend.model import Access, Kernel, Loop
from gpuopt_driver.frontend.polynomial import Monomial, Polynomial, difference, polynomial, rebuild

_VARYING = frozenset({SymKind.THREAD, SymKind.BLOCK, SymKind.LOOP})
_INFIX = frozenset({"/", "%", "<<", ">>", "&"})
_CALLS = {"min": "least", "max": "most"}
_TRUTHS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"})
_LIMITS = {
    "u32": "0, 4294967295LL",
    "i32": "-2147483647LL - 1, 2147483647LL",
    "u64": "0, 9223372036854775807LL",
    "i64": "-9223372036854775807LL - 1, 9223372036854775807LL",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A condition as a limit: the values of `varying` are at most (or at least) `limit`."""

    varying: tuple[tuple[Monomial, int], ...]
    limit: Expr
    is_upper: bool


def extent(kernel: Kernel, accesses: Sequence[Access]) -> Extent:
    """Where accesses through one pointer parameter go. Unwritable (with the access in words) where nobody can say."""
    array = accesses[0].array
    ranges: dict[str, None] = {}
    for access in accesses:
        if not access.array.is_param or access.array.name != array.name:
            raise Unwritable(f"{access.text} is no access through the parameter {array.name}")
        if access.offset is None or access.in_callee_loop:
            raise Unwritable(access.text)
        unit = max(1, min(array.element_bytes, access.bytes))
        try:
            told = _Ranges(kernel, tuple(_bounds(holding(kernel, access)))).of(access.offset)
        except Unwritable as error:
            raise Unwritable(access.text) from error
        ranges[f"gpuopt_rt::placed({told}, {unit})"] = None
    texts = list(ranges)
    text = texts[0]
    for other in texts[1:]:
        text = f"gpuopt_rt::either({text}, {other})"
    return Extent(array.name, text, max(max(1, access.bytes) for access in accesses))


def counted(kernel: Kernel, value: Expr) -> Counted:
    """That a number which threads compute, wherever they do, is an index. Unwritable where nobody can say."""
    return Counted(_Ranges(kernel, ()).of(value))


def _bounds(conditions: Iterator[Expr]) -> Iterator[Bound]:
    """Conditions as limits of what varies in them."""
    for condition in conditions:
        if not isinstance(condition, Op) or condition.op == "!=":
            continue
        terms = polynomial(difference(*condition.args))
        varying = {key: factor for key, factor in terms.items() if _varies(key)}
        rest = {key: factor for key, factor in terms.items() if key not in varying}
        if not varying or any(one.kind is SymKind.UNKNOWN for key in terms for atom in key for one in symbols(atom)):
            continue
        if min(varying.items(), key=lambda item: (len(item[0]), repr(item[0])))[1] < 0:
            varying = {key: -factor for key, factor in varying.items()}
            is_upper = condition.op in (">", ">=")
        else:
            rest = {key: -factor for key, factor in rest.items()}
            is_upper = condition.op in ("<", "<=")
        one = {"<": 1, ">": 1}.get(condition.op, 0)
        told = tuple(sorted(varying.items(), key=repr))
        if condition.op == "==":
            yield Bound(told, rebuild(rest), is_upper=False)
            yield Bound(told, rebuild(rest), is_upper=True)
            continue
        limit = dict(rest)
        limit[()] = limit.get((), 0) + (-one if is_upper else one)
        yield Bound(told, rebuild({key: factor for key, factor in limit.items() if factor}), is_upper)


def _varies(monomial: Monomial) -> bool:
    return any(symbol.kind in _VARYING for atom in monomial for symbol in symbols(atom))


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Ranges of index forms where some limits hold."""

    kernel: Kernel
    bounds: tuple[Bound, ...]

    def of(self, value: Expr) -> str:
        """The range of a form, as C++ text."""
        return self._sum(polynomial(value), self._grouped())

    def _grouped(self) -> list[tuple[Polynomial, list[Bound]]]:
        """The limits by what they limit, the longest forms first."""
        groups: dict[tuple[tuple[Monomial, int], ...], list[Bound]] = {}
        for bound in self.bounds:
            if bound not in groups.setdefault(bound.varying, []):
                groups[bound.varying].append(bound)
        return sorted(((dict(key), found) for key, found in groups.items()), key=lambda item: -len(item[0]))

    def _sum(self, terms: Polynomial, groups: Sequence[tuple[Polynomial, list[Bound]]]) -> str:
        for number, (varying, bounds) in enumerate(groups):
            factor, rest = _divided(terms, varying)
            if factor and not any(_shared(rest, varying)):
                limited = self._limited(varying, bounds)
                product = limited if factor == {(): 1} else f"{self._plain(factor)} * {limited}"
                left = self._sum(rest, groups[number + 1 :])
                return product if left == "gpuopt_rt::only(0)" else f"({product} + {left})"
        return self._plain(terms)

    def _limited(self, varying: Polynomial, bounds: Sequence[Bound]) -> str:
        """The range of what some conditions limit."""
        text = self._plain(varying)
        for bound in bounds:
            try:
                limit = self._plain(polynomial(bound.limit))
            except Unwritable:
                continue
            text = f"gpuopt_rt::{'at_most' if bound.is_upper else 'at_least'}({text}, {limit})"
        return text

    def _plain(self, terms: Polynomial) -> str:
        """The range of a sum of products, each product by itself."""
        parts = []
        for key, factor in sorted(terms.items(), key=repr):
            atoms = [self._atom(atom) for atom in key]
            parts.append(" * ".join([*([f"gpuopt_rt::only({factor}LL)"] if factor != 1 or not atoms else []), *atoms]))
        return "gpuopt_rt::only(0)" if not parts else parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    def _atom(self, atom: Expr) -> str:
        if isinstance(atom, Const):
            return f"gpuopt_rt::only({atom.value}LL)"
        if isinstance(atom, Sym):
            return self._symbol(atom)
        if atom.op in _LIMITS:
            return f"gpuopt_rt::within({self.of(atom.args[0])}, {_LIMITS[atom.op]})"
        if atom.op in _TRUTHS:
            return "gpuopt_rt::reach(0, 1)"
        args = [self.of(arg) for arg in atom.args]
        if atom.op == "?:":
            return f"gpuopt_rt::either({args[1]}, {args[2]})"
        if atom.op in _CALLS:
            text = args[0]
            for other in args[1:]:
                text = f"gpuopt_rt::{_CALLS[atom.op]}({text}, {other})"
            return text
        if atom.op in _INFIX:
            return f"({args[0]} {atom.op} {args[1]})"
        return f"({' + '.join(args)})" if atom.op == "+" else self._other(atom, args)

    def _other(self, atom: Op, args: Sequence[str]) -> str:
        if atom.op == "*":
            return " * ".join(args)
        raise Unwritable(atom.op)

    def _symbol(self, symbol: Sym) -> str:
        axis = symbol.name.rpartition(".")[2]
        kinds: Mapping[SymKind, str] = {
            SymKind.THREAD: f"gpuopt_rt::below(gpuopt_l.block.{axis})",
            SymKind.BLOCK: f"gpuopt_rt::below(gpuopt_l.grid.{axis})",
            SymKind.BLOCK_DIM: f"gpuopt_rt::only(gpuopt_l.block.{axis})",
            SymKind.GRID_DIM: f"gpuopt_rt::only(gpuopt_l.grid.{axis})",
            SymKind.PARAM: f"gpuopt_rt::counted({symbol.name})",
        }
        if symbol.kind is SymKind.LOOP:
            loop = next((loop for loop in self.kernel.loops if loop.symbol == symbol.name), None)
            if loop is not None:
                return self._turns(loop)
        if symbol.kind not in kinds:
            raise Unwritable(symbol.name)
        return kinds[symbol.kind]

    def _turns(self, loop: Loop) -> str:
        """The values of a loop's counter inside of its body."""
        if loop.start is None or loop.step is None:
            raise Unwritable(loop.symbol)
        outside = _Ranges(self.kernel, tuple(_bounds(around(self.kernel, loop.stmt))))
        start, step = outside.of(loop.start), outside.of(loop.step)
        body = next((child for child in self.kernel.stmt(loop.stmt).children if self._is_body(child)), None)
        found = [] if body is None else _bounds(around(self.kernel, body))
        for bound in (one for one in found if _is_of(one, loop.symbol)):
            try:
                limit = outside.of(bound.limit)
            except Unwritable:
                continue
            if bound.is_upper:
                return f"gpuopt_rt::upwards({start}, {step}, {limit})"
            if self._is_signed(loop.variable):
                return f"gpuopt_rt::downwards({start}, {step}, {limit})"
        if loop.trips is None:
            raise Unwritable(loop.symbol)
        return f"({start} + {step} * gpuopt_rt::turns({outside.of(loop.trips)}))"

    def _is_body(self, stmt: int) -> bool:
        return self.kernel.stmt(stmt).role == "body"

    def _is_signed(self, name: str) -> bool:
        types = [variable.type for variable in self.kernel.variables if variable.name == name]
        return bool(types) and all(one in ("int", "long", "long long", "short", "signed char") for one in types)


def _is_of(bound: Bound, counter: str) -> bool:
    """Whether a limit is one of a loop's counter alone."""
    (key, factor), *others = bound.varying
    return not others and factor == 1 and len(key) == 1 and isinstance(key[0], Sym) and key[0].name == counter


def _divided(terms: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Factor and rest of a sum by another one: terms = factor * divisor + rest, led by the divisor's shortest term."""
    lead, number = min(divisor.items(), key=lambda item: (len(item[0]), repr(item[0])))
    factor: Polynomial = {}
    for key, value in terms.items():
        left = _without(key, lead)
        if left is not None and value % number == 0 and not _varies(left):
            factor[left] = value // number
    product = polynomial(Op("*", (rebuild(factor), rebuild(divisor)))) if factor else {}
    return factor, polynomial(difference(rebuild(terms), rebuild(product)))


def _without(key: Monomial, part: Monomial) -> Monomial | None:
    """A product without some of its factors, None where it has not all of them."""
    left = list(key)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _shared(rest: Polynomial, divisor: Polynomial) -> Iterator[bool]:
    """Whether what is left varies with what the divisor varies with: then nothing was gained."""
    names = {symbol.name for key in divisor for atom in key for symbol in symbols(atom) if symbol.kind in _VARYING}
    for key in rest:
        yield any(symbol.name in names for atom in key for symbol in symbols(atom))
