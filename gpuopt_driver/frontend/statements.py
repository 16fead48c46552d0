"""The statement tree of a function body: flat, pre-ordered, with byte ranges that can be edited."""

from __future__ import annotations

from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.model import StmtKind
from gpuopt_driver.frontend.tree import Node

_KINDS = {
    K.COMPOUND: StmtKind.COMPOUND,
    K.IF: StmtKind.IF,
    K.FOR: StmtKind.FOR,
    K.RANGE_FOR: StmtKind.FOR,
    K.WHILE: StmtKind.WHILE,
    K.DO: StmtKind.DO,
    K.SWITCH: StmtKind.SWITCH,
    K.CASE: StmtKind.CASE,
    K.DEFAULT: StmtKind.CASE,
    K.BREAK: StmtKind.BREAK,
    K.CONTINUE: StmtKind.CONTINUE,
    K.RETURN: StmtKind.RETURN,
    K.GOTO: StmtKind.GOTO,
    K.INDIRECT_GOTO: StmtKind.GOTO,
    K.LABEL: StmtKind.LABEL,
    K.DECL_STMT: StmtKind.DECL,
    K.ASM: StmtKind.ASM,
    K.MS_ASM: StmtKind.ASM,
    K.TRY: StmtKind.TRY,
    K.NULL_STMT: StmtKind.EMPTY,
}
_NEEDS_SEMICOLON = frozenset(
    {StmtKind.EXPR, StmtKind.RETURN, StmtKind.BREAK, StmtKind.CONTINUE, StmtKind.GOTO, StmtKind.ASM, StmtKind.DO}
)


@dataclass
class Header:
    """The parts of a control statement; `exact` is False where macros hide which part is which."""

    init: Node | None = None
    condition: Node | None = None
    increment: Node | None = None
    declaration: Node | None = None  # of a variable in the condition
    then: Node | None = None
    otherwise: Node | None = None
    exact: bool = True


@dataclass
class Draft:
    """A statement under construction."""

    id: int
    kind: StmtKind
    node: Node
    parent: int | None
    role: str
    start: int
    end: int
    editable: bool
    lead: int | None = None
    children: list[int] = field(default_factory=list)


def unwrap(node: Node) -> Node:
    """The statement inside an attributed statement (`#pragma unroll`, `[[likely]]`)."""
    while node.kind == K.UNEXPOSED_STMT and len(node.children) == 1:
        node = node.children[0]
    return node


def kind_of(node: Node) -> StmtKind:
    """The kind of the statement at a node."""
    return _KINDS.get(node.kind, StmtKind.EXPR)


def control(node: Node, data: bytes) -> Header:
    """The parts of an if, loop or switch."""
    children = [child for child in node.children if child.kind < 400]
    if not children:
        return Header(exact=False)
    if node.kind == K.FOR:
        return _for_header(node, children, data)
    if node.kind == K.RANGE_FOR:
        return Header(then=children[-1], init=None, exact=False)
    if node.kind == K.DO:
        return Header(then=children[0], condition=children[1] if len(children) > 1 else None)
    if node.kind == K.IF:
        return _if_header(children, data)
    *head, body = children
    return _with_condition(head, Header(then=body))


def _with_condition(head: list[Node], result: Header) -> Header:
    """Sort `init; declaration; condition` into a header."""
    if head:
        result.condition = head.pop()
    for node in head:
        if node.kind == K.VAR_DECL:
            result.declaration = node
        elif result.init is None:
            result.init = node
    return result


def _if_header(children: list[Node], data: bytes) -> Header:
    has_else = False
    if len(children) >= 3:
        between = (children[-2].end, children[-1].start)
        if between[0] <= between[1]:
            has_else = lexing.find_word(data, b"else", *between) is not None
        if not has_else and (children[-1].macro or children[-2].macro):
            has_else = children[0].kind not in (K.DECL_STMT, K.VAR_DECL)
    if has_else:
        return _with_condition(children[:-2], Header(then=children[-2], otherwise=children[-1]))
    return _with_condition(children[:-1], Header(then=children[-1]))


def _for_header(node: Node, children: list[Node], data: bytes) -> Header:
    *slots, body = children
    result = Header(then=body)
    if len(slots) == 3 and not any(slot.kind == K.VAR_DECL for slot in slots):
        result.init, result.condition, result.increment = slots
        return result
    found = lexing.header(data, node.start, len(data)) if data[node.start : node.start + 3] == b"for" else None
    if found is None or len(found[2]) != 2:
        result.exact = False
        result.init = slots[0] if slots and slots[0].kind == K.DECL_STMT else None
        return result
    first, second = found[2]
    for slot in slots:
        if (slot.start <= first and slot.kind in (K.DECL_STMT,)) or slot.start < first:
            result.init = slot
        elif slot.start < second:
            if slot.kind == K.VAR_DECL:
                result.declaration = slot
            else:
                result.condition = slot
        else:
            result.increment = slot
    return result


