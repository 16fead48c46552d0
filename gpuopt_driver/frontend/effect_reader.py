"""A kernel's effects and assignments for its frozen model, from the walk over its syntax tree."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.call_effects import CallEffects, moved_pointers
from gpuopt_driver.frontend.effects import Body
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.model import Access, Assignment, Effect, Place, Space, StmtKind
from gpuopt_driver.frontend.plain_classes import PlainClasses
from gpuopt_driver.frontend.side_effects import EffectWalk, Frame
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place as Text
from gpuopt_driver.frontend.tree import Node


def effects_of(
    function: Node,
    body: Node,
    text: Text,
    plain: PlainClasses,
    bodies: dict[int, Body | None],
    found: Iterable[Access],
) -> tuple[Effect, ...]:
    """The effects of the pieces of a kernel's body, in the order of the walk; `found`: the symbolic run's accesses."""
    walk = EffectWalk(plain.translation, plain, found)
    walk.calls = CallEffects(walk, bodies)
    for node in function.children:
        if node.kind == K.PARM_DECL:
            walk.variables[node.key] = Place(Space.LOCAL, node.name, node.start)
            walk.arguments.add(node.key)
    walk.frames.append(Frame(text, is_kernel=True, moved=moved_pointers(body)))
    walk.statement(body)
    ranges = _ranges(body)
    made: dict[Effect, None] = {}
    for node, where, is_write, why in walk.frame.noted:
        start, end = ranges.get(id(node), (body.start, body.end))
        place = where if isinstance(where, Place) else None
        unknown = why if where is None or place is not None else "an object that nobody is known to have made"
        if place is not None and place in walk.exposed:
            place = Place(place.space, place.name, place.declared, exposed=True)
        made.setdefault(Effect(start, end, place, is_write, unknown))
    return tuple(made)


def _ranges(body: Node) -> dict[int, tuple[int, int]]:
    """The bytes of every node; what comes out of another file, or has none, stands where what is around it does."""
    found: dict[int, tuple[int, int]] = {}
    stack = [(body, (body.start, body.end))]
    while stack:
        node, around = stack.pop()
        inside = around[0] <= node.start < node.end <= around[1]
        found[id(node)] = here = (node.start, node.end) if inside else around
        stack.extend((child, here) for child in node.children)
    return found


def assignments_of(tree: StatementTree, text: Text) -> tuple[Assignment, ...]:
    """The expression statements that are one assignment of the language's own, or of a class that copies its bytes."""
    lib = libclang.library()
    found: list[Assignment] = []
    for draft in tree.drafts:
        if draft.kind is not StmtKind.EXPR or not draft.editable:
            continue
        node = draft.node
        while node.kind == K.UNEXPOSED_EXPR and len(node.children) == 1:  # the temporaries of the statement end with it
            node = node.children[0]
        sides: list[Node] = []
        if node.kind == K.BINARY and node.op == "=":
            sides = node.children
        elif node.kind == K.CALL and node.reference is not None and libclang.spelling(node.reference) == "operator=":
            is_made = lib.clang_CXXMethod_isDefaulted(node.reference) or libclang.definition(node.reference) is None
            sides = [node.children[0], node.children[-1]] if is_made else []
        if len(sides) == 2:
            left, right = (text.span(one.start, one.end, editable=one.start < one.end) for one in sides)
            found.append(Assignment(draft.id, left, right))
    return tuple(found)
