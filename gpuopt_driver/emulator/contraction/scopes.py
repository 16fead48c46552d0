"""The variables of a function while it is read: what each holds, by scope and by the way that was taken."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
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
_MEMBERS = {b"2": (b".x", b".y"), b"3": (b".x", b".y", b".z"), b"4": (b".x", b".y", b".z", b".w")}
VECTORS = {
    name + count: (kind, members)
    for name, kind in ((b"float", "f"), (b"double", "d"), (b"int", "i"), (b"uint", "i"))
    for count, members in _MEMBERS.items()
}  # the kinds and the names of members
# Those that are read and written as a whole.
ALIGNED = frozenset({b"float2", b"float4", b"double2"})
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


def class_of(words: tuple[bytes, ...], aliases: Mapping[bytes, bytes]) -> bytes:
    """The name of a class among a type's words, `aliases` resolved; b"" of numbers and of what is more than a name."""
    names = [word for word in words if word not in QUALIFIERS and word not in (b"*", b"&")]
    if len(names) != 1 or names[0] in FLOATS or names[0] in INTEGERS:
        return b""
    return aliases.get(names[0], names[0])


def kind_of_member(type_: bytes, member: bytes) -> str:
    """The kind of what a class's member holds."""
    kind, members = VECTORS.get(type_, ("?", ()))
    return kind if member in members else "?"


@dataclass(slots=True, eq=False)
class Variable:
    """A variable: the kind of its value, or of what it points to or holds as an array; `type`: the name of its class,
    or of that."""

    name: bytes
    kind: str
    pointee: str = "?"
    memory: bool = False  # an array, shared, volatile, or one whose address is taken: read from memory each time
    constant: bool = False  # points to what no store changes (const __restrict__)
    outside: bool = False  # not the function's own
    fickle: bool = False  # volatile, or points to what is
    type: bytes = b""


Path = tuple[Variable, bytes]  # a variable, and members of it: ".x"
Holds = dict[Path, Value]


@dataclass(slots=True)
class Scopes:
    """Names to variables, and variables to values."""

    values: Values
    holds: Holds = field(default_factory=dict)
    names: list[dict[bytes, Variable]] = field(default_factory=lambda: [{}])
    given: set[Value] = field(default_factory=set)  # objects that functions gave
    needed: set[Value] = field(default_factory=set)  # those of them that are needed as a whole
    _changed: set[Value] = field(default_factory=set)  # objects of which a member has been set

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
                self._changed.add(value)
            elif member:
                value = self.member(self.get((variable, b"")), variable.type, member)
            else:
                value = self.values.make("other", [], variable.kind, ("unset", id(variable)))
            self.holds[path] = value
        return value

    def member(self, whole: Value, type_: bytes, member: bytes) -> Value:
        """A member of an object that is one value."""
        apart = whole.op == "load" and type_ and type_ not in ALIGNED  # LLVM reads each member
        rank = PINNED if apart else -1
        return self.values.make("other", [whole], kind_of_member(type_, member), ("member", member), rank)

    def parts(self, path: Path) -> Mapping[bytes, Value]:
        """What members of a variable, or of a member, hold, as far as they are known."""
        variable, member = path
        names = {one[1]: held for one, held in self.holds.items() if one[0] is variable}
        return {name[len(member) :]: held for name, held in names.items() if name.startswith(member + b".")}

    def whole(self, path: Path) -> Value | None:
        """The object that a function gave, where a variable still holds that."""
        held = self.holds.get((path[0], b""))
        return held if held in self.given else None

    def _drop_parts(self, path: Path, but: Container[Path] = ()) -> None:
        for name in self.parts(path):
            if (path[0], path[1] + name) not in but:
                del self.holds[path[0], path[1] + name]

    def set(self, path: Path, value: Value, parts: Mapping[bytes, Value] | None = None) -> None:
        """A variable, or a member, holds another value from here on, with these members."""
        variable, member = path
        self._drop_parts(path)
        self.holds.pop(path, None)
        self.holds[path] = value
        for name, part in (parts or {}).items():
            self.holds[variable, member + name] = part
        while member:  # what it is a part of has changed, too
            member = member[: member.rindex(b".")]
            if (whole := self.holds.get((variable, member))) is not None:
                self.holds[variable, member] = self.values.make("other", [whole, value], whole.kind, rank=PINNED)
                self._changed.add(self.holds[variable, member])

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
            if path[1] and self._set_as_a_whole([way.get((path[0], b"")) for way in ways]):
                continue
            if len(known) == len(held) and all(value is known[0] for value in known):
                joined[path] = known[0]
            else:
                joined[path] = self.values.make(CHOICE, known, known[0].kind, rank=PINNED)
        self.holds = joined

    def _set_as_a_whole(self, held: list[Value | None]) -> bool:
        """Whether ways have put different objects into a variable: LLVM chooses between these, not between members."""
        wholes = {value for value in held if value is not None}
        return len(wholes) > 1 and wholes.isdisjoint(self._changed)

    def enter_turns(self, paths: list[Path]) -> Holds:
        """The beginning of a loop's turn: what the turns change is what the last one left."""
        heads: Holds = {}
        for path in paths:
            before = self.get(path)
            heads[path] = self.values.make(CARRIED, [before], before.kind, rank=PINNED)
        for path in heads:
            self._drop_parts(path)
        self.holds.update(heads)
        return heads

    def leave_turns(self, heads: Holds, ends: list[Holds], exits: list[Holds]) -> None:
        """The end of a loop: what a turn leaves goes into the next one, or behind the loop."""
        for path, head in heads.items():
            head.args += [end[path] for end in ends if end.get(path, head) is not head]
        for path in heads:
            self._drop_parts(path, but=heads)
        for path, head in heads.items():
            lasts = [way[path] for way in [*ends, *exits] if path in way]
            self.holds[path] = self.values.make(CARRIED, [head.args[0], *lasts], head.kind, rank=PINNED)
