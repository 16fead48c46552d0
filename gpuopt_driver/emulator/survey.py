"""Kernels' surveys for check mode: their text once more, with numbers that stand for those of all threads of a block.

Running it tells what a block's threads will access, without running them (include/gpuopt_emu/survey.h).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from gpuopt_driver.emulator.fission.tree import (
    BARRIER,
    Declaration,
    Declarator,
    Declined,
    Statement,
    declaration,
    free_jumps,
    statements,
)
from gpuopt_driver.emulator.kernels import BUILTINS, CLOSING, OPENING
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.structure import Function

_SPACE = b"::gpuopt_emu::surveys::"
_LOOP = _SPACE + b"Loop gpuopt_loop;(void)gpuopt_loop;"
_NUMBERS = frozenset(
    {b"int", b"long", b"short", b"char", b"signed", b"unsigned", b"float", b"double", b"size_t", b"uint"}
    | {b"int32_t", b"uint32_t", b"int64_t", b"uint64_t", b"int8_t", b"uint8_t", b"int16_t", b"uint16_t", b"bool"}
    | {b"uchar", b"ushort", b"ulong", b"half", b"__half"}
)
_QUALIFIERS = frozenset({b"const", b"__restrict__", b"__restrict", b"register"})
_OF_BLOCK = (b"blockDim", b"gridDim")
_REAL: tuple[str, ...] = (
    "sqrt",
    "rsqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "fabs",
    "tanh",
    "floor",
    "pow",
    "fmin",
    "fmax",
    "exp2",
    "log2",
)
_REAL += ("log10", "ceil", "tan", "atan", "atan2", "erf", "erfc", "cbrt", "round", "rint", "fmod", "fma")
_FUNCTIONS = frozenset(
    {name.encode() for real in _REAL for name in (real, real + "f")}
    | {
        b"__expf",
        b"__logf",
        b"__sinf",
        b"__cosf",
        b"__fdividef",
        b"min",
        b"max",
        b"__ldg",
        b"abs",
        b"__mul24",
        b"__umul24",
    }
    | {b"__fsqrt_rn", b"__frcp_rn"}
    | {b"gpuopt_emu_fast_" + name for name in (b"expf", b"logf", b"sinf", b"cosf", b"powf")}  # __expf and the like
    | {b"atomicAdd", b"atomicSub", b"atomicMin", b"atomicMax", b"atomicAnd", b"atomicOr", b"atomicXor"}
)
_PUNCTUATION = frozenset(
    {b"(", b")", b"[", b"]", b"+", b"-", b"*", b"/", b"%", b"=", b"<", b">", b"&", b"|", b"^", b"!", b",", b"&&"}
    | {b"||", b"==", b"!=", b"<=", b">=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="}
)


_PARTS = frozenset({b"?", b"&&", b"||"})
_ASSIGN = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="})


def names_of_numbers(tokens: Tokens) -> frozenset[bytes]:
    """The language's and CUDA's own, and the unit's names for them."""
    found = set(_NUMBERS)
    for at in range(len(tokens)):
        if tokens.at(at) == b"typedef":
            end = at + 1
            while tokens.at(end) in found or tokens.at(end) == b"const":
                end += 1
            if end > at + 1 and tokens.is_word(end) and tokens.at(end + 1) == b";":
                found.add(tokens.at(end))
    return frozenset(found)


