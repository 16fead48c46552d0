"""What runs of a kernel find out, so that the next run, or that of another instantiation, starts with it.

The first run has no idea what loops change; each run writes down what it learns (`Lessons`) and the next starts with
it, until a run learns nothing new. Instantiations of one template mostly have the same to learn: the first run of the
second one starts with `Hints`. A run checks these as it checks what an earlier run has learnt, so that what it finds
when it learns nothing new is true whatever it started with. They may still say more than a run of this kernel would
have: where anything shows that (`Misled`), the kernel begins again without.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import field
from operator import eq

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Expr
from gpuopt_driver.frontend.model import Array

PhiKey = tuple[str, int, tuple[str, ...]]  # (loop, variable, path to the part of its value)
Way = tuple[str, int, bool]  # call path, place of a test, and what it always is in an instantiation
Text = tuple[str, int, int]  # file, first and last byte
_PATIENCE = 6  # misled instantiations more than others


class Misled(Exception):
    """A kernel has shown that it would not have learnt what it was told."""


@dataclass
class Phi:
    """What is assumed of a variable at the top of a loop: an induction by `step`, else merely (not) uniform."""

    step: Expr | None = None
    attempts: int = 0
    base_lost: bool = False  # a pointer that points to different arrays in different iterations
    tried_induction: bool = False
    uniform: bool = True
    is_hint: bool = False

    def forget(self) -> None:
        """This kernel does not count as others do: it learns that as if it had not been told."""
        self.step, self.uniform, self.is_hint = None, True, False

    def doubt(self, *, wrong: bool) -> None:
        """Something that must not be so if this is a hint."""
        if self.is_hint and wrong:
            raise Misled


@dataclass
class Interval:
    """What has happened to memory since the last barrier of the block."""

    writes: set[Array | None] = field(default_factory=set)
    loads: dict[str, Array] = field(default_factory=dict)  # those that count as uniform, by label

    def copy(self) -> Interval:
        """The same, to be changed on another path."""
        return Interval(set(self.writes), dict(self.loads))

    def of(self, arrays: Mapping[str, Array]) -> Interval:
        """The same of another instantiation, whose arrays may have other sizes."""
        writes: set[Array | None] = {arrays[one.name] for one in self.writes if one is not None and one.name in arrays}
        return Interval(writes, {at: arrays[one.name] for at, one in self.loads.items() if one.name in arrays})

    def add(self, other: Interval) -> bool:
        """Whatever happened on either path; whether that is more than before."""
        before = len(self.writes) + len(self.loads)
        self.writes |= other.writes
        self.loads.update(other.loads)
        return len(self.writes) + len(self.loads) > before

    def clear(self) -> None:
        """A barrier."""
        self.writes.clear()
        self.loads.clear()


@dataclass(frozen=True)
class Hints:
    """What an instantiation's runs have learnt, by the names of variables: other instantiations have their own."""

    modified: Mapping[str, frozenset[str]]  # per loop: what it changes beyond what it assigns by name
    phis: Mapping[tuple[str, str, tuple[str, ...]], Phi]
    escaped: frozenset[str]
    intervals: Mapping[str, Interval]
    ways: frozenset[Way]  # an instantiation that takes others is another kernel
    bodies: frozenset[Text]  # and so is one that calls other functions


@dataclass
class Others:
    """What the instantiations of a kernel so far have learnt, each by its template arguments."""

    hints: list[tuple[tuple[str, ...], Hints]] = field(default_factory=list)
    fitted: int = 0  # how often that was right for another one
    misled: int = 0

    def nearest(self, arguments: tuple[str, ...]) -> Hints | None:
        """The hints of the one that has most arguments in common; None where they have mostly been wrong."""
        if not self.hints or self.misled > _PATIENCE + self.fitted:
            return None
        return max(self.hints, key=lambda one: sum(map(eq, one[0], arguments)))[1]


