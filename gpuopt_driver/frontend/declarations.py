"""The functions of a unit: kernels, host functions, and the template instantiations that they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import groupby

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K, T
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import Instantiation
from gpuopt_driver.frontend.order import Order
from gpuopt_driver.frontend.reached import reached
from gpuopt_driver.frontend.reasons import Reasons, Text, launches_something, names_kernels, words_of_launches
from gpuopt_driver.frontend.translation import Place, Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key, referred

_CONTAINERS = frozenset(
    {int(K.NAMESPACE), int(K.LINKAGE_SPEC), int(K.STRUCT_DECL), int(K.CLASS_DECL), int(K.CLASS_TEMPLATE), 1, 32, 3, 603}
)
_FUNCTIONS = frozenset(
    {int(K.FUNCTION_DECL), int(K.CXX_METHOD), int(K.CONSTRUCTOR), int(K.DESTRUCTOR), int(K.CONVERSION)}
)
_CALLED = frozenset({int(K.FUNCTION_DECL), int(K.CXX_METHOD)})
_TEMPLATES = frozenset({int(K.CLASS_TEMPLATE), int(K.CLASS_PARTIAL), int(K.FUNCTION_TEMPLATE)})
_TEMPLATE_TYPE, _TEMPLATE_INTEGRAL = 1, 4
_UNSIGNED = range(T.BOOL, 13)  # and characters without a sign, unsigned integers
_MANY = 300  # functions of which no more is kept than is needed: for few, finding out what that is would cost more
MOST_INSTANTIATIONS = 64  # a change must suit them all; libraries of variants have hundreds, each as dear as a kernel


@dataclass
class KernelSource:
    """A kernel as found: its definition's cursor, the instantiation it is, and the templates' parent cursors."""

    cursor: Cursor
    pattern: Cursor
    instantiation: Instantiation | None
    parents: tuple[Cursor, ...] = ()
    is_template: bool = False
    passed_over: int = 0  # other instantiations of this kernel that are not in the model
    is_ambiguous: bool = False  # another template has its name, parameters and type, but other constraints
    is_declared_before: bool = False  # of a template that another declaration of came before its definition
    is_named: bool = True  # perhaps by a launch; else one of another file than the source, which none can be of


@dataclass
class HostFunction:
    """A function that may launch kernels, or leads to some, as nodes.

    `called`: the functions (`decl_key`) that it calls, where no more than that and its place is kept, as it neither
    launches kernels nor asks about any itself.
    """

    cursor: Cursor
    place: Place
    root: Node
    in_template: bool
    in_device_code: bool
    is_instantiation: bool = False
    called: frozenset[int] | None = None

    def callees(self) -> frozenset[int]:
        """The functions that it calls."""
        if self.called is not None:
            return self.called
        named = (node.reference for node in self.root.walk() if node.kind == K.CALL)
        return frozenset(decl_key(one) for one in named if one is not None and one.kind in _CALLED)

    def calls_of(self, key: int) -> list[Node]:
        """Its calls of one of these, in source order."""
        if self.called is not None:
            self.root, self.called = build(self.cursor, self.place), None
        calls = (node for node in self.root.walk() if node.kind == K.CALL and node.reference is not None)
        return [node for node in calls if node.reference is not None and decl_key(node.reference) == key]


@dataclass
class Pending:
    """A function that will be looked into if its text gives a reason."""

    cursor: Cursor
    place: Place
    start: int
    end: int
    in_template: bool
    in_device_code: bool
    is_instantiation: bool
    is_from_macro: bool


@dataclass
class Declarations:
    """What a unit declares."""

    kernels: list[KernelSource] = field(default_factory=list)
    hosts: list[HostFunction] = field(default_factory=list)
    extents: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # outermost declarations per file
    bodies: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # functions per file
    functions: dict[str, list[Cursor]] = field(default_factory=dict)  # those of each name, whatever they are in
    unmade: frozenset[str] = frozenset()  # USRs of the kernel templates that nothing in the files can instantiate


def has_attribute(cursor: Cursor, kind: int) -> bool:
    """Whether a declaration carries an attribute."""
    return any(child.kind == kind for child in libclang.children(cursor))


def is_definition(cursor: Cursor) -> bool:
    """Whether a function has a body here."""
    return any(child.kind in (K.COMPOUND, K.TRY) for child in libclang.children(cursor))


def instantiation_of(cursor: Cursor) -> Instantiation | None:
    """The template arguments of an instantiated function."""
    lib = libclang.library()
    count = lib.clang_Cursor_getNumTemplateArguments(cursor)
    if count < 0:
        return None
    arguments: list[str] = []
    values: dict[str, int] = {}
    spellable = True
    pattern: Cursor = lib.clang_getSpecializedCursorTemplate(cursor)
    names = template_parameters(pattern)
    for at in range(count):
        kind = lib.clang_Cursor_getTemplateArgumentKind(cursor, at)
        if kind == _TEMPLATE_TYPE:
            text = types.spelled(types.canonical(lib.clang_Cursor_getTemplateArgumentType(cursor, at)))
            spellable = spellable and not any(mark in text for mark in ("(lambda", "(unnamed", "(anonymous"))
            arguments.append(text)
        elif kind == _TEMPLATE_INTEGRAL:
            value, text = _integral(cursor, at, pattern)
            spellable = spellable and "(unnamed" not in text and "(anonymous" not in text
            arguments.append(text)
            if at < len(names):
                values[names[at]] = value
        else:
            spellable = False
            arguments.append("?")
    return Instantiation(tuple(arguments), values, spellable)


def _integral(cursor: Cursor, at: int, pattern: Cursor) -> tuple[int, str]:
    """A template argument's value, and how it is written; libclang extends the sign of true to -1."""
    lib = libclang.library()
    parameters = _parameters(pattern)
    if not parameters:
        value = int(lib.clang_Cursor_getTemplateArgumentValue(cursor, at))
        return value, str(value)
    type_ = types.canonical(lib.clang_getCursorType(parameters[min(at, len(parameters) - 1)]))
    if type_.kind in _UNSIGNED:
        value = int(lib.clang_Cursor_getTemplateArgumentUnsignedValue(cursor, at))
    else:
        value = int(lib.clang_Cursor_getTemplateArgumentValue(cursor, at))
    return value, f"({types.spelled(type_)}){value}" if type_.kind == T.ENUM else str(value)