@dataclass(slots=True)
class _Writer:
    """Writes one kernel's survey. `memory`: variables outside of functions; `native`: constants of the kernel."""

    tokens: Tokens
    memory: set[bytes]
    native: set[bytes]
    numbers: frozenset[bytes]  # names of types that are numbers
    local: set[bytes] = field(default_factory=set)
    lines: list[tuple[str, int]] = field(default_factory=list)

    def _type(self, start: int, end: int) -> bytes:
        """The number type that [start, end) names."""
        words = [word for word in self.tokens.original[start:end] if word not in _QUALIFIERS]
        if not words or not self.numbers.issuperset(words):
            raise Declined("a type that is no number")
        return b" ".join(words)

    def _number(self, start: int, end: int) -> bytes:
        return _SPACE + b"Num<" + self._type(start, end) + b">"

    def _top(self, start: int, end: int, wanted: frozenset[bytes]) -> int:
        """The first of these tokens outside of brackets; -1: none."""
        at = start
        while at < end:
            if self.tokens.at(at) in wanted:
                return at
            at = self.tokens.match[at] + 1 if self.tokens.match[at] > at else at + 1
        return -1

    def _parted(self, start: int, end: int) -> bytes:
        """An expression with `?`, `&&` or `||` outside of brackets: what stands behind is for the threads left."""
        comma = self._top(start, end, frozenset({b","}))
        if comma >= 0:
            return self.expression(start, comma) + b"," + self.expression(comma + 1, end)
        assigned = self._top(start, end, _ASSIGN)
        if assigned >= 0:
            return self.expression(start, assigned + 1) + self.expression(assigned + 1, end)
        question = self._top(start, end, frozenset({b"?"}))
        if question >= 0:
            return self._chosen(start, question, end)
        either = self._top(start, end, frozenset({b"||"}))
        middle = either if either >= 0 else self._top(start, end, frozenset({b"&&"}))
        name = b"either(" if either >= 0 else b"also("
        second = self._condition(middle + 1, end)
        return _SPACE + name + self._condition(start, middle) + b",[&]{return " + second + b";})"

    def _chosen(self, start: int, question: int, end: int) -> bytes:
        depth, colon = 1, question
        while depth:
            colon = self._top(colon + 1, end, frozenset({b"?", b":"}))
            if colon < 0:
                raise Declined("an operator")
            depth += 1 if self.tokens.at(colon) == b"?" else -1
        first, second = self.expression(question + 1, colon), self.expression(colon + 1, end)
        condition = self._condition(start, question)
        return _SPACE + b"chosen(" + condition + b",[&]{return " + first + b";},[&]{return " + second + b";})"

    def expression(self, start: int, end: int) -> bytes:
        """The text of an expression."""
        tokens, parts = self.tokens, [b""]
        if self._top(start, end, _PARTS) >= 0:
            return self._parted(start, end)
        index = start
        while index < end:
            text = tokens.at(index)
            if text in (b"(", b"[") and _PARTS.intersection(tokens.original[index : tokens.match[index]]):
                close = tokens.match[index]
                parts.append(text + self.expression(index + 1, close) + tokens.at(close))
                index = close + 1
                continue
            if tokens.gap[index]:
                parts.append(b" ")
            if tokens.kind[index] is Kind.PUNCT and text == b".":
                if tokens.at(index - 1) not in BUILTINS or tokens.at(index + 1) not in (b"x", b"y", b"z"):
                    raise Declined("a member")
                parts.append(b"." + tokens.at(index + 1))
                index += 2
                continue
            if tokens.kind[index] is Kind.PUNCT:
                if text not in _PUNCTUATION:
                    raise Declined("an operator")
                parts.append(text)
            elif tokens.kind[index] is Kind.STRING:
                raise Declined("a string")
            elif tokens.kind[index] is Kind.NUMBER:
                parts.append(text)
            else:
                index = self._word(index, parts)
                continue
            index += 1
        return b"".join(parts)

    def _word(self, index: int, parts: list[bytes]) -> int:
        """Write the word at `index`; where to go on."""
        tokens = self.tokens
        text, following = tokens.at(index), tokens.at(index + 1)
        if text in self.local or text in BUILTINS or text in self.native:
            parts.append(text)
        elif text in self.numbers or text in _QUALIFIERS:
            end = index
            while tokens.at(end) in self.numbers or tokens.at(end) in _QUALIFIERS:
                end += 1
            if tokens.at(end) not in (b")", b"("):
                raise Declined("a type that is no number")
            parts.append(self._number(index, end))
            return end
        elif text in _FUNCTIONS and following == b"(":
            parts.append(text)
        elif text in self.memory and following != b"(":
            parts.append(_SPACE + b"variable(" + text + b")")
        else:
            raise Declined(f"'{text.decode('utf-8', 'replace')}'")
        return index + 1

    def _condition(self, start: int, end: int) -> bytes:
        return _SPACE + b"Condition(" + self.expression(start, end) + b")"

    def _here(self, index: int) -> bytes:
        where = self.tokens.where(index)
        if where not in self.lines:
            self.lines.append(where)
        return b"gpuopt_survey->at(gpuopt_places+%d);" % self.lines.index(where)

    def _shared(self, item: Declaration, start: int, end: int) -> bytes:
        text = b""
        whole = self.tokens.one_line(start, end)
        for one in item.declarators:
            name = self.tokens.at(one.name)
            text += b"auto " + name + b"=[&]{" + whole + b"return " + _SPACE + b"variable(" + name + b");}();"
        return text

    def _declarator(self, item: Declaration, one: Declarator) -> bytes:
        tokens, name = self.tokens, self.tokens.at(one.name)
        base, init = tokens.original[slice(*item.base)], one.init
        prefix = [word for word in tokens.original[slice(*one.prefix)] if word not in _QUALIFIERS]
        if one.bounds[0] < one.bounds[1]:
            if prefix or not set(tokens.original[slice(*init)]) <= {b"{", b"}", b"0", b"0.0f", b"0.f", b","}:
                raise Declined("an array with an initializer")
            return _SPACE + b"Local<" + self._type(*item.base) + b">" + name + b";"
        value = self.expression(*init) if init[0] < init[1] else b""
        if one.opening == b"{" or (one.opening and not value):
            raise Declined("an initializer in braces")
        if prefix:
            if prefix != [b"*"] or not value:
                raise Declined("a pointer without a value")
            return _SPACE + b"Pointer<" + self._type(*item.base) + b">" + name + b"=" + value + b";"
        constant = b"const" in base or b"constexpr" in base
        if constant and value and all(not tokens.is_word(at) or tokens.at(at) in self.native for at in range(*init)):
            self.native.add(name)
            return b"const " + self._type(*item.base) + b" " + name + b"=" + value + b";"
        return self._number(*item.base) + b" " + name + (b"=" + value if value else b"") + b";"

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
        item = declaration(tokens, start, end - 1)
        here = self._here(start)
        if item is not None:
            return here + self.declared(item, start, end)
        return here + self.expression(start, end - 1) + b";"

    def statement(self, item: Statement, *, top: bool = False) -> bytes:
        """A statement; `top`: of the kernel itself."""
        if item.kind == "simple":
            return self.simple(item.start, item.end)
        if item.kind == "{":
            return self._scope(item)
        if item.kind in ("return", "break", "continue") and item.end == item.start + 2:
            return item.kind.encode() + b";"
        if item.kind == "if":
            return self._if(item, top=top)
        head, close = item.head, self.tokens.match[item.head]
        if item.kind == "while":
            here = self._here(item.start)
            goes_on = self._goes_on(item, head + 1, close)
            return here + b"{" + _LOOP + b"while(" + goes_on + b")" + self._part(item.parts[0]) + b"}"
        if item.kind == "for":
            return self._for(item)
        raise Declined(f"'{item.kind}'")

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
        how = _SPACE + b"agreed(" if returns else b"gpuopt_loop.goes_on("
        return how + self._condition(start, end) + b")"

    def _for(self, item: Statement) -> bytes:
        tokens, head = self.tokens, item.head
        close = tokens.match[head]
        stops = [at for at in range(head + 1, close) if tokens.at(at) == b";"]
        if len(stops) != 2 or stops[0] + 1 == stops[1]:
            raise Declined("a loop without an end")
        before = set(self.local), set(self.native)
        start = self.simple(head + 1, stops[0] + 1) if stops[0] > head + 1 else self._here(item.start)
        text = b"{" + start + _LOOP + b"for(;" + self._goes_on(item, stops[0] + 1, stops[1]) + b";"
        text += self.expression(stops[1] + 1, close) + b")" + self._part(item.parts[0]) + b"}"
        self.local, self.native = before
        return text

    def _if(self, item: Statement, *, top: bool) -> bytes:
        tokens = self.tokens
        if item.head != item.start + 1:
            raise Declined("'if constexpr'")
        condition = self._condition(item.head + 1, tokens.match[item.head])
        here = self._here(item.start)
        first = item.parts[0]
        words = tokens.original[first.start : first.end]
        if top and len(item.parts) == 1 and words in ((b"return", b";"), (b"{", b"return", b";", b"}")):
            return here + b"if(" + _SPACE + b"leave(" + condition + b"))return;"
        whole = tokens.original[item.start : item.end]
        if b"return" in whole or any(map(free_jumps, item.parts)):
            text = here + b"if(" + _SPACE + b"agreed(" + condition + b"))" + self._part(first)
            return text + (b"else" + self._part(item.parts[1]) if len(item.parts) > 1 else b"")
        narrow = b"{if(" + _SPACE + b"Narrow gpuopt_narrow{"
        text = b"{const " + _SPACE + b"Condition gpuopt_if=" + condition + b";" + narrow + b"gpuopt_if})"
        text += self._part(first) + b"}"
        if len(item.parts) > 1:
            text += narrow + _SPACE + b"negated(gpuopt_if)})" + self._part(item.parts[1]) + b"}"
        return here + text + b"}"


