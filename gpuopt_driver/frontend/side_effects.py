"""What the pieces of a kernel's text read and write when they are evaluated, from its syntax tree.

The walk knows each kind of expression that it sees through; anything else, and every call that it cannot follow, is
noted as unknown. Where a pointer points to, the symbolic run says: its accesses, by their place in the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import NamedTuple

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import constants, libclang, types
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.memory import attributes
from gpuopt_driver.frontend.model import Access, Place, Space
from gpuopt_driver.frontend.places import CASTS, is_array, operands
from gpuopt_driver.frontend.plain_classes import PlainClasses
from gpuopt_driver.frontend.translation import Place as Text
from gpuopt_driver.frontend.translation import Translation
from gpuopt_driver.frontend.tree import Node, decl_key

_STEPS = ("++", "--", "p++", "p--")
_CALM = frozenset(  # expressions that are evaluated to a value without reading anything
    {int(one) for one in (K.INTEGER, K.FLOATING, K.STRING, K.CHARACTER, K.BOOL, K.NULLPTR, K.THIS, K.SIZEOF)}
    | {int(K.SIZEOF_PACK)}
)
_STATEMENTS = frozenset(
    {int(one) for one in (K.COMPOUND, K.IF, K.FOR, K.WHILE, K.DO, K.SWITCH, K.CASE, K.DEFAULT, K.LABEL, K.RETURN)}
    | {int(one) for one in (K.UNEXPOSED_STMT, K.NULL_STMT, K.BREAK, K.CONTINUE, K.GOTO, K.DECL_STMT)}
)
_VARIABLES = (K.VAR_DECL, K.PARM_DECL)
ANYWHERE = Place(Space.UNKNOWN)
_SOME_VARIABLE = Place(Space.LOCAL, exposed=True)


class Slot(NamedTuple):
    """In a function that is summed up: its parameter `at` (a reference), what that points to, or the object (-1)."""

    at: int
    pointee: bool = False


Where = Place | Slot
OBJECT = Slot(-1)


class Noted(NamedTuple):
    """An effect at a node: a place (None: unknown, for a reason)."""

    node: Node
    where: Where | None
    is_write: bool
    unknown: str = ""


@dataclass
class Frame:
    """The function whose body is walked; `parameters` (by declaration) and `moved` pointers are of a summed up one."""

    text: Text
    is_kernel: bool = False
    parameters: dict[int, int] = field(default_factory=dict)
    moved: frozenset[int] = frozenset()
    returns_reference: bool = False
    noted: list[Noted] = field(default_factory=list)


class Calls:
    """What calls do; in call_effects.py."""

    def call(self, node: Node) -> tuple[Where, ...]:
        """Note a call's effects; the places that it returns a reference to."""
        raise NotImplementedError


