"""The variables of a function while it is read: what each holds, by scope and by the way that was taken."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuopt_driver.emulator.contraction.values import CARRIED, CHOICE, PINNED, Value, Values

SIXTEEN = frozenset(
    {b"half", b"__half", b"nv_half", b"__nv_half", b"half2", b"__half2", b"nv_half2", b"__nv_half2"}
    | {b"__nv_bfloat16", b"nv_bfloat16", b"__nv_bfloat162", b"nv_bfloat162"}
)  # halves, bfloat16 and pairs of them
FLOATS = {b"float": "f", b"double": "d", **dict.fromkeys(SIXTEEN, "h")}
INTEGERS = frozenset(
    {b"int", b"unsigned", b"signed", b"long", b"short", b"char", b"bool", b"size_t", b"ptrdiff_t", b"uint", b"wchar_t"}
    | {b"int8_t", b"int16_t", b"int32_t", b"int64_t", b"uint8_t", b"uint16_t", b"uint32_t", b"uint64_t", b"ulong"}
)
QUALIFIERS = frozenset(
    {b"const", b"volatile", b"static", b"register", b"constexpr", b"inline", b"__restrict__", b"__restrict", b"struct"}
    | {b"__shared__", b"extern", b"typename", b"mutable", b"restrict", b"__constant__", b"__device__", b"class"}
)


def kind_of(words: tuple[bytes, ...]) -> str:
    """f, d, i or h (16 bits) of a type's words; "o" of pointers, "?" of what is not known."""
    if b"*" in words:
        return "o"
    for word in words:
        if word in FLOATS:
            return FLOATS[word]
    return "i" if any(word in INTEGERS for word in words) else "?"


@dataclass(slots=True, eq=False)
class Variable:
    """A variable: the kind of its value, or of what it points to or holds as an array."""

    name: bytes
    kind: str
    pointee: str = "?"
    memory: bool = False  # an array, shared, volatile, or one whose address is taken: read from memory each time
    constant: bool = False  # points to what no store changes (const __restrict__)
    outside: bool = False  # not the function's own
    fickle: bool = False  # volatile, or points to what is


Path = tuple[Variable, bytes]  # a variable, and members of it: ".x"
Holds = dict[Path, Value]


@dataclass(slots=True)
class Scopes:
    """Names to variables, and variables to values."""

    values: Values
    holds: Holds = field(default_factory=dict)
    names: list[dict[bytes, Variable]] = field(default_factory=lambda: [{}])

    def declare(self, variable: Variable) -> None:
        """A new variable in the innermost scope."""
        self.names[-1][variable.name] = variable

    def find(self, name: bytes) -> Variable | None:
        """The variable of a name, or None for one from outside of the function."""
        for scope in reversed(self.names):
            if name in scope:
                return scope[name]
        return None

    def get(self, path: Path) -> Value:
        """What a variable, or a member of one, holds."""
        value = self.holds.get(path)
        if value is None:
            variable, member = path
            parts = [
                held for one, held in self.holds.items() if one[0] is variable and one[1].startswith(member + b".")
            ]
            if parts:
                value = self.values.make("other", parts, "?", rank=PINNED)
            elif member:
                value = self.values.make("other", [self.get((variable, b""))], "?", ("member", member))
            else:
                value = self.values.make("other", [], variable.kind, ("unset", id(variable)))
            self.holds[path] = value
        return value

    def set(self, path: Path, value: Value) -> None:
        """A variable, or a member, holds another value from here on."""
        variable, member = path
        inside = [one for one in self.holds if one[0] is variable and one[1].startswith(member)]
        for one in inside:
            del self.holds[one]
        self.holds[path] = value
        while member:  # what it is a part of has changed, too
            member = member[: member.rindex(b".")]
            if (whole := self.holds.get((variable, member))) is not None:
                self.holds[variable, member] = self.values.make("other", [whole, value], whole.kind, rank=PINNED)

    def forget(self, path: Path) -> None:
        """A variable may hold anything from here on."""
        self.set(path, self.values.make("other", [], path[0].kind, rank=PINNED))

    def join(self, ways: list[Holds]) -> None:
        """Several ways meet: a variable holds what it held on the one that was taken."""
        if not ways:
            return
        declared = {variable for scope in self.names for variable in scope.values()}
        joined: Holds = {}
        for path in dict.fromkeys(path for way in ways for path in way):
            held = [way.get(path) for way in ways]
            known = [value for value in held if value is not None]
            if len(known) < len(held) and (path[1] or path[0] not in declared):
                continue  # a member that only one way read, or a variable of that way's own
            if len(known) == len(held) and all(value is known[0] for value in known):
                joined[path] = known[0]
            else:
                joined[path] = self.values.make(CHOICE, known, known[0].kind, rank=PINNED)
        self.holds = joined

    def enter_turns(self, paths: list[Path]) -> Holds:
        """The beginning of a loop's turn: what the turns change is what the last one left."""
        heads: Holds = {}
        for path in paths:
            before = self.get(path)
            heads[path] = self.values.make(CARRIED, [before], before.kind, rank=PINNED)
            self.holds[path] = heads[path]
        return heads

    def leave_turns(self, heads: Holds, ends: list[Holds], exits: list[Holds]) -> None:
        """The end of a loop: what a turn leaves goes into the next one, or behind the loop."""
        for path, head in heads.items():
            head.args += [end[path] for end in ends if end.get(path, head) is not head]
        for path, head in heads.items():
            lasts = [way[path] for way in [*ends, *exits] if path in way]
            self.holds[path] = self.values.make(CARRIED, [head.args[0], *lasts], head.kind, rank=PINNED)
