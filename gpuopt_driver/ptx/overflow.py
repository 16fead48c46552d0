"""Whether nvcc may count on a number not to overflow that a version computes with a constant.

Signed numbers of C++ do not overflow, those of a GPU wrap. With constants nvcc goes by the former: `x * a / b` is a
shift where `a` is 64 times `b`, `x * a < b` and `x + a < b` are comparisons of `x`, and `(x & 255) * a % b` is a
division without sign. Products of indices stay in range, or the kernel would access what is not there; what is loaded
may be any number, as in hashes, random numbers and distances that stand for infinity. What a constant is made of does
not count (`a + 1`, `a > 3 ? 64 : 32`, a loop's counter), nor whether it is in the product or in what is done with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gpuopt_driver.ptx.elements import Elements
from gpuopt_driver.ptx.integers import Seen, Value, bits
from gpuopt_driver.ptx.ranges import Ranges, magnitude
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.undefined import given_by
from gpuopt_driver.ptx.values import Values, values_of

_ASKED = frozenset({"mul", "mad", "add", "sub", "shl", "neg", "abs"})
_SIGNED = frozenset({"div", "rem", "shr", "abs", "min", "max"})
_ORDERS = frozenset({"lt", "le", "gt", "ge"})
_EQUAL = frozenset({"eq", "ne"})
_PASSED_ON = frozenset({"mov", "add", "sub", "mad", "neg", "selp", "or", "xor", "and", "not", "shl", "mul"})
_WORD = re.compile(r"%[\w.]+")
_State = tuple[str, bool]  # a register, and whether it has a number that was given more bits
_LARGE = 1 << 28  # more than strides of indices


def overflows(original: Function, constants: Mapping[str, int], params: Sequence[str]) -> str:
    """An operation of the original's that may be taken not to wrap, and what is done with its result; "": none."""
    if not constants:
        return ""
    values = values_of(original)
    ranges, barren = Ranges(values, given_by(constants, params)), set[_State]()
    for one in original.instructions:
        if one.base in _ASKED and _is_wide(one) and ranges.may_wrap(one):
            user = _user(values, ranges, one, barren)
            if user is not None:
                return f"{one.opcode}, {user.opcode}"
    return ""


def follows(original: Function, kept: Elements) -> str:
    """An operation of the original's that may be taken not to wrap where these elements are followed.

    In a version that keeps them in registers, nvcc knows of a number that is loaded again what it knew when that was
    stored or tested: that it has no sign, say, so that `s = (s * 5 + 1) & 0x7fffffff` needs no mask the second time.
    Of integers that only add up nothing is known. "": none.
    """
    if not kept.loads:
        return ""
    values = values_of(original)
    ranges, barren = Ranges(values, {}), set[_State]()
    loads = [one for one in kept.loads if bits(one.type)]
    made = {name for one in loads for name in _WORD.findall(one.operands[0])}
    stored = {name for one in kept.stores if bits(one.type) for name in _WORD.findall(one.operands[1])}
    user = next((user for name in made for user, _ in _signed_users(values, ranges, name, barren)), None)
    if user is None:
        return ""
    around = frozenset(ranges.made_of(loads))
    for one in original.instructions:
        if one.base in _ASKED and _is_wide(one) and ranges.may_wrap(one):
            result = one.operands[0]
            if result in around or _reaches(values, result, stored):
                return f"{one.opcode}, {user.opcode}"
    return ""


def signed_users(values: Values, loads: Iterable[Instruction]) -> Sequence[Instruction]:
    """What computes, as with signed numbers, with sums and products of what is loaded that may wrap."""
    ranges = Ranges(values, {})
    around = values.made_of(one for one in loads if bits(one.type))
    asked = (one for one in values.function.instructions if one.base in _ASKED and one.operands[0] in around)
    sums: dict[bool, list[str]] = {True: [], False: []}
    for one in asked:
        if _is_wide(one) and ranges.may_wrap(one):
            sums[one.base in ("add", "sub")].append(one.operands[0])
    found: dict[Instruction, None] = {}
    for is_sum, made in sums.items():  # a sum's parts may be on either side of an equality
        users = (user for user, _ in _users(values, ranges, made, set()))
        found |= dict.fromkeys(one for one in users if one.base != "st" and not (is_sum and _is_equality(one)))
    return [one for one in found if not _extends(values, one)]


def _extends(values: Values, one: Instruction) -> bool:
    """Whether a shift has the sign of fewer bits go through all: nvcc's way to read small integers."""
    makers = values.makers(one.operands[1]) if one.base == "shr" else ()
    shifts = [one, *makers]
    return bool(makers) and all(each.base in ("shl", "shr") and each.operands[-1].isdigit() for each in shifts)


def _reaches(values: Values, register: str, wanted: Collection[str]) -> bool:
    """Whether a register's number, or what is made of it, is in one of these."""
    waiting, seen = [register], set[str]()
    while waiting:
        name = waiting.pop()
        if name in wanted:
            return True
        if name not in seen:
            seen.add(name)
            waiting.extend(one.operands[0] for one in values.users(name) if one.base in _PASSED_ON)
    return False