class EffectWalk:
    """The walk over statements and expressions of one kernel, and of the functions that it calls."""

    def __init__(self, translation: Translation, plain: PlainClasses, found: Iterable[Access]) -> None:
        self.translation = translation
        self.lib = translation.lib
        self.plain = plain
        self.calls = Calls()
        self.frames: list[Frame] = []
        self.variables: dict[int, Place] = {}  # of the kernel, by declaration
        self.arguments: set[int] = set()  # the kernel's parameters
        self.inner: set[int] = set()  # variables of functions that are summed up: nobody else's
        self.aliases: dict[int, tuple[Where, ...]] = {}  # what references stand for
        self.lambdas: dict[int, Node] = {}  # by the variable that holds one
        self.exposed: set[Place] = set()
        self._spaces: dict[str, dict[int, dict[int, set[Space]]]] = {}
        for access in found:
            span = access.span
            ends = self._spaces.setdefault(span.file, {}).setdefault(span.start, {})
            ends.setdefault(span.end, set()).add(access.array.space)

    # -- notes

    @property
    def frame(self) -> Frame:
        """The function that is walked."""
        return self.frames[-1]

    def note(self, node: Node, places: Iterable[Where], *, write: bool = False) -> None:
        """These places are read, or written."""
        self.frame.noted.extend(Noted(node, where, write) for where in places)

    def lose(self, node: Node, why: str) -> None:
        """Something is not seen through."""
        self.frame.noted.append(Noted(node, None, is_write=False, unknown=why))

    def expose(self, places: Iterable[Where]) -> None:
        """Somebody may know the addresses of these."""
        self.exposed.update(one for one in places if isinstance(one, Place) and one.space is Space.LOCAL)

    # -- statements

    def statement(self, node: Node) -> None:
        """A statement, or whatever stands among statements."""
        kind = node.kind
        if 100 <= kind < 200:
            self._discarded(node)
        elif kind == K.VAR_DECL:
            self.declare(node)
        elif kind == K.RANGE_FOR:
            self._range_for(node)
        elif kind == K.RETURN and self.frame.returns_reference:
            self.expose(place for child in node.children for place in self.place(child))
        elif kind in _STATEMENTS:
            for child in node.children:
                self.statement(child)
        elif 200 <= kind < 300:
            self.lose(node, "inline assembly" if kind in (K.ASM, K.MS_ASM) else "a statement that is not modelled")
            for child in node.children:
                self.statement(child)
        elif kind == 1 and node.children:  # a structured binding: its names stand for parts of something
            self.lose(node, f"{node.name or 'a declaration'} names parts of an object")
            self._expose_all(node)

    def declare(self, node: Node) -> None:
        """A variable's declaration."""
        key, type_ = node.key, node.type
        own = Place(Space.LOCAL, node.name, node.start)
        if constants.is_static_constant(node):
            return  # nothing runs for it
        is_kept = constants.keeps_state(node)
        if is_kept:
            own = Place(Space.GLOBAL)
        if any(child.kind == K.SHARED_ATTR for child in node.children):
            self.variables[key] = Place(Space.SHARED)
            return
        if self.frame.is_kernel or is_kept:
            self.variables[key] = own
        else:
            self.inner.add(key)
        made = [child for child in node.children if 100 <= child.kind < 200]
        closure = next((part for child in made for part in child.walk() if part.kind == K.LAMBDA), None)
        if closure is not None:
            self.lambdas[key] = closure
        if types.is_reference(type_):
            self.aliases[key] = tuple(place for child in made[-1:] for place in self.place(child))
            self.expose(self.aliases[key])
            return
        for child in made:
            self.value(child)
        if not self.plain.ends_plainly(type_):
            self.lose(node, f"{types.spelled(type_)} has a destructor or copies of its own")
        if self.frame.is_kernel and (made or types.is_record(type_)):
            self.note(node, (self.variables[key],), write=True)

    def _range_for(self, node: Node) -> None:
        *head, body = node.children
        ranges = [child for child in head if 100 <= child.kind < 200]
        variables = [child for child in head if child.kind == K.VAR_DECL]
        of_array = len(ranges) == 1 and types.is_array(ranges[0].type)
        if not of_array:
            self.lose(node, "a range-based loop over an object of a class")
        places = tuple(place for child in ranges for place in self.place(child)) if of_array else (ANYWHERE,)
        self.note(node, places)
        for child in variables:
            known = Place(Space.LOCAL, child.name, child.start)
            if self.frame.is_kernel:
                self.variables[child.key] = known
                self.note(child, (known,), write=True)
            else:
                self.inner.add(child.key)
            if types.is_reference(child.type):
                self.aliases[child.key] = places
                self.expose(places)
            if not self.plain.ends_plainly(child.type):
                self.lose(child, f"{types.spelled(child.type)} has a destructor or copies of its own")
        self.statement(body)

    # -- expressions

    def value(self, node: Node) -> None:  # noqa: PLR0912 - one branch per kind of expression
        """An expression whose value is used."""
        kind = node.kind
        if kind in (K.DECL_REF, K.MEMBER_EXPR, K.SUBSCRIPT) or (kind == K.UNARY and node.op == "*"):
            self._read(node)
        elif kind in (K.UNEXPOSED_EXPR, K.PAREN, K.COMPOUND_LITERAL) or kind in CASTS:
            self._converted(node)
        elif kind == K.BINARY and node.op == "=" and len(node.children) == 2:
            self.value(node.children[1])
            self._write(node.children[0], node.children[0])
        elif kind in (K.BINARY, K.CONDITIONAL):
            if kind == K.BINARY and not node.op:
                self.lose(node, "a pointer to a member")
            for child in operands(node):
                self.value(child)
        elif kind == K.COMPOUND_ASSIGN or (kind == K.UNARY and node.op in _STEPS):
            self.place(node)
        elif kind == K.UNARY:
            self._unary(node)
        elif kind == K.CALL:
            self.note(node, self.calls.call(node))
        elif kind == K.LAMBDA:
            self._lambda(node)
        elif kind == K.INIT_LIST:
            if not self.plain.starts_plainly(node.type):
                self.lose(node, f"{types.spelled(node.type)} has constructors or initialisers of its own")
            for child in operands(node):
                self.value(child)
        elif kind == K.STMT_EXPR:
            for child in node.children:
                self.statement(child)
        elif kind not in _CALM:
            self.lose(node, "an expression of a kind that is not modelled")
            self._expose_all(node)

    def _discarded(self, node: Node) -> None:
        """An expression whose value nobody uses."""
        inner = node
        while inner.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(operands(inner)) == 1:
            inner = operands(inner)[0]
        if inner.kind == K.CALL:
            self.calls.call(inner)
        else:
            self.value(inner)

    def _read(self, node: Node) -> None:
        places = self.place(node)
        if is_array(node):
            self.expose(places)  # its address is what is used
        self.note(node, places)

    def _write(self, node: Node, at: Node) -> tuple[Where, ...]:
        places = self.place(node)
        self.note(at, places, write=True)
        return places

    def _converted(self, node: Node) -> None:
        for child in operands(node):
            if types.is_pointer(node.type) and child.kind != K.STRING and is_array(child):
                self.expose(self.place(child))
            elif child.kind == K.INIT_LIST or 100 <= child.kind < 200:
                self.value(child)
            else:
                self.statement(child)

    def _unary(self, node: Node) -> None:
        for child in operands(node):
            if node.op == "&":
                self.expose(self.place(child))
            else:
                self.value(child)
        if node.op not in ("&", "+", "-", "~", "!"):
            self.lose(node, "an operator that is not modelled")

    def _lambda(self, node: Node) -> None:
        """Making a closure: it reads or refers to what it captures; its body runs where it is called."""
        known = {*self.variables, *self.aliases, *self.inner, *self.frame.parameters}
        for child in node.children:
            own = child.kind == K.VARIABLE_REF and child.reference is not None
            if own and decl_key(child.reference) not in known:  # type: ignore[arg-type]
                self.lose(node, f"{child.name} is captured with an initialiser of its own")  # not all of it is shown
        names = [part for part in node.walk() if part.kind == K.DECL_REF and part.reference is not None]
        outer = [part for part in names if decl_key(part.reference) in {*self.variables, *self.aliases}]  # type: ignore[arg-type]
        places = [place for part in outer for place in self._named(part)]
        self.note(node, places)
        self.expose(places)

    def _expose_all(self, node: Node) -> None:
        for part in node.walk():
            if part.kind == K.DECL_REF:
                places = self._named(part)
                self.note(part, places)
                self.note(part, places, write=True)
                self.expose(places)

    # -- places

    def place(self, node: Node) -> tuple[Where, ...]:  # noqa: PLR0911 - one branch per kind of expression
        """The places that an lvalue names; what is evaluated to find them is noted. None: a value of its own."""
        kind, parts = node.kind, operands(node)
        if kind == K.DECL_REF or (kind == K.MEMBER_EXPR and _is_static_member(node)):
            self._check_volatile(node)
            return self._named(node)
        if kind == K.MEMBER_EXPR:
            return self._member(node, parts)
        if kind == K.SUBSCRIPT and len(node.children) == 2:
            return self._subscript(node)
        if kind == K.UNARY and node.op == "*":
            return self._pointed(parts[0], node)
        if (kind in (K.PAREN, K.UNEXPOSED_EXPR) or kind in CASTS) and len(parts) == 1:
            return self.place(parts[0])
        if kind == K.COMPOUND_ASSIGN or (kind == K.UNARY and node.op in _STEPS):
            for child in parts[1:]:
                self.value(child)
            places = self._write(parts[0], node)
            self.note(node, places)
            return places
        if kind == K.BINARY and node.op == "=" and len(parts) == 2:
            self.value(parts[1])
            return self._write(parts[0], parts[0])
        if kind == K.BINARY and node.op == "," and len(parts) == 2:
            self.value(parts[0])
            return self.place(parts[1])
        if kind == K.CONDITIONAL and len(parts) == 3:
            self.value(parts[0])
            return (*self.place(parts[1]), *self.place(parts[2]))
        if kind == K.CALL:
            return self.calls.call(node)
        self.value(node)
        return ()

    def _check_volatile(self, node: Node) -> None:
        if types.is_volatile(types.innermost(types.referred(node.type))[0]):
            self.lose(node, "a volatile access")

    def _named(self, node: Node) -> tuple[Where, ...]:
        """What a name stands for."""
        reference = node.reference
        if reference is None:
            return ()
        key = decl_key(reference)
        if key in self.aliases:
            return self.aliases[key]
        if key in self.frame.parameters:
            return (Slot(self.frame.parameters[key]),) if _is_reference(reference) else ()
        if key in self.variables:
            return (self.variables[key],)
        if key in self.inner:
            return ()
        if reference.kind == K.FIELD_DECL:
            return (OBJECT,)
        return self._elsewhere(reference)

    def _elsewhere(self, reference: Cursor) -> tuple[Where, ...]:
        """What is declared outside of functions: a variable, or something that has no place."""
        if reference.kind not in _VARIABLES:
            return () if reference.kind != 1 else (ANYWHERE,)
        name = libclang.spelling(reference)
        type_ = types.canonical(self.lib.clang_getCursorType(reference))
        if name in BUILTINS or name == "warpSize":
            return ()
        if reference.kind == K.PARM_DECL or types.is_reference(type_):
            return (ANYWHERE,)
        marks = attributes(reference)
        if K.SHARED_ATTR in marks:
            return (Place(Space.SHARED),)
        if K.DEVICE_ATTR in marks:
            return (Place(Space.GLOBAL),)
        is_fixed = K.CONSTANT_ATTR in marks or types.never_changes(type_)
        return () if is_fixed else (Place(Space.GLOBAL),)

    def _member(self, node: Node, parts: list[Node]) -> tuple[Where, ...]:
        reference = node.reference
        self._check_volatile(node)
        if reference is None or reference.kind != K.FIELD_DECL:
            for child in parts:
                self.value(child)
            return (ANYWHERE,) if reference is None else ()
        if not parts:
            base: tuple[Where, ...] = (OBJECT,) if not self.frame.is_kernel else (ANYWHERE,)
        elif types.is_pointer(parts[0].type):
            base = self._pointed(parts[0], node)
        else:
            base = self.place(parts[0])
        if types.is_reference(types.canonical(self.lib.clang_getCursorType(reference))):
            self.note(node, base)
            return (ANYWHERE,)
        return base

    def _subscript(self, node: Node) -> tuple[Where, ...]:
        base, index = node.children
        if not (types.is_pointer(base.type) or types.is_array(base.type)):
            base, index = index, base
        self.value(index)
        self._check_volatile(node)
        inner = base
        while inner.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(operands(inner)) == 1 and not is_array(inner):
            inner = operands(inner)[0]
        return self.place(inner) if is_array(inner) else self._pointed(base, node)

    def _pointed(self, pointer: Node, access: Node) -> tuple[Where, ...]:
        """What a pointer points to, where `access` follows it."""
        self.value(pointer)
        self._check_volatile(access)
        return self.pointee(pointer, access)

    def pointee(self, pointer: Node, access: Node) -> tuple[Where, ...]:
        """The same, for a pointer that has been evaluated."""
        root = _root(pointer)
        if root.kind == K.THIS:
            return (OBJECT,)
        if root.kind == K.UNARY and root.op == "&":
            return self._quietly(operands(root)[0])
        if is_array(root):
            return self._quietly(root)
        key = decl_key(root.reference) if root.kind == K.DECL_REF and root.reference is not None else 0
        if key in self.frame.parameters and key not in self.frame.moved:
            return (ANYWHERE,) if _is_reference(root.reference) else (Slot(self.frame.parameters[key], pointee=True),)
        if key in self.arguments and self.frame.is_kernel and key not in self.frame.moved:
            return (Place(Space.GLOBAL),)
        spaces = self._seen(access)
        if not spaces or Space.UNKNOWN in spaces:
            return (ANYWHERE,)
        found = [Place(one) if one is not Space.LOCAL else _SOME_VARIABLE for one in sorted(spaces, key=str)]
        return (*found, *(() if self.frame.is_kernel else (_SOME_VARIABLE,)))

    def _quietly(self, node: Node) -> tuple[Where, ...]:
        """The places of an lvalue that has been evaluated already."""
        before = len(self.frame.noted)
        places = self.place(node)
        del self.frame.noted[before:]
        return places

    def _seen(self, node: Node) -> set[Space]:
        """Where the symbolic run saw an access go: at this place, or at a longer one that begins here."""
        ends = self._spaces.get(self.frame.text.source.path, {}).get(node.start, {})
        longer = [end for end in ends if end >= node.end]
        return ends[min(longer)] if longer else set()


def _root(pointer: Node) -> Node:
    """What a pointer's value comes from: behind conversions and sums."""
    node = pointer
    while True:
        parts = operands(node)
        if (node.kind in (K.UNEXPOSED_EXPR, K.PAREN) or node.kind in CASTS) and len(parts) == 1:
            node = parts[0]
        elif node.kind == K.BINARY and node.op in ("+", "-") and len(parts) == 2:
            at = next((part for part in parts if types.points(part.type)), None)
            if at is None:
                return node
            node = at
        else:
            return node


def _is_reference(reference: Cursor | None) -> bool:
    if reference is None:
        return False
    return types.is_reference(types.canonical(libclang.library().clang_getCursorType(reference)))


def _is_static_member(node: Node) -> bool:
    return node.reference is not None and node.reference.kind == K.VAR_DECL
