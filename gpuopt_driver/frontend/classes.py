"""What an object of a class brings along that nobody writes: its special members, initialisers, bases and members."""

from __future__ import annotations

import re
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.fragments import FUNCTIONS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.translation import Translation
from gpuopt_driver.frontend.tree import decl_key

_CONSTEXPR = re.compile(rb"\b(?:constexpr|consteval)\b|__device__")


@dataclass
class ClassFacts:
    """One class or instantiation: cursors of its functions and of the members that have initialisers."""

    name: str
    constructors: list[Cursor] = field(default_factory=list)  # copies are apart
    copies: list[Cursor] = field(default_factory=list)
    destructors: list[Cursor] = field(default_factory=list)
    assignments: list[Cursor] = field(default_factory=list)
    converting: list[Cursor] = field(default_factory=list)  # assignments that are templates: nothing implicit calls one
    operators: list[Cursor] = field(default_factory=list)
    called: list[Cursor] = field(default_factory=list)
    initialised: list[Cursor] = field(default_factory=list)
    parts: list[Type] = field(default_factory=list)  # bases, members and template arguments that are classes
    arguments: list[Type] = field(default_factory=list)  # those of the parts that are template arguments


class Classes:
    """The classes of one unit, each read once."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.lib = translation.lib
        self._known: dict[int, ClassFacts] = {}
        self._marks: dict[int, frozenset[int]] = {}

    def key(self, type_: Type) -> int:
        """The identity of a class."""
        return decl_key(self.lib.clang_getTypeDeclaration(type_))

    def of(self, type_: Type) -> ClassFacts:
        """The facts of a class type."""
        key = self.key(type_)
        if key not in self._known:
            self._known[key] = self._read(type_)
        return self._known[key]

    def callable(self, type_: Type) -> list[Cursor]:
        """What others may call on an object: `operator()`, conversions and operators."""
        facts = self.of(type_)
        return [*facts.called, *facts.operators]

    def _read(self, type_: Type) -> ClassFacts:
        declared: Cursor = self.lib.clang_getTypeDeclaration(type_)
        cursor = libclang.definition(declared) or declared
        members = libclang.children(cursor)
        pattern: Cursor = self.lib.clang_getSpecializedCursorTemplate(cursor)
        if not self.lib.clang_Cursor_isNull(pattern) and not any(one.kind in FUNCTIONS for one in members):
            members = libclang.children(libclang.definition(pattern) or pattern)
        facts = ClassFacts(libclang.spelling(cursor))
        for member in members:
            self._member(facts, member)
        for one in libclang.fields(type_):
            self._part(facts, self.lib.clang_getCursorType(one))
        for at in range(max(0, self.lib.clang_Type_getNumTemplateArguments(type_))):
            argument = self.lib.clang_Type_getTemplateArgumentAsType(type_, at)
            self._part(facts, argument)
            if types.is_record(types.canonical(argument)):
                facts.arguments.append(types.canonical(argument))
        return facts

    def _member(self, facts: ClassFacts, member: Cursor) -> None:
        kind, lib = member.kind, self.lib
        name = libclang.spelling(member)
        if kind == K.DESTRUCTOR:
            facts.destructors.append(member)
        elif kind == K.CONSTRUCTOR:
            copies = lib.clang_CXXConstructor_isCopyConstructor(member)
            copies = copies or lib.clang_CXXConstructor_isMoveConstructor(member)
            (facts.copies if copies else facts.constructors).append(member)
        elif kind == K.FUNCTION_TEMPLATE and name.partition("<")[0] == facts.name:
            facts.constructors.append(member)
        elif name == "operator=":
            (facts.converting if kind == K.FUNCTION_TEMPLATE else facts.assignments).append(member)
        elif name == "operator()":
            facts.called.append(member)
        elif kind in FUNCTIONS and name.startswith("operator"):
            facts.operators.append(member)
        elif kind in (K.FIELD_DECL, K.VAR_DECL):
            if kind == K.FIELD_DECL and any(100 <= child.kind < 200 for child in libclang.children(member)):
                facts.initialised.append(member)
        elif kind == K.BASE_SPECIFIER:
            self._part(facts, lib.clang_getCursorType(member))

    def _part(self, facts: ClassFacts, type_: Type) -> None:
        canonical = types.canonical(type_)
        while types.is_array(canonical):
            canonical = types.element(canonical)
        if types.is_record(canonical):
            facts.parts.append(canonical)

    def is_implicit(self, cursor: Cursor) -> bool:
        """Whether the compiler makes this member itself."""
        if cursor.kind not in (K.CONSTRUCTOR, K.DESTRUCTOR, K.CXX_METHOD):
            return False
        if self.lib.clang_CXXMethod_isDefaulted(cursor):
            return True
        parent: Cursor = self.lib.clang_getCursorSemanticParent(cursor)
        mine = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
        return mine == libclang.file_location(self.lib.clang_getCursorLocation(parent))

    def is_for_devices(self, cursor: Cursor, *, system: bool) -> bool:
        """Whether a function may run on a GPU: it says so, is constexpr, or nobody wrote it."""
        if system:
            return True
        lib = self.lib
        for one in (cursor, lib.clang_getCanonicalCursor(cursor), libclang.definition(cursor)):
            if one is not None and self._attributes(one) & {int(K.DEVICE_ATTR), int(K.GLOBAL_ATTR)}:
                return True
        return self.is_implicit(cursor) or self._is_constexpr(cursor)

    def _attributes(self, cursor: Cursor) -> frozenset[int]:
        key = decl_key(cursor)
        if key not in self._marks:
            self._marks[key] = frozenset(child.kind for child in libclang.children(cursor) if child.kind >= 400)
        return self._marks[key]

    def _is_constexpr(self, cursor: Cursor) -> bool:
        """Whether the text between a function's start and its name says so; lambdas have no name."""
        extent = self.lib.clang_getCursorExtent(cursor)
        file, start = libclang.file_location(self.lib.clang_getRangeStart(extent))
        _file, at = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
        source = self.translation.source(file) if file else None
        parent: Cursor = self.lib.clang_getCursorSemanticParent(cursor)
        if "(lambda" in libclang.spelling(parent) or source is None:
            return True
        return _CONSTEXPR.search(source.data, max(0, start - 40), at) is not None
