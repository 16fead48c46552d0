"""Kernels' surveys for check mode: their text once more, with numbers that stand for those of all threads of a block.

Running it tells what a block's threads will access, without running them (include/gpuopt_emu/survey.h).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import (
    BARRIER,
    STEP,
    Declaration,
    Declarator,
    Declined,
    Statement,
    declaration,
    free_jumps,
    statements,
)
from gpuopt_driver.emulator.lexer import CLOSING, OPENING, Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role
from gpuopt_driver.emulator.survey_text import LOOP, QUALIFIERS, SPACE, Expressions

_OF_BLOCK = (b"blockDim", b"gridDim")
_OF_FUNCTIONS = frozenset(
    {b"__device__", b"__host__", b"inline", b"static", b"__forceinline__", b"__inline__", b"__inline"}
)
# What functions that are inlined, or only compute, have none of.
_NOT_IN_CALLS = frozenset({b"__shared__", b"static", b"extern", b"asm", b"volatile", BARRIER})


@dataclass(slots=True)
class _Writer(Expressions):
    """Writes one kernel's survey."""

    inside: tuple[Function, ...] = ()  # functions that are being inlined
    computes: bool = False  # what is written is looked at for mistakes alone

    def _shared(self, item: Declaration, start: int, end: int) -> bytes:
        text = b""
        whole = self.tokens.one_line(start, end)
        for one in item.declarators:
            name = self.tokens.at(one.name)
            text += b"auto " + name + b"=[&]{" + whole + b"return " + SPACE + b"variable(" + name + b");}();"
        return text

    def _declarator(self, item: Declaration, one: Declarator) -> bytes:
        tokens, name = self.tokens, self.tokens.at(one.name)
        base, init = tokens.original[slice(*item.base)], one.init
        prefix = [word for word in tokens.original[slice(*one.prefix)] if word not in QUALIFIERS]
        if one.bounds[0] < one.bounds[1]:
            if prefix or not set(tokens.original[slice(*init)]) <= {b"{", b"}", b"0", b"0.0f", b"0.f", b","}:
                raise Declined("an array with an initializer")
            return SPACE + b"Local<" + self.type_of(*item.base) + b">" + name + b";"
        value = self.expression(*init) if init[0] < init[1] else b""
        if one.opening == b"{" or (one.opening and not value):
            raise Declined("an initializer in braces")
        if prefix:
            if prefix != [b"*"] or not value:
                raise Declined("a pointer without a value")
            return SPACE + b"Pointer<" + self.type_of(*item.base) + b">" + name + b"=" + value + b";"
        constant = b"const" in base or b"constexpr" in base
        if constant and value and all(not tokens.is_word(at) or tokens.at(at) in self.native for at in range(*init)):
            self.native.add(name)
            return b"const " + self.type_of(*item.base) + b" " + name + b"=" + value + b";"
        return self.number(*item.base) + b" " + name + (b"=" + value if value else b"") + b";"

    def declared(self, item: Declaration, start: int, end: int) -> bytes:
        """A declaration."""
        names = {self.tokens.at(one.name) for one in item.declarators}
        if names & (self.local | self.native):
            raise Declined("a name that is used again")
        if b"__shared__" in self.tokens.original[slice(*item.base)]:
            self.local |= names
            return self._shared(item, start, end)
        text = b""
        for one in item.declarators:
            text += self._declarator(item, one)
            self.local.add(self.tokens.at(one.name))
        return text

    def simple(self, start: int, end: int) -> bytes:
        """A declaration or expression with its `;`."""
        tokens = self.tokens
        if tokens.original[start:end] == (BARRIER, b"(", b")", b";"):
            return b"gpuopt_survey->barrier();"
        if tokens.original[start:end] == (STEP, b"(", b")", b";"):
            return b";"  # orders nothing
        item = declaration(tokens, start, end - 1)
        here = self.here(start)
        if item is not None:
            return here + self.declared(item, start, end)
        return here + self.expression(start, end - 1) + b";"

    def statement(self, item: Statement, *, top: bool = False) -> bytes:
        """A statement; `top`: of the kernel itself."""
        if item.kind == "simple":
            return self.simple(item.start, item.end)
        if item.kind == "{":
            return self._scope(item)
        if item.kind == "return" and self.inside:
            return self._returned(item)
        if item.kind in ("return", "break", "continue") and item.end == item.start + 2:
            return item.kind.encode() + b";"
        if item.kind == "if":
            return self._if(item, top=top)
        head, close = item.head, self.tokens.match[item.head]
        if item.kind == "while":
            here = self.here(item.start)
            goes_on = self._goes_on(item, head + 1, close)
            return here + b"{" + LOOP + b"while(" + goes_on + b")" + self._part(item.parts[0]) + b"}"
        if item.kind == "for":
            return self._for(item)
        raise Declined(f"'{item.kind}'")

    def call(self, function: Function, opened: int) -> bytes:
        """The function's own survey where it stands; of one that returns here and there but only computes, nothing."""
        tokens, body = self.tokens, tokens_of(self.tokens, function)
        if function in self.inside or _NOT_IN_CALLS.intersection(body):
            raise Declined("a function that is more than what it computes")
        given = self.expression(opened + 1, tokens.match[opened])
        back = tokens.original[function.head : function.params - 1]
        words = [word for word in back if word not in _OF_FUNCTIONS | QUALIFIERS]
        void = words == [b"void"]
        if not void and not self.numbers.issuperset(words):
            raise Declined("a function that returns no number")
        parameters = _parameters(tokens, function.params, self.numbers)
        names = {name for name, _ in parameters}
        inner = _Writer(
            tokens, self.memory, set(), self.numbers, self.functions, names, self.lines, (*self.inside, function)
        )
        parts = list(statements(tokens, function.body + 1, tokens.match[function.body]))
        returns = body.count(b"return")
        if returns == int(not void) and (void or (parts and parts[-1].kind == "return")):
            heads = b",".join(
                SPACE + (b"Pointer<" if pointer else b"Num<") + kind + b">" + name
                for name, (kind, pointer) in parameters
            )
            result = b"" if void else b"->" + SPACE + b"Num<" + b" ".join(words) + b">"
            text = b"".join(map(inner.statement, parts))
            return b"([&](" + heads + b")" + result + b"{" + text + b"}(" + given + b"))"
        if void or b"[" in body or self.memory.intersection(body) or any(pointer for _, (_, pointer) in parameters):
            raise Declined("a function that returns here and there")
        inner.computes = True
        for part in parts:
            inner.statement(part)
        if any(word.startswith(b"atomic") or word == b"__ldg" for word in body):
            raise Declined("a function that returns here and there")
        return SPACE + b"computed<" + b" ".join(words) + b">(" + given + b")"

    def _returned(self, item: Statement) -> bytes:
        return b"return " + self.expression(item.start + 1, item.end - 1) + b";"

    def _scope(self, item: Statement) -> bytes:
        before = set(self.local), set(self.native)
        text = b"".join(self.statement(part) for part in item.parts)
        self.local, self.native = before
        return b"{" + text + b"}"

    def _part(self, item: Statement) -> bytes:
        before = set(self.local), set(self.native)
        text = self.statement(item)
        self.local, self.native = before
        return b"{" + text + b"}"

    def _goes_on(self, item: Statement, start: int, end: int) -> bytes:
        """The condition of a loop. Where threads return from inside of it, all that are there must do so together."""
        returns = b"return" in self.tokens.original[item.start : item.end]
        how = SPACE + b"agreed(" if returns else b"gpuopt_loop.goes_on("
        return how + self.condition(start, end) + b")"

    def _for(self, item: Statement) -> bytes:
        tokens, head = self.tokens, item.head
        close = tokens.match[head]
        stops = [at for at in range(head + 1, close) if tokens.at(at) == b";"]
        if len(stops) != 2 or stops[0] + 1 == stops[1]:
            raise Declined("a loop without an end")
        before = set(self.local), set(self.native)
        start = self.simple(head + 1, stops[0] + 1) if stops[0] > head + 1 else self.here(item.start)
        text = b"{" + start + LOOP + b"for(;" + self._goes_on(item, stops[0] + 1, stops[1]) + b";"
        text += self.expression(stops[1] + 1, close) + b")" + self._part(item.parts[0]) + b"}"
        self.local, self.native = before
        return text

    def _if(self, item: Statement, *, top: bool) -> bytes:
        tokens = self.tokens
        if item.head != item.start + 1:
            raise Declined("'if constexpr'")
        condition = self.condition(item.head + 1, tokens.match[item.head])
        here = self.here(item.start)
        first = item.parts[0]
        words = tokens.original[first.start : first.end]
        if top and len(item.parts) == 1 and words in ((b"return", b";"), (b"{", b"return", b";", b"}")):
            return here + b"if(" + SPACE + b"leave(" + condition + b"))return;"
        whole = tokens.original[item.start : item.end]
        if b"return" in whole or any(map(free_jumps, item.parts)):
            text = here + b"if(" + SPACE + b"agreed(" + condition + b"))" + self._part(first)
            return text + (b"else" + self._part(item.parts[1]) if len(item.parts) > 1 else b"")
        narrow = b"{if(" + SPACE + b"Narrow gpuopt_narrow{"
        text = b"{const " + SPACE + b"Condition gpuopt_if=" + condition + b";" + narrow + b"gpuopt_if})"
        text += self._part(first) + b"}"
        if len(item.parts) > 1:
            text += narrow + SPACE + b"negated(gpuopt_if)})" + self._part(item.parts[1]) + b"}"
        return here + text + b"}"