def template_of(cursor: Cursor) -> Cursor | None:
    """The template that a function was made from; None for functions as written, explicit specialisations too."""
    lib = libclang.library()
    pattern: Cursor = lib.clang_getSpecializedCursorTemplate(cursor)
    if lib.clang_Cursor_isNull(pattern):
        return None
    mine, its = lib.clang_getCursorLocation(cursor), lib.clang_getCursorLocation(pattern)
    return pattern if libclang.file_location(mine) == libclang.file_location(its) else None


def late_definition(cursor: Cursor) -> Cursor | None:
    """The template's definition that a function was made from, where another declaration of it came first.

    Such functions have parameters by the names of the first declaration, and count as made of nothing.
    """
    pattern: Cursor = libclang.library().clang_getSpecializedCursorTemplate(cursor)
    if libclang.library().clang_Cursor_isNull(pattern) or template_of(cursor) is not None:
        return None
    written = libclang.definition(pattern)
    places = [libclang.library().clang_getCursorLocation(one) for one in (cursor, written) if one is not None]
    mine, *its = map(libclang.file_location, places)
    return written if its == [mine] else None


def template_parameters(pattern: Cursor) -> tuple[str, ...]:
    """The names of a template's parameters."""
    return tuple(libclang.spelling(child) for child in _parameters(pattern))


def _parameters(pattern: Cursor) -> list[Cursor]:
    kinds = (K.TEMPLATE_TYPE, K.TEMPLATE_NON_TYPE, K.TEMPLATE_TEMPLATE)
    return [child for child in libclang.children(pattern) if child.kind in kinds]


