"""Where expressions point to: variables, fields, elements, and what casts make of them."""

from __future__ import annotations

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.expr import ZERO, Const, Sym, SymKind, op
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.memory import Location, Memory, MemoryMachine, Temporary, attributes
from gpuopt_driver.frontend.model import Array, Space
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.values import Int, Opaque, Pointer, Record, Target, Value, integer, uniform

CASTS = frozenset({int(K.C_CAST), 124, 125, 126, 127, 128})
_BUILTINS = {
    "threadIdx": SymKind.THREAD,
    "blockIdx": SymKind.BLOCK,
    "blockDim": SymKind.BLOCK_DIM,
    "gridDim": SymKind.GRID_DIM,
}
_REFERENCES = frozenset({43, 44, 45, 46, 47, 49, 50})  # mentions of types, templates and namespaces


def operands(node: Node) -> list[Node]:
    """The children that are expressions, without mentions of types and names."""
    found = node.operands
    if found is None:
        found = [child for child in node.children if child.kind not in _REFERENCES and child.kind < 400]
        node.operands = found = node.children if len(found) == len(node.children) else found  # most have one list
    return found


def is_array(node: Node) -> bool:
    """Whether an expression is an array. A parameter that is written as one (`int a[4]`) is a pointer."""
    if not types.is_array(node.type):
        return False
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(operands(node)) == 1:
        node = operands(node)[0]
    reference = node.reference if node.kind == K.DECL_REF else None
    if reference is None or reference.kind != K.PARM_DECL:
        return True
    return types.is_reference(types.canonical(libclang.library().clang_getCursorType(reference)))


def is_variable(node: Node) -> bool:
    """Whether a conditional expression names one of two objects that may be changed, and is no value."""
    parts = operands(node)
    if len(parts) != 3 or types.is_const(types.referred(node.type)):
        return False
    place = parts[1]
    while place.kind == K.PAREN and place.children:
        place = place.children[0]
    if place.kind == K.CONDITIONAL:
        return is_variable(place)
    named = place.kind in (K.DECL_REF, K.MEMBER_EXPR, K.SUBSCRIPT, K.COMPOUND_ASSIGN)
    changes = place.kind == K.BINARY and place.op in ("=", "")
    return named or changes or (place.kind == K.UNARY and place.op in ("*", "++", "--"))


def builtin(name: str, axis: str) -> Sym:
    """threadIdx.x and its relatives."""
    kind = _BUILTINS[name]
    return Sym(f"{name}.{axis}", kind, uniform=kind is not SymKind.THREAD)


