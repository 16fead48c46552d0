"""Where the functions and variables of a translation unit are, as far as CUDA gives them a meaning of its own."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import skip_template

_CLASS = frozenset({b"class", b"struct", b"union", b"enum"})
_SPACES = frozenset({b"__shared__", b"__device__", b"__constant__", b"__managed__"})
# Words whose parenthesis is not a parameter list.
_TAKES_ARGUMENTS = frozenset(
    {b"__launch_bounds__", b"__cluster_dims__", b"__maxnreg__", b"__attribute__", b"noexcept", b"throw", b"alignas"}
    | {b"decltype", b"requires", b"__align__", b"typeof", b"__typeof__", b"explicit", b"sizeof", b"asm", b"__asm__"}
)


_ACCESS = frozenset({b"public", b"private", b"protected"})


class Role(Enum):
    """Who runs a function."""

    KERNEL = "kernel"
    DEVICE = "device"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body. All fields are token indices; `params` and `body` are opening brackets."""

    role: Role
    head: int
    params: int
    body: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable, or a function without a body, outside functions: tokens [head, end), `end` is its `;`."""

    head: int
    end: int
    in_class: bool
    params: int  # the parameter list of a function, -1 for variables


@dataclass(slots=True)
class Structure:
    """What `outline` found, in the order of the source."""

    functions: list[Function] = field(default_factory=list)
    in_class: set[int] = field(default_factory=set)  # heads of functions that are members
    declarations: list[Declaration] = field(default_factory=list)

    def device(self) -> list[Function]:
        """Kernels, and functions that they may call."""
        return [function for function in self.functions if function.role is not Role.HOST]


def _role(tokens: Tokens, head: int, end: int) -> Role:
    words = tokens.original[head:end]
    if b"__global__" in words:
        return Role.KERNEL
    return Role.DEVICE if b"__device__" in words else Role.HOST


def parameter_list(tokens: Tokens, head: int, end: int) -> int:
    """The `(` of the parameter list in a declaration's tokens [head, end), -1 if it declares no function."""
    found = -1
    index = _behind_heads(tokens, head, end)
    while index < end:
        text = tokens.at(index)
        if text == b"(" and tokens.match[index] > index:
            previous = tokens.at(index - 1)
            if previous == b"operator":  # operator()
                index = tokens.match[index] + 1
                continue
            if previous not in _TAKES_ARGUMENTS:
                found = index
            index = tokens.match[index]
        elif text == b"[" and tokens.match[index] > index:  # bounds may have parentheses
            index = tokens.match[index]
        elif text in (b"=", b"->", b":") and found >= 0:  # a colon: a constructor's initialisers
            break
        index += 1
    return found


def _behind_heads(tokens: Tokens, head: int, end: int) -> int:
    """From a declaration's first token to behind its `template <...>`, whose defaults may have parentheses."""
    while tokens.at(head) == b"template" and tokens.at(head + 1) == b"<":
        head = min(skip_template(tokens, head + 1), end)
    return head


def _skip_declarators(tokens: Tokens, index: int, end: int) -> int:
    """From behind a class body to behind the `;` that ends its declaration."""
    while index < end and tokens.at(index) != b";":
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return index + 1


def outline(tokens: Tokens) -> Structure:
    """Functions and declarations of the unit, members included; local classes belong to their function."""
    structure = Structure()
    _scope(tokens, 0, len(tokens), structure, in_class=False)
    return structure


def _scope(tokens: Tokens, index: int, end: int, structure: Structure, *, in_class: bool) -> None:
    head = index
    while index < end:
        text = tokens.at(index)
        if text == b";":
            _declaration(tokens, head, index, structure, in_class=in_class)
        unclosed = text == b"{" and tokens.match[index] < index  # the rest is not read
        if text in (b";", b"}") or unclosed or (text == b":" and in_class and tokens.at(index - 1) in _ACCESS):
            head = index = index + 1
        elif text == b"{":
            index, closed = _braces(tokens, head, index, end, structure, in_class=in_class)
            head = index if closed else head
        elif tokens.match[index] > index:
            index = tokens.match[index] + 1
        else:
            index += 1


def _braces(
    tokens: Tokens, head: int, opened: int, end: int, structure: Structure, *, in_class: bool
) -> tuple[int, bool]:
    """What the `{` at `opened` begins; where to go on, and whether the declaration ended there."""
    close = tokens.match[opened]
    if tokens.at(opened - 1) == b"=":
        return close + 1, False  # an initializer, of whatever type
    before = tokens.match[opened - 1] if tokens.at(opened - 1) == b")" else opened
    if tokens.at(before - 1) == b"requires":
        return close + 1, False  # what a constraint asks for
    words = tokens.original[head:opened]
    params = parameter_list(tokens, head, opened)
    if b"namespace" in words or (words[:1] == (b"extern",) and len(words) == 2):
        _scope(tokens, opened + 1, close, structure, in_class=False)
        return close + 1, True
    own = _own_words(tokens, head, opened)
    if _CLASS.intersection(own) and tokens.at(opened - 1) != b")":
        if b"enum" not in own:
            _scope(tokens, opened + 1, close, structure, in_class=True)
        if _SPACES.intersection(words):
            return close + 1, False  # __device__ struct {...} variable;
        return _skip_declarators(tokens, close + 1, end), True
    if params < 0:
        return close + 1, False  # an initializer
    after = tokens.original[tokens.match[params] + 1 : opened]
    if b":" in after and (tokens.is_word(opened - 1) or tokens.at(opened - 1) == b">"):
        return close + 1, False  # a member's initializer in braces
    structure.functions.append(Function(_role(tokens, head, opened), head, params, opened))
    if in_class:
        structure.in_class.add(head)
    return close + 1, True


def _own_words(tokens: Tokens, head: int, end: int) -> set[bytes]:
    """The tokens of a declaration outside brackets and template argument lists."""
    words: set[bytes] = set()
    depth = 0
    index = head
    while index < end:
        text = tokens.at(index)
        depth += (text == b"<") - (text == b">")
        if depth == 0:
            words.add(text)
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return words


def _defines_a_class_only(tokens: Tokens, head: int, end: int) -> bool:
    """Whether [head, end) is `__device__ class A : public B {...}`, which nvcc takes: it declares no variable."""
    opened = tokens.match[end - 1]
    if tokens.at(end - 1) != b"}" or tokens.at(opened - 1) in (b"=", b")"):
        return False
    names: list[bytes] = []
    index = next((at for at in range(head, opened) if tokens.at(at) in _CLASS), opened) + 1
    found = index <= opened
    while index < opened and tokens.at(index) != b":":
        if tokens.is_word(index) and tokens.at(index) != b"final" and tokens.at(index + 1) != b"(":
            names.append(tokens.at(index))
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return found and len(names) == 1


def _declaration(tokens: Tokens, head: int, end: int, structure: Structure, *, in_class: bool) -> None:
    words = tokens.original[head:end]
    if not _SPACES.intersection(words) and b"__global__" not in words:
        return
    if _defines_a_class_only(tokens, head, end):
        return
    params = parameter_list(tokens, head, end)
    equals = next((at for at in range(head, end) if tokens.at(at) in (b"=", b"{")), end)
    structure.declarations.append(Declaration(head, end, in_class, params if params < equals else -1))
