"""Whether nvcc may count on a product not to overflow that a version has a constant in.

Signed numbers of C++ do not overflow, those of a GPU wrap. With a constant factor nvcc goes by the former: `x * a / b`
is a shift where `a` is 64 times `b`, `x * a < b` a comparison of `x`. Products of indices stay in range, or the kernel
would access what is not there; what is loaded may be any number, as in hashes and random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.ptx.integers import bits
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.undefined import given_by, place_of
from gpuopt_driver.ptx.values import Values, values_of

_SIGNED = frozenset({"div", "rem", "shr", "abs", "min", "max"})
_ORDERS = frozenset({"lt", "le", "gt", "ge"})
_PASSED_ON = frozenset({"mov", "add", "sub", "mad", "neg", "selp"})
_COMPUTED = frozenset({*_PASSED_ON, "mul", "shl", "cvt", "and", "or", "xor"})


def overflows(original: Function, constants: Mapping[str, int], params: Sequence[str]) -> str:
    """A product of the original's of what was loaded and a constant that may be taken not to wrap; "": none."""
    if not constants:
        return ""
    values, given = values_of(original), given_by(constants, params)
    for one in original.instructions:
        if one.base not in ("mul", "mad") or "lo" not in one.opcode.split(".") or not bits(one.type):
            continue
        factors = one.operands[1:3]
        known = any(_is_known(values, name, given) for name in factors)
        if known and any(_is_loaded(values, name) for name in factors):
            user = next(_signed_users(values, one), None)
            if user is not None:
                return f"{one.opcode}, {user.opcode}"
    return ""


def _signed_users(values: Values, product: Instruction) -> Iterator[Instruction]:
    """What computes with a product, or with sums of it, as a number with a sign."""
    waiting, seen = [product.operands[0]], set[str]()
    while waiting:
        register = waiting.pop()
        if register in seen:
            continue
        seen.add(register)
        for user in values.users(register):
            parts = user.opcode.split(".")
            if user.base in _PASSED_ON and "wide" not in parts:
                waiting.append(user.operands[0])
            elif _is_signed(user, register):
                yield user


def _is_signed(user: Instruction, register: str) -> bool:
    """Whether an instruction takes a register for a number with a sign, and gives another result without one."""
    parts = user.opcode.split(".")
    if not user.type.startswith("s"):
        return False
    if user.base == "setp":
        return not _ORDERS.isdisjoint(parts)
    if user.base == "cvt":
        return parts[-2].startswith(("f", "bf"))
    return user.base in _SIGNED and user.operands[1] == register


def _is_known(values: Values, operand: str, given: Mapping[str, int]) -> bool:
    """Whether an operand is a number of the launch that the version has as a constant."""
    sources = values.sources(operand)
    return bool(sources) and all(_is_given(one.instruction, one.constant, given) for one in sources)


def _is_given(maker: Instruction | None, constant: str, given: Mapping[str, int]) -> bool:
    return constant in given if maker is None else place_of(maker) in given


def _is_loaded(values: Values, operand: str) -> bool:
    """Whether a number is made of what was loaded from memory."""
    waiting, seen = [operand], set[str]()
    while waiting:
        register = waiting.pop()
        if register in seen:
            continue
        seen.add(register)
        for maker in values.makers(register):
            if maker.base in ("ld", "ldu", "atom") and not maker.opcode.startswith("ld.param"):
                return True
            if maker.base in _COMPUTED:
                waiting.extend(maker.operands[1:])
    return False
