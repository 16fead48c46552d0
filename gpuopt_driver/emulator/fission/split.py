"""Kernels that are split, from their tokens to the text of a function for whole blocks."""

from __future__ import annotations

import re
from contextlib import suppress

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.fission.checkable import is_checkable
from gpuopt_driver.emulator.fission.masking import in_step_alone
from gpuopt_driver.emulator.fission.names import Names, Variable, modifying_functions
from gpuopt_driver.emulator.fission.parting import MOST
from gpuopt_driver.emulator.fission.plan import Parted, Planner, walk
from gpuopt_driver.emulator.fission.shape import Shape, shape_of
from gpuopt_driver.emulator.fission.text import Strided, Writer, storable
from gpuopt_driver.emulator.fission.tree import BASIC, STEP, Declined, statements
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import declarators
from gpuopt_driver.emulator.statements import functions_reaching, is_const
from gpuopt_driver.emulator.structure import Function, Role, Structure

_NAME = re.compile(rb"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Split:
    """`text`: the body of a function for a whole block, or for threads abreast; `condition`: a constant expression,
    whether it may be used. `checkable`: check mode may run it, too. `parts`: its threads may part. `placed`: functions
    that the kernel calls are written in place."""

    text: bytes
    condition: bytes
    checkable: bool = False
    parts: bool = False
    placed: bool = False
    aliases: bytes = b""  # declarations of types that the condition mentions


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What splitting asks of the unit: functions that may change arguments, variables outside of functions, functions
    that each thread must call even if all get the same."""

    modifying: set[bytes]
    memory: set[bytes]
    acting: set[bytes]


def surroundings(tokens: Tokens, structure: Structure) -> Surroundings:
    """Look at a unit once for all its kernels."""
    memory = {
        tokens.at(name)
        for item in structure.declarations
        if item.params < 0
        for name, _ in declarators(tokens, item.head)
    }

    def acts(function: Function) -> bool:
        words = tokens.original[function.body : tokens.match[function.body]]
        return function.role is not Role.HOST and any(word.startswith(b"atomic") for word in words)

    _, acting = functions_reaching(tokens, structure.functions, acts)
    return Surroundings(modifying_functions(tokens, structure), memory, acting)


def parameters_of(tokens: Tokens, opened: int) -> list[Variable]:
    """The parameters of a kernel."""
    found: list[Variable] = []
    close = tokens.match[opened]
    first, depth, index = opened + 1, 0, opened + 1
    while index <= close:
        text = tokens.at(index)
        depth += (text == b"<") - (text == b">")
        if text in (b"...", b"["):
            raise Declined("a parameter that cannot be read")
        if index == close or (text == b"," and depth == 0):
            words = tokens.original[first:index]
            name = words[: words.index(b"=")][-1:] if b"=" in words else words[-1:]
            for one in name:
                pointer = b"*" in words
                if not (pointer or set(words) <= BASIC | {b"const", one}) and b"mutable" in tokens.original:
                    raise Declined("a parameter whose class may have members that change although it is const")
                found.append(Variable(one, None, None, constant=is_const(words), pointer=pointer))
            first = index + 1
        index = max(tokens.match[index], index) + 1 if index != close else index + 1
    return found


def split_kernel(tokens: Tokens, function: Function, around: Surroundings) -> Split:
    """The kernel as loops over threads; raises Declined where that is not proved to be the same."""
    usual = _split(tokens, function, around, strides=False)
    if not _may_stride(tokens, function):
        return usual
    with suppress(Declined):
        strided = _split(tokens, function, around, strides=True)
        if strided.condition == usual.condition:
            return strided
    return usual


def _may_stride(tokens: Tokens, function: Function) -> bool:
    words = tokens.original[function.body : tokens.match[function.body]]
    return b"+=" in words and not {b"for", b"while"}.isdisjoint(words)


def strided_kernel(tokens: Tokens, function: Function, around: Surroundings) -> Split:
    """A kernel without barriers as loops over threads, for the sake of its strides; raises Declined."""
    if not _may_stride(tokens, function):
        raise Declined("no loop that is a stride")
    found = _split(tokens, function, around, strides=True, needed=True)
    if found.condition != b"true":
        raise Declined("a variable whose type may not be plain")
    return found


def _split(tokens: Tokens, function: Function, around: Surroundings, *, strides: bool, needed: bool = False) -> Split:
    """Threads are asked at the control that they need not agree on."""
    polled: frozenset[int] = frozenset()
    while True:
        try:
            return _split_at(tokens, function, around, polled, strides=strides, needed=needed)
        except Parted as found:
            polled |= found.starts
            if needed or len(polled) > 3 * MOST:
                raise


def _split_at(
    tokens: Tokens, function: Function, around: Surroundings, polled: frozenset[int], *, strides: bool, needed: bool
) -> Split:
    parameters = parameters_of(tokens, function.params)
    names = Names(tokens, around.modifying, [{v.name: v for v in parameters}])
    body = function.body
    items = list(statements(tokens, body + 1, tokens.match[body]))
    shape = shape_of(tokens, names, items, polled=polled, strides=strides)
    planner = Planner(tokens, shape, parameters, around.memory, around.acting)
    plan = planner.plan()
    asked = [piece for piece in walk(shape.pieces) if piece.polled]
    if sum(not piece.masked for piece in asked) > MOST or len(asked) > 2 * MOST:
        raise Declined("too much control at which threads may part")
    in_step = all(piece.masked and in_step_alone(tokens, piece) for piece in asked)
    if STEP in tokens.original[body : tokens.match[body]] and not in_step:  # on fibers other marks are set for them
        raise Declined("lanes that count on each other's steps where threads may part")
    if needed and all(piece.stride is None for piece in walk(shape.pieces)):
        raise Declined("no loop that is a stride")
    checked = not needed and is_checkable(planner, plan)
    text = (Strided if needed else Writer)(tokens, plan, checked=checked).whole()
    types = storable(tokens, plan)
    plain = [b"__is_trivially_copyable(%s)" % one for one in types]
    return Split(text, b"&&".join(plain) or b"true", checked, bool(polled), aliases=aliases_of(tokens, shape, types))


def aliases_of(tokens: Tokens, shape: Shape, types: list[bytes]) -> bytes:
    """The declarations of those types of the kernel's own that are asked for outside of it; raises Declined."""
    outermost = {piece.start for piece in shape.pieces}
    asked = {name for one in types for name in _NAME.findall(one)}
    text = b""
    for piece in walk(shape.pieces):
        word = tokens.at(piece.start) if piece.kind == "keep" else b""
        name = tokens.at(piece.start + 1) if word == b"using" else tokens.at(piece.end - 2)
        if word not in (b"using", b"typedef") or name not in asked:
            continue
        if piece.start not in outermost or shape.names.within(range(piece.start, piece.end)):
            raise Declined("a type of a part of the kernel")
        text += tokens.one_line(piece.start, piece.end)
    return text