def _parameters(tokens: Tokens, opened: int, numbers: frozenset[bytes]) -> list[bytes]:
    """The names of a kernel's parameters, which must be numbers and pointers to numbers."""
    found: list[bytes] = []
    first = opened + 1
    for index in range(opened + 1, tokens.match[opened] + 1):
        if tokens.at(index) not in (b",", b")"):
            continue
        words = [word for word in tokens.original[first:index] if word not in _QUALIFIERS]
        if words:
            types = words[:-2] if words[-2:-1] == [b"*"] else words[:-1]
            if not types or not numbers.issuperset(types):
                raise Declined("a parameter that is no number")
            found.append(words[-1])
        first = index + 1
    return found


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


def survey_of(tokens: Tokens, function: Function, memory: set[bytes], numbers: frozenset[bytes]) -> bytes:
    """The text of a kernel's survey; raises Declined where something in the kernel has no place in one."""
    start, end = function.body, tokens.match[function.body]
    numbers = numbers | _types(tokens, function)
    names = [name for name in _parameters(tokens, function.params, numbers) if name in tokens.original[start:end]]
    if any(tokens.at(at) in BUILTINS and tokens.at(at - 1) in (b"uint3", b"dim3") for at in range(start, end)):
        raise Declined("built-in variables of its own")
    writer = _Writer(tokens, memory, _constants(tokens, function), numbers, set(names))
    body = b"".join(writer.statement(item, top=True) for item in statements(tokens, start + 1, end))
    values = b"".join(b"auto gpuopt_p_%s=%sparameter(%s);" % (name, _SPACE, name) for name in names)
    again = b"".join(b"auto %s=gpuopt_p_%s;(void)%s;" % (name, name, name) for name in names)
    own = _SPACE + b"ThreadIndex threadIdx(blockDim);(void)threadIdx;"
    own += _SPACE + b"BlockIndex blockIdx(gridDim,gpuopt_block);(void)blockIdx;"
    # By value, so that the compiler keeps in registers what the kernel itself has there.
    taken = [_SPACE + b"Survey*gpuopt_survey"] + [b"const " + BUILTINS[name][0] + b" " + name for name in _OF_BLOCK]
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