class PlaceMachine(MemoryMachine):
    """Locations of expressions."""

    targets: dict[int, Target]  # whole variables, as places
    referred: dict[Target, Pointer]  # members that are references: to what the constructors of their objects bound them

    def value(self, node: Node) -> Value:
        """The value of an expression; in expressions.py."""
        raise NotImplementedError

    def discard(self, node: Node) -> None:
        """Evaluate without using the value; in expressions.py."""
        raise NotImplementedError

    def named(self, node: Node) -> Value:
        """The value of a name; in expressions.py."""
        raise NotImplementedError

    def rare(self, node: Node) -> Value:
        """The value of an unusual expression; in expressions.py."""
        raise NotImplementedError

    def step(self, node: Node, child: Node) -> tuple[Value, Location]:
        """++ and --; in expressions.py."""
        raise NotImplementedError

    def assignment(self, left: Node, right: Node, node: Node) -> tuple[Location, Value]:
        """An assignment; in expressions.py."""
        raise NotImplementedError

    def compound_assignment(self, node: Node) -> tuple[Location, Value]:
        """An assignment with an operator; in expressions.py."""
        raise NotImplementedError

    def chosen(self, node: Node) -> Location:
        """A conditional expression that names a place; in expressions.py."""
        raise NotImplementedError

    def call(self, node: Node, *, want_location: bool = False) -> Value | Location:
        """A call; in calls.py."""
        raise NotImplementedError

    def lost(self, node: Node) -> Value:
        """A value of which nothing is known."""
        return self.unknown(node.type, self.label(node), uniform=False)

    # -- locations

    def location(self, node: Node) -> Location:  # noqa: PLR0911 - one branch per kind of expression
        """Where an expression that names a place is."""
        self.budget -= 1
        kind = node.kind
        if kind == K.DECL_REF:
            return self._variable(node)
        if kind == K.MEMBER_EXPR:
            return self._member(node)
        if kind == K.SUBSCRIPT:
            return self._subscript(node)
        if kind == K.PAREN and node.children:
            return self.location(node.children[0])
        if kind == K.UNARY and node.op == "*" and node.children:
            return self.dereference(self.value(node.children[0]), node.type, node)
        if kind == K.UNARY and node.op in ("++", "--") and node.children:
            return self.step(node, node.children[0])[1]
        if kind == K.BINARY and node.op == "=" and len(node.children) == 2:
            return self.assignment(node.children[0], node.children[1], node)[0]
        if kind == K.BINARY and node.op == "," and len(node.children) == 2:
            self.discard(node.children[0])
            return self.location(node.children[1])
        if kind == K.COMPOUND_ASSIGN:
            return self.compound_assignment(node)[0]
        if kind == K.CONDITIONAL and is_variable(node):
            return self.chosen(node)
        if kind == K.BINARY and node.op == "" and len(node.children) == 2:
            return self._by_member_pointer(node)
        if kind == K.CALL:
            result = self.call(node, want_location=True)
            return result if isinstance(result, Target | Memory | Temporary) else Temporary(result)
        if kind == K.UNEXPOSED_EXPR or kind in CASTS:
            inner = operands(node)
            if len(inner) >= 1 and (kind != K.UNEXPOSED_EXPR or len(inner) == 1):
                return self._seen_as(self.location(inner[-1]), inner[-1], node)
        return Temporary(self.value(node))

    def _by_member_pointer(self, node: Node) -> Location:
        """`s.*m` and `p->*m`: some member of an object."""
        whole, member = node.children
        if types.is_pointer(whole.type):
            base = self.dereference(self.value(whole), types.pointee(whole.type), whole)
        else:
            base = self.location(whole)
        self.value(member)
        if isinstance(base, Target):
            self.escape([base])
        array = base.array if isinstance(base, Memory) else None
        return Memory(array, self.fresh(self.label(node), False), types.referred(node.type))

    def _seen_as(self, location: Location, child: Node, node: Node) -> Location:
        """A location behind a cast."""
        if isinstance(location, Target) and not types.is_record(child.type):
            if types.plain_name(types.referred(node.type)) != types.plain_name(types.referred(child.type)):
                self.escape([location])
                return Memory(None, self.fresh(self.label(node), False), types.referred(node.type))
            return location
        if isinstance(location, Memory):
            target = types.referred(node.type)
            return location if types.is_array(location.type) else Memory(location.array, location.offset, target)
        return location

    def _variable(self, node: Node) -> Location:
        reference = node.reference
        if reference is None or reference.kind not in (K.VAR_DECL, K.PARM_DECL):
            return Temporary(self.named(node) if reference is not None else self.rare(node))
        key = decl_key(reference)
        alias = self.references.get(key)
        if alias is not None:
            return alias
        if key in self.variables.values or key in self.lessons.escaped:
            known = self.targets.get(key)
            if known is None:
                known = self.targets[key] = Target(key)
            return known
        return self._declared_elsewhere(reference, key, node)

    def _declared_elsewhere(self, reference: Cursor, key: int, node: Node) -> Location:
        """A variable that no statement of this run declared: builtin, global, shared, local array or constant."""
        known = self.arrays.get(key)
        if known is not None:
            if known[0].space is Space.SHARED:
                self.array_of(reference, Space.SHARED)
            return Memory(known[0], ZERO, known[1])
        name = libclang.name_of(reference)
        if name in _BUILTINS:
            fields: dict[str, Value] = {axis: Int(builtin(name, axis)) for axis in "xyz"}
            if name == "gridDim":
                self.facts.special.add("gridDim")
            return Temporary(Record(fields, name != "threadIdx"))
        if name == "warpSize":
            return Temporary(Int(Const(32)))
        marks = attributes(reference)
        type_ = types.canonical(self.lib.clang_getCursorType(reference))
        for mark, space in (
            (K.SHARED_ATTR, Space.SHARED),
            (K.CONSTANT_ATTR, Space.CONSTANT),
            (K.DEVICE_ATTR, Space.GLOBAL),
        ):
            if mark in marks:
                array, type_ = self.array_of(reference, space)
                return Memory(array, ZERO, type_)
        if types.is_record(type_) and "texture" in types.spelled(type_):
            return Temporary(Opaque(True))
        constant = libclang.constant(reference)
        if constant is None and reference.kind == K.VAR_DECL:
            constant = node.constant  # of a template: the name has the arguments
        if isinstance(constant, int) and types.is_integer(type_):
            return Temporary(Int(Const(constant)))
        if isinstance(constant, float):
            return Temporary(Opaque(True))
        if types.never_changes(type_):
            array, type_ = self.array_of(reference, Space.CONSTANT)
            return Memory(array, ZERO, type_)
        return Temporary(self.unknown(type_, self.label(node), uniform=False))

    def _member(self, node: Node) -> Location:
        reference = node.reference
        inner = operands(node)
        if reference is not None and reference.kind == K.VAR_DECL:
            key = decl_key(reference)
            return self._declared_elsewhere(reference, key, node)
        if reference is None or reference.kind != K.FIELD_DECL:
            for child in inner:
                self.value(child)
            return Temporary(self.lost(node))
        if not inner:
            this = self.activation.this
            base: Location = this if isinstance(this, Target | Memory | Temporary) else Temporary(Opaque(False))
        elif types.is_pointer(inner[0].type):
            base = self.dereference(self.value(inner[0]), types.pointee(inner[0].type), inner[0])
        else:
            base = self.location(inner[0])
        return self.field(base, reference, node)

    def field(self, base: Location, reference: Cursor, node: Node) -> Location:
        """A field of the structure at a location."""
        name = libclang.name_of(reference)
        type_ = types.canonical(self.lib.clang_getCursorType(reference))
        if types.is_reference(type_):
            held = self._reference_held(base, name)
            if held is not None:
                return Memory(held.base if isinstance(held.base, Array) else None, held.offset, types.referred(type_))
            return Memory(None, self.fresh(self.label(node), False), types.referred(type_))
        if isinstance(base, Memory):
            bits = self.lib.clang_Cursor_getOffsetOfField(reference)
            if bits < 0:
                return Memory(base.array, self.fresh(self.label(node), False), type_)
            offset = integer(op("+", base.offset, Const(bits // 8))).expr
            return Memory(base.array, offset, type_)
        is_bits = bool(self.lib.clang_Cursor_isBitField(reference))  # keeps less than what is stored
        if isinstance(base, Target):
            united = self.lib.clang_getCursorSemanticParent(reference).kind == K.UNION_DECL
            if is_bits or united or types.is_array(type_):
                return self._local_field(base, name, type_)
            return Target(base.key, (*base.path, name))
        if is_bits:
            return Temporary(self.unknown(type_, self.label(node), uniform=uniform(base.value)))
        return Temporary(self._field_of(base.value, name, type_, node))

    def _reference_held(self, base: Location, name: str) -> Pointer | None:
        """What a member of a local object that is a reference was made to refer to."""
        value: Value | None = base.value if isinstance(base, Temporary) else None
        if isinstance(base, Target):
            made = self.referred.get(Target(base.key, (*base.path, name)))
            if made is not None:
                return made if isinstance(made.base, Array) else None
            value = self.variables.values.get(base.key) if base.key not in self.lessons.escaped else None
            for part in base.path:
                value = value.fields.get(part) if isinstance(value, Record) else None
        held = value.fields.get(name) if isinstance(value, Record) else None
        return held if isinstance(held, Pointer) and isinstance(held.base, Array) else None

    def bound(self, node: Node) -> Pointer | None:
        """What a reference without a name of its own is made to refer to; it may change a variable from now on."""
        if node.kind in (K.INIT_LIST, K.PAREN_LIST):
            self.value(node)
            return None
        location = self.location(node)
        if isinstance(location, Target):
            self.escape([location])
        return Pointer(location.array, location.offset) if isinstance(location, Memory) else None

    def _local_field(self, base: Target, name: str, type_: Type) -> Location:
        """An array, union member or bit-field inside a local structure: its contents are not followed."""
        scalar, extents = types.innermost(type_)
        full = ".".join((self.names.get(base.key, "?").split("@")[0], *base.path, name))
        array = Array(full, Space.LOCAL, types.plain_name(scalar), types.size_of(scalar), extents)
        return Memory(array, ZERO, type_)

    def _field_of(self, value: Value, name: str, type_: Type, node: Node) -> Value:
        if isinstance(value, Record):
            known = value.fields.get(name)
            return known if known is not None else self.unknown(type_, self.label(node), uniform=value.uniform)
        return self.unknown(type_, self.label(node), uniform=uniform(value))

    def _subscript(self, node: Node) -> Location:
        if len(node.children) != 2:
            return Temporary(self.rare(node))
        base, index = node.children
        if not (types.is_pointer(base.type) or types.is_array(base.type)):
            base, index = index, base
        pointer = self.decay(self.location(base)) if is_array(base) else self.value(base)
        at = self.value(index)
        size = types.size_of(node.type)
        if not isinstance(pointer, Pointer):
            return Memory(None, self.fresh(self.label(node), False), node.type)
        if not isinstance(at, Int) or size == 0:
            known = uniform(at) and uniform(pointer) and size > 0
            at = Int(self.fresh(self.label(index), known))
        offset = integer(op("+", pointer.offset, op("*", at.expr, Const(max(size, 1))))).expr
        if isinstance(pointer.base, Target):
            return self.dereference(Pointer(pointer.base, offset), node.type, node)
        return Memory(pointer.base, offset, node.type)
