"""Shared-memory access regions: from the first definition to the last use over all threads of a block.

Yang et al., PACT 2012, section 3. A redefinition of everything that is read later opens a new region, so between two
regions shared memory holds nothing that anybody will read. That is proved by enumerating what the block's threads
write and read (`shared_points`); where it cannot be proved, regions are joined. A region is a run of sibling statements
that all threads of the block reach together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.shared_points import Points, is_shared, symbol_of
from gpuopt_driver.analysis.shared_reads import Reads, memory_of
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import symbols
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Space, Stmt, StmtKind
from gpuopt_driver.source.text import Span

_JUMPS = (StmtKind.BREAK, StmtKind.CONTINUE)
_SINGLE = 32  # iterations of a loop that are looked at one by one


@dataclass(frozen=True, slots=True)
class Region:
    """Sibling statements `first` to `last` (ids) in which shared memory is in use.

    `jumps` are the returns, breaks and continues in it that leave it; all threads of the block take them together.
    """

    first: int
    last: int
    arrays: tuple[str, ...]
    lines: tuple[int, int]
    jumps: tuple[int, ...] = ()


class SharedObstacle(Enum):
    """Kinds of reasons why regions cannot be told, with the sentence about what it is (`{}`)."""

    UNUSED = "the kernel does not use shared memory"
    UNKNOWN_POINTER = "{} may go to shared memory"
    SAME_NAME = "two shared arrays are named {}"
    EARLY_RETURN = "some threads return before others use shared memory"
    NOT_TOGETHER = "threads of a block do not use shared memory together"
    INSTANCES = "instances of the template use shared memory in different places"


@dataclass(frozen=True, slots=True)
class SharedProblem:
    """Why regions cannot be told: what is in the way, what of the source it is (`about`), and its place."""

    obstacle: SharedObstacle
    place: Span | None = None
    about: str = ""

    @property
    def reason(self) -> str:
        """The problem for people to read."""
        return self.obstacle.value.format(self.about)


@dataclass(frozen=True, slots=True)
class SharedUse:
    """The regions of a kernel in source order, or why they cannot be told."""

    regions: tuple[Region, ...] = ()
    problem: SharedProblem | None = None


Worth = Callable[[Sequence[int], Sequence[Region]], bool]


def _always(_stmts: Sequence[int], _regions: Sequence[Region]) -> bool:
    return True


def _nowhere(_access: Access) -> bool:
    return False


def shared_regions(
    kernel: Kernel,
    shapes: Sequence[Shape] = (),
    worth: Worth = _always,
    own: Callable[[Access], bool] = _nowhere,
) -> SharedUse:
    """The regions, for blocks of any of these shapes (none: of shapes that are not known, so nothing is redefined).

    `worth(stmts, regions)` says whether several regions inside these statements are better than one around them. The
    accesses `own` go to memory that every block has of its own (`shared_division`) and need no region.
    """
    every = [access for access in kernel.accesses if is_shared(access)]
    uses = [access for access in every if not own(access)]
    named: dict[str, Access] = {}
    twice = next(
        (one for one in every if named.setdefault(memory_of(one), one).array != one.array and memory_of(one)), None
    )
    unknown = next((access for access in kernel.accesses if access.array.space is Space.UNKNOWN), None)
    if not uses and (every or unknown is None or not declares_shared(kernel)):
        return SharedUse(problem=SharedProblem(SharedObstacle.UNUSED))
    if unknown is not None:
        return SharedUse(problem=SharedProblem(SharedObstacle.UNKNOWN_POINTER, unknown.span, unknown.text))
    if twice is not None:
        return SharedUse(problem=SharedProblem(SharedObstacle.SAME_NAME, twice.span, twice.array.name))
    early = _divergent_return(kernel, every)
    if early is not None:
        return SharedUse(problem=SharedProblem(SharedObstacle.EARLY_RETURN, early.span))
    flow = _Flow(kernel, uses, [Points(kernel, shape) for shape in shapes], worth)
    found = flow.inside(0)
    if found is None:
        place = next(kernel.stmt(access.stmt).span for access in uses)
        return SharedUse(problem=SharedProblem(SharedObstacle.NOT_TOGETHER, place))
    return SharedUse(tuple(found))


def declares_shared(kernel: Kernel) -> bool:
    """Whether the kernel has shared memory, whatever it does with it."""
    return kernel.static_shared_bytes != 0 or kernel.uses_dynamic_shared


def region_between(kernel: Kernel, start: int, end: int) -> Region | None:
    """One region around what stands between two bytes of the kernel's file, None where it cannot be one."""
    flow = _Flow(kernel, [access for access in kernel.accesses if is_shared(access)], [], _always)
    block = kernel.stmt(0)
    while True:
        inside = [one for one in map(kernel.stmt, block.children) if one.span.start < end and start < one.span.end]
        if len(inside) != 1 or inside[0].kind is not StmtKind.COMPOUND:
            break
        block = inside[0]
    return flow.around([one.id for one in inside]) if inside else None


