"""Which assignment of a host variable reaches a use, decided on the syntax tree alone."""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.tree import Node, decl_key

_STEPS = ("++", "--", "p++", "p--", "&")
_REPEATED = frozenset({int(K.FOR), int(K.WHILE), int(K.DO), int(K.RANGE_FOR), int(K.LAMBDA)})


@dataclass(frozen=True)
class Definition:
    """An assignment (or something like it) to a variable; `value` None where what it assigns is not known."""

    node: Node
    field: str  # "" for the whole variable
    value: Node | None


class Unclear:
    """More than one assignment may reach the use, or one that is not understood."""


UNCLEAR = Unclear()


class Definitions:
    """All assignments in one function, and the tree upwards."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.parents: dict[int, Node] = {}
        self.of: dict[int, list[Definition]] = {}
        for node in root.walk():
            for child in node.children:
                self.parents[id(child)] = node
            self._collect(node)

    def _collect(self, node: Node) -> None:
        if node.kind == K.VAR_DECL:
            values = [child for child in node.children if 100 <= child.kind < 200]
            if values and not types.is_array(node.type):
                self._add(node.key, Definition(node, "", values[-1]))
        elif (node.kind == K.BINARY and node.op == "=") or is_record_assignment(node):
            self._target(node, node.children[0], node.children[-1])
        elif node.kind == K.COMPOUND_ASSIGN or (node.kind == K.UNARY and node.op in _STEPS):
            self._target(node, node.children[0], None)
        elif node.kind == K.CALL:
            for child in node.children:
                if child.kind == K.DECL_REF and not types.is_const(child.type):
                    self._target(node, child, None)

    def _target(self, node: Node, target: Node, value: Node | None) -> None:
        field = ""
        while target.kind in (K.PAREN, K.UNEXPOSED_EXPR, K.MEMBER_EXPR) and target.children:
            if target.kind == K.MEMBER_EXPR:
                field = target.name
            target = target.children[-1]
        if target.kind != K.DECL_REF or target.reference is None:
            return
        if target.reference.kind not in (K.VAR_DECL, K.PARM_DECL):
            return
        if node.kind == K.CALL and value is None and types.plain_name(target.type) == "dim3":
            return  # dim3 is passed by value
        self._add(decl_key(target.reference), Definition(node, field, value))

    def _add(self, key: int, definition: Definition) -> None:
        self.of.setdefault(key, []).append(definition)

    def reaching(self, key: int, field: str, use: Node) -> Definition | Unclear | None:
        """The one assignment whose value a use sees; None if the function assigns nothing before it."""
        found = [each for each in self.of.get(key, []) if each.field in ("", field) or field == ""]
        if not found:
            return None
        inside: Node = use
        outer = self.parents.get(id(use))
        while outer is not None:
            if outer.kind in (K.COMPOUND, K.DECL_STMT):
                decided = self._before(outer, inside, found)
                if decided is not None:
                    return decided
            elif outer.kind == K.FOR and self._assigns(outer.children[0], found) and outer.children[0] is not inside:
                return UNCLEAR
            if outer.kind in _REPEATED and self._assigns(outer, found):
                return UNCLEAR
            inside, outer = outer, self.parents.get(id(outer))
        return None

    def _before(self, block: Node, inside: Node, found: list[Definition]) -> Definition | Unclear | None:
        """The assignment among the statements of a block in front of one of them."""
        at = next(i for i, child in enumerate(block.children) if child is inside)
        for statement in reversed(block.children[:at]):
            hits = [each for each in found if self._is_within(each.node, statement)]
            if len(hits) == 1 and self._is_unconditional(hits[0].node, statement):
                return hits[0] if hits[0].value is not None else UNCLEAR
            if hits:
                return UNCLEAR
        return None

    def _assigns(self, node: Node, found: list[Definition]) -> bool:
        return any(self._is_within(each.node, node) for each in found)

    def _is_within(self, node: Node, ancestor: Node) -> bool:
        if not ancestor.start <= node.start <= node.end <= ancestor.end:
            return False
        current: Node | None = node
        while current is not None and current is not ancestor:
            current = self.parents.get(id(current))
        return current is ancestor

    def _is_unconditional(self, node: Node, statement: Node) -> bool:
        """Whether an assignment is the statement itself or one of its declarations."""
        while node is not statement:
            parent = self.parents.get(id(node))
            if parent is None or parent.kind not in (K.DECL_STMT, K.UNEXPOSED_EXPR, K.PAREN):
                return False
            node = parent
        return True


def is_record_assignment(node: Node) -> bool:
    """`a = b` for structures."""
    return node.kind == K.CALL and node.name == "operator=" and len(node.children) >= 2