def tokens_of(tokens: Tokens, function: Function) -> tuple[bytes, ...]:
    """The words of a function's body."""
    return tuple(tokens.original[function.body : tokens.match[function.body]])


def _parameters(tokens: Tokens, opened: int, numbers: frozenset[bytes]) -> list[tuple[bytes, tuple[bytes, bool]]]:
    """The names of parameters, numbers and pointers to numbers, with their types and whether they point."""
    found: list[tuple[bytes, tuple[bytes, bool]]] = []
    first = opened + 1
    for index in range(opened + 1, tokens.match[opened] + 1):
        if tokens.at(index) not in (b",", b")"):
            continue
        words = [word for word in tokens.original[first:index] if word not in QUALIFIERS]
        if words and words != [b"void"]:
            pointer = words[-2:-1] == [b"*"]
            types = words[:-2] if pointer else words[:-1]
            if not types or not numbers.issuperset(types):
                raise Declined("a parameter that is no number")
            found.append((words[-1], (b" ".join(types), pointer)))
        first = index + 1
    return found


def functions_of(tokens: Tokens, functions: Iterable[Function]) -> dict[bytes, Function]:
    """Device functions that a name alone tells, and that are no templates."""
    found = [(name_of(tokens, one), one) for one in functions if one.role is not Role.HOST]
    count = Counter(name for name, _ in found)
    return {
        name: one
        for name, one in found
        if count[name] == 1
        and one.role is Role.DEVICE
        and not {b"template", b"::"}.intersection(tokens.original[one.head : one.params])
    }


