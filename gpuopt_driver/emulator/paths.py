"""Warp operations without a mask: lanes meet in the same call, reached by the same calls, in the same turns of loops.

Calls in the source are numbered; calls of functions that hold such operations, and loops around them, leave a trace
that the runtime compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuopt_driver.emulator.fission.tree import STEP
from gpuopt_driver.emulator.launches import head_of
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.statements import LOOPS, after_bracket, functions_reaching, statement_end
from gpuopt_driver.emulator.structure import Function, Role, Structure

_SHORT = {b"__activemask", b"__ballot", b"__any", b"__all", b"__shfl", b"__shfl_up", b"__shfl_down", b"__shfl_xor"}
_UNMASKED = frozenset(_SHORT | {b"coalesced_threads"})
_IN_ASM = re.compile(rb"activemask|(?:vote|shfl)\.(?!sync)")
SCALE = 64  # numbers between two tokens


def _is_unmasked(tokens: Tokens, index: int) -> bool:
    if tokens.kind[index] is Kind.STRING:
        return _IN_ASM.search(tokens.at(index)) is not None
    text = tokens.at(index)
    if text not in _UNMASKED or tokens.at(index + 1) != b"(":
        return False
    return text == b"coalesced_threads" or tokens.at(index - 1) not in (b".", b"->", b"::")


def _number(tokens: Tokens, index: int) -> None:
    text = tokens.at(index)
    number = SCALE * index
    if text == b"coalesced_threads":
        tokens.text[index] = b"gpuopt_numbered::coalesced_threads_at<%d>" % number
    elif text == STEP:
        tokens.text[index] = b"::gpuopt_emu::in_step_at<%d>" % number
    elif text in _UNMASKED:
        tokens.text[index] = b"::gpuopt_emu::" + text[2:] + b"_at<%d>" % number


def _call_end(tokens: Tokens, index: int) -> int:
    """The `)` of the call of the function named at `index`, -1 if it is none."""
    at = index + 1
    if tokens.at(at) == b"<":
        at = skip_template(tokens, at)
    return tokens.match[at] if tokens.at(at) == b"(" else -1


def _trace_call(tokens: Tokens, index: int) -> None:
    close = _call_end(tokens, index)
    head = head_of(tokens, index)
    if close < 0 or head < 0:
        return
    before = tokens.at(head - 1)
    if before in (b"&", b"*") or (tokens.is_word(head - 1) and before not in (b"return", b"else", b"do")):
        return  # a declaration, or a pointer to the function
    tokens.text[head] = b"(::gpuopt_emu::Path(%d)," % (SCALE * index) + tokens.text[head]
    tokens.text[close] += b")"


def _trace_loop(tokens: Tokens, index: int) -> None:
    end = statement_end(tokens, index)
    body = index + 1 if tokens.at(index) == b"do" else after_bracket(tokens, index + 1)
    tokens.gap[index] = tokens.gap[index].replace(b"#pragma unroll", b"//")
    tokens.text[index] = b"{::gpuopt_emu::Turns gpuopt_turns(%d);" % (SCALE * index) + tokens.text[index]
    next_ = b"gpuopt_turns.next();"
    if tokens.at(body) == b"{":
        tokens.text[body] += next_
    else:
        tokens.text[body] = b"{" + next_ + tokens.text[body]
        tokens.text[statement_end(tokens, body) - 1] += b"}"
    tokens.text[end - 1] += b"}"


def trace_steps(tokens: Tokens, structure: Structure, regions: list[tuple[int, int]]) -> None:
    """Number the steps of lanes (emulator/steps) in the device code `regions`, and trace what leads to them."""
    _trace(tokens, structure, regions, lambda at: tokens.at(at) == STEP)


def trace_unmasked(tokens: Tokens, structure: Structure, regions: list[tuple[int, int]]) -> None:
    """Number the operations in the device code `regions`, and trace what leads to them."""
    _trace(tokens, structure, regions, lambda at: _is_unmasked(tokens, at))


def _trace(tokens: Tokens, structure: Structure, regions: list[tuple[int, int]], is_one: Callable[[int], bool]) -> None:
    device: list[Function] = [f for f in structure.functions if f.role is not Role.HOST]

    def holds_one(function: Function) -> bool:
        return any(is_one(at) for at in range(function.body, tokens.match[function.body]))

    _, names = functions_reaching(tokens, device, holds_one)
    for start, end in regions:
        found = [at for at in range(start, end) if is_one(at)]
        calls = [at for at in range(start, end) if tokens.at(at) in names and _call_end(tokens, at) > 0]
        places = sorted([*found, *calls])
        for at in found:
            _number(tokens, at)
        for at in calls:
            _trace_call(tokens, at)
        for at in range(start, end):
            if not places or tokens.at(at) not in LOOPS or tokens.text[at] == b"" or _ends_do(tokens, start, at):
                continue
            if any(at < place < statement_end(tokens, at) for place in places):
                _trace_loop(tokens, at)


def _ends_do(tokens: Tokens, start: int, index: int) -> bool:
    """Whether the `while` at `index` belongs to a `do`."""
    if tokens.at(index) != b"while":
        return False
    return any(tokens.at(at) == b"do" and statement_end(tokens, at + 1) == index for at in range(start, index))