@dataclass
class Lessons:
    """What the runs so far found out; it only ever grows, so that the runs end."""

    hints: Hints | None = None
    modified: dict[str, set[int]] = field(default_factory=dict)  # per loop: variables changed in it
    phis: dict[PhiKey, Phi] = field(default_factory=dict)
    split_loops: set[str] = field(default_factory=set)  # loops that some threads leave before others
    escaped: set[int] = field(default_factory=set)  # variables that unknown code may change
    written: set[Array | None] = field(default_factory=set)  # None: through a pointer of which nothing is known
    racy: set[str] = field(default_factory=set)  # loads that other threads' writes may overtake
    intervals: dict[str, Interval] = field(default_factory=dict)  # what reaches the top of a loop from its end
    every_branch: bool = False  # constants may have other values in the pass for another architecture
    changed: bool = False
    pessimistic: bool = False
    _called: dict[tuple[str, int], str] = field(default_factory=dict)  # the names of phis' variables
    _found: dict[str, set[str]] = field(default_factory=dict)  # per loop: names of what was found to be changed in it
    _given: dict[str, set[int]] = field(default_factory=dict)  # per loop: variables that hints say it changes
    _escapes: dict[int, str] = field(default_factory=dict)  # those of which a run has shown it

    def note(self, *, new: bool) -> None:
        """Remember that this run learnt something."""
        self.changed = self.changed or new

    def split(self, loop: str) -> None:
        """Some threads leave a loop before others."""
        self.note(new=loop not in self.split_loops)
        self.split_loops.add(loop)

    def way(self, context: str, at: int, *, constant: bool | None) -> None:
        """What a test always is, if anything; Misled where the instantiation that gave the hints has it otherwise."""
        if self.hints is None:
            return
        told = [each for each in (True, False) if (context, at, each) in self.hints.ways]
        if (constant not in told) if constant is not None else told:
            raise Misled

    def escape(self, key: int, name: str) -> None:
        """Unknown code has got a variable's address."""
        self.note(new=key not in self.escaped)
        self.escaped.add(key)
        self._escapes[key] = _place(name)

    def declare(self, key: int, name: str) -> None:
        """A variable has got its name."""
        if self.hints is not None and _place(name) in self.hints.escaped:
            self.escaped.add(key)

    def loop(self, name: str, assigned: set[int], names: Mapping[int, str], known: Iterable[int]) -> set[int]:
        """The variables that a loop changes, as far as that is known: those that it assigns by name in any case."""
        told = self.hints.modified.get(name) if self.hints is not None else None
        if told:
            self._given[name] = {key for key in known if _place(names.get(key, "")) in told} - assigned
            assigned = assigned | self._given[name]
        self.modified[name] = assigned
        return assigned

    def changes(self, loop: str, changed: set[int], known: Container[int], names: Mapping[int, str]) -> set[int]:
        """What is new of the variables that one run of a loop has changed, of those that were known before it."""
        if not self._given.get(loop, changed) <= changed:
            raise Misled
        new = {key for key in changed if key in known} - self.modified[loop]
        self.modified[loop] |= new
        self.note(new=bool(new))
        found = new | self._given.get(loop, set())
        self._found.setdefault(loop, set()).update(_place(names.get(key, "")) for key in found)
        return new

    def interval(self, loop: str, arrays: Iterable[Array]) -> Interval:
        """What is known to reach the top of a loop from its end; `arrays`: those of the kernel so far."""
        known = self.intervals.get(loop)
        if known is None:
            told = self.hints.intervals.get(loop) if self.hints is not None else None
            known = self.intervals[loop] = Interval() if told is None else told.of({one.name: one for one in arrays})
        return known

    def phi(self, loop: str, key: int, path: tuple[str, ...], name: str, step: Expr | None = None) -> Phi:
        """What is assumed of a variable, or part of it; the first time what others found, else `step`."""
        known = self.phis.get((loop, key, path))
        if known is None:
            told = self.hints.phis.get((loop, _place(name), path)) if self.hints is not None else None
            known = Phi(step) if told is None else Phi(told.step, uniform=told.uniform, is_hint=True)
            self.phis[loop, key, path] = known
            self._called[loop, key] = _place(name)
        return known

    def for_others(self, ways: set[Way], bodies: Iterable[Text]) -> Hints | None:
        """What other instantiations may start with, once nothing new was learnt; None where that may be wrong."""
        if self.pessimistic or self.every_branch:
            return None
        modified = {loop: frozenset(names) - {""} for loop, names in self._found.items() if names}
        phis = {
            (loop, self._called[loop, key], path): phi
            for (loop, key, path), phi in self.phis.items()
            if self._called[loop, key]
            and (phi.step is not None or not phi.uniform)
            and not (phi.attempts or phi.base_lost or phi.tried_induction)
        }
        escaped = frozenset(self._escapes.values()) - {""}
        return Hints(modified, phis, escaped, self.intervals, frozenset(ways), frozenset(bodies))

    def confirm(self, ways: set[Way], bodies: Iterable[Text]) -> None:
        """Misled where a run that learnt nothing new has not shown what it was told."""
        if self.hints is None:
            return
        if self.escaped != self._escapes.keys() or ways != self.hints.ways or set(bodies) != self.hints.bodies:
            raise Misled


def _place(name: str) -> str:
    """The name of a variable without that of the call path: all calls of a function have the same."""
    return name.partition(".")[0]
