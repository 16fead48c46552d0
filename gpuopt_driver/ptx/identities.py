"""Whether nvcc may leave out, in a version, an operation of floating-point numbers that gives back its operand.

A compiler takes `x * 1.0f`, `x / 1.0f` and `x - 0.0f` for `x`. A GPU that executes them gives another number for two
kinds of `x`: of each NaN it makes its own, and with `.ftz` of what is denormal zero. What other operations have made
has gone through that already; what is loaded has not. So it counts where a number that the version's compiler knows
and the original's does not (`numbers.py`) makes such an operation of another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.ptx.computed import is_approximate
from gpuopt_driver.ptx.elements import Elements
from gpuopt_driver.ptx.numbers import ARITHMETIC, Number, Numbers, Unknown, is_from_whole, is_real, value_of
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.undefined import given_by
from gpuopt_driver.ptx.values import Source, values_of

_ASKED = frozenset({"mul", "div", "sub", "add"})
_NOTHING = Elements()


def left_out(
    original: Function, constants: Mapping[str, int], params: Sequence[str], followed: Elements = _NOTHING
) -> str:
    """An operation of the original's that a version with these constants may have without executing it; "": none.

    `followed`: what the version's compiler follows and the original's does not. An approximate operation of which all
    operands are known counts, too: a compiler gives another result.
    """
    if not constants and not followed.loads:
        return ""
    known = Numbers(values_of(original), given_by(constants, params), followed)
    found = next(given_back(known), None)
    if found is None and known.follows_any:
        found = next(approximated(known), None)
    return "" if found is None else found.opcode


def asked_of(function: Function) -> Sequence[Instruction]:
    """The operations of a function that may be among `given_back` or `approximated`, whatever is known."""
    return [one for one in function.instructions if _may_give_back(one) or _is_approximated(one)]


def given_back(known: Numbers) -> Iterator[Instruction]:
    """The operations of a function that may give an operand back, so that it counts."""
    for one in known.values.function.instructions:
        if _may_give_back(one):
            first, second = one.operands[1:]
            if any(_gives_back(known, one, kept, other) for kept, other in ((first, second), (second, first))):
                yield one


def approximated(known: Numbers) -> Iterator[Instruction]:
    """The approximate operations of a function whose operands may all be known, of quotients one that no text gives."""
    for one in known.values.function.instructions:
        if not _is_approximated(one):
            continue
        told = [operand for operand in one.operands[1:] if known.may_be_known(one, operand)]
        is_divided = one.base == "div" and any(_is_made_in_it(known, operand) for operand in told)
        if is_divided or len(told) == len(one.operands) - 1:
            yield one


def _may_give_back(one: Instruction) -> bool:
    return one.base in _ASKED and is_real(one.type) and len(one.operands) == 3


def _is_approximated(one: Instruction) -> bool:
    return one.base in ARITHMETIC and is_approximate(one)


def _is_made_in_it(known: Numbers, operand: str) -> bool:
    """Whether an operand is not a constant of the text alone, which every version has."""
    return any(source.instruction is not None for source in known.values.sources(operand))


def _gives_back(known: Numbers, one: Instruction, kept: str, other: str) -> bool:
    """Whether an operation may give `kept` back, sign aside, for what is known of `other`; and it would count."""
    numbers = known.at(one, other)
    if one.base == "sub" and kept != one.operands[1]:  # -0 - x
        return any(_is_zero(number, negative=True) for number in numbers) and not _is_whole(known, kept)
    if one.base == "div" and kept != one.operands[1]:
        return False
    neutral = any(_is_neutral(one.base, number) for number in numbers)
    turns = one.base in ("mul", "div") and -1 in map(value_of, numbers)  # the sign of a NaN, too
    return (neutral and not _is_made(known, kept, one)) or (turns and not _is_whole(known, kept))


def _is_made(known: Numbers, operand: str, user: Instruction) -> bool:
    """Whether all that an operand can hold is a constant, or comes out of operations like the user."""
    return all(_made(source, user) for source in known.values.sources(operand))


def _made(source: Source, user: Instruction) -> bool:
    maker = source.instruction
    if maker is None:
        return True
    flushes = "ftz" in maker.opcode.split(".") or "ftz" not in user.opcode.split(".")
    return (maker.base in ARITHMETIC and maker.type == user.type and flushes) or is_from_whole(maker)


def _is_whole(known: Numbers, operand: str) -> bool:
    makers = [source.instruction for source in known.values.sources(operand)]
    return all(maker is None or is_from_whole(maker) for maker in makers)


def _is_neutral(base: str, number: Number) -> bool:
    if isinstance(number, Unknown):
        return number.folds
    if base in ("mul", "div"):
        return value_of(number) == 1
    return _is_zero(number, negative=base == "add")


def _is_zero(number: Number, *, negative: bool) -> bool:
    value = value_of(number)
    return value == 0 and str(value).startswith("-") is negative
