"""Older programs count on the threads of a warp running in step when they work on volatile memory; so they do here.

A statement `v[i] op= e;` with a volatile `v` is split: all lanes that can come compute, then all of them store, then
all go on. Where elements may be objects, which have operators of their own, the host compiler decides whether it is
(include/gpuopt_emu/elements.h). Split, too, is `s[i] op= s[i ^ n];`, where lanes exchange elements, of any memory.
A loop that only waits (`while (v[i] == 0);`), or reads what is volatile, lets other threads run now and then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import declarators, statement_start
from gpuopt_driver.emulator.statements import statement_end
from gpuopt_driver.emulator.structure import Function, Structure

_ASSIGNMENTS = frozenset({b"=", b"+=", b"-=", b"*=", b"/=", b"|=", b"&=", b"^="})
_STARTS = frozenset({b";", b"{", b"}", b")", b"else", b"do", b":"})
VALUE = b"gpuopt_emu_value"
POLITE = b"::gpuopt_emu::maybe_waiting()"
_STEP = b"::gpuopt_emu::step_at<%d>();"
_NUMBERS = frozenset(
    {b"bool", b"char", b"short", b"int", b"long", b"signed", b"unsigned", b"float", b"double", b"size_t", b"uint"}
    | {b"int%d_t" % bits for bits in (8, 16, 32, 64)}
    | {b"uint%d_t" % bits for bits in (8, 16, 32, 64)}
)


def _of_numbers(words: Iterable[bytes]) -> bool:
    """Whether these words of a declaration say that the elements are numbers; else they may be objects."""
    return not _NUMBERS.isdisjoint(words)


def _parameter_names(tokens: Tokens, opened: int) -> dict[bytes, bool]:
    """Names of the parameters that are declared with `volatile`, and whether their elements are numbers."""
    names: dict[bytes, bool] = {}
    name, volatile = b"", False
    first = index = opened + 1
    close = tokens.match[opened]
    while index <= close:
        text = tokens.at(index)
        if index == close or text == b",":
            if volatile:
                names[name] = _of_numbers(tokens.original[first:index])
            name, volatile, first = b"", False, index + 1
        elif text == b"volatile":
            volatile = True
        elif tokens.is_word(index):
            name = text
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return names


def _declared_names(tokens: Tokens, start: int, end: int) -> dict[bytes, bool]:
    """Names declared with `volatile` in [start, end), and whether their elements are numbers."""
    names: dict[bytes, bool] = {}
    for index in range(start, end):
        if tokens.at(index) != b"volatile" or tokens.at(index - 1) in (b"asm", b"__asm__", b"(", b"<", b","):
            continue
        first = statement_start(tokens, index)
        if all(tokens.is_word(at) or tokens.at(at) in (b"*", b"::", b"<", b">") for at in range(first, index)):
            names.update(_declarators(tokens, first))
    return names


def _declarators(tokens: Tokens, first: int) -> dict[bytes, bool]:
    """The names that the declaration at `first` declares, and whether they, or their elements, are numbers."""
    found = [name for name, _ in declarators(tokens, first)]
    return {tokens.at(name): _of_numbers(tokens.original[first : found[0]]) for name in found}


def left_side(tokens: Tokens, index: int) -> int:
    """Behind `name[...].member` that begins at `index`."""
    index += 1
    while tokens.at(index) in (b"[", b"."):
        index = tokens.match[index] + 1 if tokens.at(index) == b"[" else index + 2
    return index


def _end_of_statement(tokens: Tokens, index: int) -> int:
    while index < len(tokens) and tokens.at(index) not in (b";", b"}"):
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return index


def _split(tokens: Tokens, start: int, operator: int, end: int, *, exchange: bool, objects: bool) -> None:
    """Split the assignment [start, end] at its operator, compute before store; an `exchange`: its right side.

    `objects`: its left side may be one.
    """
    left = tokens.one_line(start, operator)
    assignment, operation = (tokens.at(operator), b"") if exchange else (b"=", tokens.at(operator)[:-1])
    store = left + assignment + VALUE
    value = left + b" " + operation if operation else b""
    if objects and operation:
        store = b"::gpuopt_emu::store(" + left + b"," + VALUE + b")"
        value = b"::gpuopt_emu::element(" + left + b") " + operation
    tokens.text[start] = b"{const auto " + VALUE + b"=" + value
    tokens.clear(start + 1, operator)
    tokens.text[operator] = b"("
    stores = _STEP % start + store + b";" + _STEP % end
    tokens.text[end] = b");" + stores + b"}"


def _exchanged(tokens: Tokens, name: bytes, start: int, end: int) -> bool:
    """Whether [start, end) reads another element of the array `name`: one whose index is a lane's with bits flipped."""
    return any(
        tokens.at(at) == name
        and tokens.at(at + 1) == b"["
        and tokens.at(at - 1) not in (b".", b"->", b"::")
        and b"^" in tokens.original[at + 2 : tokens.match[at + 1]]
        for at in range(start, end)
    )


