"""What a variable can hold during the symbolic run of a kernel, and how the values of several paths join."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Union

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import ZERO, Const, Expr, Op, Sym, is_uniform, op, substitute
from gpuopt_driver.frontend.model import Array
from gpuopt_driver.frontend.polynomial import normal
from gpuopt_driver.frontend.tree import Node

_SIZE_LIMIT = 60  # nodes of an expression; larger ones become unknown


@dataclass(frozen=True, slots=True)
class Int:
    """An integer (or truth value)."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not modelled: floating point, textures, ...; `uniform` as of symbols."""

    uniform: bool


@dataclass(frozen=True, slots=True)
class Target:
    """A local variable, or a field of one."""

    key: int
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address: `offset` bytes behind an array or variable; base None where it is not known which."""

    base: Array | Target | None
    offset: Expr

    @property
    def is_null(self) -> bool:
        """Whether it points nowhere."""
        return self.base is None and self.offset == ZERO


@dataclass(frozen=True, slots=True)
class Record:
    """A structure; fields not listed are unknown and `uniform` or not."""

    fields: Mapping[str, Value]
    uniform: bool


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A lambda: its node, the values of variables that it captures by copy, and whether it may change its copies."""

    node: Node
    captured: Mapping[int, Value] | None = None
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A cooperative group: block, tile, coalesced, grid, cluster, multi_grid or unknown; `size` of a tile."""

    kind: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """A function's name used as a value."""

    name: str
    cursor: object = field(compare=False, default=None)


@dataclass(frozen=True, slots=True)
class Undefined:
    """A variable without initializer."""


Value = Union[Int, Opaque, Pointer, Record, Closure, Group, Function, Undefined]  # noqa: UP007 - recursive alias
Fresh = Callable[[str, bool], Sym]  # (distinguishing name, uniform) -> a symbol of kind UNKNOWN
UNDEFINED = Undefined()


def expression_size(expr: Expr) -> int:
    """The number of nodes of an expression."""
    return expr.size if isinstance(expr, Op) else 1


def integer(expr: Expr) -> Int:
    """An integer value in normal form."""
    return Int(normal(expr))


def uniform(value: Value) -> bool:
    """Whether the value is proved to be the same for all threads of a block."""
    if isinstance(value, Int):
        return is_uniform(value.expr)
    if isinstance(value, Opaque):
        return value.uniform
    if isinstance(value, Pointer):
        return is_uniform(value.offset)
    if isinstance(value, Record):
        return value.uniform and all(uniform(part) for part in value.fields.values())
    return not isinstance(value, Undefined)


def replace_symbols(value: Value, table: Mapping[str, Expr], *, keep_uniform: bool = True) -> Value:
    """The value with symbols replaced; opaque parts lose their uniformity unless `keep_uniform`."""
    if isinstance(value, Int):
        return Int(normal(substitute(value.expr, table)))
    if isinstance(value, Pointer):
        return Pointer(value.base, normal(substitute(value.offset, table)))
    if isinstance(value, Opaque):
        return Opaque(value.uniform and keep_uniform)
    if isinstance(value, Record):
        parts = {name: replace_symbols(part, table, keep_uniform=keep_uniform) for name, part in value.fields.items()}
        return Record(parts, value.uniform and keep_uniform)
    return value


def same(left: Value, right: Value) -> bool:
    """Whether two values are proved equal; opaque values are only if one is the other."""
    return left is right or (isinstance(left, Int | Pointer | Function | Group) and left == right)


def join_expressions(parts: list[Expr], name: str, fresh: Fresh, *, divergent: bool, condition: Expr | None) -> Expr:
    """One expression for the values of several paths; `condition` selects between exactly two."""
    if all(part == parts[0] for part in parts):
        return parts[0]
    if condition is not None and len(parts) == 2:
        made = op("?:", condition, parts[0], parts[1])
        if expression_size(made) <= _SIZE_LIMIT:
            return normal(made)
    return fresh(name, not divergent and all(is_uniform(part) for part in parts))