def _constants(tokens: Tokens, function: Function) -> set[bytes]:
    """Template parameters that are whole numbers."""
    head = range(function.head, function.params)
    if b"template" not in tokens.original[function.head : function.params]:
        return set()
    return {
        tokens.at(at) for at in head if tokens.at(at - 1) in (b"int", b"unsigned") and tokens.at(at + 1) in (b",", b">")
    }


def _types(tokens: Tokens, function: Function) -> set[bytes]:
    """Template parameters that are types."""
    head = range(function.head, function.params)
    return {tokens.at(at) for at in head if tokens.at(at - 1) in (b"typename", b"class") and tokens.is_word(at)}


def survey_of(
    tokens: Tokens, function: Function, memory: set[bytes], numbers: frozenset[bytes], functions: dict[bytes, Function]
) -> bytes:
    """The text of a kernel's survey; raises Declined where something in the kernel has no place in one."""
    start, end = function.body, tokens.match[function.body]
    numbers = numbers | _types(tokens, function)
    names = [name for name, _ in _parameters(tokens, function.params, numbers) if name in tokens.original[start:end]]
    if any(tokens.at(at) in BUILTINS and tokens.at(at - 1) in (b"uint3", b"dim3") for at in range(start, end)):
        raise Declined("built-in variables of its own")
    writer = _Writer(tokens, memory, _constants(tokens, function), numbers, functions, set(names))
    body = b"".join(writer.statement(item, top=True) for item in statements(tokens, start + 1, end))
    values = b"".join(b"auto gpuopt_p_%s=%sparameter(%s);" % (name, SPACE, name) for name in names)
    again = b"".join(b"auto %s=gpuopt_p_%s;(void)%s;" % (name, name, name) for name in names)
    own = SPACE + b"ThreadIndex threadIdx(blockDim);(void)threadIdx;"
    own += SPACE + b"BlockIndex blockIdx(gridDim,gpuopt_block);(void)blockIdx;"
    # By value, so that the compiler keeps in registers what the kernel itself has there.
    taken = [SPACE + b"Survey*gpuopt_survey"] + [b"const " + BUILTINS[name][0] + b" " + name for name in _OF_BLOCK]
    given = [b"gpuopt_emu_at.survey"] + [BUILTINS[name][1] for name in _OF_BLOCK]
    taken.append(b"const ::uint3 gpuopt_block")
    given.append(BUILTINS[b"blockIdx"][1])
    taken += [b"decltype(" + name + b") " + name for name in names]
    given += names
    spots = b",".join(
        b"{%s,nullptr,nullptr,%d,0,0,0}"
        % (json.dumps(file, ensure_ascii=False).encode("utf-8", "surrogateescape"), line)
        for file, line in writer.lines
    )
    places = b"static ::gpuopt_emu::Spot gpuopt_places[]={%s};(void)gpuopt_places;" % (spots or b"{}")
    return (
        b"[](" + b",".join(taken) + b")__attribute__((no_sanitize_thread,noinline)){" + places + own + values
        + b"{" + again + b"{" + body + b"}}}(" + b",".join(given) + b");"
    )  # fmt: skip


def without_surveys(text: bytes) -> bytes:
    """Rewritten text as the fast code is compiled from."""
    parts = text.split(OPENING)
    return b"".join([parts[0], *(part.partition(CLOSING)[2] for part in parts[1:])])
