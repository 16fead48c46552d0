"""Calls in the symbolic run: the user's device functions are entered with their parameters bound."""

from __future__ import annotations

from gpuopt_driver.frontend import constants, intrinsics, libclang, types
from gpuopt_driver.frontend.aggregates import repeats_names
from gpuopt_driver.frontend.declarations import has_attribute
from gpuopt_driver.frontend.effects import Body, qualified_name
from gpuopt_driver.frontend.expr import Const, Expr, Op, op
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.library import LibraryMachine
from gpuopt_driver.frontend.machine import Activation, Frame, Path
from gpuopt_driver.frontend.memory import Location, Memory, Temporary
from gpuopt_driver.frontend.model import Call, Convergence
from gpuopt_driver.frontend.places import operands
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.values import (
    Closure,
    Function,
    Group,
    Int,
    Opaque,
    Record,
    Target,
    Value,
    integer,
    join,
    uniform,
)

_DEPTH_LIMIT = 12


class CallMachine(LibraryMachine):
    """Runs calls."""

    def declare(self, node: Node) -> None:
        """A variable's declaration; in interpreter.py."""
        raise NotImplementedError

    def call(self, node: Node, *, want_location: bool = False) -> Value | Location:
        """The value (or place) that a call returns."""
        self.facts.visited.add(id(node))
        reference = node.reference
        if reference is None:
            return self._call_of_value(node)
        if reference.kind == K.CONSTRUCTOR:
            return self._construct(node, reference)
        _callee, arguments, receiver = self._split(node, reference)
        name = libclang.name_of(reference)
        if name == "operator=" and receiver is not None and self._copies(reference):
            location = self.location(receiver)
            value = self.value(arguments[0]) if arguments else Opaque(False)
            self.store(location, value, receiver)
            return location
        if reference.kind in (K.VAR_DECL, K.PARM_DECL, K.FIELD_DECL):
            return self._indirect(node, reference, arguments, want_location=want_location)
        if name == "operator()" and receiver is not None:
            held = self.value(receiver)
            if isinstance(held, Closure):
                return self._enter_closure(node, held, arguments)
            if isinstance(held, Function):
                return self._enter_function(node, held, arguments)
        is_launch = has_attribute(reference, K.GLOBAL_ATTR)
        if is_launch:
            self.facts.special.add("cdp")  # of threads that are not these and of which nothing is known here
        elif self._is_foreign(reference, name):
            known = self.foreign_call(node, reference, name, arguments, receiver)
            if known is not None:
                return known
        body = None if is_launch else self.body_of(reference)
        is_virtual = reference.kind == K.CXX_METHOD and self.lib.clang_CXXMethod_isVirtual(reference)
        if body is not None and body.block is not None and not is_virtual:
            result = self._enter(node, reference, body, arguments, receiver)
            if isinstance(result, Int) and not isinstance(result.expr, Const):
                folded = constants.whole(node)  # of a constexpr function with a loop, say
                return Int(Const(folded)) if folded is not None else result
            return result
        return self._unknown_call(node, name, arguments, receiver)

    def _split(self, node: Node, reference: Cursor) -> tuple[Node | None, list[Node], Node | None]:
        """(callee, arguments, object) of a call; an operator's object comes before its name."""
        parts = operands(node)
        if not parts:
            return None, [], None
        is_method = reference.kind in (K.CXX_METHOD, K.CONVERSION, K.DESTRUCTOR)
        at = next((i for i, part in enumerate(parts[:2]) if _names(part, reference)), 0)
        callee, rest = parts[at], parts[:at] + parts[at + 1 :]
        member = _member_callee(callee)
        if member is not None:
            inner = operands(member)
            return callee, rest, inner[0] if inner else None
        if is_method and at >= 1 and rest:
            return callee, rest[1:], rest[0]
        if is_method and reference.kind == K.CONVERSION:
            return callee, [], parts[0]
        return callee, rest, None

    def _is_foreign(self, reference: Cursor, name: str) -> bool:
        """Whether a function is CUDA's or the C library's; a builtin's location is that of its first use."""
        if name.startswith(("__builtin_", "__nvvm_")) or name in intrinsics.BLOCK_BARRIERS:
            return True
        return self.translation.declares_for_system(reference)

    def _copies(self, reference: Cursor) -> bool:
        """Whether an assignment operator just copies the bytes."""
        return bool(self.lib.clang_CXXMethod_isDefaulted(reference)) or self.body_of(reference) is None

    # -- calls into the user's functions

    def _enter(
        self, node: Node, reference: Cursor, body: Body, arguments: list[Node], receiver: Node | None
    ) -> Value | Location:
        """Run a function's body with its parameters bound to the arguments."""
        name = qualified_name(reference)
        active = [activation.declaration for activation in self.activations]
        if body.root.key in active or len(self.activations) > _DEPTH_LIMIT or self.budget < 0:
            if body.root.key in active:
                self.facts.special.add("recursion")
            return self._unknown_call(node, name, arguments, receiver)
        bound = self._bind(body, arguments)
        this: Target | object = None
        if receiver is not None:
            if types.is_pointer(receiver.type):
                this = self.dereference(self.value(receiver), types.pointee(receiver.type), receiver)
            else:
                this = self.location(receiver)
        elif self.activations:
            this = self.activation.this
        self.facts.calls.append(Call(self.stmt, name, self.span_of(node), True, self.activation.via))
        return self._run_body(node, name, body, bound, this)

    def _bind(self, body: Body, arguments: list[Node]) -> list[tuple[Node, Value | Location]]:
        """The parameters with what they receive, evaluated by the caller."""
        bound: list[tuple[Node, Value | Location]] = []
        for at, parameter in enumerate(body.parameters):
            if at >= len(arguments):
                initializer = [child for child in parameter.children if 100 <= child.kind < 200]
                value = libclang.constant(initializer[-1].cursor) if initializer else None
                constant: Value = Int(Const(value)) if isinstance(value, int) else Opaque(False)
                bound.append((parameter, constant))
                continue
            argument = arguments[at]
            if types.is_reference(parameter.type):
                location = self.location(argument)
                bound.append((parameter, location))
            else:
                value_of = self.value(argument)
                bound.append((parameter, self.convert(value_of, argument.type, parameter.type, argument)))
        for extra in arguments[len(body.parameters) :]:
            self.value(extra)
        return bound

    def _run_body(
        self,
        node: Node,
        name: str,
        body: Body,
        bound: list[tuple[Node, Value | Location]],
        this: Target | object,
        outer: dict[int, Value] | None = None,
    ) -> Value | Location:
        assert body.block is not None, "only functions with a body are entered"
        assert body.tree is not None, "a body has statements"
        caller = self.activation
        context = f"{caller.context}/{node.start}:{name}"
        result = types.canonical(self.lib.clang_getResultType(self.lib.clang_getCursorType(body.root.cursor)))
        mark = self.variables.mark()
        depth = len(self.conditions)
        self.facts.used_bodies[body.root.key] = (body.place.source.path, body.root.start, body.root.end)
        self.activations.append(
            Activation(
                body.place,
                body.tree,
                (*caller.via, name),
                context,
                this,
                types.is_reference(result),
                body.root.key,
            )
        )
        frame = Frame("call", mark, depth, name=context)
        self.frames.append(frame)
        for key, value in (outer or {}).items():
            self.variables.set(key, value)
        for parameter, given in bound:
            self.named_as(parameter.key, parameter.name + self.label(parameter, "v")[2:])
            if isinstance(given, Target | Memory | Temporary):
                self.references[parameter.key] = given
            else:
                self.declared[parameter.key] = types.plain_name(parameter.type)
                self.variables.set(parameter.key, given)
                if isinstance(given, Record) and repeats_names(parameter.type):
                    self.escape([Target(parameter.key)])
        self.construct_members(body)
        self.callee_loops += body.tree.has_goto  # which may be a loop
        self.run(body.block)
        self.callee_loops -= body.tree.has_goto
        returned = self._leave_body(frame, mark, depth, node)
        self.activations.pop()
        return returned

    def construct_members(self, body: Body) -> None:
        """The member initialisers of a constructor."""
        if body.root.kind != K.CONSTRUCTOR:
            return
        this = self.activation.this
        field = None
        for child in body.root.children:
            if child.kind == K.MEMBER_REF:
                field = child.reference
            elif 100 <= child.kind < 200 and field is not None:
                if types.is_reference(types.canonical(self.lib.clang_getCursorType(field))):
                    self._refer(this, field, child)
                    field = None
                    continue
                value = self.value(child)
                if isinstance(this, Target | Memory) and field.kind == K.FIELD_DECL:
                    self.store(self.field(this, field, child), value, child)
                field = None

    def _refer(self, this: Target | object, field: Cursor, child: Node) -> None:
        """A member that is a reference: it is kept as a pointer to what its initialiser names."""
        held = self.bound(child)
        member = Target(this.key, (*this.path, libclang.spelling(field))) if isinstance(this, Target) else None
        if member is not None:
            self.referred.pop(member, None)
        if member is not None and held is not None and member.key not in self.lessons.escaped:
            self.referred[member] = held  # for as long as the object lives
            self.store(member, held, child)

    def _leave_body(self, frame: Frame, mark: int, depth: int, node: Node) -> Value | Location:
        paths = list(frame.returns)
        if not self.dead:
            paths.append(
                Path(self.variables.changes(mark), frame.reach is Convergence.BLOCK, tuple(self.conditions[depth:]))
            )
        self.variables.rollback(mark)
        self.frames.pop()
        del self.conditions[depth:]
        outer = self.frames[-1]
        outer.reach = min(outer.reach, outer.staying)
        self.dead = not paths
        self.interval.add(frame.interval)
        if not paths:
            return Opaque(False)
        together = all(path.together for path in paths)
        values = [path.value for path in paths if path.value is not None]
        condition = None
        if len(paths) == 2 and all(part is not None for part in paths[0].conditions) and paths[0].conditions:
            condition = _all_of(paths[0].conditions)
        self.merge(paths, divergent=not together, condition=condition, name=f"return{node.start}")
        locations = self._returned_locations.pop(id(frame), [])
        if locations:
            return (
                locations[0]
                if len(locations) == 1
                else Temporary(self.unknown(node.type, self.label(node), uniform=False))
            )
        if not values:
            return Opaque(True)
        return self._join_returns(paths, together=together, node=node)

    def _join_returns(self, paths: list[Path], *, together: bool, node: Node) -> Value:
        values = [path.value if path.value is not None else Opaque(True) for path in paths]
        if all(isinstance(value, Int) for value in values) and all(None not in path.conditions for path in paths[:-1]):
            result = values[-1]
            for path in reversed(paths[:-1]):
                if isinstance(path.value, Int) and isinstance(result, Int):
                    chosen = op("?:", _all_of(path.conditions), path.value.expr, result.expr)
                    result = integer(chosen)
            return result
        merged, lost = join(values, self.label(node), self.fresh, divergent=not together)
        self.escape(lost)
        return merged

    _returned_locations: dict[int, list[Location]]

    def return_from_call(self, node: Node, frame: Frame) -> None:
        """`return` in a function that a kernel calls."""
        value: Value | None = None
        for child in node.children:
            if self.activation.returns_reference:
                self._returned_locations.setdefault(id(frame), []).append(self.location(child))
            else:
                value = self.value(child)
        if self.reached_in(frame) is not Convergence.BLOCK:
            at = self.frames.index(frame)
            for inner in self.frames[at:]:
                if inner.kind == "loop":
                    self.lessons.split(inner.name)
        self.jump(frame, frame.returns, value=value)

    # -- lambdas, function pointers, constructors

    def _enter_closure(self, node: Node, closure: Closure, arguments: list[Node]) -> Value | Location:
        key = closure.node.cursor.data[1] or closure.node.key
        body = self.bodies.get(key)
        if body is None:
            body = Body.__new__(Body)
            body.root = closure.node
            body.place = self.activation.place
            body.block = next((child for child in closure.node.children if child.kind == K.COMPOUND), None)
            body.parameters = [child for child in closure.node.children if child.kind == K.PARM_DECL]
            body.tree = StatementTree(body.block, body.place.source.data) if body.block is not None else None
            self.bodies[key] = body
        again = any(a.declaration == body.root.key for a in self.activations if body.root.key)
        if body.block is None or again or closure.changes:
            return self._unknown_call(node, "lambda", arguments)
        bound = self._bind(body, arguments)
        self.facts.calls.append(Call(self.stmt, "lambda", self.span_of(node), True, self.activation.via))
        captured = closure.captured
        if captured is None:
            return self._run_body(node, "lambda", body, bound, self.activation.this)
        outer = {key: value for key, value in captured.items() if self.variables.values.get(key) != value}
        kept = {key: self.variables.values[key] for key in outer if key in self.variables.values}
        result = self._run_body(node, "lambda", body, bound, self.activation.this, outer)
        for key, value in kept.items():
            self.variables.set(key, value)
        return result

    def _enter_function(self, node: Node, function: Function, arguments: list[Node]) -> Value | Location:
        cursor = function.cursor
        body = self.body_of(cursor) if isinstance(cursor, Cursor) else None
        if body is None or body.block is None or not isinstance(cursor, Cursor):
            return self._unknown_call(node, function.name, arguments)
        if has_attribute(cursor, K.GLOBAL_ATTR):
            self.facts.special.add("cdp")
            return self._unknown_call(node, function.name, arguments)
        return self._enter(node, cursor, body, arguments, None)

    def _call_of_value(self, node: Node) -> Value | Location:
        """A call of what an expression gives: where a template's parameter is called, that is its argument."""
        parts = operands(node)
        shown = parts[0] if parts else None
        while shown is not None and shown.reference is None and len(shown.children) == 1:
            shown = shown.children[0]
        reference = shown.reference if shown is not None else None
        if shown is not None and reference is not None and reference.kind == K.FUNCTION_DECL:
            held = self.value(shown)
            if isinstance(held, Function) and not self._is_foreign(reference, held.name):
                return self._enter_function(node, held, parts[1:])
        return self._unknown_call(node, node.name or self.text(node)[:40])

    def _indirect(
        self, node: Node, reference: Cursor, arguments: list[Node], *, want_location: bool
    ) -> Value | Location:
        """A call through a variable."""
        del want_location
        held = self.variables.values.get(decl_key(reference))
        if isinstance(held, Function):
            return self._enter_function(node, held, arguments)
        if isinstance(held, Closure):
            return self._enter_closure(node, held, arguments)
        return self._unknown_call(node, libclang.name_of(reference), arguments)

    def _construct(self, node: Node, reference: Cursor) -> Value | Location:
        """A constructor: copies are loads, dim3 is known, others run."""
        arguments = operands(node)
        type_ = types.canonical(node.type)
        copies = self.lib.clang_CXXConstructor_isCopyConstructor(reference)
        copies = copies or self.lib.clang_CXXConstructor_isMoveConstructor(reference)
        name = libclang.name_of(reference)
        if len(arguments) == 1 and (copies or types.plain_name(arguments[0].type) == types.plain_name(type_)):
            return self.value(arguments[0])
        if name == "dim3":
            values = [self.value(argument) for argument in arguments]
            if len(values) == 1 and isinstance(values[0], Record):
                return values[0]
            filled = [*values, *[Int(Const(1))] * (3 - len(values))]
            return Record(dict(zip("xyz", filled, strict=False)), True)
        body = self.body_of(reference)
        if body is None or body.block is None or (self._is_foreign(reference, name) and not _keeps_references(type_)):
            values = [self.value(argument) for argument in arguments]
            if len(values) == 1 and isinstance(values[0], Group):
                return values[0]
            return Record({}, bool(values) and all(uniform(value) for value in values))
        key = -(node.start + 1) * 4096 - len(self.activations)
        self.named_as(key, f"temporary{self.label(node, 'v')[2:]}")
        self.variables.set(key, Record({}, False))
        if repeats_names(type_):
            self.escape([Target(key)])
        for member in [one for one in self.referred if one.key == key]:
            del self.referred[member]  # of an object that has gone
        active = [activation.declaration for activation in self.activations]
        if body.root.key in active or len(self.activations) > _DEPTH_LIMIT:
            return Record({}, False)
        bound = self._bind(body, arguments)
        self.facts.calls.append(Call(self.stmt, name, self.span_of(node), True, self.activation.via))
        self._run_body(node, name, body, bound, Target(key))
        return self.variables.values.get(key, Record({}, False))

    # -- calls of which nothing is known

    def _unknown_call(
        self, node: Node, name: str, arguments: list[Node] | None = None, receiver: Node | None = None
    ) -> Value:
        values: list[Value] = []
        if arguments is None:
            arguments = operands(node)
        for argument in arguments:
            place = self.location(argument) if argument.kind in (K.DECL_REF, K.MEMBER_EXPR) else None
            if isinstance(place, Target):
                values.append(self.decay(place) if not types.is_pointer(argument.type) else self.load(place, argument))
                if types.is_record(argument.type) or types.is_pointer(argument.type):
                    self.escape([place])
            elif place is not None:
                values.append(self.load(place, argument))
            else:
                values.append(self.value(argument))
        if receiver is not None:
            place = self.location(receiver)
            if isinstance(place, Target):
                self.escape([place])
        return self.unknown_result(node, name, values)


def _names(node: Node, reference: Cursor) -> bool:
    """Whether an operand of a call is the name of what is called."""
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(node.children) == 1:
        node = node.children[0]
    return node.kind in (K.DECL_REF, K.MEMBER_EXPR) and (
        node.reference is not None and decl_key(node.reference) == decl_key(reference)
    )


def _member_callee(node: Node) -> Node | None:
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(node.children) == 1:
        node = node.children[0]
    return node if node.kind == K.MEMBER_EXPR else None


def _all_of(conditions: tuple[Expr | None, ...]) -> Expr:
    known = [condition for condition in conditions if condition is not None]
    result = known[0] if known else Const(1)
    for condition in known[1:]:
        result = Op("&&", (result, condition))
    return result


def _keeps_references(type_: Type) -> bool:
    """Whether objects of a class have members that are references: their constructor says to what."""
    lib = libclang.library()
    return any(types.is_reference(types.canonical(lib.clang_getCursorType(one))) for one in libclang.fields(type_))
