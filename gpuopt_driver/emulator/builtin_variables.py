"""CUDA's built-in variables in a body of device code: which it names itself, and what stands for the others."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function, Role, Structure

# Type, value in a kernel, value elsewhere.
BUILTINS = {
    b"threadIdx": (b"::uint3", b"gpuopt_emu_at.thread", b"::gpuopt_emu::thread_index()"),
    b"blockIdx": (b"::uint3", b"gpuopt_emu_at.block", b"::gpuopt_emu::block_index()"),
    b"blockDim": (b"::dim3", b"gpuopt_emu_at.block_size", b"::gpuopt_emu::block_size()"),
    b"gridDim": (b"::dim3", b"gpuopt_emu_at.grid_size", b"::gpuopt_emu::grid_size()"),
}

# Words in front of a value that name no type.
_NO_TYPES = frozenset(
    {b"return", b"else", b"do", b"case", b"goto", b"throw", b"co_return", b"co_yield", b"sizeof", b"new", b"delete"}
    | {b"and", b"or", b"not", b"xor", b"operator", b"typename", b"mutable"}
)
_BEFORE_VALUES = frozenset(
    {b"=", b"(", b",", b"{", b"[", b"?", b"!", b"~", b"+", b"-", b"/", b"%", b"==", b"!=", b"<=", b">=", b"||", b"|"}
    | {b"^", b"return"}
)


def _default_capture(tokens: Tokens, opened: int) -> bool:
    return tokens.at(opened + 1) in (b"=", b"&") and tokens.at(opened + 2) in (b",", b"]")


def lambda_body(tokens: Tokens, opened: int) -> int:
    """The `{` of the lambda whose introducer is the `[` at `opened`, -1 if it is a subscript or an attribute."""
    before = tokens.at(opened - 1)
    if tokens.match[opened] < 0 or before in (b")", b"]", b"[") or tokens.at(opened + 1) == b"[":
        return -1
    if tokens.is_word(opened - 1) and before not in (b"return", b"else", b"do", b"case", b"mutable"):
        return -1
    index = tokens.match[opened] + 1
    while index < len(tokens) and tokens.at(index) not in (b";", b")", b",", b"}"):
        if tokens.at(index) == b"{":
            return index
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return -1


def closed_regions(tokens: Tokens, start: int, end: int) -> list[tuple[int, int]]:
    """Parts of a function body that cannot see its local variables: local classes, lambdas without default capture."""
    regions: list[tuple[int, int]] = []
    index = start
    while index < end:
        text = tokens.at(index)
        body = -1
        if text == b"[" and tokens.match[index] > index and not _default_capture(tokens, index):
            body = lambda_body(tokens, index)
        elif text in (b"struct", b"class", b"union"):
            ahead = index + 1
            while ahead < end and tokens.at(ahead) not in (b"{", b";", b"(", b")", b"=", b",", b">"):
                ahead += 1
            body = ahead if tokens.at(ahead) == b"{" else -1
        if body >= 0 and tokens.match[body] > body:
            regions.append((body, tokens.match[body]))
            index = tokens.match[body]
        index += 1
    return regions


def _is_global(tokens: Tokens, index: int) -> bool:
    """Whether a name is `::name`, of no class and no namespace."""
    before = tokens.at(index - 2)
    named = (tokens.is_word(index - 2) and before not in _NO_TYPES) or before == b">"
    return tokens.at(index - 1) == b"::" and not named


def _is_member(tokens: Tokens, index: int) -> bool:
    """Whether a name is one of an object, a class or a namespace."""
    before = tokens.at(index - 1)
    return before in (b".", b"->") or (before == b"::" and not _is_global(tokens, index))


def _declares(tokens: Tokens, index: int) -> bool:
    """Whether a name is declared there: behind the name of a type, or behind `&` or `*` and with a value."""
    before, after = tokens.at(index - 1), tokens.at(index + 1)
    if tokens.is_word(index - 1):
        return before not in _NO_TYPES and after != b"."
    valued = after in (b"{", b":") or (after == b"=" and tokens.at(index + 2) != b"=")
    return before in (b"&", b"*", b">") and valued


def name_builtins(
    tokens: Tokens, start: int, end: int, closed: list[tuple[int, int]] | None, hidden: Iterable[bytes] = ()
) -> set[bytes]:
    """Give built-in variables in [start, end) their values; those outside `closed` stay names, and are returned.

    `closed` is None where all are replaced; `hidden` are the names of parameters and members. Behind a local
    declaration of such a name (`const uint3 threadIdx = ...`, as versions of kernels have it), up to the end of its
    block, it means that variable; `::threadIdx` never does.
    """
    used: set[bytes] = set()
    always = set(hidden)
    local: dict[bytes, int] = {}  # where the variable's block ends
    blocks = [end]
    for index in range(start, end):
        text = tokens.at(index)
        if text == b"{" and tokens.match[index] > index:
            blocks.append(tokens.match[index])
        elif text == b"}" and len(blocks) > 1:
            blocks.pop()
        if text not in BUILTINS or tokens.text[index] != text:
            continue
        outer = _is_global(tokens, index)
        if not outer and _declares(tokens, index):
            local[text] = max(local.get(text, 0), blocks[-1])
        mine = text in always or index < local.get(text, 0)
        if _is_member(tokens, index) or (mine and not outer):
            continue
        if outer:
            tokens.text[index - 1] = b""
        if mine or closed is None or any(opened <= index <= close for opened, close in closed):
            tokens.text[index] = BUILTINS[text][2]
        else:
            used.add(text)
    return used


def _is_read(tokens: Tokens, index: int) -> bool:
    """Whether a name outside of function bodies is a value there, and declares nothing."""
    if tokens.at(index + 1) == b"." or _is_global(tokens, index):
        return True
    before = tokens.at(index - 1)
    if before in {b"{", b","}:  # not one of an enumeration
        opened = index
        while opened > 0 and not (tokens.match[opened] > index):
            opened -= 1
        start = opened
        while start > 0 and tokens.at(start - 1) not in (b";", b"{", b"}"):
            start -= 1
        if tokens.at(opened) == b"{" and b"enum" in tokens.original[start:opened]:
            return False
    return before in _BEFORE_VALUES


def name_builtins_between(tokens: Tokens, structure: Structure) -> None:
    """Built-in variables outside function bodies: default arguments, initialisers of members and of constructors."""
    inside: set[int] = set()
    for function in structure.functions:
        inside.update(range(function.body, tokens.match[function.body]))
        hidden = BUILTINS if function.role is Role.HOST else BUILTINS.keys() & parameter_names(tokens, function)
        inside.update(at for at in range(function.head, function.body) if tokens.at(at) in hidden)
    members = Members(tokens)
    for index in tokens.places(*BUILTINS):
        text = tokens.original[index]
        if index in inside or tokens.text[index] != text:
            continue
        outer = _is_global(tokens, index)
        if _is_member(tokens, index) or not _is_read(tokens, index) or (not outer and text in members.at(index)):
            continue
        if outer:
            tokens.text[index - 1] = b""
        tokens.text[index] = BUILTINS[text][2]


class Members:
    """Classes that have members named as built-in variables are, with which bodies those are seen in."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._bodies: list[tuple[int, int, bytes]] = []
        self._names: dict[bytes, set[bytes]] = {}
        if BUILTINS.keys().isdisjoint(tokens.original):
            return
        for index in tokens.places(b"struct", b"class", b"union"):
            parameter = tokens.at(index - 1) in (b"<", b",")
            if tokens.is_word(index + 1) and not parameter:
                self._class(index + 1)

    def _class(self, name: int) -> None:
        tokens = self._tokens
        opened = name + 1
        while tokens.at(opened) not in (b"{", b";", b"(", b")", b"=", b""):
            opened += 1
        close = tokens.match[opened] if tokens.at(opened) == b"{" else -1
        if close < 0:
            return
        bases = (self._names.get(tokens.at(at), set()) for at in range(name + 1, opened))
        found = set[bytes]().union(*bases)
        index = opened + 1
        while index < close:
            if tokens.at(index) in BUILTINS and _is_declared_member(tokens, index):
                found.add(tokens.at(index))
            index = max(tokens.match[index], index) + 1
        if found:
            self._names[tokens.at(name)] = self._names.get(tokens.at(name), set()) | found
            self._bodies.append((opened, close, tokens.at(name)))

    def at(self, index: int) -> set[bytes]:
        """The members that are seen in the class around a token."""
        around = [name for opened, close, name in self._bodies if opened < index < close]
        return set[bytes]().union(*(self._names[name] for name in around))

    def of(self, function: Function) -> set[bytes]:
        """The members that a function's body sees: in its class, or in that which its name has in front."""
        tokens = self._tokens
        outer = function.params - 2
        owner = b""
        if tokens.at(outer) == b"::":
            at = outer - 1
            if tokens.at(at) == b">":
                depth = 0
                while at > function.head:
                    depth += (tokens.at(at) == b">") - (tokens.at(at) == b"<")
                    at -= 1
                    if not depth:
                        break
            owner = tokens.at(at)
        return self.at(function.body) | self._names.get(owner, set())


