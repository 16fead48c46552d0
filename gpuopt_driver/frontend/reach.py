"""What a kernel reaches although its text does not call it: implicit uses of built-in variables, hidden effects.

The symbolic run enters the calls that are written. Nobody writes a destructor, a default argument, a member's
initialiser, the constructors and assignments of members and bases, a range-for's `begin`, a structured binding's `get`,
or what library code does with a functor. Of every class that a kernel or a function that it calls makes, passes or
destroys, all of these are taken as reached, with whatever they call in turn.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import fragments, intrinsics, libclang, types
from gpuopt_driver.frontend.classes import Classes
from gpuopt_driver.frontend.closures import asks_size, bodies, closed_bodies
from gpuopt_driver.frontend.effects import qualified_name
from gpuopt_driver.frontend.fragments import FUNCTIONS, Fragment
from gpuopt_driver.frontend.groups import queried
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.pieces import Pieces
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.uses import BuiltinUse, Construct
from gpuopt_driver.source.text import Span

_MOST = 3000  # functions and classes that are looked into for one kernel; libraries have more
_RANGE = ("begin", "end", "operator++", "operator!=", "operator==")
_COPIES = ("get",)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Code that a kernel runs without a call in its text, and that does more than compute: where it is, and what."""

    name: str
    span: Span
    what: str


@dataclass(frozen=True, slots=True)
class Reached:
    """The answer for one kernel."""

    uses: tuple[BuiltinUse, ...]
    hidden: tuple[Hidden, ...]
    closed: tuple[Span, ...] = ()  # see Kernel.closed


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose code leads to a function that is not written down in this unit."""

    name: str
    span: Span


@dataclass
class _Walk:
    """One kernel's closure as it grows."""

    visited: Container[int]
    uses: dict[BuiltinUse, None] = field(default_factory=dict)
    hidden: dict[Hidden, None] = field(default_factory=dict)
    closed: dict[Span, None] = field(default_factory=dict)
    queue: list[tuple[Cursor, Construct, Origin]] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)
    arguments: dict[int, tuple[Type, Origin]] = field(default_factory=dict)  # classes that templates are made of
    converting: list[tuple[Cursor, Origin]] = field(default_factory=list)  # assignments that are templates
    sized: bool = False  # something may ask how large closures are
    depends: bool = False  # some template applies operators to what depends on its arguments

    def use(
        self, name: str, construct: Construct, owner: str, place: Place, node: Node, *, shadowed: bool = False
    ) -> None:
        """Note where a built-in variable is named."""
        span = place.span(node.start, node.end)
        self.uses[BuiltinUse(name, construct, owner, span, shadowed)] = None


