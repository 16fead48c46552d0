"""Marks where lanes that count on each other's steps have to meet, in the text of their functions.

Lanes in step make a statement's loads before its store, and a statement before the next one. Where the order of two
accesses matters (hazards.py), the lanes meet at a mark between them: before the statement with the second, or in the
middle of an assignment, which becomes `{const T value = ...; mark; element = value;}`. Marks in a branch that threads
need not take together are drawn out of it: `if (c) {a; b;}` becomes `{const bool m = c; if (m) a; mark; if (m) b;}`, so
that a kernel with such marks can be split at them as it is at barriers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.names import assignment_at
from gpuopt_driver.emulator.fission.tree import (
    BASIC,
    STEP,
    Declined,
    Statement,
    declaration,
    free_jumps,
    parse,
    statements,
)
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.steps.hazards import Hazard
from gpuopt_driver.emulator.steps.own import own_names
from gpuopt_driver.emulator.structure import Function, Role, Structure

_MARK = STEP + b"();"
_VALUE = b"gpuopt_emu_value"
_ASSIGNMENTS = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"|=", b"&=", b"^="})
_NUMBERS = BASIC | {b"size_t", b"uint", b"int32_t", b"uint32_t", b"int64_t", b"uint64_t", b"uchar", b"ushort"}
_STORED = frozenset({b"__shared__", b"extern", b"static", b"const", b"volatile", b"__restrict__"})


@dataclass(slots=True)
class Marks:
    """Of one function: the statements that lanes meet before, conditions that they meet in, assignments that are split
    (their operators, by their statements' first tokens)."""

    before: set[int] = field(default_factory=set)
    heads: set[int] = field(default_factory=set)
    split: dict[int, int] = field(default_factory=dict)

    def inside(self, start: int, end: int) -> bool:
        """Whether there is a mark in [start, end), not just at its beginning."""
        return (
            any(start < at < end for at in self.before)
            or any(start <= at < end for at in self.heads)
            or any(start <= at < end for at in self.split)
        )


def _labelled(tokens: Tokens, item: Statement) -> Statement:
    """The statement behind labels."""
    while item.kind in ("case", "default") or (
        item.kind == "simple" and tokens.at(item.start + 1) == b":" and tokens.at(item.start + 2) != b":"
    ):
        at = item.start
        while tokens.at(at) != b":":
            at += 1
        if at + 1 >= item.end:
            return item
        item = parse(tokens, at + 1)
    return item


def _chain(tokens: Tokens, items: Iterable[Statement], at: int) -> Iterator[Statement]:
    """The statements around the token at `at`, the outermost first; bodies in braces are not among them."""
    for one in items:
        item = _labelled(tokens, one)
        if item.start <= at < item.end:
            yield item
            yield from _chain(tokens, item.parts, at)
            return


def _operator(tokens: Tokens, item: Statement) -> int:
    """The operator of an assignment to an element, which is the whole statement; -1 where it is none."""
    index = item.start
    if item.kind != "simple" or tokens.at(item.end - 1) != b";":
        return -1
    if tokens.at(index) == b"*" or not tokens.is_word(index):
        return -1
    index += 1
    while tokens.at(index) in (b"[", b".", b"->"):
        index = tokens.match[index] + 1 if tokens.at(index) == b"[" else index + 2
    changes = any(assignment_at(tokens, at) for at in range(item.start, index))
    calls = any(tokens.at(at) == b"(" and tokens.is_word(at - 1) for at in range(item.start, index))
    if (
        changes
        or (calls and tokens.at(index) != b"=")
        or tokens.at(index) not in _ASSIGNMENTS
        or tokens.at(index + 1) == b"{"
    ):
        return -1
    if any(tokens.at(at) == b"," for at in _open(tokens, index, item.end)):
        return -1
    return -1 if any(assignment_at(tokens, at) for at in range(index + 1, item.end)) else index


def _open(tokens: Tokens, start: int, end: int) -> Iterator[int]:
    """The tokens of [start, end) that no brackets enclose."""
    while start < end:
        yield start
        start = tokens.match[start] + 1 if tokens.match[start] > start else start + 1


def marks_of(tokens: Tokens, function: Function, hazards: list[Hazard]) -> Marks:
    """Where the lanes of the function meet."""
    marks = Marks()
    items = list(statements(tokens, function.body + 1, tokens.match[function.body]))
    for hazard in hazards:
        first, second = hazard.first, hazard.second
        chain = list(_chain(tokens, items, second.at))
        if not chain:
            continue
        last = chain[-1]
        if first.place.turn == second.place.turn:
            operator = _operator(tokens, last)
            if last.start <= second.at < operator and tokens.at(operator) != b"%=":
                marks.split[last.start] = operator
            continue
        target = next((item for item in chain if not item.start <= first.at < item.end), None)
        if target is not None:
            marks.before.add(target.start)
        elif last.kind in ("for", "while", "do"):
            marks.heads.add(last.start)
        else:
            marks.before.add(last.start)
    return marks


@dataclass(slots=True)
class MarkWriter:
    """Writes the marks of one function; `own`: names on which threads need not agree; `types`: of elements of arrays
    of numbers, by their names."""

    tokens: Tokens
    function: Function
    marks: Marks
    own: set[bytes]
    types: dict[bytes, bytes]
    count: int = 0

    def write(self) -> None:
        """Change the texts of the tokens."""
        items = list(statements(self.tokens, self.function.body + 1, self.tokens.match[self.function.body]))
        for item in items:
            self._statement(_labelled(self.tokens, item), b"")

    def _statement(self, item: Statement, guard: bytes) -> None:
        """Write a statement that threads do for which `guard` is true (all: b"")."""
        tokens, marks = self.tokens, self.marks
        drawn = item.kind == "if" and (guard or self._parts_ways(item)) and marks.inside(item.start, item.end)
        if guard and not marks.inside(item.start, item.end):
            self._guarded(item, guard)
        elif drawn and (guard or self._drawable(item)):
            self._drawn(item, guard)
        elif item.kind == "{":
            for part in item.parts:
                self._statement(_labelled(tokens, part), guard)
        elif item.start in marks.split:
            self._split(item, marks.split[item.start], guard)
        else:
            for part in item.parts:
                self._statement(_labelled(tokens, part), b"")
        if item.start in marks.heads:
            opened = item.head
            if item.kind == "for":
                opened = next(at for at in _open(tokens, item.head + 1, item.end) if tokens.at(at) == b";")
            if tokens.at(opened + 1) != b";":
                tokens.text[opened] += STEP + b"(),"
        if item.start in marks.before:
            alone = tokens.at(item.start - 1) in (b")", b"else", b"do")
            tokens.text[item.start] = (b"{" if alone else b"") + _MARK + tokens.text[item.start]
            tokens.text[item.end - 1] += b"}" if alone else b""

    def _parts_ways(self, item: Statement) -> bool:
        """Whether threads need not agree on the condition."""
        words = self.tokens.original[item.head : self.tokens.match[item.head]]
        return b"threadIdx" in words or not self.own.isdisjoint(words)

    def _drawable(self, item: Statement) -> bool:
        """Whether the marks in a branch can be drawn out of it."""
        tokens = self.tokens
        if self.function.role is not Role.KERNEL or item.head != item.start + 1:
            return False
        try:
            if declaration(tokens, item.head + 1, tokens.match[item.head]) is not None:
                return False
        except Declined:
            return False
        return all(self._drawable_part(_labelled(tokens, part)) for part in item.parts)

    def _drawable_part(self, item: Statement) -> bool:
        tokens = self.tokens
        if item.kind == "{":
            return all(self._drawable_part(part) for part in item.parts)
        if item.start in self.marks.heads or free_jumps(item):
            return False
        if item.kind == "if" and self.marks.inside(item.start, item.end):
            return self._drawable(item)
        if item.kind == "simple":
            if item.start in self.marks.split and not self._type(item, self.marks.split[item.start]):
                return False
            try:
                found = declaration(tokens, item.start, item.end - 1)
            except Declined:
                return False
            return found is None or self._value_of(item) is not None
        return item.kind == "return" or not self.marks.inside(item.start, item.end)

    def _value_of(self, item: Statement) -> tuple[int, int, bytes] | None:
        """Of a declaration of one number: where its value begins and ends, and what stands for none."""
        found = declaration(self.tokens, item.start, item.end - 1)
        if found is None or len(found.declarators) != 1:
            return None
        (one,) = found.declarators
        words = set(self.tokens.original[found.base[0] : found.base[1]]) - {b"const"}
        plain = one.bounds[0] == one.bounds[1] and one.prefix[0] == one.prefix[1] and words <= _NUMBERS
        if not plain or one.opening not in (b"=", b"") or self.tokens.at(one.init[0]) == b"{":
            return None
        return (*one.init, b"0")

    def _guarded(self, item: Statement, guard: bytes) -> None:
        """A statement without marks, for those threads only."""
        tokens = self.tokens
        if item.kind == "simple" and declaration(tokens, item.start, item.end - 1) is not None:
            value = self._value_of(item)
            assert value is not None
            start, end, none = value
            if start < end:
                tokens.text[start] = b"!" + guard + b"?" + none + b":(" + tokens.text[start]
                tokens.text[end - 1] += b")"
            return
        tokens.text[item.start] = b"if(" + guard + b"){" + tokens.text[item.start]
        tokens.text[item.end - 1] += b"}"

    def _drawn(self, item: Statement, guard: bytes) -> None:
        tokens = self.tokens
        self.count += 1
        name = b"gpuopt_emu_if%d_%d" % (item.start - self.function.body, self.count)
        close = tokens.match[item.head]
        first, *other = item.parts
        self._statement(first, name)
        if other:
            self._statement(other[0], name + b"e")
            tokens.text[first.end] = (
                b"const bool " + name + b"e=" + (guard + b"&&" if guard else b"") + b"!" + name + b";"
            )
        tokens.text[item.start] = (
            b"{const bool " + name + b"=" + (guard + b"&&" if guard else b"") + b"static_cast<bool>"
        )
        tokens.text[close] += b";"
        tokens.text[item.end - 1] += b"}"

    def _type(self, item: Statement, operator: int) -> bytes:
        """The type of the element that an assignment sets, if it is a number."""
        whole = self.tokens.at(operator - 1) == b"]" or operator == item.start + 1
        members = {b".", b"->"}.intersection(self.tokens.original[item.start : operator])
        return self.types.get(self.tokens.at(item.start), b"") if whole and not members else b""

    def _split(self, item: Statement, operator: int, guard: bytes) -> None:
        """All lanes compute, then all store."""
        tokens, start, end = self.tokens, item.start, item.end - 1
        left = tokens.one_line(start, operator)
        operation = tokens.at(operator)[:-1]
        kind = self._type(item, operator)
        store = left + b"=" + _VALUE + b";"
        value = left + b" " + operation if operation else b""
        if not kind and operation and operation != b"%":
            store = b"::gpuopt_emu::store(" + left + b"," + _VALUE + b");"
            value = b"::gpuopt_emu::element(" + left + b") " + operation
        if guard and kind:
            value = b"!" + guard + b"?0:" + value
        if guard:
            store = b"if(" + guard + b")" + store
        tokens.text[start] = b"{const " + (kind or b"auto") + b" " + _VALUE + b"=" + value
        tokens.clear(start + 1, operator)
        tokens.text[operator] = b"("
        tokens.text[end] = b");" + _MARK + store + b"}"


def _types(tokens: Tokens, items: Iterable[Statement]) -> dict[bytes, bytes]:
    """Types of numbers that arrays and pointers of a function lead to, by their names."""
    found: dict[bytes, bytes] = {}
    for item in items:
        inner = item.parts
        if item.kind == "simple":
            try:
                one = declaration(tokens, item.start, item.end - 1)
            except Declined:
                continue
            if one is None:
                continue
            base = [word for word in tokens.original[slice(*one.base)] if word not in _STORED]
            for name in one.declarators:
                prefix = tokens.original[slice(*name.prefix)]
                plain = set(prefix) <= {b"*", b"const", b"__restrict__"} and prefix.count(b"*") <= 1
                if plain and base and _NUMBERS.issuperset(base):
                    found[tokens.at(name.name)] = b" ".join(base)
                else:
                    found[tokens.at(name.name)] = b""
        found |= _types(tokens, inner)
    return found


def mark_steps(tokens: Tokens, structure: Structure, hazards: Mapping[int, list[Hazard]]) -> None:
    """Mark, in the texts of the tokens, where lanes have to meet; `hazards` by the functions' places in the unit."""
    for number, found in hazards.items():
        function = structure.functions[number]
        marks = marks_of(tokens, function, found)
        start, end = function.body + 1, tokens.match[function.body]
        own = {name for name, _ in own_names(tokens, start, end)}
        MarkWriter(tokens, function, marks, own, _types(tokens, statements(tokens, start, end))).write()