def _is_declared_member(tokens: Tokens, index: int) -> bool:
    """Whether a name in a class's body, outside of all brackets in it, is a member that is declared there."""
    before, after = tokens.at(index - 1), tokens.at(index + 1)
    typed = (tokens.is_word(index - 1) and before not in _NO_TYPES) or before in (b"*", b"&", b">", b",")
    return typed and after in (b";", b",", b"=", b"{", b"[", b":")


def parameter_names(tokens: Tokens, function: Function) -> set[bytes]:
    """The words of a function's parameter list that may be the names of parameters."""
    close = tokens.match[function.params]
    names: set[bytes] = set()
    at = function.params + 1
    while at < close:
        if tokens.at(at + 1) in (b",", b")", b"=", b"["):
            names.add(tokens.at(at))
        if tokens.at(at) == b"=":  # a default argument
            while at < close and tokens.at(at) != b",":
                at = max(tokens.match[at], at) + 1
        at += 1
    return names


def hidden_by(tokens: Tokens, function: Function) -> set[bytes]:
    """The built-in variables whose names a function's parameters, or those of its template, have."""
    head = set(tokens.original[function.head : function.params])
    return parameter_names(tokens, function) | {name for name in BUILTINS if name in head}


def drop_global_scope(tokens: Tokens, structure: Structure) -> bool:
    """Write `threadIdx` for `::threadIdx` where no variable of a function could be meant by that; whether any was."""
    places = [at for at in tokens.places(*BUILTINS) if _is_global(tokens, at)]
    if not places:
        return False
    members = Members(tokens)
    dropped = False
    for at in places:
        text = tokens.at(at)
        around = [f for f in structure.functions if f.head <= at <= tokens.match[f.body]]
        words = [range(f.params, tokens.match[f.body]) for f in around]
        declared = any(tokens.at(one) == text and _named(tokens, one) for run in words for one in run)
        if not declared and text not in members.at(at) and not any(text in members.of(f) for f in around):
            tokens.text[at - 1] = b""
            dropped = True
    return dropped


def _named(tokens: Tokens, index: int) -> bool:
    """Whether a name may be declared there, as a variable or a parameter."""
    return _declares(tokens, index) or (
        tokens.at(index - 1) in (b"&", b"*", b">") and tokens.at(index + 1) in (b",", b")", b";", b"[")
    )


def builtins_of(tokens: Tokens, function: Function, members: Members) -> set[bytes]:
    """The built-in variables that a kernel's body names itself; where it cannot, they get their values."""
    start, end = function.body + 1, tokens.match[function.body]
    hidden = hidden_by(tokens, function) | members.of(function)
    return name_builtins(tokens, start, end, closed_regions(tokens, start, end), hidden)
