"""What overload resolution finds behind a text that it did not find in it: operators, bases of classes, defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.behind import Behind
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.signatures import CLASSES
from gpuopt_driver.frontend.translation import Place
from gpuopt_driver.frontend.tree import Node

FUNCTIONS = frozenset(map(int, (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE)))
_DEFINED = re.compile(rb"\b(?:class|struct|union)\b[^;{}()=]*?([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^;{}]*)?\{")
_FORWARD = re.compile(rb"\b(?:class|struct|union)\s+([A-Za-z_]\w*)\s*[;*&]")
_OPERATOR = re.compile(r"operator *([^\w\s\"][^\w\s\"]*)")
_EXPRESSIONS = range(100, 200)  # kinds of libclang's


class Overloads:
    """Answers for one unit; `functions` are all that it declares, by name."""

    def __init__(self, behind: Behind, functions: Mapping[str, Sequence[Cursor]]) -> None:
        self._behind = behind
        self._functions = functions
        self._lib = behind.translation.lib
        self._forward: frozenset[bytes] | None = None  # names of classes that are declared without a body
        self._own_operators: list[tuple[bytes, int, Cursor, str]] | None = None

    def change(self, place: Place, start: int, end: int, root: Node) -> str:
        """What expressions in the text [start, end) would mean something else by behind it, in words."""
        return self._operator(place, start, end, root) or self._completed(place, end, root)

    def _operator(self, place: Place, start: int, end: int, root: Node) -> str:
        """The first operator of classes or enumerations behind the text that it could have used."""
        text = place.source.data[start:end]
        behind = [
            (one, usr)
            for symbol, file, one, usr in self._operators()
            if (file == place.file or self._behind.late(place.source.path, end))
            and symbol in text
            and self._behind.is_behind(place, end, one)
        ]
        for one, usr in behind:
            earlier = (other for _symbol, _file, other, its in self._operators() if its == usr)
            if all(self._behind.is_behind(place, end, other) for other in earlier) and self._could_take(one, root):
                return f"another {libclang.spelling(one)}() is declared behind it ({self._behind.where(place, one)})"
        return ""

    def _operators(self) -> list[tuple[bytes, int, Cursor, str]]:
        """The project's operators that are no members, with their symbols, files and USRs."""
        if self._own_operators is None:
            self._own_operators = []
            for name, declared in self._functions.items():
                symbol = _OPERATOR.fullmatch(name)
                for one in declared if symbol else ():
                    file, _at = libclang.file_location(self._lib.clang_getCursorLocation(one))
                    if symbol and one.kind in FUNCTIONS and file and not self._behind.translation.is_system(file):
                        self._own_operators.append((symbol[1].encode(), file, one, libclang.usr(one)))
        return self._own_operators

    def _could_take(self, function: Cursor, root: Node) -> bool:
        """Whether a text has values of a class or enumeration that a function has a parameter of."""
        taken = {self._class_of(self._lib.clang_getCursorType(one)) for one in _parameters(function)} - {""}
        had = {self._class_of(node.type) for node in root.walk()} - {""}
        return bool(had) and (function.kind == K.FUNCTION_TEMPLATE or not had.isdisjoint(taken))

    def _completed(self, place: Place, end: int, root: Node) -> str:
        """A class that a text has pointers to, and that is defined behind it: from there on its bases count."""
        files = self._behind.files
        behind = set(_DEFINED.findall(place.source.data, end))
        for late in self._behind.late(place.source.path, end):
            behind.update(name for path in self._behind.named.get(late, ()) for name in _DEFINED.findall(files[path]))
        if behind and self._forward is None:
            self._forward = frozenset(name for data in files.values() for name in _FORWARD.findall(data))
        if not behind or self._forward is None or behind.isdisjoint(self._forward):
            return ""
        seen: set[str] = set()
        for node in root.walk():
            name = self._class_of(node.type)
            if name and name not in seen:
                seen.add(name)
                declared = self._lib.clang_getTypeDeclaration(self._behind_pointers(node.type))
                whole = self._lib.clang_getCursorDefinition(declared)
                if whole.kind in CLASSES and self._behind.is_behind(place, end, whole):
                    return f"{libclang.spelling(whole)} is defined behind it ({self._behind.where(place, whole)})"
        return ""

    def _class_of(self, type_: Type) -> str:
        """The USR of a class or enumeration that a type is, or that it refers or points to; "" of others."""
        declaration = self._lib.clang_getTypeDeclaration(self._behind_pointers(type_))
        return libclang.usr(declaration) if declaration.kind in (*CLASSES, K.ENUM_DECL) else ""

    def _behind_pointers(self, type_: Type) -> Type:
        found: Type = self._lib.clang_getCanonicalType(type_)
        while (pointee := self._lib.clang_getPointeeType(found)).kind:
            found = self._lib.clang_getCanonicalType(pointee)
        return found


def _parameters(function: Cursor) -> list[Cursor]:
    return [one for one in libclang.children(function) if one.kind == K.PARM_DECL]


def defaults(function: Cursor) -> int:
    """How many parameters of a declaration have default arguments, its own or those of declarations before it."""
    return sum(any(child.kind in _EXPRESSIONS for child in libclang.children(one)) for one in _parameters(function))