class Finder:
    """Walks a unit's declarations and follows references to template instantiations."""

    def __init__(self, translation: Translation, *, with_hosts: bool = True, launched_only: bool = False) -> None:
        self.translation = translation
        self._launched_only = launched_only  # kernels that no launch names are not asked for
        self.lib = translation.lib
        self.found = Declarations()
        self._with_hosts = with_hosts  # their trees take much memory
        self._patterns: dict[int, KernelSource] = {}
        self._seen: set[int] = set()
        self._queue: list[Cursor] = []
        self._instantiated: set[int] = set()
        self._text_order = Order(translation)
        self._pending: list[Pending] = []
        self._templates: dict[bytes, list[Text]] = {}  # where each name's are written
        self._reasons = Reasons()
        self._is_brief = False  # whether no more than the place of what leads to kernels by others alone is kept
        self._order: dict[int, int] = {}  # of kernel definitions, as the compiler comes to them

    def run(self) -> Declarations:
        """All kernels and functions of the project's files."""
        root = self.translation.index.root()
        for cursor in libclang.children(root):
            file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
            path = self.translation.path(file)
            if path in self.translation.files:
                self._note_extent(cursor, path)
                self._declaration(cursor, (), in_template=False)
        sources = [source.data for source in self.translation.files.values()]
        names, by_name = self._names(sources)
        self._is_brief = len(self._pending) > _MANY
        others = filter(names_kernels, self.translation.contents()) if self._is_brief else ()
        self._reasons = Reasons.of(names, self._templates, sources, others, by_name=by_name)
        while self._pending or self._queue:
            for pending in self._take_pending():
                self._look_into(pending)
            if self._queue:
                self._follow(self._queue.pop(0))
        patterns = [source for key, source in self._patterns.items() if key not in self._instantiated]
        self.found.kernels += patterns
        self.found.unmade = self._unmade(patterns, sources)
        self.found.kernels.sort(key=lambda source: self._order[self._template_key(source.pattern)])
        self.found.kernels[:] = self._few()
        return self.found

    def _unmade(self, patterns: Sequence[KernelSource], sources: Sequence[bytes]) -> frozenset[str]:
        """Those of the templates without instantiation that have none for certain, whatever errors hide."""
        if all(error.is_missing_file for error in self.translation.errors):
            return frozenset(libclang.usr(source.pattern) for source in patterns)
        for source in patterns:
            self._note_template(source.cursor, source.cursor)
        names = {libclang.spelling(source.cursor).encode() for source in patterns}
        named = reached(names, self._templates, sources) if names else names
        unnamed = (source for source in patterns if libclang.spelling(source.cursor).encode() not in named)
        return frozenset(libclang.usr(source.pattern) for source in unnamed)

    def _names(self, sources: Sequence[bytes]) -> tuple[set[bytes], bool]:
        """The names of kernels that launches are looked for of, and whether only launches that name one count.

        Libraries of templates (Kokkos) have kernels in headers that are launched through what their functions return:
        none has a version, and following who instantiates them is following most of the library.
        """
        every = [*self.found.kernels, *self._patterns.values()]
        if self._launched_only:
            written = set().union(*map(words_of_launches, sources))
            for source in every:
                source.is_named = self._is_of_main(source) or libclang.spelling(source.cursor).encode() in written
        names = {libclang.spelling(source.cursor).encode() for source in every if source.is_named}
        return names, self._launched_only and not any(map(self._is_of_main, every))

    def _is_of_main(self, source: KernelSource) -> bool:
        return place_of(self.translation, source.cursor).source.path == self.translation.main

    def _few(self) -> Iterator[KernelSource]:
        """All kernels, but one instantiation only of those that have too many."""
        for _, group in groupby(self.found.kernels, key=lambda source: self._template_key(source.pattern)):
            sources = list(group)
            if len(sources) > MOST_INSTANTIATIONS:
                yield replace(sources[0], passed_over=len(sources) - 1)
            else:
                yield from sources

    def _note_extent(self, cursor: Cursor, path: str) -> None:
        extent = self.lib.clang_getCursorExtent(cursor)
        file, start = libclang.expansion_location(self.lib.clang_getRangeStart(extent))
        last, end = libclang.expansion_location(self.lib.clang_getRangeEnd(extent))
        if file and file == last:
            self.found.extents.setdefault(path, []).append((start, end))

    def _declaration(self, cursor: Cursor, parents: tuple[Cursor, ...], *, in_template: bool) -> None:
        kind = cursor.kind
        if kind in _CONTAINERS:
            inner_template = in_template or kind in (K.CLASS_TEMPLATE, K.CLASS_PARTIAL)
            if kind in (K.CLASS_TEMPLATE, K.CLASS_PARTIAL):
                self._note_template(cursor, cursor)
            for child in libclang.children(cursor):
                if (
                    child.kind in _CONTAINERS
                    or child.kind in _FUNCTIONS
                    or child.kind in (K.FUNCTION_TEMPLATE, K.VAR_DECL)
                ):
                    self._declaration(child, (*parents, cursor), in_template=inner_template)
        elif kind == K.FUNCTION_TEMPLATE:
            self._note_name(cursor)
            self._template(cursor, parents)
        elif kind in _FUNCTIONS and template_of(cursor) is not None:
            if decl_key(cursor) not in self._seen:
                self._seen.add(decl_key(cursor))
                self._queue.append(cursor)
        elif kind in _FUNCTIONS:
            self._note_name(cursor)
            self._function(cursor, parents, in_template=in_template)
        elif kind == K.VAR_DECL:
            self._scan(cursor, in_template=in_template, in_device_code=False)

    def _note_name(self, cursor: Cursor) -> None:
        self.found.functions.setdefault(libclang.spelling(cursor), []).append(cursor)

    def _template(self, cursor: Cursor, parents: tuple[Cursor, ...]) -> None:
        if has_attribute(cursor, K.GLOBAL_ATTR):
            if is_definition(cursor):
                key = self._template_key(cursor)
                self._order.setdefault(key, len(self._order))
                made = KernelSource(cursor, cursor, None, parents, True)
                if key in self._patterns:
                    self._patterns[key].is_ambiguous = made.is_ambiguous = True
                    self.found.kernels.append(made)
                else:
                    self._patterns[key] = made
        elif is_definition(cursor):
            self._note_template(cursor, cursor)
            self._note_template(self.lib.clang_getCursorSemanticParent(cursor), cursor)
            self._scan(cursor, in_template=True, in_device_code=has_attribute(cursor, K.DEVICE_ATTR))

    def _note_template(self, owner: Cursor, cursor: Cursor) -> None:
        """Remember that a template, or a member of one that is defined outside, is written here."""
        if owner.kind in _TEMPLATES:
            place = place_of(self.translation, cursor)
            start, end, _macro = place.offsets(self.lib.clang_getCursorExtent(cursor))
            self._templates.setdefault(libclang.spelling(owner).encode(), []).append((place.source.data, start, end))

    def _template_key(self, cursor: Cursor) -> int:
        return hash(libclang.usr(cursor))

    def _function(self, cursor: Cursor, parents: tuple[Cursor, ...], *, in_template: bool) -> None:
        marks = {child.kind for child in libclang.children(cursor)}
        if K.GLOBAL_ATTR in marks:
            if K.COMPOUND in marks or K.TRY in marks:
                self._seen.add(decl_key(cursor))
                self._order.setdefault(self._template_key(cursor), len(self._order))
                made = KernelSource(cursor, cursor, instantiation_of(cursor), parents, in_template)
                self.found.kernels.append(made)
                late = None if made.instantiation is None else late_definition(cursor)
                if late is not None:
                    made.is_declared_before = True
                    self._instantiated.add(self._template_key(late))
                self._scan(cursor, in_template=in_template, in_device_code=True, is_kernel=True)
        elif K.COMPOUND in marks or K.TRY in marks:
            self._seen.add(decl_key(cursor))
            self._note_template(self.lib.clang_getCursorSemanticParent(cursor), cursor)
            device = K.DEVICE_ATTR in marks and K.HOST_ATTR not in marks
            self._scan(cursor, in_template=in_template, in_device_code=device)

    def _scan(
        self,
        cursor: Cursor,
        *,
        in_template: bool,
        in_device_code: bool,
        is_instantiation: bool = False,
        is_kernel: bool = False,
    ) -> None:
        """Remember a function to be looked into; a kernel only if it launches others."""
        place = place_of(self.translation, cursor)
        start, end, macro = place.offsets(self.lib.clang_getCursorExtent(cursor))
        if cursor.kind == K.FUNCTION_TEMPLATE and end == 0:  # `void f(auto x)`: libclang has no place for the template
            bodies = (one for one in libclang.children(cursor) if one.kind in (K.COMPOUND, K.TRY))
            start, end, macro = next(
                (place.offsets(self.lib.clang_getCursorExtent(one)) for one in bodies), (0, 0, True)
            )
        if cursor.kind != K.VAR_DECL:
            self.found.bodies.setdefault(place.source.path, []).append((start, end))
        if not is_kernel or launches_something(place.source.data, start, end):
            self._pending.append(
                Pending(cursor, place, start, end, in_template, in_device_code, is_instantiation, macro)
            )

    def _take_pending(self) -> list[Pending]:
        pending, self._pending = self._pending, []
        return [each for each in pending if self._reasons.apply(each.place.source.data, each.start, each.end)]

    def _look_into(self, pending: Pending) -> None:
        """Keep a function's tree, and queue the instantiations that it refers to.

        A template refers to none yet. Of what neither launches nor asks about kernels, the place alone is kept.
        """
        data, start, end = pending.place.source.data, pending.start, pending.end
        is_brief = end > start and (pending.in_template or self._is_brief)
        named: Sequence[tuple[int, Cursor]] = ()
        called = None
        if is_brief and not self._reasons.speaks_of_kernels(data, start, end):
            root = Node(pending.cursor, pending.cursor.kind, start, end, "", macro=pending.is_from_macro)
            if not pending.in_template:
                named = referred(pending.cursor, _FUNCTIONS)
                called = frozenset(decl_key(one) for kind, one in named if kind == K.CALL and one.kind in _CALLED)
        else:
            root = build(pending.cursor, pending.place)
            if not pending.in_template:
                nodes = (node for node in root.walk() if node.kind in (K.DECL_REF, K.MEMBER_EXPR, K.CALL))
                named = [(node.kind, one) for node in nodes if (one := node.reference) and one.kind in _FUNCTIONS]
        if self._with_hosts:
            self.found.hosts.append(
                HostFunction(
                    pending.cursor,
                    pending.place,
                    root,
                    pending.in_template,
                    pending.in_device_code,
                    pending.is_instantiation,
                    called,
                )
            )
        for _kind, reference in named:
            if decl_key(reference) not in self._seen:
                self._seen.add(decl_key(reference))
                self._queue.append(reference)

    def _follow(self, cursor: Cursor) -> None:
        """A function that was referred to: of interest where it is an instantiation of a template of the project."""
        pattern = template_of(cursor)
        if pattern is None:
            return
        file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(pattern))
        if self.translation.path(file) not in self.translation.files:
            return
        definition = libclang.definition(cursor) or cursor
        if has_attribute(cursor, K.GLOBAL_ATTR):
            self._instantiate(definition, pattern)
        elif is_definition(definition):
            self._seen.add(decl_key(definition))
            device = has_attribute(definition, K.DEVICE_ATTR)
            self._scan(definition, in_template=False, in_device_code=device, is_instantiation=True)

    def _instantiate(self, cursor: Cursor, pattern: Cursor) -> None:
        key = self._template_key(pattern)
        known = self._patterns.get(key)
        if known is None or not is_definition(cursor):
            return
        self._instantiated.add(key)
        made = instantiation_of(cursor)
        if made is not None and made.spellable and self._text_order.arguments_come_late(cursor, known.cursor):
            made = replace(made, spellable=False)
        self.found.kernels.append(
            KernelSource(
                cursor,
                known.cursor,
                made,
                known.parents,
                True,
                is_ambiguous=known.is_ambiguous,
                is_named=known.is_named,
            )
        )
        self._scan(cursor, in_template=False, in_device_code=True, is_instantiation=True, is_kernel=True)