def in_step(tokens: Tokens, start: int, end: int) -> bool:
    """Whether lanes wait for each other in the code [start, end), as this module has written it."""
    return any(b"::gpuopt_emu::step_at<" in text for text in tokens.text[start:end])


def _statements(tokens: Tokens, function: Function, names: Mapping[bytes, bool]) -> None:
    close = tokens.match[function.body]
    around = [b"{"]  # the brackets that are open
    for index in range(function.body + 1, close):
        text = tokens.at(index)
        if text in (b"(", b"[", b"{"):
            around.append(text)
        elif text in (b")", b"]", b"}") and len(around) > 1:
            around.pop()
        if around[-1] != b"{" or tokens.at(index + 1) not in (b"[", b".") or tokens.at(index - 1) not in _STARTS:
            continue
        operator = left_side(tokens, index)
        if tokens.at(operator) not in _ASSIGNMENTS or not _is_element(tokens, index, operator):
            continue
        end = _end_of_statement(tokens, operator)
        exchange = text not in names and _exchanged(tokens, text, operator, end)
        if tokens.at(end) == b";" and (exchange or text in names):
            objects = not names.get(text, True) and tokens.at(operator - 1) == b"]"  # members may be bit-fields
            _split(tokens, index, operator, end, exchange=exchange, objects=objects)


def _is_element(tokens: Tokens, start: int, end: int) -> bool:
    """Whether [start, end) is an array element whose index may be computed twice."""
    words = tokens.original[start:end]
    effects = any(first == second and first in (b"+", b"-") for first, second in pairwise(words))
    return b"[" in words and not effects and not {b"(", b"=", b"{"}.intersection(words)


def _waiting_loops(tokens: Tokens, start: int, end: int, names: Mapping[bytes, bool]) -> None:
    """Let others go on in loops that may wait for them: those without a body, and those that read what is volatile."""
    for index in range(start, end):
        opened = index + 1
        if tokens.at(index) != b"while" or tokens.at(opened) != b"(" or tokens.match[opened] < opened:
            continue
        before = tokens.match[index - 1] if tokens.at(index - 1) == b"}" else index
        done = before < index - 2 and tokens.at(before - 1) == b"do"
        body = before if done else tokens.match[opened] + 1
        if tokens.at(body) == b";" or (tokens.at(body) == b"{" and tokens.match[body] == body + 1 and not done):
            tokens.text[opened] = b"(" + POLITE + b","
            continue
        around = (
            tokens.original[body : tokens.match[opened]]
            if done
            else tokens.original[opened : statement_end(tokens, body)]
        )
        if not any(word in names or word == b"volatile" for word in around):
            continue
        if tokens.at(body) == b"{":
            tokens.text[body] += POLITE + b";"
        elif b"=" not in tokens.original[opened : tokens.match[opened]]:  # the condition declares nothing
            tokens.text[opened] = b"(" + POLITE + b","


def keep_in_step(tokens: Tokens, structure: Structure, functions: list[Function]) -> None:
    """Split such assignments of device functions and kernels, and make their waiting loops polite."""
    outside: dict[bytes, bool] = {}
    for item in structure.declarations:
        if b"volatile" in tokens.original[item.head : item.end] and item.params < 0:
            outside.update(_declarators(tokens, item.head))
    for function in functions:
        close = tokens.match[function.body]
        names = outside | _parameter_names(tokens, function.params) | _declared_names(tokens, function.body + 1, close)
        _waiting_loops(tokens, function.body + 1, close, names)
        if names or b"^" in tokens.original[function.body : close]:
            _statements(tokens, function, names)
