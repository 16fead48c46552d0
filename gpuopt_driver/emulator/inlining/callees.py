"""Device functions that can be written in place of a call: what they take, declare and mention."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import lambda_body
from gpuopt_driver.emulator.fission.tree import Declined, Statement, declaration, statements
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role

Range = tuple[int, int]
_SPECIFIERS = frozenset(
    {b"static", b"inline", b"__inline__", b"__inline", b"__forceinline__", b"__noinline__", b"__device__", b"extern"}
    | {b"constexpr"}
)
# What means another thing elsewhere, or is not read here.
_REFUSED = frozenset(
    {b"goto", b"switch", b"try", b"throw", b"this", b"struct", b"class", b"union", b"enum", b"using", b"typedef"}
    | {
        b"__func__",
        b"__FUNCTION__",
        b"__PRETTY_FUNCTION__",
        b"alloca",
        b"__builtin_alloca",
        b"co_await",
        b"thread_local",
    }
    | {b"__builtin_return_address", b"__builtin_frame_address", b"namespace", b"operator"}
)
_LONGEST = 3000  # tokens


@dataclass(frozen=True, slots=True)
class Parameter:
    """`type`: the tokens before its name; `bounds`: array bounds behind it; `default`: its default argument."""

    name: bytes
    type: Range
    bounds: Range
    default: Range


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`kind`: the tokens of its type; empty where it stands for a type itself. `default`: what it is if not given."""

    name: bytes
    kind: Range
    default: Range


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """`result`: the tokens of what it returns, empty for `void`; `declares`: its variables, parameters included;
    `mentions`: its other words, but for members."""

    function: Function
    name: bytes
    template: tuple[TemplateParameter, ...]
    parameters: tuple[Parameter, ...]
    result: tuple[int, ...]
    items: tuple[Statement, ...]
    declares: frozenset[bytes]
    mentions: frozenset[bytes]
    changes: frozenset[bytes]  # those of its variables that may change

    def takes(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        least = sum(one.default[0] == one.default[1] for one in self.parameters)
        return least <= count <= len(self.parameters)


def split_at_commas(tokens: Tokens, start: int, end: int, *, angles: bool) -> list[Range]:
    """Parts of [start, end) at its commas; `angles`: of a declaration, where `<` opens a list of template arguments."""
    found: list[Range] = []
    first = index = start
    while index < end:
        text = tokens.at(index)
        if text == b",":
            found.append((first, index))
            first = index + 1
        if text == b"<" and angles:
            index = skip_template(tokens, index)
        else:
            index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return [*found, (first, end)] if start < end else []


def _equals(tokens: Tokens, start: int, end: int) -> int:
    """Where the `=` of a default is, `end` without one."""
    at = start
    while at < end and tokens.at(at) != b"=":
        at = skip_template(tokens, at) if tokens.at(at) == b"<" else max(tokens.match[at], at) + 1
    return min(at, end)


def _parameter(tokens: Tokens, start: int, end: int) -> Parameter:
    stop = _equals(tokens, start, end)
    bounds = stop
    while tokens.at(bounds - 1) == b"]":
        bounds = tokens.match[bounds - 1]
    name = bounds - 1
    if name <= start or not tokens.is_word(name) or {b"...", b"(", b"&&"}.intersection(tokens.original[start:stop]):
        raise Declined("a parameter that cannot be read")
    return Parameter(tokens.at(name), (start, name), (bounds, stop), (min(stop + 1, end), end))


def _template_parameter(tokens: Tokens, start: int, end: int) -> TemplateParameter:
    stop = _equals(tokens, start, end)
    words = tokens.original[start:stop]
    if {b"...", b"template", b"auto"}.intersection(words) or len(words) < 2 or not tokens.is_word(stop - 1):
        raise Declined("a template parameter that cannot be read")
    is_type = words[0] in (b"typename", b"class")
    if is_type and len(words) != 2:
        raise Declined("a template parameter that cannot be read")
    kind = (start, start) if is_type else (start, stop - 1)
    return TemplateParameter(tokens.at(stop - 1), kind, (min(stop + 1, end), end))


def template_of(tokens: Tokens, function: Function) -> tuple[TemplateParameter, ...] | None:
    """The template parameters of a function, none of one that is no template; None where they cannot be read."""
    if b"template" not in tokens.original[function.head : function.params]:
        return ()
    opened = function.head + 1
    if tokens.at(function.head) != b"template" or tokens.at(opened) != b"<":
        return None
    behind = skip_template(tokens, opened)
    if b"template" in tokens.original[behind : function.params] or behind - opened < 3:
        return None
    try:
        parts = split_at_commas(tokens, opened + 1, behind - 1, angles=True)
        return tuple(_template_parameter(tokens, *part) for part in parts)
    except Declined:
        return None


def _result(tokens: Tokens, function: Function) -> tuple[int, ...]:
    index, end = function.head, function.params - 1
    found: list[int] = []
    while index < end:
        text = tokens.at(index)
        if text == b"template" and index == function.head:
            index = skip_template(tokens, index + 1)
        elif text in (b"__attribute__", b"__launch_bounds__", b"alignas"):
            index = tokens.match[index + 1] + 1
        else:
            found += [index] if text not in _SPECIFIERS else []
            index += 1
    words = [tokens.at(at) for at in found]
    if words == [b"void"]:
        return ()
    if not words or {b"&", b"&&", b"auto", b"decltype", b"__host__", b"::", b"[", b"friend"}.intersection(words):
        raise Declined("a result that cannot be read")
    return tuple(at for at in found if tokens.at(at) != b"const" or b"*" in words)


class _Declared:
    """The names that a body declares, each with where it has that meaning."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.scopes: list[tuple[bytes, int, int]] = []

    def read(self, items: tuple[Statement, ...], end: int) -> None:
        for item in items:
            self.item(item, end)

    def item(self, item: Statement, end: int) -> None:
        tokens = self.tokens
        if item.kind == "simple":
            self.declaration(item.start, item.end - 1, end)
        elif item.kind in ("for", "if", "while", "do", "{"):
            if item.kind in ("for", "if", "while"):
                close = tokens.match[item.head]
                stop = next((at for at in range(item.head, close) if tokens.at(at) in (b";", b":")), close)
                self.declaration(item.head + 1, stop, item.end)
            self.read(item.parts, item.end)
        elif item.kind not in ("return", "break", "continue"):
            raise Declined(f"'{item.kind}' in a function")

    def declaration(self, start: int, stop: int, end: int) -> None:
        found = declaration(self.tokens, start, stop) if start < stop else None
        for one in found.declarators if found else ():
            self.scopes.append((self.tokens.at(one.name), one.name, end))


def _declares(tokens: Tokens, function: Function, items: tuple[Statement, ...], names: set[bytes]) -> set[bytes]:
    """The variables of a function; raises Declined where a name of theirs has another meaning elsewhere in it."""
    reader = _Declared(tokens)
    close = tokens.match[function.body]
    reader.read(items, close)
    everywhere = [(name, function.body, close) for name in names]
    scopes: dict[bytes, list[Range]] = {}
    for name, start, end in [*reader.scopes, *everywhere]:
        scopes.setdefault(name, []).append((start, end))
    for at in range(function.body, close):
        known = scopes.get(tokens.at(at))
        if known and tokens.at(at - 1) not in (b".", b"->", b"::") and not any(s <= at < e for s, e in known):
            raise Declined("a name with two meanings")
    return set(scopes)


def _changes(tokens: Tokens, start: int, end: int, names: set[bytes]) -> frozenset[bytes]:
    """Names that are not just read in [start, end), by the tokens beside them."""
    found: set[bytes] = set()
    for at in range(start, end):
        name, behind, before = tokens.at(at), tokens.at(at + 1), tokens.at(at - 1)
        if name not in names:
            continue
        if behind[-1:] == b"=" and behind not in (b"==", b"!=", b"<=", b">="):
            found.add(name)
        doubled = tokens.at(at + 2) == behind or tokens.at(at + 2) == behind + b"="
        if behind in (b"+", b"-", b"<", b">") and doubled:
            found.add(name)
        if before == b"&" or (before in (b"+", b"-") and tokens.at(at - 2) == before):
            found.add(name)
    return frozenset(found)


def callee_of(tokens: Tokens, function: Function) -> Callee:
    """What is known of a function; raises Declined where it cannot be written elsewhere."""
    close = tokens.match[function.body]
    body = tokens.original[function.body : close]
    behind = tokens.original[tokens.match[function.params] + 1 : function.body]
    template = template_of(tokens, function)
    if function.role is not Role.DEVICE or template is None or behind not in ((), (b"noexcept",)):
        raise Declined("a function that cannot be read")
    if _REFUSED.intersection(body) or len(body) > _LONGEST or tokens.at(function.params - 2) == b"::":
        raise Declined("a function that means another thing elsewhere")
    if b"__host__" in tokens.original[function.head : function.params]:
        raise Declined("a function for the host, too")
    if any(word == b"static" and b"__shared__" not in body[at : at + 3] and body[at - 1] != b"__shared__"
           for at, word in enumerate(body)):  # fmt: skip
        raise Declined("a static variable")
    if any(tokens.at(at) == b"[" and lambda_body(tokens, at) >= 0 for at in range(function.body, close)):
        raise Declined("a lambda")
    inside = tokens.match[function.params]
    parts = split_at_commas(tokens, function.params + 1, inside, angles=True)
    if tokens.original[function.params + 1 : inside] == (b"void",):
        parts = []
    parameters = tuple(_parameter(tokens, *part) for part in parts)
    items = tuple(statements(tokens, function.body + 1, close))
    own = {one.name for one in parameters}
    given = {one.name for one in template}
    declares = _declares(tokens, function, items, own)
    if given & declares:
        raise Declined("a name with two meanings")
    words = {
        tokens.at(at)
        for at in range(function.params, close)
        if tokens.is_word(at) and tokens.at(at - 1) not in (b".", b"->")
    }
    words |= {tokens.at(at) for at in _result(tokens, function) if tokens.is_word(at)}
    return Callee(
        function, name_of(tokens, function), template, parameters, _result(tokens, function), items,
        frozenset(declares), frozenset(words - declares - given), _changes(tokens, function.body, close, declares),
    )  # fmt: skip