class StatementTree:
    """All statements of a body; `by_node` finds a statement by the identity of its node."""

    def __init__(self, body: Node, data: bytes) -> None:
        self.data = data
        self.drafts: list[Draft] = []
        self.by_node: dict[int, int] = {}
        self.headers: dict[int, Header] = {}
        self._body = body
        self._has_goto: bool | None = None
        self._add(body, None, "", body.start, editable=not body.macro)

    @property
    def has_goto(self) -> bool:
        """Whether any statement, in lambdas and statement expressions too, jumps to a label."""
        if self._has_goto is None:
            self._has_goto = any(node.kind in (K.GOTO, K.INDIRECT_GOTO) for node in self._body.walk())
        return self._has_goto

    def is_inside_of_another(self, case: Node) -> bool:
        """Whether a label of a switch stands in a statement with a test of its own: a loop, a branch of an `if`."""
        at = self.by_node.get(id(case))
        parent = None if at is None else self.drafts[at].parent
        while parent is not None:
            draft = self.drafts[parent]
            if draft.kind not in (StmtKind.COMPOUND, StmtKind.CASE, StmtKind.LABEL):
                return draft.kind is not StmtKind.SWITCH
            parent = draft.parent
        return False

    def header(self, node: Node) -> Header:
        """The parts of a control statement, worked out once."""
        known = self.headers.get(id(node))
        if known is None:
            known = self.headers[id(node)] = control(node, self.data)
        return known

    def _add(self, wrapped: Node, parent: Draft | None, role: str, lead: int | None, *, editable: bool) -> Draft:
        node = unwrap(wrapped)
        kind = kind_of(node)
        draft = Draft(
            len(self.drafts), kind, node, parent.id if parent else None, role, node.start, node.end, editable, lead
        )
        self.drafts.append(draft)
        self.by_node[id(node)] = draft.id
        if parent:
            parent.children.append(draft.id)
        self._descend(draft)
        for child in draft.children:
            draft.end = max(draft.end, self.drafts[child].end)
        if kind in _NEEDS_SEMICOLON and role != "init":
            draft.end = lexing.semicolon_after(self.data, draft.end) or draft.end
        return draft

    def _descend(self, draft: Draft) -> None:
        node, kind = draft.node, draft.kind
        if kind is StmtKind.COMPOUND:
            self._compound(draft)
        elif kind in (StmtKind.CASE, StmtKind.LABEL):
            statements = node.children[-1:]
            if kind is StmtKind.CASE and node.kind == K.CASE and len(node.children) < 2:
                statements = []
            for child in statements:
                inner = unwrap(child)
                lead = None if inner.start <= draft.start else self._behind_colon(draft, inner.start)
                self._add(child, draft, "", lead, editable=self._inside(draft, inner))
        elif kind in (StmtKind.IF, StmtKind.FOR, StmtKind.WHILE, StmtKind.DO, StmtKind.SWITCH):
            self._control(draft)
        elif kind is StmtKind.TRY:
            for child in node.children:
                if child.kind == K.COMPOUND:
                    self._add(child, draft, "body", child.start, editable=self._inside(draft, child))

    def _inside(self, draft: Draft, node: Node) -> bool:
        """Whether a child has a byte range of its own (not in one macro with its parent, nor in another file)."""
        return draft.editable and draft.start < node.start < node.end <= max(draft.end, draft.node.end)

    def _compound(self, draft: Draft) -> None:
        at = draft.start + (2 if self.data[draft.start : draft.start + 2] == b"<%" else 1)
        previous: Draft | None = None
        for child in draft.node.children:
            inner = unwrap(child)
            lead = lexing.after_conditionals(self.data, at, inner.start) if at <= inner.start else None
            added = self._add(child, draft, "", lead, editable=self._inside(draft, inner))
            if previous is not None and added.start < previous.end:
                self._lock(previous)
                self._lock(added)
            previous = added
            at = added.end

    def _lock(self, draft: Draft) -> None:
        """Two statements share one macro invocation: neither has bytes of its own."""
        for at in range(draft.id, len(self.drafts)):
            self.drafts[at].editable = False

    def _behind_colon(self, draft: Draft, limit: int) -> int | None:
        depth = 0
        found = None
        for _kind, text, offset in lexing.tokens(self.data, draft.start, limit):
            if text in (b"(", b"[", b"{", b"?"):
                depth += 1
            elif text in (b")", b"]", b"}"):
                depth -= 1
            elif text == b":":
                if depth == 0:
                    found = offset + 1
                    break
                depth -= 1
        return found

    def _control(self, draft: Draft) -> None:
        node = draft.node
        header = self.header(node)
        plain = draft.editable and not node.macro
        parens = lexing.header(self.data, node.start, len(self.data)) if plain and node.kind != K.DO else None
        if header.init is not None:
            lead = parens[0] + 1 if parens else None
            self._add(header.init, draft, "init", lead, editable=self._inside(draft, header.init))
        if header.then is not None:
            lead = parens[1] + 1 if parens else None
            if node.kind == K.DO and plain:
                lead = node.start + 2
            role = "then" if draft.kind is StmtKind.IF else "body"
            inner = unwrap(header.then)
            if lead is not None and lead > inner.start:
                lead = None
            added = self._add(header.then, draft, role, lead, editable=self._inside(draft, inner))
            if header.otherwise is not None:
                inner = unwrap(header.otherwise)
                at = lexing.find_word(self.data, b"else", added.end, inner.start) if added.end <= inner.start else None
                self._add(
                    header.otherwise,
                    draft,
                    "else",
                    None if at is None else at + 4,
                    editable=self._inside(draft, inner),
                )
