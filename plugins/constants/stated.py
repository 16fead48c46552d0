"""What the policy says launches have (`known`): numbers that a program was seen with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuopt_driver.api import Kernel, Param, dataclass, did_you_mean

from .known import MOST_THREADS, Known, Triple, is_usable

_SIZES = re.compile(r"(\d+)(?:x(\d+))?(?:x(\d+))?")
_NUMBER = re.compile(r"[+-]?\d+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DIMENSIONS = ("blockDim", "gridDim")
_MOST = {"blockDim": (1024, 1024, 64), "gridDim": ((1 << 31) - 1, 65535, 65535)}
_EXAMPLE = 'as in "blockDim = 256x1x1, width = 1920"'


@dataclass(frozen=True, slots=True)
class Stated:
    """One entry: sizes of block and grid, and values of parameters of these names."""

    text: str
    dimensions: Mapping[str, Triple]
    arguments: Mapping[str, int]


def stated(text: str) -> Stated:
    """An entry of `known`; ValueError with one sentence where it is none."""
    dimensions: dict[str, Triple] = {}
    arguments: dict[str, int] = {}
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not _WORD.fullmatch(name):
            raise ValueError(f"known = \"{text}\": '{part.strip()}' is no number with a name, {_EXAMPLE}")
        if name in dimensions or name in arguments:
            raise ValueError(f'known = "{text}": {name} has two values')
        if name in _DIMENSIONS:
            dimensions[name] = _sizes(text, name, value)
        elif _NUMBER.fullmatch(value) and len(value) <= 21:
            arguments[name] = int(value)
        else:
            raise ValueError(f'known = "{text}": the value of {name} is no whole number of at most 64 bits, {_EXAMPLE}')
    return Stated(text, dimensions, arguments)


def _sizes(text: str, name: str, value: str) -> Triple:
    found = _SIZES.fullmatch(value)
    sizes = tuple(int(part or 1) for part in found.groups()) if found else (0, 0, 0)
    fits = all(1 <= size <= most for size, most in zip(sizes, _MOST[name], strict=True))
    threads = sizes[0] * sizes[1] * sizes[2]
    if not fits or (name == "blockDim" and threads > MOST_THREADS):
        raise ValueError(f'known = "{text}": {name} = {value} is no size that a launch can have, {_EXAMPLE}')
    return (sizes[0], sizes[1], sizes[2])


def of_kernel(kernel: Kernel, entries: Iterable[str]) -> tuple[tuple[Known, ...], tuple[str, ...]]:
    """What the entries say of a kernel, and a sentence for each that does not fit it, which is left aside."""
    found: list[Known] = []
    wrong: list[str] = []
    for one in map(stated, entries):
        reason = next(filter(None, (_unfit(kernel, *pair) for pair in one.arguments.items())), "")
        if reason:
            wrong.append(f'known = "{one.text}" is left aside for {kernel.qualified}: {reason}')
            continue
        arguments = tuple((name, one.arguments[name]) for name in _names(kernel) if name in one.arguments)
        found.append(Known(one.dimensions.get("blockDim"), one.dimensions.get("gridDim"), arguments))
    return tuple(dict.fromkeys(found)), tuple(wrong)


def _names(kernel: Kernel) -> list[str]:
    return [param.name for param in kernel.params if is_usable(param)]


def _unfit(kernel: Kernel, name: str, value: int) -> str:
    """Why a parameter cannot have a value, "" where it can."""
    param = next((one for one in kernel.params if one.name == name), None)
    if param is None:
        return f"it has no parameter '{name}'{did_you_mean(name, [one.name for one in kernel.params if one.name])}"
    if not is_usable(param):
        return f"'{name}' is a {param.type}, and only integers can be constants"
    low, high = _range(param)
    return "" if low <= value <= high else f"{name} = {value} is no {param.type} ({low} to {high})"


def _range(param: Param) -> tuple[int, int]:
    """The least and the largest value of an integer parameter."""
    if param.type.split()[-1] in ("bool", "_Bool"):
        return (0, 1)
    bits = 8 * param.size_bytes
    return (0, (1 << bits) - 1) if param.is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
