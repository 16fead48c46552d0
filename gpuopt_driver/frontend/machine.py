"""The state of the symbolic run of one kernel: variables, control, and what earlier runs found out.

A kernel is run until a run learns nothing new (`lessons.py`). Only that last run's facts are kept.
"""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind
from gpuopt_driver.frontend.lessons import Interval, Lessons, Way
from gpuopt_driver.frontend.model import Access, Call, Convergence, Sync
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import Target, Value, join
from gpuopt_driver.frontend.warps import same_in_warp


@dataclass
class LoopFacts:
    """What a run found out about one of the kernel's loops."""

    symbol: str
    variable: str = ""
    start: Expr | None = None
    step: Expr | None = None
    bound: Expr | None = None
    trips: Expr | None = None
    changing: str = ""
    following: Expr | None = None


@dataclass
class StmtFacts:
    """What a run found out about one of the kernel's statements."""

    condition: Expr | None = None
    uniform: bool = False
    reached: Convergence = Convergence.DIVERGENT
    visited: bool = False


@dataclass
class Facts:
    """Everything that one run found."""

    statements: dict[int, StmtFacts] = field(default_factory=dict)
    loops: dict[int, LoopFacts] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    syncs: list[Sync] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    special: set[str] = field(default_factory=set)
    shared: dict[int, int | None] = field(default_factory=dict)  # static shared variables: bytes
    dynamic_shared: bool = False
    used_files: set[str] = field(default_factory=set)
    used_bodies: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    visited: set[int] = field(default_factory=set)  # the calls (identities of nodes) that were run
    passed_by: bool = False  # whether a constant condition decided what is run
    ways: set[Way] = field(default_factory=set)  # what tests always are
    skipped: set[int] = field(default_factory=set)  # those that no thread comes to, as far as one context says
    doubts: list[str] = field(default_factory=list)


@dataclass
class Path:
    """One way out of a construct: the variables that it changed, and how it was reached."""

    changes: dict[int, Value]
    together: bool
    conditions: tuple[Expr | None, ...] = ()
    value: Value | None = None


@dataclass(eq=False)
class Frame:
    """A construct that jumps may leave: "kernel", "call", "loop" or "switch"."""

    kind: str
    mark: int
    conditions_start: int
    reach: Convergence = Convergence.BLOCK
    staying: Convergence = Convergence.BLOCK  # where some threads jumped and others did not
    jumps: int = 0  # that end here or pass through
    left: int = 0  # that pass through
    name: str = ""
    breaks: list[Path] = field(default_factory=list)
    continues: list[Path] = field(default_factory=list)
    returns: list[Path] = field(default_factory=list)
    symbols: set[str] = field(default_factory=set)  # made in this loop
    interval: Interval = field(default_factory=Interval)  # at the jumps out of here


@dataclass
class Activation:
    """The function that is being run: where its text is, and how it was called."""

    place: Place
    tree: StatementTree
    via: tuple[str, ...] = ()
    context: str = ""
    this: Target | object = None
    returns_reference: bool = False
    declaration: int = 0


class Variables:
    """Values by variable, with a log of changes so that paths can be undone and compared."""

    def __init__(self) -> None:
        self.values: dict[int, Value] = {}
        self._log: list[tuple[int, Value | None]] = []

    def mark(self) -> int:
        """A point to come back to."""
        return len(self._log)

    def set(self, key: int, value: Value) -> None:
        """Assign."""
        self._log.append((key, self.values.get(key)))
        self.values[key] = value

    def changes(self, mark: int) -> dict[int, Value]:
        """The present values of all variables assigned since a mark."""
        return {key: self.values[key] for key, _old in self._log[mark:]}

    def rollback(self, mark: int) -> None:
        """Undo everything since a mark."""
        while len(self._log) > mark:
            key, old = self._log.pop()
            if old is None:
                self.values.pop(key, None)
            else:
                self.values[key] = old