def joined(kernel: Kernel, regions: Sequence[Region], near: Callable[[Sequence[int]], bool]) -> tuple[Region, ...]:
    """The regions, those joined that are siblings with no more than `near(stmts)` in between."""
    found: list[Region] = []
    for region in regions:
        last = found[-1] if found else None
        parent = kernel.stmt(region.first).parent
        if last is None or kernel.stmt(last.first).parent != parent or parent is None:
            found.append(region)
            continue
        between = [child for child in kernel.stmt(parent).children if last.last < child < region.first]
        inner = [stmt for child in between for stmt in kernel.descendants(child)]
        together = all(kernel.stmt(child).reached_uniformly for child in between)
        if not together or any(stmt.kind in (*_JUMPS, StmtKind.RETURN) for stmt in inner) or not near(between):
            found.append(region)
            continue
        names = dict.fromkeys((*last.arrays, *region.arrays))
        lines = (last.lines[0], region.lines[1])
        found[-1] = Region(last.first, region.last, tuple(names), lines, (*last.jumps, *region.jumps))
    return tuple(found)


def _divergent_return(kernel: Kernel, uses: Iterable[Access]) -> Stmt | None:
    """A return that some threads take and others do not, in front of something that all must reach."""
    last = max([access.stmt for access in uses] + [sync.stmt for sync in kernel.syncs if sync.kind.value == "block"])
    returns = (stmt for stmt in kernel.stmts if stmt.kind is StmtKind.RETURN and not stmt.reached_uniformly)
    return next((stmt for stmt in returns if stmt.id < _end(kernel, last)), None)


def _end(kernel: Kernel, stmt: int) -> int:
    """The id behind a statement, counting the loops around it: what it contains may come before it again."""
    outer = stmt
    for around in kernel.ancestors(stmt):
        if around.kind in LOOP_KINDS:
            outer = around.id
    return max(inner.id for inner in kernel.descendants(outer)) + 1