class Reach:
    """Answers for the kernels of one unit; what is found out about functions and classes is kept between them."""

    def __init__(self, translation: Translation, functions: Mapping[str, Sequence[Cursor]]) -> None:
        self.translation = translation
        self.lib = translation.lib
        self._named = functions
        self._classes = Classes(translation)
        self._pieces = Pieces(translation)

    def of(
        self,
        visible: Iterable[tuple[Node, Place]],
        entered: Iterable[tuple[str, int, int]],
        visited: Container[int],
        kernel: Span,
    ) -> Reached:
        """What is reached from functions that are known to run.

        `entered`: their places and those of lambdas; `visited`: the calls in them that the symbolic run has seen.
        """
        walk, places, roots = _Walk(visited=visited), set(entered), list(visible)
        walk.sized = any(self._pieces.below(*one).lambdas for one in roots) and any(asks_size(*one) for one in roots)
        for root, place in roots:
            self._visible(walk, root, place, places)
        while self._has_more(walk):
            if len(walk.seen) > _MOST:
                walk.hidden[Hidden("library code", kernel, "it is too much to be looked into")] = None
                break
            self._function(walk, *walk.queue.pop())
        hidden = tuple(sorted(walk.hidden, key=_place_hidden))
        return Reached(tuple(sorted(walk.uses, key=_place)), hidden, tuple(walk.closed))

    def _has_more(self, walk: _Walk) -> bool:
        """Whether functions are left; operators that templates apply to their arguments come last."""
        if not walk.queue and walk.depends:
            for argument, origin in walk.arguments.values():
                for cursor in self._classes.of(argument).operators:
                    self._push(walk, cursor, Construct.OPERATOR, origin)
            for cursor, origin in walk.converting:
                self._push(walk, cursor, Construct.ASSIGNMENT, origin)
        return bool(walk.queue)

    # -- code whose calls the symbolic run has entered

    def _visible(self, walk: _Walk, root: Node, place: Place, entered: set[tuple[str, int, int]]) -> None:
        found = self._pieces.below(root, place)
        block = next((child for child in root.children if child.kind in (K.COMPOUND, K.TRY)), root)
        name = qualified_name(root.cursor)
        closed = bodies(found.lambdas, place) if walk.sized else ()
        closed = closed or closed_bodies(self.translation, root, found.lambdas, place)
        walk.closed.update(dict.fromkeys(closed))
        for builtin, node, qualified, word in found.uses:
            # What a lambda captures is read where it stands, in somebody's body.
            inside = root.kind == K.LAMBDA or block.start <= node.start < block.end
            construct = Construct.QUALIFIED if qualified else Construct.BODY if inside else Construct.MEMBER_INITIALISER
            if construct is Construct.BODY and any(one.start <= node.start and node.end <= one.end for one in closed):
                construct = Construct.LAMBDA
            if not word.startswith("%"):  # assembly that runs is in `special`
                walk.use(builtin, construct, name, place, node, shadowed=construct is Construct.BODY)
        origin = Origin(name, place.span(root.start, root.end))
        for cursor, node in found.calls:
            self._visible_call(walk, cursor, node, place, origin)
        for one in found.lambdas:
            if (place.source.path, one.start, one.end) not in entered:
                inner = self._pieces.below(one, place)
                if inner.effect:
                    walk.hidden[Hidden("a lambda", place.span(one.start, one.end), inner.effect)] = None
        self._implied(walk, found, origin, whole=False)

    def _visible_call(self, walk: _Walk, cursor: Cursor, node: Node, place: Place, origin: Origin) -> None:
        if any(_is_omitted(child) for child in node.children):
            self._defaults(walk, cursor)
        if not self._pieces.is_system(cursor):
            if id(node) not in walk.visited:
                self._push(walk, cursor, Construct.UNSEEN, origin)
            return
        name = libclang.spelling(cursor)
        if name not in intrinsics.GROUP_MAKERS and name.startswith("__"):
            for builtin in fragments.meant_by(name):
                walk.use(builtin, Construct.INTRINSIC, name, place, node)
        for builtin in queried(node, cursor):
            walk.use(builtin, Construct.GROUP, name, place, node)
        if cursor.kind == K.CONSTRUCTOR:
            self._push(walk, cursor, Construct.LIBRARY, origin)
        else:
            self._library(walk, cursor)
        for argument in node.children[1:] if cursor.kind != K.CONSTRUCTOR else node.children:
            self._handed(walk, argument, origin)

    def _library(self, walk: _Walk, cursor: Cursor) -> None:
        """A library function: the symbolic run takes those with calls as unknown, and the others as computing only."""
        definition = libclang.definition(cursor)
        known = self._pieces.function(definition) if definition is not None else None
        if known is not None:
            found, place, _root = known
            for builtin, node, _qualified, _word in found.uses:
                walk.use(builtin, Construct.LIBRARY, qualified_name(cursor), place, node)

    def _handed(self, walk: _Walk, argument: Node, origin: Origin) -> None:
        """What is given to library code, which may call it."""
        type_ = types.canonical(types.referred(argument.type))
        if types.is_record(type_):
            for method in self._classes.callable(type_):
                self._push(walk, method, Construct.LIBRARY, origin)
        reference = fragments.named(argument)
        if reference is not None and reference.kind in FUNCTIONS:
            self._push(walk, reference, Construct.LIBRARY, origin)

    # -- code that nobody calls by name

    def _function(self, walk: _Walk, cursor: Cursor, construct: Construct, origin: Origin) -> None:
        """A function that may run, however it is reached."""
        definition = libclang.definition(cursor)
        system = self._pieces.is_system(cursor)
        name = libclang.spelling(cursor)
        known = self._pieces.function(definition) if definition is not None else None
        if known is None:
            self._without_body(walk, cursor, name, origin, system=system)
            return
        found, place, root = known
        self._hidden_code(walk, found, place, root, qualified_name(cursor), construct, system=system)

    def _without_body(self, walk: _Walk, cursor: Cursor, name: str, origin: Origin, *, system: bool) -> None:
        if self._classes.is_implicit(cursor):
            return  # what the compiler makes of a class; its parts are looked at themselves
        for builtin in fragments.meant_by(name):
            walk.uses[BuiltinUse(builtin, Construct.INTRINSIC, name, origin.span, False)] = None
        why = _library_effect(name) if system else "the body is not known here"
        if why:
            walk.hidden[Hidden(origin.name, origin.span, f"{why} ({name})")] = None

    def _hidden_code(
        self, walk: _Walk, found: Fragment, place: Place, root: Node, name: str, construct: Construct, *, system: bool
    ) -> None:
        for builtin, node, _qualified, _word in found.uses:
            walk.use(builtin, construct, name, place, node)
        walk.depends = walk.depends or found.depends
        if found.effect and not system:
            walk.hidden[Hidden(name, place.span(root.start, root.end), found.effect)] = None
        origin = Origin(name, place.span(root.start, root.end))
        for cursor, node in found.calls:
            if cursor.kind != K.CONSTRUCTOR or not self._classes.is_implicit(cursor):
                self._push(walk, cursor, construct, origin)
            if any(_is_omitted(child) for child in node.children):
                self._defaults(walk, cursor)
        for cursor in found.mentions:
            self._push(walk, cursor, construct, origin)
        self._implied(walk, found, origin, whole=True)

    def _implied(self, walk: _Walk, found: Fragment, origin: Origin, *, whole: bool) -> None:
        """What code brings along that does not stand in it. `whole`: its own constructors were not looked at either."""
        for cursor in found.captured:
            self._push(walk, cursor, Construct.UNSEEN, origin)
        if found.unread:
            walk.hidden[Hidden(origin.name, origin.span, "a switch has an initialiser, which is not read")] = None
        for type_, many in found.held:
            self._class(walk, type_, origin, whole=whole or many)
        for variable in found.variables:
            self._initialiser(walk, variable)
        for type_ in found.ranges:
            if types.is_record(type_):
                self._by_name(walk, _RANGE, Construct.RANGE, origin)
        for type_ in found.bindings:
            if types.is_record(type_):
                self._by_name(walk, _COPIES, Construct.BINDING, origin)

    def _class(self, walk: _Walk, type_: Type, origin: Origin, *, whole: bool) -> None:
        """An object of a class is there. `whole`: all of its constructors may run, and not by name."""
        key = self._classes.key(type_), whole
        if key in walk.seen:
            return
        walk.seen.add(key)
        made = self._classes.of(type_)
        for cursor in (*made.destructors, *made.copies):
            construct = Construct.DESTRUCTOR if cursor in made.destructors else Construct.CONSTRUCTOR
            self._push(walk, cursor, construct, origin)
        if whole:
            for cursor in made.constructors:
                self._push(walk, cursor, Construct.CONSTRUCTOR, origin)
                self._defaults(walk, cursor)
            for cursor in made.assignments:
                self._push(walk, cursor, Construct.ASSIGNMENT, origin)
            walk.converting.extend((cursor, origin) for cursor in made.converting)
        for cursor in made.initialised:
            self._initialiser(walk, cursor, made.name)
        for part in made.parts:
            self._class(walk, part, origin, whole=True)
        for argument in made.arguments:
            walk.arguments.setdefault(self._classes.key(argument), (argument, origin))

    def _initialiser(self, walk: _Walk, cursor: Cursor, owner: str = "") -> None:
        """The initialiser of a member, or of a namespace's variable, which the compiler runs."""
        key = decl_key(cursor), "initialiser"
        known = None if key in walk.seen else self._pieces.initialiser(cursor)
        walk.seen.add(key)
        if known is None:
            return
        found, place, root = known
        if owner:
            system = self._pieces.is_system(cursor)
            self._hidden_code(walk, found, place, root, owner, Construct.MEMBER_INITIALISER, system=system)
        else:
            for builtin, node, _qualified, _word in found.uses:
                walk.use(builtin, Construct.INITIALISER, qualified_name(cursor), place, node)

    def _defaults(self, walk: _Walk, cursor: Cursor) -> None:
        """The default arguments of a function, wherever it was declared with them."""
        lib = self.lib
        pattern = lib.clang_getSpecializedCursorTemplate(cursor)
        for one in (cursor, lib.clang_getCanonicalCursor(cursor), libclang.definition(cursor), pattern):
            if one is None or lib.clang_Cursor_isNull(one) or (decl_key(one), "defaults") in walk.seen:
                continue
            walk.seen.add((decl_key(one), "defaults"))
            place = self._pieces.place(one)
            if place is None:
                continue
            for parameter in libclang.children(one):
                if parameter.kind == K.PARM_DECL:
                    found, _place_of, root = self._pieces.parts(parameter, place)
                    name, system = qualified_name(cursor), self._pieces.is_system(one)
                    self._hidden_code(walk, found, place, root, name, Construct.DEFAULT_ARGUMENT, system=system)

    def _by_name(self, walk: _Walk, names: Iterable[str], construct: Construct, origin: Origin) -> None:
        for name in names:
            for cursor in self._named.get(name, ()):
                self._push(walk, cursor, construct, origin)

    def _push(self, walk: _Walk, cursor: Cursor, construct: Construct, origin: Origin) -> None:
        if cursor.kind == K.OVERLOADED_REF:
            for at in range(self.lib.clang_getNumOverloadedDecls(cursor)):
                self._push(walk, self.lib.clang_getOverloadedDecl(cursor, at), construct, origin)
            return
        key = decl_key(cursor)
        if key not in walk.seen and self._classes.is_for_devices(cursor, system=self._pieces.is_system(cursor)):
            walk.seen.add(key)
            walk.queue.append((cursor, construct, origin))


