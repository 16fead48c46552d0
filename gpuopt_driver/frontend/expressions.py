"""Symbolic evaluation of expressions: the value of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gpuopt_driver.frontend import aggregates, captures, constants, libclang, types
from gpuopt_driver.frontend.conversions import SENSITIVE, as_typed, fits, narrows
from gpuopt_driver.frontend.expr import ZERO, Const, Expr, Op, Sym, SymKind, op
from gpuopt_driver.frontend.kinds import K, T
from gpuopt_driver.frontend.libclang import Type
from gpuopt_driver.frontend.machine import Path
from gpuopt_driver.frontend.memory import Location, Memory, Temporary
from gpuopt_driver.frontend.places import CASTS, PlaceMachine, is_array, operands
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import (
    Closure,
    Function,
    Int,
    Opaque,
    Pointer,
    Record,
    Target,
    Value,
    expression_size,
    integer,
    join,
    negation,
    uniform,
)

_Read = TypeVar("_Read")
_CONSTANTS = frozenset({int(K.INTEGER), int(K.CHARACTER), int(K.BOOL), int(K.SIZEOF), int(K.SIZEOF_PACK)})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="})
_ARITHMETIC_LIMIT = 400  # nodes of an expression; larger ones (rounds of a hash) become unknown
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


_CHANGES, _DECAYS, _KEEPS_INT, _KEEPS_POINTER = range(4)  # what a conversion does: most are from a type to itself


def _conversion(child: Node, node: Node) -> int:
    """What the conversion at a node does to the value of its operand."""
    if types.is_pointer(node.type) and is_array(child) and child.kind != K.STRING:
        return _DECAYS
    source, target = child.type, types.referred(node.type)
    if types.is_pointer(target):
        return _KEEPS_POINTER
    if not types.is_integer(target) or (target.kind == T.BOOL and source.kind != T.BOOL):
        return _CHANGES
    size, given = types.size_of(target), types.size_of(source)
    return _CHANGES if (size == 8 and given == 4) or narrows(source, target) else _KEEPS_INT


class ExpressionMachine(PlaceMachine):
    """Values of expressions."""

    def run(self, node: Node) -> None:
        """A statement; in statements run by interpreter.py."""
        raise NotImplementedError

    def unknown_result(self, node: Node, name: str, values: list[Value]) -> Value:
        """The result of something of which nothing is known; in effects.py."""
        raise NotImplementedError

    # -- values

    def value(self, node: Node) -> Value:  # noqa: PLR0911 - one branch per kind of expression
        """The value of an expression."""
        self.budget -= 1
        kind = node.kind
        if kind == K.UNEXPOSED_EXPR:
            return self._implicit(node)
        if kind == K.DECL_REF:
            return self.named(node)
        if kind in _CONSTANTS:
            return self.constant(node)
        if kind == K.BINARY:
            return self._binary(node)
        if kind in (K.MEMBER_EXPR, K.SUBSCRIPT):
            known = constants.part(node)
            if known is not None:
                return Int(Const(known))
            return self.load(self.location(node), node)
        if kind == K.PAREN:
            return self.value(node.children[0]) if node.children else Opaque(False)
        if kind == K.UNARY:
            return self._unary(node)
        if kind == K.COMPOUND_ASSIGN:
            return self.compound_assignment(node)[1]
        if kind == K.CALL:
            result = self.call(node)
            return self.load(result, node) if isinstance(result, Target | Memory | Temporary) else result
        if kind in CASTS:
            return self._cast(node)
        if kind == K.CONDITIONAL:
            return self._conditional(node)
        return self.rare(node)

    def discard(self, node: Node) -> None:
        """Evaluate an expression whose value nobody uses: a place that it names is not read."""
        inner = operands(node)
        wraps = node.kind in (K.PAREN, K.UNEXPOSED_EXPR) or node.kind in CASTS
        if wraps and len(inner) == 1:
            self.discard(inner[0])
        elif node.kind == K.BINARY and node.op == "," and len(node.children) == 2:
            for child in node.children:
                self.discard(child)
        elif node.kind == K.CALL:
            self.call(node)
        else:
            self.value(node)

    def rare(self, node: Node) -> Value:
        """The value of an expression of an unusual kind."""
        kind = node.kind
        if kind in (K.FLOATING, K.STRING):
            return Opaque(True)
        if kind == K.NULLPTR:
            return Pointer(None, ZERO)
        if kind == K.THIS:
            this = self.activation.this
            return self.decay(this) if isinstance(this, Target | Memory | Temporary) else self.lost(node)
        if kind == K.LAMBDA:
            return self._lambda(node)
        if kind in (K.INIT_LIST, K.PAREN_LIST):
            return self.initializer_list(node, node.type)
        if kind == K.STMT_EXPR:
            for child in node.children:
                self.run(child)
            return self.lost(node)
        constant = node.constant if not node.children else None
        if isinstance(constant, int):
            return Int(Const(constant))
        known = True
        for child in operands(node):
            if child.kind < 200:
                known = uniform(self.value(child)) and known
        return self.lost(node)

    def constant(self, node: Node) -> Value:
        """The value of a literal or sizeof."""
        value = node.constant
        if isinstance(value, int):
            return Int(Const(value))
        return Int(self.fresh(self.label(node), True))

    def _implicit(self, node: Node) -> Value:
        """Implicit casts and other nodes that libclang does not expose."""
        inner = operands(node)
        if not inner:
            return self.rare(node)
        if len(inner) > 1:
            return self.rare(node)
        return self._converted(inner[0], node)

    def _converted(self, child: Node, node: Node) -> Value:
        """The value of a conversion's operand, converted."""
        how = node.conversion
        if how is None:
            how = node.conversion = _conversion(child, node)
        if how == _DECAYS:
            return self.decay(self.location(child))
        value = self.value(child)
        if (how == _KEEPS_INT and isinstance(value, Int)) or (how == _KEEPS_POINTER and isinstance(value, Pointer)):
            return value
        return self.convert(value, child.type, node.type, node)

    def convert(self, value: Value, source: Type, target: Type, node: Node) -> Value:
        """A value after conversion to another type."""
        target = types.referred(target)
        if types.is_integer(target):
            if isinstance(value, Int):
                return self._convert_integer(value, source, target, node)
            folded = constants.truncated(node, target) if types.is_float(source) else None
            if folded is not None:
                return Int(Const(folded))
            if isinstance(value, Pointer | Opaque):
                return Int(self.fresh(self.label(node), uniform(value) and not isinstance(value, Pointer)))
            return value if not isinstance(value, Record) else self.unknown(target, self.label(node), uniform=False)
        if types.is_pointer(target):
            if isinstance(value, Int):
                return Pointer(None, value.expr)
            return (
                value if isinstance(value, Pointer | Function) else Pointer(None, self.fresh(self.label(node), False))
            )
        if types.is_float(target):
            return Opaque(uniform(value))
        return value

    def _convert_integer(self, value: Int, source: Type, target: Type, node: Node) -> Value:
        if target.kind == 3 and source.kind != 3:
            is_truth = isinstance(value.expr, Op) and value.expr.op in (*_COMPARISONS, "&&", "||", "!")
            return value if is_truth else integer(op("!=", as_typed(value.expr, source), ZERO))
        size = types.size_of(target)
        if size == 8 and types.size_of(source) == 4:
            return integer(as_typed(value.expr, source))
        if narrows(source, target):
            return self._narrow(value, target, node)
        return value

    def _narrow(self, value: Int, target: Type, node: Node) -> Int:
        """An integer in a type of one or two bytes."""
        bits = 8 * types.size_of(target)
        if isinstance(value.expr, Const):
            number = value.expr.value & ((1 << bits) - 1)
            if not types.is_unsigned(target) and number >> (bits - 1):
                number -= 1 << bits
            return Int(Const(number))
        if types.is_unsigned(target):
            return integer(op("&", value.expr, Const((1 << bits) - 1)))
        return Int(self.fresh(self.label(node), uniform(value)))

    def _updated(self, after: Value, before: Value, type_: Type, node: Node) -> Value:
        """What `++` and `+=` leave in a variable: they compute with `int` where its type is narrower."""
        if not (isinstance(after, Int) and types.is_integer(type_) and 0 < types.size_of(type_) < 4):
            return after
        if type_.kind == T.BOOL:
            return integer(op("!=", after.expr, ZERO))
        known = [*self.conditions, *self.continuing]
        if isinstance(before, Int) and fits(before.expr, after.expr, known, *types.limits(type_)):
            return after
        return self._narrow(after, type_, node)

    def _cast(self, node: Node) -> Value:
        inner = operands(node)
        if not inner:
            return self.rare(node)
        return self._converted(inner[-1], node)

    def named(self, node: Node) -> Value:
        """The value of a name."""
        reference = node.reference
        if reference is None:
            inner = operands(node)  # the argument of a template, where its parameter is written
            return self.value(inner[0]) if len(inner) == 1 else self.rare(node)
        kind = reference.kind
        if kind in (K.VAR_DECL, K.PARM_DECL):
            return self.load(self.location(node), node)
        if kind == K.ENUM_CONSTANT:
            return Int(Const(types.enumerator(reference)))
        if kind == K.TEMPLATE_NON_TYPE:
            inner = operands(node)
            if inner:
                return self.value(inner[0])
            return Int(Sym(libclang.spelling(reference), SymKind.TEMPLATE, uniform=True))
        if kind in (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE):
            return Function(libclang.spelling(reference), reference)
        folded = constants.whole(node)  # a variable template's
        return Int(Const(folded)) if folded is not None else self.rare(node)

    # -- operators

    def _binary(self, node: Node) -> Value:
        if len(node.children) != 2:
            return self.rare(node)
        left, right = node.children
        name = node.op
        if name == "=":
            return self.assignment(left, right, node)[1]
        if name == ",":
            self.discard(left)
            return self.value(right)
        if name in ("&&", "||"):
            return self._logical(node, left, right)
        return self.combine(name, self.value(left), self.value(right), node, left.type, right.type)

    def combine(self, name: str, left: Value, right: Value, node: Node, left_type: Type, right_type: Type) -> Value:
        """A binary operator applied to two values."""
        if name in ("+", "-"):
            if types.points(left_type) and isinstance(left, Pointer) and isinstance(right, Int):
                return self._move(left, right, left_type, name)
            if types.points(right_type) and isinstance(right, Pointer) and isinstance(left, Int) and name == "+":
                return self._move(right, left, right_type, name)
        if isinstance(left, Int) and isinstance(right, Int) and name in _ARITHMETIC:
            sides = (left.expr, right.expr)
            if name in SENSITIVE:
                shift = name == ">>"  # by what has a type of its own
                sides = (as_typed(left.expr, left_type), right.expr if shift else as_typed(right.expr, right_type))
            made = op(name, *sides)
            if expression_size(made) <= _ARITHMETIC_LIMIT:
                return integer(made)
        if isinstance(left, Pointer) and isinstance(right, Pointer) and left.base == right.base is not None:
            if name in _COMPARISONS:
                return integer(op(name, left.offset, right.offset))
            size = types.size_of(types.pointee(left_type)) if types.is_pointer(left_type) else 0
            if name == "-" and size:
                return integer(op("/", op("-", left.offset, right.offset), Const(size)))
        known = uniform(left) and uniform(right)
        if isinstance(left, Pointer) or isinstance(right, Pointer):
            known = known and name in _COMPARISONS and self._is_null_test(left, right)
        return self.unknown(node.type, self.label(node), uniform=known)

    def _is_null_test(self, left: Value, right: Value) -> bool:
        """A pointer of the block compared with null is the same for all its threads."""
        null = Pointer(None, ZERO)
        return null in (left, right) or Int(ZERO) in (left, right)

    def _move(self, pointer: Pointer, count: Int, type_: Type, name: str) -> Value:
        inner = types.pointed(type_)
        size = types.size_of(inner)
        if size == 0 and inner.kind != 2:
            return Pointer(pointer.base, self.fresh("?size", False))
        distance = op("*", count.expr, Const(max(size, 1)))
        return Pointer(pointer.base, integer(op(name, pointer.offset, distance)).expr)

    def _logical(self, node: Node, left: Node, right: Node) -> Value:
        first = self.value(left)
        condition = self.truth(first)
        self.tested(left, condition)
        guard = condition if node.op == "&&" else negation(condition)
        second = self._on_condition(right, guard, uniform(first))
        other = self.truth(second)
        if condition is not None and other is not None:
            return integer(op(node.op, condition, other))
        return Int(self.fresh(self.label(node), uniform(first) and uniform(second)))

    def _on_condition(self, node: Node, condition: Expr | None, known: bool) -> Value:  # noqa: FBT001
        return self._under(self.value, node, condition, known)

    def _under(self, read: Callable[[Node], _Read], node: Node, condition: Expr | None, known: bool) -> _Read:  # noqa: FBT001
        """What is read of an operand that is evaluated only under a condition; its effects are merged."""
        mark, depth = self.variables.mark(), len(self.conditions)
        self.assume(condition)
        frame = self.frames[-1]
        reach = frame.reach
        frame.reach = min(reach, self.together(condition, known))
        result = read(node)
        frame.reach = reach
        del self.conditions[depth:]
        changes = self.variables.changes(mark)
        if changes:
            self.variables.rollback(mark)
            self.merge([Path(changes, True), Path({}, True)], divergent=not known, condition=condition)
        return result

    def truth(self, value: Value) -> Expr | None:
        """The value as a condition, None where it is not an integer."""
        return value.expr if isinstance(value, Int) else None

    def _conditional(self, node: Node) -> Value:
        parts = operands(node)
        if len(parts) != 3:
            return self.rare(node)
        test = self.value(parts[0])
        condition = self.truth(test)
        self.tested(node, condition)
        known = uniform(test)
        values = [
            self._on_condition(parts[1], condition, known),
            self._on_condition(parts[2], negation(condition), known),
        ]
        if isinstance(condition, Const):
            return values[0 if condition.value else 1]
        merged, lost = join(values, self.label(node), self.fresh, divergent=not known, condition=condition)
        self.escape(lost)
        return merged

    def chosen(self, node: Node) -> Location:
        """`c ? a : b` as a place: one of the two, nobody knows which."""
        parts = operands(node)
        test = self.value(parts[0])
        condition, known = self.truth(test), uniform(test)
        self.tested(node, condition)
        first = self._under(self.location, parts[1], condition, known)
        second = self._under(self.location, parts[2], negation(condition), known)
        self.escape([one for one in (first, second) if isinstance(one, Target)])
        alike = isinstance(first, Memory) and isinstance(second, Memory) and first.array == second.array
        array = first.array if alike and isinstance(first, Memory) else None
        return Memory(array, self.fresh(self.label(node), False), types.referred(node.type))

    def _unary(self, node: Node) -> Value:
        if not node.children:
            return self.rare(node)
        child = node.children[0]
        name = node.op
        if name == "&":
            return self.decay(self.location(child)) if child.kind != K.UNEXPOSED_EXPR else self._address(child)
        if name == "*":
            return self.load(self.location(node), node)
        if name in ("++", "--", "p++", "p--"):
            return self.step(node, child)[0]
        value = self.value(child)
        if isinstance(value, Int):
            if name == "-":
                return integer(op("neg", value.expr))
            if name in ("~", "!"):
                made = negation(value.expr) if name == "!" else op("~", value.expr)
                return integer(made) if made is not None else value
            return value
        if name == "!":
            known = uniform(value)
            return Int(self.fresh(self.label(node), known))
        return value if name == "+" else self.unknown(node.type, self.label(node), uniform=uniform(value))

    def _address(self, child: Node) -> Value:
        value = self.location(child)
        return self.decay(value)

    def step(self, node: Node, child: Node) -> tuple[Value, Location]:
        """++ and --: the value of the expression and the location changed."""
        location = self.location(child)
        before = self._read_for_update(location, child)
        amount = Int(Const(1))
        sign = "+" if node.op.endswith("+") else "-"
        after = self.combine(sign, before, amount, node, child.type, node.type)
        if types.is_float(child.type):
            after = Opaque(uniform(before))
        after = self._updated(after, before, types.referred(child.type), node)
        self._write_update(location, after, child)
        return (before if node.op.startswith("p") else after), location

    def _read_for_update(self, location: Location, node: Node) -> Value:
        """The old value of what is about to be changed; the one access is written down by `_write_update`."""
        if isinstance(location, Memory):
            return self._loaded(location, node)
        return self.load(location, node)

    def _write_update(self, location: Location, value: Value, node: Node) -> None:
        if isinstance(location, Memory):
            self.access(location, node, read=True, write=True)
        else:
            self.store(location, value, node)

    def assignment(self, left: Node, right: Node, node: Node) -> tuple[Location, Value]:
        """`left = right`."""
        value = self.value(right)
        location = self.location(left)
        value = self.convert(value, right.type, left.type, node)
        self.store(location, value, left)
        return location, value

    def compound_assignment(self, node: Node) -> tuple[Location, Value]:
        """`left OP= right`."""
        left, right = node.children[0], node.children[-1]
        operand = self.value(right)
        location = self.location(left)
        before = self._read_for_update(location, left)
        after = self.combine(node.op[:-1], before, operand, node, left.type, right.type)
        after = self.convert(after, left.type, left.type, node)
        if types.is_integer(left.type) and not isinstance(after, Int):
            after = self.unknown(left.type, self.label(node), uniform=uniform(after))
        after = self._updated(after, before, types.referred(left.type), node)
        self._write_update(location, after, left)
        return location, after

    # -- initialisation

    def initializer_list(self, node: Node, type_: Type) -> Value:
        """`{a, b, c}` as a structure (or number)."""
        if types.is_record(type_):
            return self._aggregate(node, type_)
        refers = aggregates.may_refer(type_)  # elements without braces of their own
        values = [self._part(child, refers=refers) for child in operands(node)]
        if len(values) == 1 and not types.is_array(type_):
            return values[0]
        if not values and types.is_integer(type_):
            return Int(ZERO)
        return Opaque(all(uniform(value) for value in values))

    def _aggregate(self, node: Node, type_: Type) -> Value:
        found = aggregates.parts(type_, operands(node))
        named: dict[str, Value] = {}
        for member, child in found.members:
            kind = types.canonical(self.lib.clang_getCursorType(member))
            if types.is_reference(kind):
                held = self.bound(child)
                named |= {} if held is None else {libclang.spelling(member): held}
            else:
                named[libclang.spelling(member)] = self.convert(self.value(child), child.type, kind, child)
        refers = bool(found.others) and aggregates.may_refer(type_)
        for child in found.others:
            self._part(child, refers=refers)
        return Record(named, found.alike)

    def _part(self, node: Node, *, refers: bool) -> Value:
        """A part of a list of which it is not known whether a reference is made of it."""
        if refers:
            self.bound(node)
            return Opaque(False)
        return self.value(node)

    def _lambda(self, node: Node) -> Value:
        data = self.activation.place.source.data
        body = next((child for child in node.children if child.kind == K.COMPOUND), node)
        head = data[node.start : body.start]
        listed = head[: head.find(b"]") + 1]
        if any(captures.is_hidden_call(child) for child in node.children):
            self.unknown_result(node, "what initialises a capture", [])  # libclang does not show the call itself
        names = captures.referred_to(node, listed)
        for key in (*self.variables.values, *self.references) if names else ():
            place = self.references.get(key, Target(key))
            if self.names.get(key, "").partition("@")[0].encode() in names and isinstance(place, Target):
                self.escape([place])
        changes = captures.MUTABLE.search(head, len(listed)) is not None
        return Closure(node, captures.copied(node, listed, data, self.variables.values), changes)
