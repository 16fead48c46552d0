"""Calls in the symbolic run: device functions are entered, CUDA's own functions are known, others are unknown."""

from __future__ import annotations

from gpuopt_driver.frontend import intrinsics, libclang, types
from gpuopt_driver.frontend.expr import Const, Expr, Op, op
from gpuopt_driver.frontend.expressions import ExpressionMachine, builtin, operands
from gpuopt_driver.frontend.libclang import Cursor, K
from gpuopt_driver.frontend.machine import Activation, Frame, Path
from gpuopt_driver.frontend.memory import Location, Memory, Temporary
from gpuopt_driver.frontend.model import Call, Space, Sync, SyncKind
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key
from gpuopt_driver.frontend.values import (
    Closure,
    Function,
    Group,
    Int,
    Opaque,
    Pointer,
    Record,
    Target,
    Undefined,
    Value,
    integer,
    uniform,
)

_DEPTH_LIMIT = 12
_FUNCTIONS = frozenset({int(K.FUNCTION_DECL), int(K.CXX_METHOD), int(K.CONSTRUCTOR), int(K.CONVERSION)})


class Body:
    """A function's definition, parsed into nodes once per unit."""

    def __init__(self, cursor: Cursor, place: Place) -> None:
        self.root = build(cursor, place)
        self.place = place
        self.block = next((child for child in self.root.children if child.kind == K.COMPOUND), None)
        self.parameters = [child for child in self.root.children if child.kind == K.PARM_DECL]
        self.tree = StatementTree(self.block, place.source.data) if self.block is not None else None


