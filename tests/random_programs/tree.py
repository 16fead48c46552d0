"""The text of a kernel as a tree: expressions, statements and blocks, which can be dropped or made simpler one by one.

A kind is a type for an expression (`u` unsigned, `i` int in [0, 64), `f` float, `c` condition), else `stmt`, `keep` (a
statement that others stand on) or `block`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

LITERALS = {"u": ("1u", "v0"), "i": ("1", "0"), "f": ("1.0f", "f0"), "c": ("true", "false")}
Path = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Text with nodes in it."""

    kind: str
    parts: tuple[str | Node, ...]

    def __str__(self) -> str:
        return ("\n" if self.kind == "block" else "").join(str(part) for part in self.parts)


def expression(kind: str, *parts: str | Node) -> Node:
    """An expression of a kind."""
    return Node(kind, parts)


def statement(*parts: str | Node) -> Node:
    """A statement."""
    return Node("stmt", parts)


def keep(*parts: str | Node) -> Node:
    """A statement that many others need: the shrinker tries it last."""
    return Node("keep", parts)


def block(*statements: Node) -> Node:
    """Statements in a row."""
    return Node("block", statements)


def size(node: Node) -> int:
    """How many nodes there are."""
    return 1 + sum(size(part) for part in node.parts if isinstance(part, Node))


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """All nodes with their places, from the root down."""
    yield path, node
    for at, part in enumerate(node.parts):
        if isinstance(part, Node):
            yield from walk(part, (*path, at))


def at(node: Node, path: Path) -> Node:
    """The node at a place."""
    for step in path:
        part = node.parts[step]
        assert isinstance(part, Node)
        node = part
    return node


def put(node: Node, path: Path, new: str | Node) -> Node:
    """The tree with another node at a place."""
    if not path:
        assert isinstance(new, Node)
        return new
    part = node.parts[path[0]]
    assert isinstance(part, Node)
    changed = new if len(path) == 1 else put(part, path[1:], new)
    return replace(node, parts=(*node.parts[: path[0]], changed, *node.parts[path[0] + 1 :]))


def without(node: Node, path: Path, first: int, count: int) -> Node:
    """The tree without `count` statements of the block at a place."""
    old = at(node, path)
    return put(node, path, replace(old, parts=(*old.parts[:first], *old.parts[first + count :])))


def simpler(node: Node) -> Iterator[Node]:
    """What may stand in place of a node: a statement's own blocks, an expression's operands, a literal."""
    children = [part for part in node.parts if isinstance(part, Node)]
    if node.kind in ("stmt", "keep"):
        yield from (child for child in children if child.kind == "block")
    elif node.kind in LITERALS:
        if node.parts in [(text,) for text in LITERALS[node.kind]]:
            return
        yield from (Node(node.kind, (text,)) for text in LITERALS[node.kind])
        yield from (child for child in children if child.kind == node.kind)