def _is_omitted(node: Node) -> bool:
    """Whether an argument of a call may be a default one, which has no place of its own (in a macro: the macro's)."""
    return node.kind == K.UNEXPOSED_EXPR and node.macro and node.start == node.end and not node.children


def _library_effect(name: str) -> str:
    """What a function of CUDA's does beside computing, "" where that is nothing."""
    if name in intrinsics.BLOCK_BARRIERS or intrinsics.OTHER_WAITS.match(name) or name in intrinsics.GROUP_SYNCS:
        return "it synchronises threads"
    if name in intrinsics.FENCES:
        return "it is a memory fence"
    if intrinsics.WARP_OPERATIONS.match(name) or name in (
        intrinsics.GROUP_COLLECTIVES | intrinsics.GROUP_FREE_COLLECTIVES
    ):
        return "it exchanges values between threads"
    if intrinsics.ATOMICS.match(name) or name in intrinsics.ATOMIC_LOADS:
        return "it is atomic"
    memory = intrinsics.LOADS | intrinsics.STORES | intrinsics.COPIES | intrinsics.ALLOCATION
    if name in memory or intrinsics.TEXTURES.match(name):
        return "it reads or writes memory"
    if name in intrinsics.CLOCKS or name in intrinsics.ASSERTIONS or name in ("printf", "puts", "putchar", "vprintf"):
        return "others see that it runs"
    return ""


def _place(use: BuiltinUse) -> tuple[str, int, str]:
    return use.span.file, use.span.start, use.name


def _place_hidden(hidden: Hidden) -> tuple[str, int, str]:
    return hidden.span.file, hidden.span.start, hidden.name
