"""Fragments of functions, initialisers and default arguments, read once per unit."""

from __future__ import annotations

import re

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.fragments import Fragment, read
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.translation import Place, Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key

Piece = tuple[Fragment, Place, Node]
_NO_NUMBER = re.compile(rb"[^\s{},.+\-0-9a-zA-Z']|(?<![0-9a-zA-Z.'])[a-zA-Z]")  # a word that begins with a letter


class Pieces:
    """The pieces of code of one unit."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.lib = translation.lib
        self._read: dict[object, Piece | None] = {}
        self._system: dict[int, bool] = {}

    def initialiser(self, cursor: Cursor) -> Piece | None:
        """The initialiser of a member or a variable."""
        key = decl_key(cursor), "initialiser"
        if key not in self._read:
            place = self.place(cursor)
            is_read = place is not None and not self._holds_numbers_alone(cursor, place)
            self._read[key] = self.parts(cursor, place) if place is not None and is_read else None
        return self._read[key]

    def _holds_numbers_alone(self, cursor: Cursor, place: Place) -> bool:
        """Whether the initialiser is a table of written numbers, where nothing runs: cuRAND has 25000 in one."""
        start, end, _ = place.offsets(self.lib.clang_getCursorExtent(cursor))
        _, brace, table = place.source.data[start:end].partition(b"{")
        if not brace or not table.endswith(b"}") or _NO_NUMBER.search(table):
            return False
        scalar, extents = types.innermost(types.canonical(self.lib.clang_getCursorType(cursor)))
        return bool(extents) and (types.is_integer(scalar) or types.is_float(scalar))

    def below(self, root: Node, place: Place) -> Fragment:
        """What is below a node of somebody else's tree."""
        key = id(root), "root"
        known = self._read.get(key)
        if known is None:
            known = self._read[key] = (read(root, place.source.data), place, root)
        return known[0]

    def function(self, definition: Cursor) -> Piece | None:
        """A function's body and member initialisers."""
        key = decl_key(definition)
        if key not in self._read:
            place = self.place(definition)
            self._read[key] = None if place is None else self._of_function(definition, place)
        return self._read[key]

    def _of_function(self, definition: Cursor, place: Place) -> Piece | None:
        root = build(definition, place)
        if not any(child.kind in (K.COMPOUND, K.TRY) for child in root.children):
            return None
        return read(root, place.source.data), place, root

    def parts(self, cursor: Cursor, place: Place) -> Piece:
        """The expressions below a declaration."""
        root = build(cursor, place)
        root.kind = int(K.UNEXPOSED_EXPR)
        root.children = [child for child in root.children if 100 <= child.kind < 200]
        inner = Node(root.cursor, K.PAREN, root.start, root.end, "", macro=root.macro)
        inner.children = root.children
        return read(inner, place.source.data), place, root

    def place(self, cursor: Cursor) -> Place | None:
        """Where a declaration stands, None where it has no text."""
        file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
        return place_of(self.translation, cursor) if file and self.translation.source(file) is not None else None

    def is_system(self, cursor: Cursor) -> bool:
        """Whether a declaration is the toolkit's, the compiler's or another library's."""
        key = decl_key(cursor)
        if key not in self._system:
            file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
            self._system[key] = not file or self.translation.is_system(file)
        return self._system[key]
