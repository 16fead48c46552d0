"""The facts of a kernel as those who give advice ask for them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpuopt_driver.analysis.coalescing import WARP, Shape
from gpuopt_driver.dataclass import dataclass

_UNKNOWN = Shape(WARP)  # a block whose size nobody knows is taken to be a row
_FAR = 1_048_583  # a prime: what an unknown number of a stride is taken for, so that lanes do not meet by chance
_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_QUOTIENTS: Mapping[type, Callable[[int, int], int]] = {
    ast.Div: operator.floordiv,  # as in C++ for what is not negative
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_MOST_SHIFTED = 62


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch whose block is known. `blocks` is None where the grid is not; dynamic shared memory in bytes."""

    file: str
    line: int
    block: Shape
    blocks: int | None
    dynamic_shared: int | None


@dataclass(frozen=True, slots=True)
class Addresses:
    """The byte offset of each lane of a block's first warp, with zero for blocks and loops.

    `apart` is what lanes lie apart where that is not a number, as the source has it; such numbers are taken as large.
    """

    starts: tuple[int, ...]
    apart: str = ""


@dataclass(frozen=True, slots=True)
class KernelView:
    """One kernel (or instantiation) of a report."""

    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The qualified name."""
        return str(self.facts.get("kernel", ""))

    @property
    def instantiation(self) -> list[str]:
        """The template arguments, as the source has them."""
        return [str(argument) for argument in self.facts.get("instantiation") or ()]

    @property
    def file(self) -> str:
        """The kernel's own file, an absolute path."""
        return str(self.facts.get("file", ""))

    @property
    def accesses(self) -> list[Mapping[str, Any]]:
        """The accesses of the kernel and of what it calls."""
        return list(self.facts.get("accesses") or ())

    def launches(self) -> Iterator[Launch]:
        """The launches whose block size is known."""
        for launch in self.facts.get("launches") or ():
            block, grid = _sizes(launch.get("block")), _sizes(launch.get("grid"))
            if block is not None:
                dynamic = launch.get("dynamic_shared_bytes")
                yield Launch(
                    str(launch.get("file") or self.file),
                    int(launch.get("line") or 0),
                    Shape(*block),
                    None if grid is None else grid[0] * grid[1] * grid[2],
                    dynamic if type(dynamic) is int else None,
                )

    def shapes(self) -> list[Shape]:
        """The blocks of the launches; a row of a warp where none is known."""
        return list(dict.fromkeys(launch.block for launch in self.launches())) or [_UNKNOWN]

    def loop(self, access: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The innermost loop of the kernel around an access."""
        inner = (access.get("loops") or [None])[-1]
        return next((loop for loop in self.facts.get("loops") or () if loop.get("id") == inner), None)

    def step(self, access: Mapping[str, Any]) -> int | None:
        """Bytes by which the innermost loop around an access moves it; None where no loop does, or it is not known."""
        loop = self.loop(access)
        along = (access.get("coefficients_bytes") or {}).get(loop.get("symbol")) if loop else None
        step = loop.get("step") if loop else None  # of the loop's variable, by which coefficients are
        return along * step if type(along) is int and type(step) is int else None

    def place(self, access: Mapping[str, Any]) -> tuple[str, int]:
        """File and line of an access."""
        return str(access.get("file") or self.file), int(access.get("line") or 0)


def _sizes(parts: Any) -> tuple[int, int, int] | None:
    """The three numbers of a launch dimension, None where one is not known."""
    if not isinstance(parts, list | tuple) or not all(type(part) is int and part > 0 for part in parts):
        return None
    return (parts[0], parts[1], parts[2]) if len(parts) == len("xyz") else None


def depth(access: Mapping[str, Any]) -> int:
    """How many loops are around an access."""
    return len(access.get("loops") or ()) + bool(access.get("in_called_loop"))


def addresses(access: Mapping[str, Any], shape: Shape) -> Addresses | None:
    """Where the lanes of a warp access memory; None where that depends on data, or on more than can be said."""
    text, form = access.get("offset_bytes"), access.get("coefficients_bytes") or {}
    if text is None or access.get("by_data") == "thread":
        return None
    known = {"blockDim.x": shape.x, "blockDim.y": shape.y, "blockDim.z": shape.z}
    lanes = [shape.lane(thread) for thread in range(min(WARP, shape.threads))]
    factors = [form.get(f"threadIdx.{axis}", 0) for axis in "xyz"]
    if None in factors:
        return _one_by_one(str(text), {**dict.fromkeys(form, 0), **known}, lanes)
    values, apart = [], ""
    for factor, size in zip(factors, (shape.x, shape.y, shape.z), strict=True):
        value = number(str(factor), known)
        if value is None:
            value = number(str(factor), known, otherwise=_FAR)
            apart = apart or (str(factor) if size > 1 else "")
        values.append(value)
    base = number(str(text), {}, otherwise=0)
    if base is None or None in values:
        return None
    x, y, z = (value or 0 for value in values)
    return Addresses(tuple(base + x * lane[0] + y * lane[1] + z * lane[2] for lane in lanes), apart)


def _one_by_one(text: str, values: Mapping[str, int], lanes: Sequence[tuple[int, int, int]]) -> Addresses | None:
    """Addresses that are not linear in the thread's number, where all that is in them is known."""
    found = [
        number(text, {**values, "threadIdx.x": lane[0], "threadIdx.y": lane[1], "threadIdx.z": lane[2]})
        for lane in lanes
    ]
    sure = tuple(value for value in found if value is not None)
    return Addresses(sure) if len(sure) == len(found) else None


def is_increment(access: Mapping[str, Any]) -> bool:
    """Whether all that varies in an address is multiplied by one number that is not known: it may well be 1.

    `x[i * incx]` is such a vector; in `a[i * n + j]` something goes along the row, so that n is its length.
    """
    factors = [_names(str(factor)) for factor in (access.get("coefficients_bytes") or {}).values()]
    common = frozenset.intersection(*factors) if factors else frozenset()
    return any(not name.startswith(("blockDim.", "gridDim.")) for name in common)


def _names(text: str) -> frozenset[str]:
    """The names that all of an expression is multiplied by; symbols of data are left out."""

    def multiplied(node: ast.expr) -> frozenset[str]:
        if isinstance(node, ast.Name | ast.Attribute):
            return frozenset({ast.unparse(node)})
        if isinstance(node, ast.UnaryOp):
            return multiplied(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return multiplied(node.left) | multiplied(node.right)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            return multiplied(node.left) & multiplied(node.right)
        return frozenset()

    try:
        return multiplied(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def is_of_few(access: Mapping[str, Any]) -> bool:
    """Whether tests around an access leave few lanes of a warp to it."""
    lanes = access.get("lanes")
    return isinstance(lanes, int) and lanes < WARP // 2


def number(text: str, values: Mapping[str, int], otherwise: int | None = None) -> int | None:
    """The value of an expression, as facts have them; names that have none are taken for `otherwise`."""

    def value(node: ast.expr) -> int | None:
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.Name | ast.Attribute):
            return values.get(ast.unparse(node), otherwise)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = value(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.BinOp):
            return _of_two(node.op, value(node.left), value(node.right))
        return None

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _of_two(operation: ast.operator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if (plain := _OPERATORS.get(type(operation))) is not None:
        return plain(left, right)
    other = _QUOTIENTS.get(type(operation))
    if other is None or left < 0 or right < 0 or right == 0:
        return None
    is_shift = isinstance(operation, ast.LShift | ast.RShift)
    return None if is_shift and right > _MOST_SHIFTED else other(left, right)
