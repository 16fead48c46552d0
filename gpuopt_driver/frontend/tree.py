"""The syntax tree of one function as light Python nodes, collected in a single libclang visit (linear in its size)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import VISITOR, Cursor
from gpuopt_driver.frontend.translation import Place

_BINARY_NAMES = (
    "",
    "",
    "",
    "*",
    "/",
    "%",
    "+",
    "-",
    "<<",
    ">>",
    "<=>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
)
BINARY_NAMES = (*_BINARY_NAMES, "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",")
UNARY_NAMES = ("", "p++", "p--", "++", "--", "&", "*", "+", "-", "~", "!")
_WITH_BINARY_OPERATOR = (int(K.BINARY), int(K.COMPOUND_ASSIGN))
_INCLUDE = re.compile(rb"#[ \t]*include\b")
LAZY = object()  # what has not been asked yet
_Key = tuple[int, "int | None", "int | None"]


class Node:
    """One cursor: its kind, byte range in the function's file, operator, and children."""

    __slots__ = (
        "_constant",
        "_name",
        "_reference",
        "_type",
        "children",
        "conversion",
        "cursor",
        "end",
        "kind",
        "label",
        "macro",
        "moved",
        "op",
        "operands",
        "part",
        "start",
    )

    def __init__(self, cursor: Cursor, kind: int, start: int, end: int, op: str, *, macro: bool) -> None:
        self.cursor = cursor
        self.kind = kind
        self.start = start
        self.end = end
        self.op = op
        self.macro = macro
        self.children: list[Node] = []
        self._reference: object = LAZY
        self._name: str | None = None
        self._type: libclang.Type | None = None
        # What those who run the code found out about it and need in every run:
        self.label = ""  # the beginning of its text, in one line
        self.operands: list[Node] | None = None
        self.conversion: int | None = None  # see `expressions`
        self.part: object = LAZY  # see constants.part
        self.moved: frozenset[int] | None = None  # of a function's block, see call_effects.moved_pointers
        self._constant: object = LAZY

    @property
    def reference(self) -> Cursor | None:
        """The declaration that this expression names."""
        if self._reference is LAZY:
            self._reference = libclang.referenced(self.cursor)
        return self._reference  # type: ignore[return-value]

    @property
    def name(self) -> str:
        """The name that this cursor has or refers to."""
        if self._name is None:
            self._name = libclang.spelling(self.cursor)
        return self._name

    @property
    def type(self) -> libclang.Type:
        """The canonical type of the expression."""
        if self._type is None:
            lib = libclang.library()
            self._type = lib.clang_getCanonicalType(lib.clang_getCursorType(self.cursor))
        return self._type

    @property
    def constant(self) -> int | float | None:
        """The value of a constant expression."""
        if self._constant is LAZY:
            self._constant = libclang.constant(self.cursor)
        return self._constant  # type: ignore[return-value]

    @property
    def key(self) -> int:
        """The identity of a declaration node, comparable with `decl_key` of a reference."""
        return self.cursor.data[0] or 0

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, in source order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.children:
                stack += node.children[::-1]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.op or self.name} {self.start}:{self.end}>"


def is_omitted(node: Node) -> bool:
    """Whether an argument of a call is a default one, which is written nowhere; in a macro all have one place."""
    if node.end > node.start:
        return False
    return not node.macro or not libclang.library().clang_getCursorExtent(node.cursor).begin


def decl_key(cursor: Cursor) -> int:
    """The identity of a declaration."""
    return cursor.data[0] or 0


def _owner(path: list[tuple[_Key, Node]], parent: _Key) -> int:
    """The position of a parent on the path; what a lambda captures implicitly has a parent that is never visited."""
    for at in range(len(path) - 1, -1, -1):
        if path[at][0] == parent:
            return at
    return next((at for at in range(len(path) - 1, -1, -1) if path[at][1].kind == K.LAMBDA), len(path) - 1)


def _is_implicit_copy(node: Node) -> bool:
    """Whether a call is one that nobody wrote: before C++17, what returns a record by value is copied out of it."""
    if len(node.children) != 1 or node.reference is not None or not types.is_record(node.type):
        return False
    return types.plain_name(node.children[0].type) == types.plain_name(node.type)


def _included_at(parent: Node, data: bytes) -> int:
    """Where text of another file, which a node is, enters its parent's text: the next `#include` in there; else 0."""
    if parent.start == parent.end:
        return parent.start
    behind = max((node.end for node in parent.children), default=parent.start)
    found = _INCLUDE.search(data, max(behind, parent.start), parent.end)
    return found.start() if found else 0


def build(cursor: Cursor, place: Place) -> Node:
    """The tree under a cursor."""
    lib = libclang.library()
    extent_of = lib.clang_getCursorExtent
    binary, unary = lib.clang_getCursorBinaryOperatorKind, lib.clang_getCursorUnaryOperatorKind
    copy = Cursor.from_buffer_copy
    offsets, data_of = place.offsets, place.source.data
    start, end, macro = offsets(extent_of(cursor))
    root = Node(cursor, cursor.kind, start, end, "", macro=macro)
    root_key = (cursor.kind, cursor.data[0], cursor.data[1])
    path: list[tuple[_Key, Node]] = [(root_key, root)]
    calls: list[Node] = []

    def visit(child: Cursor, parent: Cursor, _data: int | None) -> int:
        data = parent.data
        parent_key = (parent.kind, data[0], data[1])
        if path[-1][0] != parent_key:
            del path[_owner(path, parent_key) + 1 :]
        kind = child.kind
        op = ""
        if kind in _WITH_BINARY_OPERATOR:
            op = BINARY_NAMES[binary(child)]
        elif kind == 112:
            code = unary(child)
            op = UNARY_NAMES[code] if code < len(UNARY_NAMES) else "?"
        begin, finish, in_macro = offsets(extent_of(child))
        if finish == 0:
            begin = finish = _included_at(path[-1][1], data_of)
        node = Node(copy(child), kind, begin, finish, op, macro=in_macro)
        if kind == K.CALL:
            calls.append(node)
        path[-1][1].children.append(node)
        data = child.data
        path.append(((kind, data[0], data[1]), node))
        return 2

    lib.clang_visitChildren(cursor, VISITOR(visit), None)
    for node in calls:
        if _is_implicit_copy(node):
            node.kind = K.UNEXPOSED_EXPR
    return root


def referred(cursor: Cursor, kinds: Container[int]) -> list[tuple[int, Cursor]]:
    """The declarations of these kinds that names, members and calls under a cursor refer to, each with what it is.

    What nodes of `build` would tell, at a fraction of the cost.
    """
    lib = libclang.library()
    referenced, is_null = lib.clang_getCursorReferenced, lib.clang_Cursor_isNull
    found: list[tuple[int, Cursor]] = []

    def visit(child: Cursor, _parent: Cursor, _data: int | None) -> int:
        kind = child.kind
        if 100 < kind < 104:  # DECL_REF, MEMBER_EXPR, CALL
            meant = referenced(child)
            if meant.kind in kinds and not is_null(meant):
                found.append((kind, meant))
        return 2

    lib.clang_visitChildren(cursor, VISITOR(visit), None)
    return found
