"""Where expressions point to: arrays and their spaces, loads and stores, and which loads give all threads the same."""

from __future__ import annotations

import re

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym, SymKind, is_known, is_uniform
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.machine import Machine
from gpuopt_driver.frontend.model import Access, Array, Space
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.values import UNDEFINED, Int, Opaque, Pointer, Record, Target, Undefined, Value, uniform

_TEXT_LIMIT = 160
_STORAGE_EXTERN = 2
_VECTOR = re.compile(r"^(u?)(char|short|int|long|longlong|float|double)[1-4]$")


@dataclass(frozen=True)
class Memory:
    """A place in memory: `offset` bytes behind the start of an array (None: it is not known of which)."""

    array: Array | None
    offset: Expr
    type: Type


@dataclass(frozen=True)
class Temporary:
    """A value that has no address in the model."""

    value: Value


Location = Target | Memory | Temporary


def declared_array(cursor: Cursor, name: str, type_: Type, space: Space, *, is_param: bool = False) -> Array:
    """The array that a declaration of array or pointer type (or a scalar in memory) stands for."""
    restrict = types.is_restrict(type_)
    if is_param or types.is_pointer(type_):
        inner, extents = types.pointed(type_), ()
        scalar, _rest = types.innermost(inner)
    else:
        scalar, extents = types.innermost(type_)  # type: ignore[assignment]
        inner = scalar
    storage = libclang.library().clang_Cursor_getStorageClass(cursor)
    return Array(
        name=name,
        space=space,
        element=types.plain_name(scalar),
        element_bytes=types.size_of(scalar),
        extents=extents,
        restrict=restrict,
        const=types.is_const(scalar) or types.is_const(inner),
        volatile=types.is_volatile(scalar) or types.is_volatile(inner),
        is_param=is_param,
        dynamic=space is Space.SHARED and storage == _STORAGE_EXTERN,
    )


@libclang.once
def attributes(cursor: Cursor) -> frozenset[int]:
    """The kinds of CUDA attributes that a declaration carries."""
    return frozenset({child.kind for child in libclang.children(cursor) if child.kind >= 400})


