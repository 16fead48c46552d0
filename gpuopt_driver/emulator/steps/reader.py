"""Goes through a function's statements as lanes in step do, with the values of its variables and the accesses that no
barrier has ordered yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TypeVar

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import assignment_at
from gpuopt_driver.emulator.fission.tree import Declarator, Declined, Statement, declaration, parse
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.steps.accesses import Access, Array, Found, Place, found_in
from gpuopt_driver.emulator.steps.heads import Head
from gpuopt_driver.emulator.steps.numbers import Numbers
from gpuopt_driver.emulator.steps.own import Declared, own_names
from gpuopt_driver.emulator.steps.sums import Atom, Sum, added, atoms_of, multiplied, number, of, value_of

_COMPARES = {b"<": (1, 0, -1), b"<=": (1, 0, 0), b">": (-1, 0, -1), b">=": (-1, 0, 0)}
Judge = Callable[[Access, Access], None]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is known of a function before it is read: names of shared memory, of a thread's own variables, of functions
    that hold a barrier; `flat`: its blocks have one dimension."""

    arrays: dict[bytes, Array]
    own: frozenset[Declared]
    barriers: frozenset[bytes]
    flat: bool


@dataclass(slots=True)
class Reader:
    """Reads one function; `judge` is told of each access and of one before it that nothing orders."""

    tokens: Tokens
    subject: Subject
    judge: Judge
    arrays: dict[bytes, Array] = field(default_factory=dict)
    values: dict[bytes, Sum] = field(default_factory=dict)
    facts: tuple[Sum, ...] = ()
    equal: tuple[Sum, ...] = ()
    before: list[Access] = field(default_factory=list)
    declared: dict[bytes, int] = field(default_factory=dict)  # the tokens that declare names
    agreed: frozenset[bytes] = frozenset()  # variables that differ elsewhere, but not in the loop that is read
    ranges: dict[tuple[int, frozenset[Declared]], frozenset[Declared]] = field(default_factory=dict)
    count: int = 0  # of unknown values, and of statements looked at

    def __post_init__(self) -> None:
        self.arrays = dict(self.subject.arrays)

    def _numbers(self) -> Numbers:
        return Numbers(self.tokens, self.values, self.is_own, self.subject.flat)

    def is_own(self, name: bytes) -> bool:
        """Whether the variable of this name may differ between threads."""
        return (name, self.declared.get(name, -1)) in self.subject.own

    def value(self, start: int, end: int) -> Sum:
        """What an expression is."""
        return self._numbers().read(start, end)

    def fresh(self, name: bytes, low: int | None = None, high: int | None = None, *, own: bool | None = None) -> Atom:
        """A value of the variable that nothing is known of."""
        self.count += 1
        is_own = (self.is_own(name) and name not in self.agreed) if own is None else own
        text = f"{name.decode()}#{self.count}"
        return Atom(text, is_own, low, high, implies=frozenset({text}) if is_own else frozenset())

    def forget(self, names: set[bytes]) -> None:
        """Let variables have unknown values."""
        for name in names:
            self.values[name] = of(self.fresh(name))

    # Statements.

    def run(self, items: tuple[Statement, ...]) -> None:
        """Go through the statements of a block."""
        arrays, values, tokens_of = dict(self.arrays), dict(self.values), dict(self.declared)
        facts, equal = self.facts, self.equal
        declared: set[bytes] = set()
        for item in items:
            declared |= self.statement(item)
        self.facts, self.equal = facts, equal
        for name in declared:
            _restore(self.arrays, arrays, name)
            _restore(self.values, values, name)
            _restore(self.declared, tokens_of, name)

    def statement(self, item: Statement) -> set[bytes]:
        """Go through one statement; the names that it declares."""
        if item.kind == "{":
            self.run(item.parts)
        elif item.kind == "if":
            self._if(item)
        elif item.kind in ("for", "while", "do"):
            self.loop(item)
        elif item.kind == "switch":
            self.expression(item, item.head + 1, self.tokens.match[item.head])
            self.branches([item.parts[0]], item.head, -1)
        elif item.kind in ("case", "default"):
            at = item.start
            while self.tokens.at(at) != b":":
                at += 1
            if at + 1 < item.end:
                return self.statement(parse(self.tokens, at + 1))
        elif item.kind == "simple":
            return self.simple(item)
        else:
            self.expression(item, item.start, item.end)
        return set()

    def simple(self, item: Statement) -> set[bytes]:
        """A declaration, an assignment, or another expression."""
        tokens = self.tokens
        try:
            found = declaration(tokens, item.start, item.end - 1)
        except Declined:
            found = None
        self.expression(item, item.start, item.end)
        if found is None:
            return set()
        names: set[bytes] = set()
        for one in found.declarators:
            name = tokens.at(one.name)
            names.add(name)
            self.declared[name] = one.name
            words = tokens.original[found.base[0] : found.base[1]]
            if b"volatile" in words:  # lockstep.py
                self.arrays.pop(name, None)
                self.values.pop(name, None)
            elif b"__shared__" in words:
                array = Array(f"{name.decode()}@{one.name}", pointer=one.bounds[1] > one.bounds[0])
                self.arrays[name] = array
                self.values.pop(name, None)
            else:
                self._initialised(name, one)
        return names

    def _initialised(self, name: bytes, one: Declarator) -> None:
        tokens = self.tokens
        prefix = tokens.original[one.prefix[0] : one.prefix[1]]
        self.arrays.pop(name, None)
        self.values.pop(name, None)
        start, end = one.init
        if b"*" in prefix or b"&" in prefix or self._leads_to(start, end):
            array = self.target(name, start, end)
            if array is not None and (b"*" in prefix or b"&" in prefix):
                self.arrays[name] = array
                return
        if one.bounds[1] > one.bounds[0]:
            return
        self.values[name] = self.value(start, end) if start < end else of(self.fresh(name))

    def _leads_to(self, start: int, end: int) -> bool:
        return any(self.tokens.at(at) in self.arrays for at in range(start, end))

    def target(self, name: bytes, start: int, end: int) -> Array | None:
        """The shared memory that a pointer or reference set to [start, end) leads to."""
        tokens = self.tokens
        first = next((at for at in range(start, end) if tokens.at(at) in self.arrays and tokens.is_word(at)), -1)
        if first < 0:
            return None
        array = self.arrays[tokens.at(first)]
        if array.base is None:
            return Array(array.name, None, pointer=True)
        index: Sum | None = None
        behind = first + 1
        if tokens.at(behind) == b"[" and tokens.match[behind] + 1 == end:
            index = self.value(behind + 1, tokens.match[behind])
        elif behind == end:
            index = {}
        elif tokens.at(behind) == b"+":
            index = self.value(behind + 1, end)
        if index is None:
            return Array(array.name, None, pointer=True)
        base = added(array.base, index)
        if not any(atom.own for atom in atoms_of(base)) and value_of(base) is None:
            return Array(f"{array.name}|{name.decode()}", pointer=True)  # a part of its own
        return Array(array.name, base, pointer=True)

    # Expressions.

    def expression(self, item: Statement, start: int, end: int) -> None:
        """The accesses, barriers and assignments of [start, end), a part of the statement."""
        tokens = self.tokens
        self.count += 1
        place = Place(item, self.count)
        declared = any(tokens.at(at) == b"__shared__" for at in range(start, end))
        found = [] if declared else list(found_in(tokens, start, end, self.arrays))
        for one in found:
            if one.loads and not one.stores:
                self.access(one, place, loads=True, stores=False)
        for one in found:
            if one.loads and one.stores:
                self.access(one, place, loads=True, stores=one.atomic)
        if any(self._is_barrier(at) for at in range(start, end)):
            self.before.clear()
        for one in found:
            if one.stores and not one.atomic:
                self.access(one, place, loads=False, stores=True)
        if not declared:
            self.assignments(start, end)

    def _is_barrier(self, at: int) -> bool:
        text = self.tokens.at(at)
        if self.tokens.kind[at] is Kind.STRING:
            return b"bar" in text and (b"sync" in text or b"red" in text)
        return text in self.subject.barriers and self.tokens.is_word(at)

    def access(self, one: Found, place: Place, *, loads: bool, stores: bool) -> None:
        """Note an access, held against those before it."""
        tokens = self.tokens
        array = self.arrays[tokens.at(one.at)]
        path: list[Sum | bytes | None] = [p if isinstance(p, bytes) else self.value(*p) for p in one.path]
        if array.pointer and array.base is None:
            path = [None]
        elif array.base and path and not isinstance(path[0], bytes) and path[0] is not None:
            path[0] = added(array.base, path[0])
        elif array.base and not path:
            path = [array.base]
        if one.whole and not path:
            path = [None]
        access = Access(
            one.at, array.name, tuple(path), loads, stores, one.atomic, self.facts, self.equal, place
        )  # fmt: skip
        for earlier in self.before:
            if earlier.array == access.array and (earlier.stores or access.stores):
                self.judge(earlier, access)
        key = (access.at, access.path, access.loads, access.stores)
        if not any((e.at, e.path, e.loads, e.stores) == key for e in self.before):
            self.before.append(access)

    def assignments(self, start: int, end: int) -> None:
        """Give variables that [start, end) sets their new values."""
        tokens = self.tokens
        for at in range(start, end):
            name = tokens.at(at)
            if tokens.kind[at] is not Kind.WORD or tokens.at(at - 1) in (b".", b"->"):
                continue
            if name in self.arrays and self.arrays[name].pointer:
                self._moved(name, at, end)
            if name not in self.values and not self.is_own(name):
                continue
            if assignment_at(tokens, at + 1):
                self._assigned(name, at, end)
            elif tokens.at(at - 1) in (b"+", b"-") and tokens.at(at - 2) == tokens.at(at - 1):
                if tokens.gap[at - 1] == b"":
                    step = number(1 if tokens.at(at - 1) == b"+" else -1)
                    self.values[name] = added(self.values.get(name, of(self.fresh(name))), step)
            elif tokens.at(at - 1) == b"&" and tokens.at(at - 2) in (b"(", b",", b"="):
                self.values[name] = of(self.fresh(name))

    def _moved(self, name: bytes, at: int, end: int) -> None:
        """A pointer to shared memory that is set anew."""
        if assignment_at(self.tokens, at + 1):
            array = self.arrays[name]
            found = self.target(name, at + 2, end) if self.tokens.at(at + 1) == b"=" else None
            self.arrays[name] = Array(array.name, None if found is None else found.base, pointer=True)

    def _assigned(self, name: bytes, at: int, end: int) -> None:
        tokens, operator = self.tokens, self.tokens.at(at + 1)
        old = self.values.get(name, of(self.fresh(name)))
        stop = at + 2
        while stop < end and tokens.at(stop) not in (b",", b";"):
            stop = tokens.match[stop] + 1 if tokens.match[stop] > stop else stop + 1
        if operator in (b"+", b"-"):  # ++ and --
            self.values[name] = added(old, number(1 if operator == b"+" else -1))
        elif operator == b"=":
            self.values[name] = self.value(at + 2, stop)
        else:
            right = self.value(at + (3 if operator in (b"<", b">") else 2), stop)
            self.values[name] = self._numbers().applied(operator[:1], old, right)

    # Control.

    def conditions(self, start: int, end: int, *, holds: bool) -> None:
        """Add what is true where the condition [start, end) holds, or does not."""
        tokens = self.tokens
        while tokens.at(start) == b"(" and tokens.match[start] == end - 1:
            start, end = start + 1, end - 1
        joint = b"&&" if holds else b"||"
        at, parts, first, orders = start, [], start, []
        while at < end:
            text = tokens.at(at)
            if text == joint:
                parts.append((first, at))
                first = at + 1
            elif text in (b"&&", b"||", b"?", b"="):
                return
            elif text in _COMPARES or text in (b"==", b"!="):
                orders.append(at)
            at = tokens.match[at] + 1 if tokens.match[at] > at else at + 1
        if parts:
            for part in (*parts, (first, end)):
                self.conditions(*part, holds=holds)
        elif len(orders) == 1 and not any(assignment_at(tokens, i) for i in range(start, end)):
            self._order(start, orders[0], end, holds=holds)
        elif not orders:
            value = self.value(start + (tokens.at(start) == b"!"), end)
            if holds == (tokens.at(start) == b"!"):
                self.equal += (value,)

    def _order(self, start: int, at: int, end: int, *, holds: bool) -> None:
        text = self.tokens.at(at)
        difference = added(self.value(at + 1, end), self.value(start, at), -1)  # right - left
        if text in (b"==", b"!="):
            if holds == (text == b"=="):
                self.equal += (difference,)
                self.facts += (difference, added({}, difference, -1))
            return
        sign, _, strict = _COMPARES[text]
        fact = added(number(strict), difference, sign)
        self.facts += (fact if holds else added(number(-1), fact, -1),)

    def changed(self, start: int, end: int) -> set[bytes]:
        """The variables that the code [start, end) may change."""
        tokens = self.tokens
        found: set[bytes] = set()
        for at in range(start, end):
            name = tokens.at(at)
            if tokens.kind[at] is not Kind.WORD or (name not in self.values and name not in self.arrays):
                continue
            before = tokens.at(at - 1)
            if name in self.arrays and tokens.at(at + 1) in (b"[", b".", b"->"):
                continue  # an element
            stepped = before == tokens.at(at - 2) and before in (b"+", b"-")
            handed = before == b"&" and tokens.at(at - 2) in (b"(", b",", b"=")
            if assignment_at(tokens, at + 1) or stepped or handed:
                found.add(name)
        return found

    def _if(self, item: Statement) -> None:
        opened, close = item.head, self.tokens.match[item.head]
        self.expression(item, opened + 1, close)
        self.branches(list(item.parts), opened, close)

    def branches(self, parts: list[Statement], opened: int, close: int) -> None:
        """Either of the parts, or none."""
        values, arrays, before = dict(self.values), dict(self.arrays), list(self.before)
        facts, equal = self.facts, self.equal
        after: list[Access] = []
        ends: list[dict[bytes, Sum]] = []
        leaves = False
        for count, part in enumerate(parts if len(parts) > 1 else [*parts, None]):
            self.values, self.arrays, self.before = dict(values), dict(arrays), list(before)
            self.facts, self.equal = facts, equal
            if close >= 0:
                self.conditions(opened + 1, close, holds=count == 0)
            if part is not None:
                self.run((part,))
            after += [one for one in self.before if one not in after]
            gone = part is not None and _returns(part)
            leaves = leaves or (gone and count == 0)
            if not gone:
                ends.append(self.values)
        self.before, self.facts, self.equal = after, facts, equal
        if leaves and close >= 0:
            self.conditions(opened + 1, close, holds=False)
        self.values = {}
        for name, value in values.items():
            found = [end.get(name, value) for end in ends] or [value]
            same = all(one == found[0] for one in found)
            self.values[name] = found[0] if same else of(self.fresh(name))

    def loop(self, item: Statement) -> None:
        """A loop, its body twice: what a turn leaves is there in the next one. It is taken to have a turn."""
        tokens = self.tokens
        values, arrays, declared = dict(self.values), dict(self.arrays), dict(self.declared)
        facts, equal = self.facts, self.equal
        head = Head.of(tokens, item)
        if head.start[0] < head.start[1]:
            self.simple(Statement("simple", *head.start))
        changed = self.changed(item.start, item.end)
        first, agreed = dict(self.values), self.agreed
        self.agreed = self._agreed_in(item, changed)
        # What a barrier in each turn leaves of a turn is gone behind the next one.
        adjoining = any(self._meets(part) for part in _parts(item.parts[0]))
        for turn in range(2):
            self.facts, self.equal = facts, equal
            if turn == 0 or not adjoining:
                self._turn(item, changed, first, head)
            if item.kind != "do":
                self.expression(item, *head.condition)
                self.conditions(*head.condition, holds=True)
            self.run((item.parts[0],))
            if item.kind == "do":
                self.expression(item, *head.condition)
            self.expression(item, *head.counting)
        self.facts, self.equal = facts, equal
        for name in set(self.values) - set(values):
            del self.values[name]
        self.arrays, self.declared = arrays, declared
        self.values = {**values, **self.values}
        self.forget({name for name in changed if name in values})
        self.agreed = agreed

    def _meets(self, item: Statement) -> bool:
        """Whether the statement is a barrier, or has one for all threads in it."""
        return item.kind == "simple" and any(self._is_barrier(at) for at in range(item.start, item.end))

    def _agreed_in(self, item: Statement, changed: set[bytes]) -> frozenset[bytes]:
        """Those of the variables on which threads agree in all turns."""
        known = frozenset((name, -1) for name, value in self.values.items() if any(a.own for a in atoms_of(value)))
        key = item.start, known
        if key not in self.ranges:
            self.ranges[key] = own_names(self.tokens, item.start, item.end, known)
        return frozenset(name for name in changed if not any(name == other for other, _ in self.ranges[key]))

    def _turn(self, item: Statement, changed: set[bytes], first: dict[bytes, Sum], head: Head) -> None:
        """The values at the beginning of some turn."""
        inside = self.changed(item.parts[0].start, item.parts[0].end)
        for name in changed:
            if name in self.arrays:
                self.arrays[name] = Array(self.arrays[name].name, None, pointer=True)
                continue
            low = value_of(first[name]) if name in first else None
            step = head.step(name, self.value) if name not in inside else None
            if step is not None and low is not None and (value_of(step) or 0) > 0:
                self.values[name] = of(self.fresh(name, low, head.last(name, self.value), own=False))
            elif step is not None and not any(a.own for a in atoms_of(step)) and name in first:
                turns = of(self.fresh(name, 0, own=False))
                self.values[name] = added(first[name], multiplied(step, turns))
            else:
                high = low if low is not None and head.shrinks(name) else None
                self.values[name] = of(self.fresh(name, 0 if high is not None else None, high))


def _restore(table: dict[bytes, _T], saved: dict[bytes, _T], name: bytes) -> None:
    """Let a name mean what it meant before."""
    if name in saved:
        table[name] = saved[name]
    else:
        table.pop(name, None)


def _parts(item: Statement) -> tuple[Statement, ...]:
    """The statements of a body."""
    return item.parts if item.kind == "{" else (item,)


def _returns(item: Statement) -> bool:
    """Whether the statement ends in a return."""
    while item.kind == "{" and item.parts:
        item = item.parts[-1]
    return item.kind in ("return", "continue", "break")
