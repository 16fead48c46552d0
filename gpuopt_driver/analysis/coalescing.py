"""Lines and sectors that the lanes of a warp (or of several warps) touch, by enumerating their addresses.

Multi-dimensional blocks and partial warps are enumerated as the hardware numbers them (x fastest), never approximated
by one coefficient. A lane's access may stand for a run of bytes: what it touches over the iterations of inner loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.compiled import values_of
from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind, coefficient, evaluate, substitute, symbols

WARP = 32  # lanes; a fact of the CUDA programming model


@dataclass(frozen=True, slots=True)
class Shape:
    """The dimensions of a thread block."""

    x: int
    y: int = 1
    z: int = 1

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return self.x * self.y * self.z

    @property
    def warps(self) -> int:
        """Warps of the block; the last one may be partial."""
        return -(-self.threads // WARP)

    def lane(self, thread: int) -> tuple[int, int, int]:
        """`threadIdx` of a linear thread number."""
        return thread % self.x, thread // self.x % self.y, thread // (self.x * self.y)


@dataclass(frozen=True, slots=True)
class Touched:
    """Distinct cache lines and sectors."""

    lines: int
    sectors: int


def axis(symbol: Sym) -> str:
    """The component of a thread, block or dimension symbol: x, y or z."""
    return symbol.name.rpartition(".")[2]


def thread_symbols(expr: Expr) -> dict[str, Sym]:
    """The thread symbols of an expression by axis."""
    return {axis(symbol): symbol for symbol in symbols(expr) if symbol.kind is SymKind.THREAD}


@lru_cache(maxsize=4096)
def _linear(offset: Expr) -> tuple[Expr, Expr, Expr, Expr] | None:
    """Base and the coefficients of threadIdx.x, y and z, or None where the offset is not linear in them."""
    found = thread_symbols(offset)
    base = substitute(offset, {symbol.name: Const(0) for symbol in found.values()})
    parts: list[Expr] = [base]
    for name in "xyz":
        part = coefficient(offset, found[name].name) if name in found else Const(0)
        if part is None or any(symbol.kind is SymKind.THREAD for symbol in symbols(part)):
            return None
        parts.append(part)
    return parts[0], parts[1], parts[2], parts[3]


def addresses(offset: Expr, shape: Shape, values: Mapping[str, int], threads: range) -> tuple[int, ...] | None:
    """The offset (bytes) of every thread in `threads`, or None where a symbol is missing."""
    linear = _linear(offset)
    if linear is not None:
        numbers = [evaluate(part, values) for part in linear]
        if any(number is None for number in numbers):
            return None
        base, cx, cy, cz = (number or 0 for number in numbers)
        if shape.threads == shape.x:
            return tuple(base + cx * x for x in threads)
        return tuple(base + cx * x + cy * y + cz * z for x, y, z in map(shape.lane, threads))
    known = {symbol.name: Const(values[symbol.name]) for symbol in symbols(offset) if symbol.name in values}
    reduced = substitute(offset, known)
    if any(symbol.kind is not SymKind.THREAD for symbol in symbols(reduced)):
        return None
    found = _of_block(reduced, shape)[threads.start : threads.stop]
    sure = tuple(value for value in found if value is not None)
    return sure if len(sure) == len(found) else None


@lru_cache(maxsize=512)
def _of_block(offset: Expr, shape: Shape) -> tuple[int | None, ...]:
    """The value for every thread of a block; None where it is divided by zero."""
    names = {name: symbol.name for name, symbol in thread_symbols(offset).items()}
    used = [name for name in "xyz" if name in names]
    points = [tuple(lane["xyz".index(name)] for name in used) for lane in map(shape.lane, range(shape.threads))]
    return values_of(offset, tuple(names[name] for name in used), points)


def _blocks_touched(starts: Iterable[int], length: int, unit: int) -> int:
    """Distinct aligned blocks of `unit` bytes that the runs [start, start + length) touch."""
    count = 0
    reach: int | None = None  # the last block counted
    for start in sorted(set(starts)):
        first, last = start // unit, (start + length - 1) // unit
        if reach is not None:
            first = max(first, reach + 1)
        if last >= first:
            count += last - first + 1
            reach = last
    return count


def distinct(starts: Sequence[int], length: int, line_bytes: int, sector_bytes: int) -> Touched:
    """Lines and sectors that runs of `length` bytes from each start touch together."""
    return Touched(_blocks_touched(starts, length, line_bytes), _blocks_touched(starts, length, sector_bytes))


def warp_threads(shape: Shape, first_warp: int, warps: int) -> range:
    """The linear thread numbers of some consecutive warps of a block."""
    return range(first_warp * WARP, min((first_warp + warps) * WARP, shape.threads))


def touched(
    offset: Expr,
    length: int,
    shape: Shape,
    values: Mapping[str, int],
    threads: range,
    line_bytes: int = 128,
    sector_bytes: int = 32,
) -> Touched | None:
    """What some threads of a block touch when each accesses `length` bytes at `offset`; None where it is not known.

    Bases are taken to be aligned to a line, as those of cudaMalloc are. Symbols beside threadIdx are in `values`.
    """
    starts = addresses(offset, shape, values, threads)
    return None if starts is None else distinct(starts, length, line_bytes, sector_bytes)


def per_warp(
    offset: Expr, length: int, shape: Shape, values: Mapping[str, int], line_bytes: int = 128, sector_bytes: int = 32
) -> Touched | None:
    """What one warp touches: the larger of the block's first and middle warp, as partial and shifted warps differ."""
    found: list[Touched] = []
    for warp in sorted({0, shape.warps // 2}):
        one = touched(offset, length, shape, values, warp_threads(shape, warp, 1), line_bytes, sector_bytes)
        if one is None:
            return None
        found.append(one)
    return max(found, key=lambda item: (item.lines, item.sectors))
