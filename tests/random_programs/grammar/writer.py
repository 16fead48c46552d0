"""Who writes a kernel: its random choices, names, and what can be used where."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..tree import Node, block, expression
from ..weights import WEIGHTS


@dataclass(frozen=True)
class Scope:
    """What is visible at a place, and who gets there. Variables are tuples of names."""

    together: bool = True  # all threads of the block: a barrier may stand here
    depth: int = 0
    u: tuple[str, ...] = ()  # unsigned variables that may be assigned
    f: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()  # int in [0, 16), not to be assigned
    in_loop: bool = False

    def inside(self, *, together: bool = False, counters: tuple[str, ...] = (), loop: bool = False) -> Scope:
        """The scope of a block in here."""
        return replace(
            self, together=self.together and together, depth=self.depth + 1, counters=self.counters + counters,
            in_loop=self.in_loop or loop,
        )  # fmt: skip


_HOLE = re.compile(r"@([a-z])")
Form = Callable[["Writer", Scope], Node]


@dataclass
class Writer:
    """Random choices for one kernel."""

    rng: random.Random
    forms: Mapping[str, Mapping[str, Form]]  # subject -> name -> what writes a statement
    floats: bool = True
    shared: bool = False
    avoid: tuple[str, ...] = ()  # texts with one of these are not written
    count: int = 0
    budget: int = 30
    declarations: list[Node] = field(default_factory=list)  # what has to stand at the kernel's start

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *options: str) -> str:
        """One of several texts that are not to be avoided; of statements, an empty one where none is left."""
        left = [text for text in options if not any(word in text for word in self.avoid)]
        return self.rng.choice(left) if left else ";"

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self.rng.random() < probability

    def statements(self, scope: Scope, low: int = 1, high: int = 3) -> Node:
        """A block of random statements."""
        return block(*(self.statement(scope) for _ in range(self.rng.randint(low, high))))

    def statement(self, scope: Scope) -> Node:
        """One statement, by the table of weights; small ones where the kernel is deep or long already."""
        self.budget -= 1
        small = scope.depth >= 3 or self.budget < 0
        table = [
            (weight, form)
            for subject, forms in self.forms.items()
            for name, form in forms.items()
            if (weight := self._weight(subject, name, scope, small=small))
        ]
        weights, made = zip(*table, strict=True)
        return self.rng.choices(made, weights)[0](self, scope)

    def _weight(self, subject: str, name: str, scope: Scope, *, small: bool) -> float:
        if subject == "shared" and not (scope.together and self.shared and scope.depth < 2):
            return 0
        if subject == "floats" and not self.floats:
            return 0
        if small and (subject == "shared" or name in WEIGHTS["large"]):
            return 0
        return WEIGHTS[subject].get(name, 1)

    # Expressions: the modules of the grammar use each other, this is where they meet.

    def fill(self, kind: str, template: str, scope: Scope, depth: int) -> Node:
        """A text in which `@u`, `@i`, `@c`, `@f` stand for values, `@l` for a leaf, `@j` a counter, `@r` and `@g` reads of A and F."""
        from . import floats, numbers  # noqa: PLC0415 - both need this class

        makers: Mapping[str, Callable[[], Node]] = {
            "u": lambda: numbers.unsigned(self, scope, depth), "l": lambda: numbers.unsigned(self, scope, 0), "j": lambda: self.counter(scope),
            "i": lambda: numbers.small(self, scope), "c": lambda: numbers.condition(self, scope), "r": lambda: numbers.read(self, scope),
            "f": lambda: floats.single(self, scope, depth), "g": lambda: floats.read(self, scope),
        }  # fmt: skip
        parts = _HOLE.split(template)
        filled = [part if at % 2 == 0 else makers[part]() for at, part in enumerate(parts)]
        return Node(kind, tuple(part for part in filled if part != ""))

    def u(self, scope: Scope, depth: int = 2) -> Node:
        """An unsigned value."""
        return self.fill("u", "@u", scope, depth)

    def c(self, scope: Scope) -> Node:
        """A condition."""
        return self.fill("c", "@c", scope, 0)

    def f(self, scope: Scope, depth: int = 2) -> Node:
        """A float, small enough that sums of some dozens are finite."""
        return self.fill("f", "@f", scope, depth)

    def line(self, scope: Scope, *templates: str) -> Node:
        """One of several statements."""
        return self.fill("stmt", self.pick(*templates), scope, 1)

    def counter(self, scope: Scope) -> Node:
        """A loop's counter or a small number."""
        return expression("i", self.rng.choice(scope.counters) if scope.counters else self.pick("2", "0", "7", "m"))