class _Flow(Reads):
    """The walk over one kernel's statements."""

    def __init__(self, kernel: Kernel, uses: Sequence[Access], points: Sequence[Points], worth: Worth) -> None:
        super().__init__(kernel, uses, points)
        self.worth = worth

    def inside(self, block: int) -> list[Region] | None:
        """The regions among the children of a compound statement behind which nothing is read; None: cannot be."""
        children = self.kernel.stmt(block).children
        touching = [index for index, child in enumerate(children) if self.uses(child)]
        found: list[Region] = []
        start: int | None = None
        for index in touching:
            start = index if start is None else start
            if index != touching[-1] and self.exposed(children[index + 1 :]):
                continue
            made = self._segment(children[start : index + 1])
            if made is None:
                return None
            found.extend(made)
            start = None
        return found

    def _segment(self, children: Sequence[int]) -> list[Region] | None:
        """The regions of consecutive statements of which all but inner redefinitions belong together."""
        finer = self._descend(children[0]) if len(children) == 1 else None
        if finer is not None and self.worth(children, finer):
            return finer
        whole = self.around(children)
        return [whole] if whole is not None else finer

    def _descend(self, child: int) -> list[Region] | None:
        stmt = self.kernel.stmt(child)
        if stmt.kind is StmtKind.COMPOUND:
            return self.inside(child)
        if self.at.get(child) or not stmt.uniform:
            return None
        if stmt.kind is StmtKind.IF:
            return self._branches(stmt)
        if stmt.kind not in LOOP_KINDS:
            return None
        body = next((one for one in stmt.children if self.kernel.stmt(one).role == "body"), None)
        if body is None or any(self.uses(one) for one in stmt.children if one != body):
            return None
        block = self.kernel.stmt(body)
        if block.kind is not StmtKind.COMPOUND or not self._together(block.children):
            return None
        around = self.points
        self.points = self._iterations(stmt)
        try:
            return None if self.exposed(block.children) else self.inside(body)
        finally:
            self.points = around

    def _iterations(self, stmt: Stmt) -> list[Points]:
        """The shapes, in every single iteration of a loop where what is touched depends on its variable."""
        loop = self.kernel.loop_of(stmt.id)
        if loop is None or len(self.points) > _SINGLE:
            return list(self.points)
        inner = [one.id for one in self.kernel.descendants(stmt.id) if one.id != stmt.id]
        parts = [access.offset for access in self.uses(stmt.id)] + [self.kernel.stmt(one).condition for one in inner]
        for other in self.kernel.loops:
            parts += [other.start, other.trips] if other.stmt in inner else []
        if not any(one.name == symbol_of(loop) for part in parts if part is not None for one in symbols(part)):
            return list(self.points)
        return [single for one in self.points for single in one.in_iterations(loop, _SINGLE)]

    def _branches(self, stmt: Stmt) -> list[Region] | None:
        found: list[Region] = []
        for child in stmt.children:
            if not self.uses(child):
                continue
            made = self.inside(child) if self.kernel.stmt(child).kind is StmtKind.COMPOUND else None
            if made is None:
                return None
            found.extend(made)
        return found

    def _together(self, children: Sequence[int]) -> bool:
        return all(self.kernel.stmt(child).reached_uniformly for child in children)

    def around(self, children: Sequence[int]) -> Region | None:
        """One region around these statements, None where it would not be entered and left by all threads together."""
        first, last = self.kernel.stmt(children[0]), self.kernel.stmt(children[-1])
        if not self._together(children):
            return None
        inner = [stmt for child in children for stmt in self.kernel.descendants(child)]
        if any(stmt.kind in (StmtKind.GOTO, StmtKind.LABEL, StmtKind.CASE) for stmt in map(self.kernel.stmt, children)):
            return None
        ids = {stmt.id for stmt in inner}
        jumps = [
            stmt for stmt in inner if stmt.kind is StmtKind.RETURN or (stmt.kind in _JUMPS and self._out(stmt, ids))
        ]
        if any(not stmt.reached_uniformly for stmt in jumps):
            return None
        names = dict.fromkeys(access.array.name for child in children for access in self.uses(child))
        lines = (first.span.line, self._last_line(last))
        return Region(first.id, last.id, tuple(names), lines, tuple(stmt.id for stmt in jumps))

    def _last_line(self, stmt: Stmt) -> int:
        return max(inner.span.line for inner in self.kernel.descendants(stmt.id))

    def _out(self, jump: Stmt, ids: set[int]) -> bool:
        """Whether a break or continue leaves the statements `ids`."""
        targets = LOOP_KINDS | ({StmtKind.SWITCH} if jump.kind is StmtKind.BREAK else set())
        return next((stmt.id for stmt in self.kernel.ancestors(jump.id) if stmt.kind in targets), -1) not in ids