class MemoryMachine(Machine):
    """Locations, loads and stores."""

    arrays: dict[int, tuple[Array, Type]]
    references: dict[int, Location]
    uniform_loads: list[Array]

    def array_of(self, cursor: Cursor, space: Space) -> tuple[Array, Type]:
        """The array of a variable in memory, and its type."""
        key = decl_key(cursor)
        known = self.arrays.get(key)
        if known is None:
            type_ = types.canonical(self.lib.clang_getCursorType(cursor))
            known = (declared_array(cursor, libclang.spelling(cursor), type_, space), type_)
            self.arrays[key] = known
            if space is Space.SHARED and known[0].dynamic:
                self.facts.dynamic_shared = True
        if space is Space.SHARED and not known[0].dynamic:
            size = types.size_of(known[1])
            self.facts.shared[key] = size or None
        elif space is Space.SHARED:
            self.facts.dynamic_shared = True
        return known

    def unknown(self, type_: Type, name: str, *, uniform: bool) -> Value:
        """A value of a type of which nothing else is known."""
        type_ = types.referred(type_)
        if types.is_integer(type_):
            return Int(self.fresh(name, uniform))
        if types.is_pointer(type_):
            return Pointer(None, self.fresh(name, uniform))
        if types.is_record(type_):
            return Record({}, uniform)
        return Opaque(uniform and not self.lessons.pessimistic)

    # -- loads and stores

    def load(self, location: Location, node: Node) -> Value:
        """The value at a location; memory is accessed."""
        if isinstance(location, Temporary):
            return location.value
        if isinstance(location, Target):
            return self._load_variable(location, node)
        if types.is_array(location.type):
            return self.decay(location)
        self.access(location, node, read=True)
        return self._loaded(location, node)

    def _loaded(self, location: Memory, node: Node) -> Value:
        name = self.label(node)
        known = self._is_uniform_load(location, name)
        if types.is_pointer(location.type):
            text = self.text(node)
            inner, _extents = types.innermost(types.pointee(location.type))
            array = Array(
                text, Space.UNKNOWN, types.plain_name(inner), types.size_of(inner), const=types.is_const(inner)
            )
            return Pointer(array, self.fresh(name, known))
        return self.unknown(location.type, name, uniform=known)

    def _load_variable(self, target: Target, node: Node) -> Value:
        if target.key in self.lessons.escaped:
            return self.unknown(node.type, self.label(node), uniform=False)
        value = self.variables.values.get(target.key, UNDEFINED)
        for at, part in enumerate(target.path):
            if not isinstance(value, Record):
                known = uniform(value) and not isinstance(value, Undefined)
                name = f"?{self.names.get(target.key, '')}.{'.'.join(target.path)}"
                return self.unknown(node.type, name, uniform=known)
            inner = value.fields.get(part)
            if inner is None:
                name = f"?{self.names.get(target.key, '')}.{'.'.join(target.path[: at + 1])}"
                last = at + 1 == len(target.path)
                known = value.uniform
                return self.unknown(node.type, name, uniform=known) if last else Opaque(known)
            value = inner
        return value

    def store(self, location: Location, value: Value, node: Node) -> None:
        """Assign to a location; memory is accessed."""
        if isinstance(location, Memory):
            if isinstance(value, Pointer) and isinstance(value.base, Target):
                self.escape([value.base])
            self.access(location, node, write=True)
        elif isinstance(location, Target):
            self.assign(location, value)

    def assign(self, target: Target, value: Value) -> None:
        """Change a local variable or one field of it."""
        if not target.path:
            self.set_variable(target.key, value)
            return
        whole = self.variables.values.get(target.key, UNDEFINED)
        self.set_variable(target.key, _with_field(whole, target.path, value))

    def decay(self, location: Location) -> Value:
        """The address of a location (or of its first element)."""
        if isinstance(location, Memory):
            return Pointer(location.array, location.offset)
        if isinstance(location, Target):
            return Pointer(location, Const(0))
        return Pointer(None, self.fresh("?temporary", False))

    def dereference(self, value: Value, type_: Type, node: Node) -> Location:
        """The location that a pointer value points to, seen as `type_`."""
        if isinstance(value, Pointer):
            if isinstance(value.base, Target):
                if value.offset == Const(0) and self._is_seen_as_declared(value.base, type_):
                    return value.base
                self.escape([value.base])
                return Memory(None, self.fresh(self.label(node), False), type_)
            return Memory(value.base, value.offset, type_)
        if isinstance(value, Int):
            return Memory(None, value.expr, type_)
        return Memory(None, self.fresh(self.label(node), uniform(value)), type_)

    def _is_seen_as_declared(self, target: Target, type_: Type) -> bool:
        """Whether a local variable is accessed as what it is (a base class, a field) and not as other bytes."""
        if target.path or types.is_record(type_):
            return True
        seen = types.plain_name(type_)
        return self.declared.get(target.key, seen) == seen

    # -- accesses

    def text(self, node: Node) -> str:
        """The source text of a node."""
        data = self.activation.place.source.data[node.start : min(node.end, node.start + _TEXT_LIMIT)]
        return data.decode("utf-8", "replace")

    def access(
        self,
        location: Memory,
        node: Node,
        *,
        read: bool = False,
        write: bool = False,
        atomic: bool = False,
        volatile: bool = False,
        copied: bool = False,
    ) -> None:
        """Write down a memory access."""
        if write and (location.array is None or location.array.space is not Space.LOCAL):
            self.note_write(location.array)
        array = location.array
        if array is None:
            scalar, _extents = types.innermost(location.type)
            array = Array(f"*{self.text(node)}"[:64], Space.UNKNOWN, types.plain_name(scalar), types.size_of(scalar))
        start = next((frame.conditions_start for frame in reversed(self.frames) if frame.kind == "loop"), 0)
        inner = self.conditions[start:]
        activation = self.activation
        self.facts.accesses.append(
            Access(
                stmt=self.stmt,
                loops=self.kernel_loops,
                array=array,
                offset=None if location.array is None else location.offset,
                bytes=types.size_of(location.type),
                is_read=read,
                is_write=write,
                is_atomic=atomic,
                is_volatile=volatile or array.volatile or types.is_volatile(location.type),
                span=activation.place.span(node.start, node.end, editable=not node.macro),
                text=self.text(node),
                via=activation.via,
                guarded=bool(inner),
                in_callee_loop=self.callee_loops > 0,
                predicate=tuple(part for condition in inner for part in _modelled(condition)),
                is_copied=copied,
            )
        )

    @property
    def facts_written(self) -> set[Array | None]:
        """The arrays that this run saw written."""
        return self._written

    _written: set[Array | None]

    def note_write(self, array: Array | None) -> None:
        """Somebody writes to an array (None: through a pointer of which nothing is known)."""
        self.facts_written.add(array)
        if array is None or array.space in (Space.SHARED, Space.UNKNOWN):  # the others cannot be shared memory
            self.interval.writes.add(array)
        for name, loaded in self.interval.loads.items():
            if may_alias(loaded, array) and name not in self.lessons.racy:
                self.lessons.racy.add(name)
                self.lessons.note(new=True)

    def _is_uniform_load(self, location: Memory, name: str) -> bool:
        """Whether all threads that load here together get the same value.

        They do from the same address, if nobody writes there; to shared memory nobody may write between the barrier
        before the load and the one behind it.
        """
        array = location.array
        if array is None or not is_uniform(location.offset) or types.is_volatile(location.type) or array.volatile:
            return False
        if array.space is Space.CONSTANT:
            return True
        if array.space is Space.LOCAL:
            return False
        if array.space is Space.SHARED:
            if name in self.lessons.racy or any(may_alias(array, other) for other in self.interval.writes):
                return False
            self.interval.loads[name] = array
            return True
        if any(may_alias(array, other) for other in self.lessons.written):
            return False
        self.uniform_loads.append(array)
        return True


