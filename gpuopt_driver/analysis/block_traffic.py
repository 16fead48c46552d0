"""What boxes of blocks touch, in bytes; `block_choice.py` makes costs of orders of it.

`block_costs.h` is the same arithmetic for launches; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from gpuopt_driver.analysis.block_forms import BlockForm
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr

Box = tuple[int, int, int]
MAX_FORMS = 32
MAX_WALKS = 24


@dataclass(frozen=True, slots=True)
class Walk:
    """A form as strides in bytes: `steps` (stride, steps) of threads and loops, `blocks` along the axes of the grid.

    `requests` counts the accesses that one warp makes through it; all are expressions over launch and parameters.
    """

    bytes: int
    requests: Expr
    steps: tuple[tuple[Expr, Expr], ...]
    blocks: tuple[Expr, Expr, Expr]


@dataclass(frozen=True, slots=True)
class Touch:
    """A `Walk` in numbers."""

    bytes: int
    requests: int
    steps: tuple[tuple[int, int], ...]
    blocks: Box


def walk(form: BlockForm) -> Walk | None:
    """The strides of a form; None where a stride or a trip count is not known."""
    steps: list[tuple[Expr, Expr]] = []
    requests: Expr = expr.Const(form.accesses)
    for axis in "xyz":
        by = expr.coefficient(form.offset, f"threadIdx.{axis}")
        if by is None:
            return None
        if by != expr.ZERO:
            steps.append((by, expr.Sym(f"blockDim.{axis}", expr.SymKind.BLOCK_DIM, uniform=True)))
    for turn in form.turns:
        by = expr.coefficient(form.offset, turn.name)
        if by is None or turn.trips is None or not is_plain(turn.trips):
            return None
        requests = expr.mul(requests, turn.trips)
        if by != expr.ZERO:
            steps.append((by, turn.trips))
    blocks = [expr.coefficient(form.offset, f"blockIdx.{axis}") for axis in "xyz"]
    x, y, z = blocks
    if x is None or y is None or z is None or len(steps) > MAX_WALKS:
        return None
    parts = [*(by for by, _ in steps), x, y, z]
    return Walk(form.bytes, requests, tuple(steps), (x, y, z)) if all(map(is_plain, parts)) else None


def is_plain(value: Expr) -> bool:
    """Whether a number is the same in the whole grid and known at the launch."""
    kinds = (expr.SymKind.PARAM, expr.SymKind.BLOCK_DIM, expr.SymKind.GRID_DIM)
    return all(symbol.kind in kinds for symbol in expr.symbols(value))


def walks(forms: Sequence[BlockForm]) -> tuple[Walk, ...] | None:
    """The walks of all forms, those with equal strides in one array joined; None where one is not known."""
    found: dict[object, Walk] = {}
    for form in forms:
        one = walk(form)
        if one is None:
            return None
        key = (form.array, one.bytes, one.steps, one.blocks)
        before = found.get(key)
        requests = one.requests if before is None else expr.add(before.requests, one.requests)
        found[key] = Walk(one.bytes, requests, one.steps, one.blocks)
    return tuple(found.values()) if len(found) <= MAX_FORMS else None


def numbers(one: Walk, values: Mapping[str, int]) -> Touch | None:
    """A walk under values for all its symbols."""

    def number(value: Expr) -> int:
        found = expr.evaluate(value, values)
        if found is None:
            raise KeyError
        return found

    try:
        steps = tuple((abs(number(by)), number(times)) for by, times in one.steps)
        x, y, z = (number(part) for part in one.blocks)
        return Touch(one.bytes, number(one.requests), steps, (x, y, z))
    except KeyError:
        return None


def touched(one: Touch, box: Box, sector: int) -> int:
    """Bytes of whole sectors that a box of blocks touches."""
    run, copies = _spread(one, box, sector)
    return copies * (-(-run // sector) * sector)


def _spread(one: Touch, box: Box, sector: int) -> tuple[int, int]:
    """(run, copies) of what a box of blocks touches, in bytes: by rising stride, runs grow or are copied."""
    dimensions = [(by, times) for by, times in one.steps if by and times > 1]
    dimensions += [(abs(by), times) for by, times in zip(one.blocks, box, strict=True) if by and times > 1]
    run, copies = one.bytes, 1
    for by, times in sorted(dimensions, key=lambda item: item[0]):
        if by <= max(run, sector):
            run += by * (times - 1)
        else:
            copies *= times
    return run, copies


def shared(touches: Sequence[Touch], axis: int, sector: int) -> int:
    """Bytes that a block has in common with its neighbour along an axis."""
    pair = [1, 1, 1]
    pair[axis] = 2
    return sum(
        2 * touched(one, (1, 1, 1), sector) - touched(one, (pair[0], pair[1], pair[2]), sector) for one in touches
    )


def gather(
    touches: Sequence[Touch], grid: Box, agents: int, granule: int, *, columns: bool = False
) -> tuple[int, int, float]:
    """(w, h, bytes per block): the tile of up to so many blocks that share most (Li et al., 4.2.1: tiles of clusters).

    Rows (0, 1), or columns (1, 0), unless another tile touches 1.1 times less: halos do not show here. `granule`: the
    bytes that L1 asks L2 for at once.
    """

    def each(wide: int) -> tuple[float, int, int]:
        w, h = min(wide, grid[0]), min(agents // wide, grid[1])
        return sum(touched(one, (w, h, 1), granule) for one in touches) / (w * h), w, h

    usual = each(1 if columns else agents)[0]
    best, w, h = min((each(wide) for wide in range(1, agents + 1)), key=lambda item: item[0])
    return (w, h, best) if best < usual / 1.1 else (int(columns), int(not columns), usual)


def dealt(touches: Sequence[Touch], grid: Box, sms: int, resident: int, granule: int) -> float:
    """Bytes per block of what an SM's blocks touch at once where the GPU deals them out in turns."""
    total = grid[0] * grid[1] * grid[2]
    numbers_ = range(0, min(resident * sms, total), sms)
    places = [(n % grid[0], n // grid[0] % grid[1], n // grid[0] // grid[1]) for n in numbers_]
    found = 0
    for one in touches:
        run, copies = _spread(one, (1, 1, 1), granule)
        starts = sorted(sum(at * by for at, by in zip(place, one.blocks, strict=True)) for place in places)
        begin, end, bytes_ = starts[0], starts[0] + run, 0
        for start in starts[1:]:
            if start > end:
                bytes_ += -(-(end - begin) // granule) * granule
                begin = start
            end = max(end, start + run)
        found += copies * (bytes_ + -(-(end - begin) // granule) * granule)
    return found / len(places)


def support() -> str:
    """C++11 definitions for versions and guards: orders, agents (`blocks.h`), and the decision (`block_costs.h`)."""
    folder = resources.files("gpuopt_driver.analysis")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("blocks.h", "block_costs.h"))