class Machine:
    """Control state and bookkeeping that expressions, calls and statements share."""

    def __init__(self, translation: Translation, lessons: Lessons) -> None:
        self.translation = translation
        self.lib = translation.lib
        self.lessons = lessons
        self.facts = Facts()
        self.variables = Variables()
        self.frames: list[Frame] = []
        self.activations: list[Activation] = []
        self.conditions: list[Expr | None] = []
        self.continuing: list[Expr] = []  # what the headers of the loops around had found for the present iteration
        self.interval = Interval()
        self.dead = False
        self.stmt = 0
        self.kernel_loops: tuple[int, ...] = ()
        self.callee_loops = 0
        self.by_warp: set[str] = set()  # counters of loops that are the same for all threads of a warp
        self.budget = 0  # expressions that may still be visited before calls are no longer entered
        self.declared: dict[int, str] = {}  # the types of variables
        self.names: dict[int, str] = {}  # of variables: name and place, the same in every run
        self._context_ids: dict[str, int] = {}

    @property
    def activation(self) -> Activation:
        """The function that is being run."""
        return self.activations[-1]

    def fresh(self, name: str, uniform: bool) -> Sym:  # noqa: FBT001 - the shape of values.Fresh
        """A symbol for something that is not modelled; the same name stands for the same value."""
        for frame in self.frames:
            if frame.kind == "loop":
                frame.symbols.add(name)
        return Sym(name, SymKind.UNKNOWN, uniform and not self.lessons.pessimistic)

    def label(self, node: Node, text: str = "") -> str:
        """A name for what a node computes: unique per place and call path, the same in every run."""
        activation = self.activation
        if not text:
            text = node.label
        if not text:
            data = activation.place.source.data[node.start : min(node.end, node.start + 24)]
            text = node.label = " ".join(data.decode("utf-8", "replace").split())
        return f"?{text}@{node.start}{self.suffix(activation.context)}"

    def suffix(self, context: str) -> str:
        """A short name for a call path."""
        return f".{self._context_ids.setdefault(context, len(self._context_ids) + 1)}" if context else ""

    def named_as(self, key: int, name: str) -> None:
        """Give a variable its name."""
        self.names[key] = name
        self.lessons.declare(key, name)

    def tested(self, node: Node, condition: Expr | None) -> None:
        """Note what a condition always is, if anything."""
        constant = bool(condition.value) if isinstance(condition, Const) else None
        context = self.activation.context
        if constant is not None:
            self.facts.ways.add((context, node.start, constant))
        self.lessons.way(context, node.start, constant=constant)

    def assume(self, condition: Expr | None) -> None:
        """What follows runs only under a condition (None: under one that is not modelled)."""
        if not isinstance(condition, Const):
            self.conditions.append(condition)

    def reached(self) -> Convergence:
        """Which of the threads that have not exited are here together."""
        return min((frame.reach for frame in self.frames), default=Convergence.BLOCK)

    def reached_in(self, frame: Frame) -> Convergence:
        """Which of the threads that entered a construct are here together."""
        return min(inner.reach for inner in self.frames[self.frames.index(frame) :])

    def together(self, condition: Expr | None, known: bool) -> Convergence:  # noqa: FBT001
        """Who goes the same way at a condition; `known`: it is uniform."""
        if known:
            return Convergence.BLOCK
        return Convergence.WARPS if same_in_warp(condition, self.by_warp) else Convergence.DIVERGENT

    def set_variable(self, key: int, value: Value) -> None:
        """Assign to a local variable."""
        if key in self.lessons.escaped:
            return
        self.variables.set(key, value)

    def escape(self, targets: list[Target]) -> None:
        """Unknown code has got the addresses of these variables."""
        for target in targets:
            self.lessons.escape(target.key, self.names.get(target.key, ""))

    def merge(self, paths: list[Path], *, divergent: bool, condition: Expr | None = None, name: str = "join") -> None:
        """Continue with what several paths, all from the present state, left behind."""
        if len(paths) == 1:
            for key, value in paths[0].changes.items():
                self.variables.set(key, value)
            return
        keys = dict.fromkeys(key for path in paths for key in path.changes)
        for key in keys:
            base = self.variables.values.get(key)
            values = [path.changes.get(key, base) for path in paths]
            present = [value for value in values if value is not None]
            if len(present) < len(values):
                if base is None and len(present) == 1:
                    self.variables.set(key, present[0])
                continue
            merged, lost = join(
                present, f"?{name}.{self.names.get(key, '?')}", self.fresh, divergent=divergent, condition=condition
            )
            self.escape(lost)
            self.variables.set(key, merged)

    def jump(self, frame: Frame, paths: list[Path], *, value: Value | None = None) -> None:
        """Leave towards the end (or next iteration) of a construct."""
        together = self.reached_in(frame)
        at = self.frames.index(frame)
        conditions = tuple(self.conditions[frame.conditions_start :])
        if any(inner.kind == "loop" for inner in self.frames[at + 1 :]):
            conditions = (None,)  # which iteration jumps is not a condition that could be written
        changes = self.variables.changes(frame.mark)
        paths.append(Path(changes, together is Convergence.BLOCK, conditions, value))
        frame.interval.add(self.interval)
        for inner in self.frames[at:]:
            inner.jumps += 1
            inner.left += inner is not frame
            inner.staying = min(inner.staying, together)
        self.dead = True
