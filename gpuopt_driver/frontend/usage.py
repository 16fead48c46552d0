"""Where a kernel's local variables are declared, assigned and read, by statement."""

from __future__ import annotations

from gpuopt_driver.frontend import constants, libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.model import Space, Variable
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place
from gpuopt_driver.frontend.tree import Node, decl_key

_STEPS = ("++", "--", "p++", "p--")


class _Usage:
    def __init__(self, node: Node, stmt: int) -> None:
        self.node = node
        self.stmt = stmt
        self.definitions: dict[int, None] = {}
        self.uses: dict[int, None] = {}


def variables_of(body: Node, tree: StatementTree, place: Place) -> tuple[Variable, ...]:
    """The local variables of a kernel, in order of declaration."""
    found: dict[int, _Usage] = {}
    stack: list[tuple[Node, int, str]] = [(body, 0, "use")]
    while stack:
        node, stmt, role = stack.pop()
        stmt = tree.by_node.get(id(node), stmt)
        if node.kind == K.VAR_DECL:
            usage = _Usage(node, stmt)
            found[node.key] = usage
            if any(100 <= child.kind < 200 for child in node.children):
                usage.definitions.setdefault(stmt)
        elif node.kind == K.DECL_REF and node.reference is not None:
            known = found.get(decl_key(node.reference))
            if known is not None:
                if role in ("use", "both"):
                    known.uses.setdefault(stmt)
                if role in ("define", "both"):
                    known.definitions.setdefault(stmt)
        backwards = range(len(node.children) - 1, -1, -1)
        stack.extend((node.children[at], stmt, _role(node, at, role)) for at in backwards)
    lib = libclang.library()
    result = []
    for usage in found.values():
        node = usage.node
        shared = any(child.kind == K.SHARED_ATTR for child in node.children)
        result.append(
            Variable(
                name=node.name,
                type=types.spelled(lib.clang_getCursorType(node.cursor)),
                span=place.span(node.start, node.end, editable=not node.macro),
                stmt=usage.stmt,
                space=Space.SHARED if shared else Space.LOCAL,
                is_static=constants.keeps_state(node) and not shared,
                definitions=tuple(usage.definitions),
                uses=tuple(usage.uses),
            )
        )
    return tuple(result)


def _role(node: Node, at: int, role: str) -> str:
    """Whether a child of a node is read, assigned or both."""
    if node.kind == K.BINARY and node.op == "=":
        return "define" if at == 0 else "use"
    if node.kind == K.COMPOUND_ASSIGN:
        return "both" if at == 0 else "use"
    if node.kind == K.UNARY and node.op in (*_STEPS, "&"):
        return "both"
    if node.kind == K.SUBSCRIPT:
        is_base = types.is_array(node.children[at].type) or (
            bool(node.children[at].children) and types.is_array(node.children[at].children[0].type)
        )
        return role if is_base else "use"
    if node.kind in (K.PAREN, K.UNEXPOSED_EXPR, K.MEMBER_EXPR):
        if node.kind == K.MEMBER_EXPR and role == "define":
            return "both"
        return role
    if node.kind == K.CALL:
        return _argument_role(node, at)
    if node.kind == K.ASM:
        return "both"
    return "use"


def _argument_role(node: Node, at: int) -> str:
    """An argument may be changed where it is an lvalue that no conversion wraps."""
    child = node.children[at]
    direct = child.kind in (K.DECL_REF, K.MEMBER_EXPR, K.SUBSCRIPT)
    is_copy = node.reference is not None and node.reference.kind == K.CONSTRUCTOR
    return "both" if direct and not is_copy else "use"
