"""Which of two declarations the compiler meets first, by where files are included."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K, T
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.translation import Translation

_TEMPLATE_TYPE = 1


class Order:
    """The order of a unit's files; asked for the first time it is read from libclang."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.lib = translation.lib
        self._known: dict[int, tuple[int, ...]] | None = None

    def arguments_come_late(self, instance: Cursor, template: Cursor) -> bool:
        """Whether a template argument of an instance names what is declared behind the file that has the template.

        Nothing that stands at the end of that file can name it.
        """
        count = self.lib.clang_Cursor_getNumTemplateArguments(instance)
        given = [
            self.lib.clang_Cursor_getTemplateArgumentType(instance, at)
            for at in range(count)
            if self.lib.clang_Cursor_getTemplateArgumentKind(instance, at) == _TEMPLATE_TYPE
        ]
        return any(self._is_behind(one, template) for argument in given for one in self._named(argument))

    def _named(self, type_: Type) -> Iterator[Cursor]:
        """The declarations of the classes and enumerations in a type."""
        type_ = types.canonical(type_)
        while types.is_pointer(type_) or types.is_reference(type_) or types.is_array(type_):
            type_ = types.element(type_) if types.is_array(type_) else types.pointee(type_)
        if type_.kind not in (T.RECORD, T.ENUM):
            return
        declaration: Cursor = self.lib.clang_getTypeDeclaration(type_)
        if declaration.kind in (K.STRUCT_DECL, K.CLASS_DECL, K.ENUM_DECL, K.UNION_DECL):
            yield declaration
        for at in range(self.lib.clang_Type_getNumTemplateArguments(type_)):
            yield from self._named(self.lib.clang_Type_getTemplateArgumentAsType(type_, at))

    def _is_behind(self, declaration: Cursor, other: Cursor) -> bool:
        """Whether a declaration stands behind the file of another; no, where nobody knows."""
        file, offset = libclang.file_location(self.lib.clang_getCursorLocation(declaration))
        theirs, _ = libclang.file_location(self.lib.clang_getCursorLocation(other))
        places = self._places()
        if file not in places or theirs not in places:
            return False
        return (*places[file], offset) > (*places[theirs], math.inf)

    def _places(self) -> dict[int, tuple[int, ...]]:
        """Where each file is included: the offsets of the directives, the outermost first."""
        if self._known is not None:
            return self._known
        found: dict[int, tuple[int, ...]] = {}

        def visit(file: int | None, stack: object, depth: int, _data: int | None) -> None:
            if file:
                offsets = [libclang.file_location(stack[at])[1] for at in range(depth)]  # type: ignore[index]
                found.setdefault(file, tuple(reversed(offsets)))

        self.lib.clang_getInclusions(self.translation.index.unit, libclang.INCLUSION(visit), None)
        self._known = found
        return found
