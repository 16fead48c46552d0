"""What calls read and write: functions of the project are summed up once, and a call does that to its arguments."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import intrinsics, libclang, types
from gpuopt_driver.frontend.effects import Body, find_body, qualified_name
from gpuopt_driver.frontend.foreign_effects import foreign
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import Place, Space
from gpuopt_driver.frontend.options import DECLARATIONS
from gpuopt_driver.frontend.places import CASTS, operands
from gpuopt_driver.frontend.side_effects import ANYWHERE, Calls, EffectWalk, Frame, Slot, Where
from gpuopt_driver.frontend.tree import Node, decl_key

_OF_BLOCK = (Place(Space.SHARED), Place(Space.GLOBAL))
_METHODS = (K.CXX_METHOD, K.CONVERSION, K.DESTRUCTOR)


@dataclass(frozen=True)
class Summary:
    """What a function does to places of its caller's and to memory; `unknown`: why that is not all."""

    effects: tuple[tuple[Where, bool], ...] = ()
    unknown: str = ""


class CallEffects(Calls):
    """The calls in one kernel's walk."""

    def __init__(self, walk: EffectWalk, bodies: dict[int, Body | None]) -> None:
        self.walk = walk
        self.lib = walk.lib
        self.bodies = bodies
        self.summaries: dict[int, Summary | None] = {}  # None: at work on it

    def call(self, node: Node) -> tuple[Where, ...]:
        """Note a call's effects; the places that it returns a reference to."""
        walk, reference = self.walk, node.reference
        parts = operands(node)
        if reference is None:
            for part in parts:
                walk.value(part)
            walk.lose(node, f"what {node.name or 'a call'} calls is not known")
            return (ANYWHERE,)
        if reference.kind == K.CONSTRUCTOR:
            self._construct(node, reference, parts)
            return ()
        receiver, arguments = _split(parts, reference)
        if libclang.name_of(reference) == "operator=" and receiver is not None and self._copies(reference, receiver):
            for argument in arguments:
                walk.value(argument)
            places = walk.place(receiver)
            walk.note(receiver, places, write=True)
            return places
        closure = self._closure(receiver) if libclang.name_of(reference) == "operator()" else None
        if closure is not None and receiver is not None:
            self._apply(node, self._of_lambda(closure), closure.children, arguments, None, reference)
            self._changes_itself(node, receiver, closure)
        elif self._is_foreign(reference):
            self._foreign(node, reference, arguments, receiver)
        else:
            self._own(node, reference, arguments, receiver)
        result = types.canonical(self.lib.clang_getResultType(self.lib.clang_getCursorType(reference)))
        if types.is_reference(result):
            return (ANYWHERE,)
        if not walk.plain.ends_plainly(node.type) and not types.is_pointer(node.type):
            walk.lose(node, f"{types.spelled(node.type)} has a destructor or copies of its own")
        return ()

    # -- kinds of calls

    def _construct(self, node: Node, reference: Cursor, arguments: list[Node]) -> None:
        walk = self.walk
        if not walk.plain.ends_plainly(node.type):
            walk.lose(node, f"{types.spelled(node.type)} has a destructor or copies of its own")
        body = self._body(reference)
        is_made = bool(self.lib.clang_CXXMethod_isDefaulted(reference))
        if is_made or body is None or body.block is None or self._is_foreign(reference):
            if not arguments and not walk.plain.starts_plainly(node.type):
                walk.lose(node, f"{types.spelled(node.type)} has constructors or initialisers of its own")
            for argument in arguments:
                walk.value(argument)
            return
        if not walk.plain.parts_start_plainly(node.type):
            walk.lose(node, f"a part of {types.spelled(node.type)} has constructors or initialisers of its own")
        self._apply(node, self._summary(body), body.parameters, arguments, None, reference)

    def _own(self, node: Node, reference: Cursor, arguments: list[Node], receiver: Node | None) -> None:
        """A function of the project's."""
        body = self._body(reference)
        is_virtual = reference.kind == K.CXX_METHOD and self.lib.clang_CXXMethod_isVirtual(reference)
        if body is None or body.block is None or is_virtual:
            for part in (*arguments, *([receiver] if receiver is not None else [])):
                self.walk.value(part)
                self.walk.expose(self.walk.place(part))
            self.walk.lose(node, f"what {qualified_name(reference)} does is not known")
            return
        self._apply(node, self._summary(body), body.parameters, arguments, receiver, reference)

    def _foreign(self, node: Node, reference: Cursor, arguments: list[Node], receiver: Node | None) -> None:
        walk, name = self.walk, libclang.name_of(reference)
        known = foreign(reference, name, qualified_name(reference))
        body = self._body(reference)
        by_us = self._is_declared_by_us(reference)
        if not known.unknown and body is not None and body.block is not None and not by_us:
            self._apply(node, self._summary(body), body.parameters, arguments, receiver, reference)
            return
        for at, argument in enumerate(arguments):
            if types.is_pointer(argument.type) or at in (*known.reads, *known.writes):
                self._touch(node, argument, reads=at in known.reads, writes=at in known.writes)
            else:
                walk.value(argument)
        if receiver is not None:
            places = walk.place(receiver)
            walk.note(node, places)
            walk.note(node, places, write=True)
        if known.unknown:
            walk.lose(node, known.unknown)
        if known.meets:
            walk.note(node, _OF_BLOCK)
            walk.note(node, _OF_BLOCK, write=True)

    def _touch(self, node: Node, argument: Node, *, reads: bool, writes: bool) -> None:
        """What an argument points or refers to is read or written."""
        walk = self.walk
        if types.is_pointer(argument.type):
            walk.value(argument)
            places = walk.pointee(argument, argument)
        else:
            places = walk.place(argument)
            walk.note(argument, places)
        if reads:
            walk.note(node, places)
        if writes:
            walk.note(node, places, write=True)

    def _apply(
        self,
        node: Node,
        summary: Summary,
        parameters: list[Node],
        arguments: list[Node],
        receiver: Node | None,
        reference: Cursor,
    ) -> None:
        """Do to a call's arguments what the summary says of the parameters."""
        walk = self.walk
        parameters = [one for one in parameters if one.kind == K.PARM_DECL]
        given: dict[Slot, tuple[Where, ...]] = {}
        for at, argument in enumerate(arguments):
            if at < len(parameters) and types.is_reference(parameters[at].type):
                given[Slot(at)] = walk.place(argument)
                walk.expose(given[Slot(at)])
                continue
            walk.value(argument)
            if types.points(argument.type):
                given[Slot(at, pointee=True)] = walk.pointee(argument, argument)
                walk.expose(given[Slot(at, pointee=True)])
        if receiver is not None:
            given[Slot(-1)] = self._object(receiver)
        elif reference.kind in _METHODS and not self.lib.clang_CXXMethod_isStatic(reference):
            given[Slot(-1)] = (Slot(-1),) if not walk.frame.is_kernel else (ANYWHERE,)
        for where, is_write in summary.effects:
            walk.note(node, given.get(where, ()) if isinstance(where, Slot) else (where,), write=is_write)
        if summary.unknown:
            walk.lose(node, summary.unknown)

    def _object(self, receiver: Node) -> tuple[Where, ...]:
        walk = self.walk
        if types.is_pointer(receiver.type):
            walk.value(receiver)
            return walk.pointee(receiver, receiver)
        places = walk.place(receiver)
        walk.expose(places)
        return places

    def _changes_itself(self, node: Node, receiver: Node, closure: Node) -> None:
        """A closure may change what it captured by copy, which is in itself."""
        places = self.walk.place(receiver)
        self.walk.note(node, places)
        data = self.walk.frame.text.source.data
        block = next((child for child in closure.children if child.kind == K.COMPOUND), None)
        if block is None or b"mutable" in data[closure.start : block.start] or closure.macro:
            self.walk.note(node, places, write=True)

    # -- summaries

    def _closure(self, receiver: Node | None) -> Node | None:
        """The lambda that a variable or expression is."""
        while receiver is not None and len(operands(receiver)) == 1:
            if receiver.kind not in (K.UNEXPOSED_EXPR, K.PAREN) and receiver.kind not in CASTS:
                break
            receiver = operands(receiver)[0]
        if receiver is not None and receiver.kind == K.DECL_REF and receiver.reference is not None:
            return self.walk.lambdas.get(decl_key(receiver.reference))
        return receiver if receiver is not None and receiver.kind == K.LAMBDA else None

    def _of_lambda(self, closure: Node) -> Summary:
        block = next((child for child in closure.children if child.kind == K.COMPOUND), None)
        parameters = [child for child in closure.children if child.kind == K.PARM_DECL]
        if block is None:
            return Summary(unknown="a lambda's body is not known")
        return self._sum_up(id(closure), block, parameters, [], Frame(self.walk.frame.text))

    def _summary(self, body: Body) -> Summary:
        assert body.block is not None, "functions without a body have no summary"
        is_place = types.is_reference(types.canonical(self.lib.clang_getResultType(body.root.type)))
        beside = [child for child in body.root.children if 100 <= child.kind < 200]  # member initialisers
        defaults = [part for one in body.parameters for part in one.children if 100 <= part.kind < 200]
        return self._sum_up(
            body.root.key,
            body.block,
            body.parameters,
            [*beside, *defaults],
            Frame(body.place, returns_reference=is_place),
        )

    def _sum_up(self, key: int, block: Node, parameters: list[Node], beside: list[Node], frame: Frame) -> Summary:
        if key in self.summaries:
            return self.summaries[key] or Summary(unknown="a function calls itself")
        self.summaries[key] = None
        walk = self.walk
        frame.parameters = {one.key: at for at, one in enumerate(parameters)}
        if block.moved is None:
            block.moved = moved_pointers(block)
        frame.moved = block.moved
        walk.inner.update(frame.parameters)
        walk.frames.append(frame)
        for one in parameters:
            if not walk.plain.ends_plainly(one.type) and not types.is_reference(one.type):
                walk.lose(one, f"{types.spelled(one.type)} has a destructor or copies of its own")
        for expression in beside:
            walk.value(expression)
        walk.statement(block)
        walk.frames.pop()
        effects = dict.fromkeys((one.where, one.is_write) for one in frame.noted if one.where is not None)
        unknown = next((one.unknown for one in frame.noted if one.where is None), "")
        made = self.summaries[key] = Summary(tuple(effects), unknown)
        return made

    # -- whose functions

    def _body(self, reference: Cursor) -> Body | None:
        key = decl_key(reference)
        if key not in self.bodies:
            self.bodies[key] = find_body(self.walk.translation, reference)
        return self.bodies[key]

    def _is_foreign(self, reference: Cursor) -> bool:
        name = libclang.name_of(reference)  # a builtin's location is that of its first use
        builtin = name.startswith(("__builtin_", "__nvvm_")) or name in intrinsics.BLOCK_BARRIERS
        return builtin or self.walk.translation.declares_for_system(reference)

    def _is_declared_by_us(self, reference: Cursor) -> bool:
        file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(reference))
        return not file or self.walk.translation.path(file).startswith(str(DECLARATIONS))

    def _copies(self, reference: Cursor, receiver: Node) -> bool:
        """Whether an assignment copies the bytes of an object."""
        made = bool(self.lib.clang_CXXMethod_isDefaulted(reference)) or self._body(reference) is None
        return made and self.walk.plain.ends_plainly(receiver.type)