def _is_wide(one: Instruction) -> bool:
    """Whether a sum or product of integers is as wide as its operands."""
    parts = one.opcode.split(".")
    return bits(one.type) >= 32 and {"wide", "hi", "cc", "sat"}.isdisjoint(parts)


def _user(values: Values, ranges: Ranges, made: Instruction, barren: set[_State]) -> Instruction | None:
    """What computes with a number that may wrap as with one that does not, and that a constant changes."""
    operands = made.operands[1:]
    given = any(ranges.is_given(name) for name in operands)
    varies = len(operands) > 1 and all(ranges.known(name) is Seen.VARIES for name in operands)
    is_loaded = any(ranges.is_loaded(name) for name in operands)
    if not is_loaded and not (given and _has_large_factor(ranges, made)):
        return None
    is_sum = made.base in ("add", "sub")
    if is_sum and given and any(_is_sign(ranges.known(name), bits(made.type)) for name in operands):
        return made  # the sign is added to what has none, so that nvcc sets it
    for user, register in _signed_users(values, ranges, made.operands[0], barren):
        others = [ranges.known(name) for name in user.operands[1:] if name != register and ranges.is_given(name)]
        if varies:  # of two numbers of which nothing is known, a compiler makes something where they meet 0
            others = [one for one in others if not isinstance(one, int) or magnitude(one, bits(made.type)) <= 1]
        if (given or others) and not (is_sum and _is_equality(user)):  # a sum's parts may be on either side
            return user
    return None


def _has_large_factor(ranges: Ranges, made: Instruction) -> bool:
    """Whether a product is one with a number that no index is multiplied by."""
    factors = map(ranges.known, made.operands[1:3]) if made.base in ("mul", "mad") else ()
    return any(isinstance(one, int) and magnitude(one, bits(made.type)) >= _LARGE for one in factors)


def _is_sign(known: Value, width: int) -> bool:
    """Whether a number is the sign bit alone."""
    return isinstance(known, int) and magnitude(known, width) == 1 << (width - 1)


def _is_equality(user: Instruction) -> bool:
    return user.base == "setp" and not _EQUAL.isdisjoint(user.opcode.split("."))


def _signed_users(values: Values, ranges: Ranges, made: str, barren: set[_State]) -> Iterator[tuple[Instruction, str]]:
    """What computes with a number, or with what is made of it, as one with a sign; with the register that it reads.

    `barren` are numbers for which there was nothing, and gets those for which there is nothing now.
    """
    yield from _users(values, ranges, [made], barren)


def _users(
    values: Values, ranges: Ranges, made: Iterable[str], barren: set[_State]
) -> Iterator[tuple[Instruction, str]]:
    """The same of several numbers, each user once for each register."""
    waiting, seen, found = [(one, False) for one in made], set[_State](), False
    while waiting:
        state = register, is_widened = waiting.pop()
        if state in seen or state in barren:
            continue
        seen.add(state)
        for user in values.users(register):
            if _is_signed(user, register) or (_is_stored(user, register) and (is_widened or ".local" in user.opcode)):
                found = True
                yield user, register
            elif _widens(user):
                waiting.append((user.operands[0], True))
            elif user.base in _PASSED_ON and not _is_masked(user, register, ranges):
                waiting.append((user.operands[0], is_widened))
    if not found:
        barren |= seen


def _widens(user: Instruction) -> bool:
    """Whether an instruction makes a number with a sign one of more bits."""
    parts = user.opcode.split(".")
    if user.base in ("mul", "mad"):
        return "wide" in parts and user.type.startswith("s")
    return user.base == "cvt" and user.type.startswith("s") and bits(parts[-2]) > bits(user.type)


def _is_stored(user: Instruction, register: str) -> bool:
    """Whether a number itself is stored or handed on (not: whether it is part of an address)."""
    return user.base in ("st", "red", "atom") and any(register in one for one in user.operands[1:])


def _is_masked(user: Instruction, register: str, ranges: Ranges) -> bool:
    """Whether what may be known of a sign is cut off."""
    if user.base == "mul" and "hi" in user.opcode.split("."):
        return True
    others = [ranges.known(name) for name in user.operands[1:] if name != register]
    return user.base == "and" and any(isinstance(one, int) and not one >> (bits(user.type) - 1) & 1 for one in others)


def _is_signed(user: Instruction, register: str) -> bool:
    """Whether an instruction takes a register for a number with a sign, and gives another result without one."""
    parts = user.opcode.split(".")
    if user.base == "shr" and user.operands[-1] == str(bits(user.type) - 1):
        return user.operands[1] == register  # the sign
    if user.base == "setp" and not _EQUAL.isdisjoint(parts):
        return True
    if user.base == "and":
        return (
            bits(user.type) >= 32 and str((1 << (bits(user.type) - 1)) - 1) in user.operands[1:]
        )  # which is left out where there is no sign
    if not user.type.startswith("s"):
        return False
    if user.base == "setp":
        return not _ORDERS.isdisjoint(parts)
    if user.base == "cvt":
        return parts[-2].startswith(("f", "bf"))
    if user.base == "mul":
        return "hi" in parts  # a division by a constant
    return user.base in _SIGNED and register in user.operands[1:]
