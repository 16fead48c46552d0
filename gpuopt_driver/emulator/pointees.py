"""Which types hold no pointers that a kernel could follow: what is known of arrays by their names and types alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role, Structure
from gpuopt_driver.emulator.survey_text import QUALIFIERS

_SPACES = frozenset({b"__device__", b"__constant__", b"__managed__"})
_OF_DECLARATIONS = _SPACES | {b"static", b"extern", b"__align__", b"alignas", b"struct", b"__const__", b"unsigned"}
VECTORS = frozenset(
    f"{kind}{count}".encode()
    for kind in (
        "char",
        "short",
        "int",
        "long",
        "longlong",
        "float",
        "double",
        "uchar",
        "ushort",
        "uint",
        "ulong",
        "ulonglong",
    )
    for count in (1, 2, 3, 4)
)


@dataclass(slots=True)
class _Struct:
    """Where a struct's members stand, [start, end)."""

    start: int
    end: int


@dataclass(slots=True)
class Arrays:
    """What of a unit says which arrays a kernel only reads."""

    tokens: Tokens
    numbers: frozenset[bytes]
    by_name: dict[bytes, list[Function]] = field(default_factory=dict)
    structs: dict[bytes, _Struct] = field(default_factory=dict)
    words: set[bytes] = field(default_factory=set)  # in device code
    plain: dict[bytes, bool] = field(default_factory=dict)  # types: whether they lead nowhere
    usable: bool = True  # no variable outside of functions may lead somewhere

    def leads_nowhere(self, kind: Iterable[bytes]) -> bool:
        """Whether what has this type holds no pointer that device code could use."""
        words = [word for word in kind if word not in QUALIFIERS | _OF_DECLARATIONS]
        if all(word in self.numbers or word in VECTORS for word in words):
            return True
        if len(words) != 1 or words[0] not in self.structs:
            return False
        if words[0] not in self.plain:
            self.plain[words[0]] = False  # also while it is looked at
            self.plain[words[0]] = self._members_lead_nowhere(self.structs[words[0]])
        return self.plain[words[0]]

    def _members_lead_nowhere(self, item: _Struct) -> bool:
        tokens, first = self.tokens, item.start
        for at in range(item.start, item.end):
            if tokens.at(at) in (b"(", b"{", b"&", b":", b"<"):
                return False
            if tokens.at(at) != b";":
                continue
            type_end = first
            while type_end < at and tokens.is_word(type_end):
                type_end += 1
            behind = tokens.original[type_end:at]
            kind = tokens.original[first : type_end - (behind[:1] != (b"*",))]
            if not self.leads_nowhere(kind):
                return False
            if any(
                tokens.at(k) == b"*" and tokens.at(k + 1) in self.words | {b"*", b"const"} for k in range(first, at)
            ):
                return False  # a pointer that some device code names
            first = at + 1
        return first == item.end

    def parameters(self, function: Function) -> list[tuple[bytes, tuple[bytes, ...], bytes]]:
        """Names, types without what follows them, and `*`, `&` or nothing of the parameters; raises Declined."""
        tokens, close = self.tokens, self.tokens.match[function.params]
        found: list[tuple[bytes, tuple[bytes, ...], bytes]] = []
        first = function.params + 1
        for at in range(first, close + 1):
            if at < close and tokens.at(at) != b",":
                continue
            words = [word for word in tokens.original[first:at] if word not in QUALIFIERS]
            first = at + 1
            if not words or words == [b"void"]:
                continue
            mark = words[-2] if words[-2:-1] in ([b"*"], [b"&"]) else b""
            kind = tuple(words[: -2 if mark else -1])
            if not kind or not all(word[:1].isalpha() or word[:1] == b"_" for word in (*kind, words[-1])):
                raise Declined("a parameter of another form")
            found.append((words[-1], kind, mark))
        return found


def arrays_of(tokens: Tokens, structure: Structure, numbers: frozenset[bytes], *, relocatable: bool) -> Arrays:
    """Look at the unit."""
    found = Arrays(tokens, numbers, usable=not relocatable)
    for function in structure.functions:
        found.by_name.setdefault(name_of(tokens, function), []).append(function)
        if function.role is not Role.HOST:
            found.words.update(tokens.original[function.body : tokens.match[function.body]])
    for at, text in enumerate(tokens.original):
        if text == b"struct" and tokens.is_word(at + 1) and tokens.at(at + 2) == b"{":
            found.structs[tokens.at(at + 1)] = _Struct(at + 3, tokens.match[at + 2])
        elif text == b"struct" and tokens.at(at + 1) == b"{" and tokens.at(at - 1) == b"typedef":
            close = tokens.match[at + 1]
            if tokens.is_word(close + 1) and tokens.at(close + 2) == b";":
                found.structs[tokens.at(close + 1)] = _Struct(at + 2, close)
    for item in structure.declarations:
        if item.params >= 0 or item.in_class or not _SPACES.intersection(tokens.original[item.head : item.end]):
            continue
        end = next((at for at in range(item.head, item.end) if tokens.at(at) in (b"=", b"[", b"{", b",")), item.end)
        words = tokens.original[item.head : end - 1]
        found.usable = found.usable and b"*" not in words and b"&" not in words and found.leads_nowhere(words)
    return found