def _split(parts: list[Node], reference: Cursor) -> tuple[Node | None, list[Node]]:
    """The object and the arguments of a call; an operator's object comes before its name."""
    at = next((i for i, part in enumerate(parts[:2]) if _names(part, reference)), 0)
    callee, rest = (parts[at], parts[:at] + parts[at + 1 :]) if parts else (None, [])
    while callee is not None and callee.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(callee.children) == 1:
        callee = callee.children[0]
    if callee is not None and callee.kind == K.MEMBER_EXPR:
        inner = operands(callee)
        return (inner[0] if inner else None), rest
    if reference.kind in _METHODS and at >= 1 and rest:
        return rest[0], rest[1:]
    if reference.kind == K.CONVERSION and parts:
        return parts[0], []
    return None, rest


def _names(node: Node, reference: Cursor) -> bool:
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(node.children) == 1:
        node = node.children[0]
    named = node.kind in (K.DECL_REF, K.MEMBER_EXPR) and node.reference is not None
    return named and decl_key(node.reference) == decl_key(reference)  # type: ignore[arg-type]


def moved_pointers(block: Node) -> frozenset[int]:
    """The variables in a body that are assigned another value, or whose address is taken."""
    found: set[int] = set()
    for node in block.walk():
        sets = node.kind == K.BINARY and node.op == "="
        if (sets or (node.kind == K.UNARY and node.op == "&")) and node.children:
            target = node.children[0]
            while target.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(target.children) == 1:
                target = target.children[0]
            if target.kind == K.DECL_REF and target.reference is not None:
                found.add(decl_key(target.reference))
        elif node.kind == K.CALL:  # by reference, or as an output of what is not known
            for child in node.children:
                if child.kind == K.DECL_REF and child.reference is not None:
                    found.add(decl_key(child.reference))
    return frozenset(found)