class CallMachine(ExpressionMachine):
    """Runs calls."""

    bodies: dict[int, Body | None]

    def declare(self, node: Node) -> None:
        """A variable's declaration; in interpreter.py."""
        raise NotImplementedError

    def call(self, node: Node, *, want_location: bool = False) -> Value | Location:
        """The value (or place) that a call returns."""
        reference = node.reference
        if reference is None:
            return self._unknown_call(node, node.name or self.text(node)[:40])
        if reference.kind == K.CONSTRUCTOR:
            return self._construct(node, reference)
        _callee, arguments, receiver = self._split(node, reference)
        name = libclang.spelling(reference)
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
        if self._is_foreign(reference, name):
            known = self._foreign(node, reference, name, arguments, receiver)
            if known is not None:
                return known
        body = self.body_of(reference)
        is_virtual = reference.kind == K.CXX_METHOD and self.lib.clang_CXXMethod_isVirtual(reference)
        if body is not None and body.block is not None and not is_virtual:
            return self._enter(node, reference, body, arguments, receiver)
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
        location = self.lib.clang_getCursorLocation(reference)
        file, _offset = libclang.file_location(location)
        return not file or self.translation.is_system(file)

    def _copies(self, reference: Cursor) -> bool:
        """Whether an assignment operator just copies the bytes."""
        return bool(self.lib.clang_CXXMethod_isDefaulted(reference)) or self.body_of(reference) is None

    def body_of(self, reference: Cursor) -> Body | None:
        """The definition of a function, if this unit has it."""
        key = decl_key(reference)
        if key not in self.bodies:
            self.bodies[key] = self._find_body(reference)
        return self.bodies[key]

    def _find_body(self, reference: Cursor) -> Body | None:
        if reference.kind not in _FUNCTIONS:
            return None
        definition = libclang.definition(reference)
        if definition is None:
            return None
        location = self.lib.clang_getCursorLocation(definition)
        file, _offset = libclang.file_location(location)
        if not file or self.translation.source(file) is None:
            return None
        return Body(definition, place_of(self.translation, definition))

    # -- calls into the user's functions

    def _enter(
        self, node: Node, reference: Cursor, body: Body, arguments: list[Node], receiver: Node | None
    ) -> Value | Location:
        """Run a function's body with its parameters bound to the arguments."""
        name = _qualified(reference)
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
        self.facts.calls.append(Call(self.stmt, name, self._span(node), True, self.activation.via))
        return self._run_body(node, name, body, bound, this)

    def _bind(self, body: Body, arguments: list[Node]) -> list[tuple[Node, Value | Location]]:
        """The parameters with what they receive, evaluated by the caller."""
        bound: list[tuple[Node, Value | Location]] = []
        for at, parameter in enumerate(body.parameters):
            if at >= len(arguments):
                initializer = [child for child in parameter.children if 100 <= child.kind < 200]
                value = libclang.constant(initializer[-1].cursor) if initializer else None
                constant: Value = Int(Const(value)) if isinstance(value, int) else Opaque(True)
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
        assert body.block is not None and body.tree is not None, "only functions with a body are entered"
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
            self.names[parameter.key] = parameter.name + self.label(parameter, "v")[2:]
            if isinstance(given, Target | Memory | Temporary):
                self.references[parameter.key] = given
            else:
                self.declared[parameter.key] = types.plain_name(parameter.type)
                self.variables.set(parameter.key, given)
        self.construct_members(body)
        self.run(body.block)
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
                value = self.value(child)
                if isinstance(this, Target | Memory) and field.kind == K.FIELD_DECL:
                    self.store(self.field(this, field, child), value, child)
                field = None

    def _leave_body(self, frame: Frame, mark: int, depth: int, node: Node) -> Value | Location:
        paths = list(frame.returns)
        if not self.dead:
            paths.append(Path(self.variables.changes(mark), frame.reach, tuple(self.conditions[depth:])))
        self.variables.rollback(mark)
        self.frames.pop()
        del self.conditions[depth:]
        outer = self.frames[-1]
        outer.reach = outer.reach and not outer.jumped
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
        from gpuopt_driver.frontend.values import join

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
        if not self.reached_in(frame):
            at = self.frames.index(frame)
            for inner in self.frames[at:]:
                if inner.kind == "loop" and inner.name not in self.lessons.split_loops:
                    self.lessons.split_loops.add(inner.name)
                    self.lessons.note(new=True)
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
        if body.block is None or any(a.declaration == body.root.key for a in self.activations if body.root.key):
            return self._unknown_call(node, "lambda", arguments)
        bound = self._bind(body, arguments)
        self.facts.calls.append(Call(self.stmt, "lambda", self._span(node), True, self.activation.via))
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
        return self._enter(node, cursor, body, arguments, None)

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
        return self._unknown_call(node, libclang.spelling(reference), arguments)

    def _construct(self, node: Node, reference: Cursor) -> Value | Location:
        """A constructor: copies are loads, dim3 is known, others run."""
        arguments = operands(node)
        type_ = types.canonical(node.type)
        copies = self.lib.clang_CXXConstructor_isCopyConstructor(reference)
        copies = copies or self.lib.clang_CXXConstructor_isMoveConstructor(reference)
        name = libclang.spelling(reference)
        if len(arguments) == 1 and (copies or types.plain_name(arguments[0].type) == types.plain_name(type_)):
            return self.value(arguments[0])
        if name == "dim3":
            values = [self.value(argument) for argument in arguments]
            if len(values) == 1 and isinstance(values[0], Record):
                return values[0]
            filled = [*values, *[Int(Const(1))] * (3 - len(values))]
            return Record(dict(zip("xyz", filled, strict=False)), True)
        body = self.body_of(reference)
        if body is None or body.block is None or self._is_foreign(reference, name):
            values = [self.value(argument) for argument in arguments]
            if len(values) == 1 and isinstance(values[0], Group):
                return values[0]
            return Record({}, bool(values) and all(uniform(value) for value in values))
        key = -(node.start + 1) * 4096 - len(self.activations)
        self.names[key] = f"temporary{self.label(node, 'v')[2:]}"
        self.variables.set(key, Record({}, False))
        active = [activation.declaration for activation in self.activations]
        if body.root.key in active or len(self.activations) > _DEPTH_LIMIT:
            return Record({}, False)
        bound = self._bind(body, arguments)
        self.facts.calls.append(Call(self.stmt, name, self._span(node), True, self.activation.via))
        self._run_body(node, name, body, bound, Target(key))
        return self.variables.values.get(key, Record({}, False))

    # -- functions that are known by name

    def _span(self, node: Node):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return self.activation.place.span(node.start, node.end, editable=not node.macro)

    def sync(self, kind: SyncKind, node: Node) -> None:
        """Write down a synchronising operation."""
        if kind is SyncKind.BLOCK and self.reached():
            self.interval.clear()
        self.facts.syncs.append(Sync(self.stmt, kind, self._span(node), self.text(node), self.activation.via))

    def _known(self, node: Node, name: str) -> None:
        self.facts.calls.append(Call(self.stmt, name, self._span(node), True, self.activation.via))

    def _foreign(
        self, node: Node, reference: Cursor, name: str, arguments: list[Node], receiver: Node | None
    ) -> Value | Location | None:
        """A function of CUDA or of the C library; None if it is not known."""
        if receiver is not None or name in intrinsics.GROUP_MAKERS or name in ("sync", "tiled_partition", "reduce"):
            found = self._group_call(node, name, arguments, receiver)
            if found is not None:
                return found
        if name in intrinsics.BLOCK_BARRIERS:
            for argument in arguments:
                self.value(argument)
            self.sync(SyncKind.BLOCK, node)
            self._known(node, name)
            return self.unknown(node.type, self.label(node), uniform=True)
        if name in intrinsics.FENCES:
            self.sync(SyncKind.FENCE, node)
            self._known(node, name)
            return Opaque(True)
        if intrinsics.WARP_OPERATIONS.match(name):
            for argument in arguments:
                self._clobber(self.value(argument))
            self.sync(SyncKind.WARP, node)
            self._known(node, name)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.LOADS and arguments:
            location = self._pointed(arguments[0])
            self._known(node, name)
            return self.load(location, node)
        if name in intrinsics.STORES and arguments:
            location = self._pointed(arguments[0])
            value = self.value(arguments[1]) if len(arguments) > 1 else Opaque(False)
            self._known(node, name)
            self.store(location, value, node)
            return Opaque(True)
        if intrinsics.ATOMICS.match(name) or name in intrinsics.ATOMIC_LOADS:
            return self._atomic(node, name, arguments)
        if intrinsics.TEXTURES.match(name):
            return self._texture(node, name, arguments)
        return self._library(node, reference, name, arguments, receiver)

    def _pointed(self, argument: Node) -> Location:
        value = self.value(argument)
        target = types.pointee(argument.type) if types.is_pointer(argument.type) else argument.type
        return self.dereference(value, target, argument)

    def _atomic(self, node: Node, name: str, arguments: list[Node]) -> Value:
        location = self._pointed(arguments[0]) if arguments else Temporary(Opaque(False))
        for argument in arguments[1:]:
            self.value(argument)
        self._known(node, name)
        result = self.unknown(node.type, self.label(node), uniform=False)
        if isinstance(location, Memory):
            writes = name not in intrinsics.ATOMIC_LOADS
            self.access(location, node, read=True, write=writes, atomic=True)
        elif isinstance(location, Target):
            self.assign(location, self.unknown(node.type, self.label(node, "atomic"), uniform=False))
        return result

    def _texture(self, node: Node, name: str, arguments: list[Node]) -> Value:
        from gpuopt_driver.frontend.model import Array

        known = True
        for argument in arguments:
            value = self.value(argument)
            known = uniform(value) and known
            self._clobber(value)
        text = self.text(arguments[0]) if arguments else name
        size = types.size_of(node.type)
        array = Array(text, Space.TEXTURE, types.plain_name(node.type), size)
        writes = name.endswith("write")
        location = Memory(array, self.fresh(self.label(node, name), known), node.type)
        self.access(location, node, read=not writes, write=writes)
        self._known(node, name)
        return self.unknown(node.type, self.label(node), uniform=known and not writes and name.startswith("tex"))

    def _clobber(self, value: Value, known: bool = False) -> None:  # noqa: FBT001, FBT002
        """Something that is not modelled may write through this value."""
        if isinstance(value, Pointer) and isinstance(value.base, Target):
            target = value.base
            held = self.variables.values.get(target.key)
            replacement: Value = Opaque(known)
            if target.path or isinstance(held, Int | Undefined | Pointer):
                replacement = Int(self.fresh(f"?{self.names.get(target.key, '')}.written", known))
            elif isinstance(held, Record):
                replacement = Record({}, known)
            self.assign(target, replacement)

    def _library(
        self, node: Node, reference: Cursor, name: str, arguments: list[Node], receiver: Node | None
    ) -> Value | Location | None:
        if name in ("printf", "puts", "putchar", "vprintf"):
            self.facts.special.add("printf")
        elif name in intrinsics.ALLOCATION:
            self.facts.special.add("malloc")
        elif name in intrinsics.ASSERTIONS:
            self.facts.special.add("assert")
        elif name in intrinsics.CLOCKS:
            self.facts.special.add("clock")
            self._known(node, name)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.COPIES:
            return self._copy(node, name, arguments)
        if receiver is not None:
            return None
        values = [self.value(argument) for argument in arguments]
        body = self.body_of(reference)
        plain = self._arithmetic(name, values)
        if plain is not None:
            self._known(node, name)
            return plain
        if body is not None and body.block is not None and not _is_short(body):
            return self._unknown_result(node, name, values)
        if not _is_declared_by_us(self, reference) and _qualified(reference).split("::")[0] in (
            "cub",
            "thrust",
            "cuda",
        ):
            return self._unknown_result(node, name, values)
        return self._pure(node, name, arguments, values)

    def _pure(self, node: Node, name: str, arguments: list[Node], values: list[Value]) -> Value:
        """A library function: its result depends on its arguments; it may write through its pointers."""
        known = all(uniform(value) for value in values) and not intrinsics.NOT_UNIFORM.match(name)
        known = known and name not in intrinsics.ALLOCATION
        for argument, value in zip(arguments, values, strict=True):
            if isinstance(value, Pointer) and types.is_pointer(argument.type):
                inner = types.pointee(argument.type)
                if isinstance(value.base, Target):
                    self._clobber(value, known)
                elif value.base is not None and not types.is_const(inner) and name not in ("printf", "assert", "free"):
                    self.access(Memory(value.base, value.offset, inner), argument, read=True, write=True)
                    known = False
        self._known(node, name)
        return self.unknown(node.type, self.label(node), uniform=known)

    def _copy(self, node: Node, name: str, arguments: list[Node]) -> Value:
        values = [self.value(argument) for argument in arguments]
        self._known(node, name)
        for at, (argument, value) in enumerate(zip(arguments[:2], values[:2], strict=False)):
            if not isinstance(value, Pointer) or (name == "memset" and at == 1):
                continue
            if isinstance(value.base, Target):
                if at == 0:
                    self._clobber(value)
                continue
            if value.base is not None or name != "memcpy_async":
                inner = types.pointee(argument.type) if types.is_pointer(argument.type) else argument.type
                somewhere = self.fresh(self.label(argument, name), False)
                self.access(Memory(value.base, somewhere, inner), argument, read=at == 1, write=at == 0)
        return values[0] if values and name != "memcpy_async" else Opaque(False)

    def _arithmetic(self, name: str, values: list[Value]) -> Value | None:
        """Integer functions that expressions can say."""
        if not values or not all(isinstance(value, Int) for value in values):
            return None
        parts = [value.expr for value in values if isinstance(value, Int)]
        if name in intrinsics.PRODUCTS and len(parts) == 2:
            return integer(op("*", *parts))
        if name in intrinsics.MINIMA and len(parts) == 2:
            return integer(op("min", *parts))
        if name in intrinsics.MAXIMA and len(parts) == 2:
            return integer(op("max", *parts))
        if name in intrinsics.ABSOLUTES and len(parts) == 1:
            return integer(op("max", parts[0], op("neg", parts[0])))
        return None

    # -- cooperative groups

    def _group_call(self, node: Node, name: str, arguments: list[Node], receiver: Node | None) -> Value | None:
        if name in intrinsics.GROUP_MAKERS:
            for argument in arguments:
                self.value(argument)
            self._known(node, name)
            return Group(intrinsics.GROUP_MAKERS[name])
        first = self.value(receiver) if receiver is not None else None
        if first is None and arguments:
            first = self.value(arguments[0])
            arguments = arguments[1:]
        if name == "tiled_partition":
            return self._tile(node, arguments)
        if not isinstance(first, Group):
            speaker = receiver if receiver is not None else (operands(node)[1:] or [node])[0]
            first = group_of_type(types.spelled(types.canonical(speaker.type)))
        if first is None:
            return None
        values = [self.value(argument) for argument in arguments]
        kind = intrinsics.GROUP_KINDS.get(first.kind, SyncKind.UNKNOWN)
        if first.kind == "tile" and first.size > 32:
            kind = SyncKind.NAMED
        self._known(node, name)
        if name in intrinsics.GROUP_SYNCS or name in intrinsics.GROUP_COLLECTIVES:
            self.sync(kind, node)
            return self.unknown(node.type, self.label(node), uniform=False)
        if name in intrinsics.GROUP_FREE_COLLECTIVES:
            for value in values:
                self._clobber(value)
            self.sync(kind, node)
            return self.unknown(node.type, self.label(node), uniform=False)
        return self._group_query(node, name, first)

    def _tile(self, node: Node, arguments: list[Node]) -> Value:
        made = group_of_type(types.spelled(types.canonical(node.type)))
        size = made.size if made is not None else 0
        if not size and arguments:
            value = self.value(arguments[0])
            size = value.expr.value if isinstance(value, Int) and isinstance(value.expr, Const) else 0
        self._known(node, "tiled_partition")
        return Group("tile" if size else "unknown", size)

    def _group_query(self, node: Node, name: str, group: Group) -> Value:
        rank = _linear_thread()
        count = op("*", *(builtin("blockDim", axis) for axis in "xyz"))
        if group.kind == "block":
            table = {"group_index": "blockIdx", "thread_index": "threadIdx", "group_dim": "blockDim"}
            table["dim_threads"] = "blockDim"
            if name in table:
                return Record({axis: Int(builtin(table[name], axis)) for axis in "xyz"}, name != "thread_index")
            if name == "thread_rank":
                return integer(rank)
            if name in ("size", "num_threads"):
                return integer(count)
        if group.kind == "tile" and group.size:
            size = Const(group.size)
            answers = {
                "thread_rank": op("%", rank, size),
                "size": size,
                "num_threads": size,
                "meta_group_rank": op("/", rank, size),
                "meta_group_size": op("/", op("+", count, Const(group.size - 1)), size),
            }
            if name in answers:
                return integer(answers[name])
        if group.kind == "grid":
            block = _linear("blockIdx", "gridDim")
            if name == "thread_rank":
                return integer(op("+", op("*", block, count), rank))
            if name == "block_rank":
                return integer(block)
            if name in ("size", "num_threads", "num_blocks", "dim_blocks"):
                self.facts.special.add("gridDim")
        known = name in ("size", "num_threads", "num_blocks", "is_valid") and group.kind in ("grid", "block", "cluster")
        return self.unknown(node.type, self.label(node), uniform=known)

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
        return self._unknown_result(node, name, values)

    def _unknown_result(self, node: Node, name: str, values: list[Value]) -> Value:
        self.escape([value.base for value in values if isinstance(value, Pointer) and isinstance(value.base, Target)])
        if any(isinstance(value, Pointer) and not isinstance(value.base, Target) for value in values):
            self.note_write(None)
        self.facts.calls.append(Call(self.stmt, name, self._span(node), False, self.activation.via))
        self.sync(SyncKind.UNKNOWN, node)
        return self.unknown(node.type, self.label(node), uniform=False)

    def classify_assembly(self, text: str, node: Node) -> None:
        """What inline PTX does beside computing."""
        for pattern, word in intrinsics.ASM_SPECIAL:
            if pattern.search(text):
                self.facts.special.add(word)
        kind = intrinsics.assembly_sync(text)
        if kind is not None:
            self.sync(kind, node)
        if intrinsics.assembly_touches_memory(text):
            self.note_write(None)
            self.facts.calls.append(Call(self.stmt, "asm", self._span(node), False, self.activation.via))