def _modelled(condition: Expr | None) -> tuple[Expr, ...]:
    """The parts of a conjunction that have no unknown symbol."""
    if isinstance(condition, Op) and condition.op == "&&":
        return tuple(part for arg in condition.args for part in _modelled(arg))
    return (condition,) if condition is not None and is_known(condition) else ()


def may_alias(array: Array, written: Array | None) -> bool:
    """Whether a write to one array may change what a load from another one sees."""
    if written is None:
        return not (array.const and array.restrict)
    if array == written:
        return True
    if array.const and array.restrict:
        return False
    if Space.UNKNOWN not in (array.space, written.space):
        if array.space is not written.space:
            return False
        if array.space is Space.SHARED:
            return array.dynamic and written.dynamic
    first, second = _scalar(array.element), _scalar(written.element)
    return first == second or "char" in (first, second) or "unsigned char" in (first, second)


def _scalar(element: str) -> str:
    """The element type that matters for type-based aliasing: vectors alias their scalars, signs do not matter."""
    match = _VECTOR.match(element)
    if match:
        element = {"longlong": "long long"}.get(match.group(2), match.group(2))
    element = element.removeprefix("unsigned ").removeprefix("signed ")
    return {"long long": "long"}.get(element, element)


def _with_field(whole: Value, path: tuple[str, ...], value: Value) -> Value:
    """A structure with one (nested) field replaced."""
    fields = dict(whole.fields) if isinstance(whole, Record) else {}
    known = whole.uniform if isinstance(whole, Record) else uniform(whole)
    head, *rest = path
    fields[head] = _with_field(fields.get(head, Record({}, known)), tuple(rest), value) if rest else value
    return Record(fields, known)


def parameter_value(cursor: Cursor, name: str, type_: Type) -> Value:
    """What a kernel's parameter holds at the start; one that is written as an array is a pointer."""
    if types.points(type_):
        return Pointer(declared_array(cursor, name, type_, Space.GLOBAL, is_param=True), Const(0))
    if types.is_integer(type_):
        return Int(Sym(name, SymKind.PARAM, uniform=True))
    if types.is_record(type_):
        return Record(_parameter_fields(type_, name), True)
    return Opaque(True)


def _parameter_fields(type_: Type, prefix: str, depth: int = 0) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for child in libclang.fields(type_):
        name = libclang.spelling(child)
        inner = types.canonical(libclang.library().clang_getCursorType(child))
        full = f"{prefix}.{name}"
        if types.is_record(inner) and depth < 4:
            fields[name] = Record(_parameter_fields(inner, full, depth + 1), True)
        elif not types.is_array(inner) and not types.is_record(inner):
            fields[name] = parameter_value(child, full, inner)
    return fields