def join(
    values: list[Value], name: str, fresh: Fresh, *, divergent: bool, condition: Expr | None = None
) -> tuple[Value, list[Target]]:
    """The value after paths with these values meet, and the variables whose addresses got out of sight."""
    first = values[0]
    if all(same(value, first) for value in values[1:]):
        return first, []
    defined: list[Value] = [value for value in values if not isinstance(value, Undefined)]
    if len(defined) < len(values) and defined:
        if not divergent:
            return join(defined, name, fresh, divergent=False)
        defined.append(_unlike(defined[0], name, fresh))
        condition = None
    if all(isinstance(value, Int) for value in defined):
        parts = [value.expr for value in defined if isinstance(value, Int)]
        return Int(join_expressions(parts, name, fresh, divergent=divergent, condition=condition)), []
    if all(isinstance(value, Pointer) for value in defined):
        return _join_pointers(
            [value for value in defined if isinstance(value, Pointer)], name, fresh, divergent, condition
        )
    if all(isinstance(value, Record) for value in defined):
        return _join_records(
            [value for value in defined if isinstance(value, Record)], name, fresh, divergent, condition
        )
    lost = [value.base for value in defined if isinstance(value, Pointer) and isinstance(value.base, Target)]
    return Opaque(not divergent and all(uniform(value) for value in defined)), lost


def _unlike(value: Value, name: str, fresh: Fresh) -> Value:
    """A value of the same shape of which nothing is known."""
    if isinstance(value, Int):
        return Int(fresh(name + ".undefined", False))
    if isinstance(value, Pointer):
        return Pointer(value.base, fresh(name + ".undefined", False))
    if isinstance(value, Record):
        return Record({}, False)
    return Opaque(False)


def _join_pointers(
    values: list[Pointer],
    name: str,
    fresh: Fresh,
    divergent: bool,  # noqa: FBT001
    condition: Expr | None,
) -> tuple[Value, list[Target]]:
    if all(value.base == values[0].base for value in values):
        offsets = [value.offset for value in values]
        joined = join_expressions(offsets, name + ".offset", fresh, divergent=divergent, condition=condition)
        return Pointer(values[0].base, joined), []
    lost = [value.base for value in values if isinstance(value.base, Target)]
    known = not divergent and all(uniform(value) for value in values)
    bases = [value.base for value in values if isinstance(value.base, Array)]
    base = _common_array(bases) if len(bases) == len(values) else None
    return Pointer(base, fresh(name + ".offset", known)), lost


def _common_array(arrays: list[Array]) -> Array | None:
    """An array that stands for one of several in the same space."""
    first = arrays[0]
    names: list[str] = []
    for array in arrays:
        names += [part for part in array.name.split("|") if part not in names]
    if any((array.space, array.element) != (first.space, first.element) for array in arrays) or len(names) > 4:
        return None
    return Array("|".join(names), first.space, first.element, first.element_bytes)


def _join_records(
    values: list[Record],
    name: str,
    fresh: Fresh,
    divergent: bool,  # noqa: FBT001
    condition: Expr | None,
) -> tuple[Value, list[Target]]:
    lost: list[Target] = []
    shared = [field_name for field_name in values[0].fields if all(field_name in value.fields for value in values)]
    parts: dict[str, Value] = {}
    for field_name in shared:
        columns = [value.fields[field_name] for value in values]
        parts[field_name], more = join(columns, f"{name}.{field_name}", fresh, divergent=divergent, condition=condition)
        lost += more
    for value in values:
        lost += [
            part.base
            for key, part in value.fields.items()
            if key not in parts and isinstance(part, Pointer) and isinstance(part.base, Target)
        ]
    return Record(parts, not divergent and all(value.uniform for value in values)), lost


def negation(condition: Expr | None) -> Expr | None:
    """The opposite of a condition."""
    if condition is None:
        return None
    if isinstance(condition, Op) and condition.op == "!":
        return condition.args[0]
    opposite = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
    if isinstance(condition, Op) and condition.op in opposite:
        return Op(opposite[condition.op], condition.args)
    return Const(int(not condition.value)) if isinstance(condition, Const) else Op("!", (condition,))