def group_of_type(spelling: str) -> Group | None:
    """The cooperative group that a C++ type stands for."""
    name = spelling.removeprefix("const ").replace(" *", "").replace(" &", "")
    if "cooperative_groups::" not in name:
        return None
    name = name.split("cooperative_groups::", 1)[1]
    if name.startswith("thread_block_tile<"):
        digits = name.split("<", 1)[1].split(",")[0].strip(" uU>")
        return Group("tile", int(digits)) if digits.isdigit() else Group("unknown")
    return Group(intrinsics.GROUP_TYPES.get(name, "unknown"))


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


def _qualified(cursor: Cursor) -> str:
    """A function's name with its namespaces and classes."""
    lib = libclang.library()
    parts = [libclang.spelling(cursor)]
    parent = lib.clang_getCursorSemanticParent(cursor)
    while parent.kind in (K.NAMESPACE, K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.CLASS_PARTIAL):
        name = libclang.spelling(parent)
        if name:
            parts.append(name)
        parent = lib.clang_getCursorSemanticParent(parent)
    return "::".join(reversed(parts))


def _is_declared_by_us(machine: CallMachine, reference: Cursor) -> bool:
    file, _offset = libclang.file_location(machine.lib.clang_getCursorLocation(reference))
    from gpuopt_driver.frontend.options import DECLARATIONS

    return not file or machine.translation.path(file).startswith(str(DECLARATIONS))


def _is_short(body: Body) -> bool:
    """Whether a library function is simple enough to have no hidden effects: no calls, loops or assembly."""
    return all(node.kind not in (K.CALL, K.FOR, K.WHILE, K.DO, K.ASM) for node in body.root.walk())


def _all_of(conditions: tuple[Expr | None, ...]) -> Expr:
    known = [condition for condition in conditions if condition is not None]
    result = known[0] if known else Const(1)
    for condition in known[1:]:
        result = Op("&&", (result, condition))
    return result


def _linear(index: str, extent: str) -> Expr:
    """x + y * extent.x + z * extent.x * extent.y."""
    x, y, z = (builtin(index, axis) for axis in "xyz")
    width, height = builtin(extent, "x"), builtin(extent, "y")
    return op("+", op("+", x, op("*", y, width)), op("*", z, op("*", width, height)))


def _linear_thread() -> Expr:
    return _linear("threadIdx", "blockDim")
