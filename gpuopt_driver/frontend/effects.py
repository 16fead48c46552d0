"""What any call may do: synchronise, write through pointers, or something that is not known; bodies of functions."""

from __future__ import annotations

from gpuopt_driver.frontend import intrinsics, lexing, libclang, types
from gpuopt_driver.frontend.expressions import ExpressionMachine
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import Call, Convergence, Sync, SyncKind
from gpuopt_driver.frontend.places import operands
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place, Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key
from gpuopt_driver.frontend.values import Int, Opaque, Pointer, Record, Target, Undefined, Value
from gpuopt_driver.source.text import Span

_FUNCTIONS = frozenset({int(K.FUNCTION_DECL), int(K.CXX_METHOD), int(K.CONSTRUCTOR), int(K.CONVERSION)})


class Body:
    """A function's definition, parsed into nodes once per unit."""

    def __init__(self, cursor: Cursor, place: Place) -> None:
        self.root = build(cursor, place)
        self.place = place
        self.block = next((child for child in self.root.children if child.kind == K.COMPOUND), None)
        self.parameters = [child for child in self.root.children if child.kind == K.PARM_DECL]
        self.tree = StatementTree(self.block, place.source.data) if self.block is not None else None
        self.calm: bool | None = None  # see calm.py; None: not looked at


def find_body(translation: Translation, reference: Cursor) -> Body | None:
    """A function's definition, where the unit has it."""
    if reference.kind not in _FUNCTIONS:
        return None
    definition = libclang.definition(reference)
    if definition is None:
        return None
    file, _offset = libclang.file_location(translation.lib.clang_getCursorLocation(definition))
    if not file or translation.source(file) is None:
        return None
    return Body(definition, place_of(translation, definition))


class EffectMachine(ExpressionMachine):
    """Notes of synchronisation, calls and unknown effects."""

    bodies: dict[int, Body | None]

    def body_of(self, reference: Cursor) -> Body | None:
        """The definition of a function, if this unit has it."""
        key = decl_key(reference)
        if key not in self.bodies:
            self.bodies[key] = find_body(self.translation, reference)
        return self.bodies[key]

    def span_of(self, node: Node) -> Span:
        """The byte range of a node."""
        return self.activation.place.span(node.start, node.end, editable=not node.macro)

    def sync(self, kind: SyncKind, node: Node, *, waits: bool = True) -> None:
        """Write down a synchronising operation; `waits`: for threads that may not be there."""
        together = self.reached() if waits else Convergence.BLOCK
        if kind is SyncKind.BLOCK and together is Convergence.BLOCK:
            self.interval.clear()
        self.facts.syncs.append(
            Sync(self.stmt, kind, self.span_of(node), self.text(node), self.activation.via, together)
        )

    def note_known(self, node: Node, name: str) -> None:
        """Write down a call that has no hidden effects."""
        self.facts.calls.append(Call(self.stmt, name, self.span_of(node), True, self.activation.via))

    def clobber(self, value: Value, known: bool = False) -> None:  # noqa: FBT001, FBT002
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

    def unknown_result(self, node: Node, name: str, values: list[Value]) -> Value:
        """The result of a call of which nothing is known."""
        self.escape([value.base for value in values if isinstance(value, Pointer) and isinstance(value.base, Target)])
        if any(isinstance(value, Pointer) and not isinstance(value.base, Target) for value in values):
            self.note_write(None)
        self.facts.calls.append(Call(self.stmt, name, self.span_of(node), False, self.activation.via))
        self.sync(SyncKind.UNKNOWN, node)
        return self.unknown(node.type, self.label(node), uniform=False)

    def rare(self, node: Node) -> Value:
        """The value of an expression of an unusual kind."""
        return self._allocated(node) if node.kind in (K.NEW, K.DELETE) else super().rare(node)

    def _allocated(self, node: Node) -> Value:
        """The value of `new` or `delete`: what runs for a class is not looked into, nor what is placed somewhere."""
        self.facts.special.add("malloc")
        values = [self.value(child) for child in operands(node) if child.kind < 200]
        data = self.activation.place.source.data
        word = lexing.find_word(data, b"new", node.start, node.end) if node.kind == K.NEW and not node.macro else None
        is_placed = word is not None and data[lexing.skip_gap(data, word + 3) :][:1] == b"("
        if is_placed or node.macro or any(_is_of_class(one) for one in (node, *operands(node))):
            return self.unknown_result(node, "new" if node.kind == K.NEW else "delete", values)
        return self.lost(node)

    def classify_assembly(self, text: str, node: Node) -> None:
        """What inline PTX does beside computing."""
        for pattern, word in intrinsics.ASM_SPECIAL:
            if pattern.search(text):
                self.facts.special.add(word)
        if intrinsics.assembly_may_read_registers(text):
            self.facts.special.add("sreg")
        kind = intrinsics.assembly_sync(text)
        if kind is not None:
            self.sync(kind, node)
        if intrinsics.assembly_touches_memory(text):
            self.note_write(None)
            self.facts.calls.append(Call(self.stmt, "asm", self.span_of(node), False, self.activation.via))


def _is_of_class(node: Node) -> bool:
    """Whether an expression is a pointer to an object, or objects, of a class."""
    return types.is_pointer(node.type) and types.is_record(types.innermost(types.pointee(node.type))[0])


@libclang.once
def qualified_name(cursor: Cursor) -> str:
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
