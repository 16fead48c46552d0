"""Assignments to volatile elements, which lanes make in step, as kernels that are split have them: with marks between.

`v[i] += x;`, of which `lockstep.py` has made `{const auto value = v[i] + (x); <step>; v[i] = value; <step>}` for
fibers, becomes `T value = v[i] + (x); gpuopt_emu_step(); v[i] = value; gpuopt_emu_step();`.
"""

from __future__ import annotations

from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import Declined, Statement
from gpuopt_driver.emulator.inlining.draft import Token, word
from gpuopt_driver.emulator.inlining.types import Type
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.lockstep import VALUE

_BEGINS = b"{const auto " + VALUE + b"="


def is_in_step(tokens: Tokens, item: Statement) -> bool:
    """Whether lanes make the statement in step."""
    return tokens.text[item.start].startswith(_BEGINS)


def holds_steps(tokens: Tokens, item: Statement) -> bool:
    """Whether lanes make a statement in this one in step."""
    return any(tokens.text[at].startswith(_BEGINS) for at in range(item.start, item.end))


def stores_in_step(tokens: Tokens, item: Statement, operator: int) -> bool:
    """Whether it is an assignment as they are read, to what its tokens say."""
    text, sign = tokens.text[item.end - 1], tokens.at(operator)
    for name, (_, _, value) in BUILTINS.items():
        text = text.replace(value, name)
    left = b"".join(tokens.original[item.start : operator])
    text = text.replace(b" ", b"")
    exchanges = sign != b"=" and left + sign + VALUE in text
    return not exchanges and (left + b"=" + VALUE in text or b"::store(" + left + b"," + VALUE in text)


def element_of(kind: Type, left: list[Token]) -> list[Token]:
    """The type of an element `left` of a pointer or an array of this type."""
    at = left[0].at
    depth, brackets = 0, 0
    for one in left:
        brackets += one.word == b"[" and depth == 0
        depth += (one.word == b"[") - (one.word == b"]")
        if one.word in (b".", b"->") and depth == 0:
            raise Declined("a member that lanes store in step")
    deep = kind.stars + sum(1 for one in kind.bounds if one.word == b"[")
    if deep != brackets or kind.stars not in (0, 1) or (kind.stars and kind.bounds):
        raise Declined("an element whose type cannot be told")
    return [word(one.word, at, one.text) for one in kind.base if one.word != b"const"]
