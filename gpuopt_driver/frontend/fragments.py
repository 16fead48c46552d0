"""What one piece of code names, calls, makes and does by itself: the leaves of `reach.py`, found once per unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import constants, intrinsics, lexing, libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.tree import Node

BUILTINS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
FUNCTIONS = frozenset(map(int, (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION)))
TEMPLATES = frozenset(map(int, (K.FUNCTION_TEMPLATE, K.OVERLOADED_REF)))
_MAKES = frozenset(map(int, (K.CALL, K.INIT_LIST, K.FUNCTIONAL_CAST, K.COMPOUND_LITERAL)))
_OPERATORS = frozenset(map(int, (K.BINARY, K.COMPOUND_ASSIGN, K.UNARY, K.SUBSCRIPT)))
_STEPS = ("++", "--", "p++", "p--")

# What stands for built-in variables under other names: special registers, intrinsics, members of groups.
_REGISTERS = (("ntid", "blockDim"), ("nctaid", "gridDim"), ("ctaid", "blockIdx"), ("tid", "threadIdx"))
_ASM = re.compile(r"%(ntid|nctaid|ctaid|tid|laneid|warpid|lanemask\w*|cluster\w*|nclusterid|is_explicit_cluster)\b")
_SREG = re.compile(r"__nvvm_read_ptx_sreg_(ntid|nctaid|ctaid|tid|laneid|warpid|lanemask\w*|cluster\w*)")
_CLUSTER = re.compile(r"__cluster(Idx|RelativeBlock\w*|GridDim\w*|Dim\w*|Size\w*|DimIsSpecified)$")
_OTHER = {"laneid": ("threadIdx",), "warpid": ("threadIdx",)}
_GROUP = {
    "group_index": ("blockIdx",),
    "block_index": ("blockIdx",),
    "block_rank": ("blockIdx", "gridDim"),
    "thread_index": ("threadIdx",),
    "thread_rank": ("threadIdx", "blockIdx", "blockDim"),
    "meta_group_rank": ("threadIdx",),
    "group_dim": ("blockDim",),
    "dim_threads": ("blockDim",),
}


@dataclass
class Fragment:
    """A piece of code: a function's body, an initialiser, a default argument.

    `effect` says what it does beside computing with its own variables, "" where that is nothing.
    """

    uses: list[tuple[str, Node, bool, str]] = field(default_factory=list)  # name, where, qualified, under what name
    calls: list[tuple[Cursor, Node]] = field(default_factory=list)
    mentions: list[Cursor] = field(default_factory=list)  # functions named without a call
    variables: list[Cursor] = field(default_factory=list)  # of namespaces, with initialisers
    held: list[tuple[Type, bool]] = field(default_factory=list)  # classes made, passed or destroyed; in an array
    lambdas: list[Node] = field(default_factory=list)
    ranges: list[Type] = field(default_factory=list)  # classes that a range-for goes over
    bindings: list[Type] = field(default_factory=list)  # classes that a structured binding takes apart
    depends: bool = False  # an operator is applied to what depends on template arguments
    captured: list[Cursor] = field(default_factory=list)  # functions that init-captures call; libclang omits the calls
    unread: list[Node] = field(default_factory=list)  # switches whose initialisers libclang omits
    effect: str = ""

    def does(self, what: str) -> None:
        """Note the first effect."""
        self.effect = self.effect or what


def read(root: Node, data: bytes) -> Fragment:
    """The fragment below a node, without the default arguments of functions: these run where they are left out."""
    found = Fragment()
    callees: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        _read_one(node, data, found, callees)
        if node.kind != K.PARM_DECL:
            stack.extend(reversed(node.children))
    return found


def _read_one(node: Node, data: bytes, found: Fragment, callees: set[int]) -> None:  # noqa: PLR0912
    kind = node.kind
    if kind in _MAKES:
        _hold(found, node.type)
    if kind in (K.DECL_REF, K.MEMBER_EXPR):
        _name(node, found, callees)
    elif kind == K.CALL:
        _call(node, found, callees)
    elif kind in (K.VAR_DECL, K.PARM_DECL):
        _hold(found, node.type)
        _declare(node, found)
    elif kind == K.OVERLOADED_REF:
        found.mentions.append(node.cursor)
    elif kind == K.LAMBDA:
        found.lambdas.append(node)
        _capture(node, found)
    elif kind == K.SWITCH:
        header = lexing.header(data, node.start, node.end)
        if header is not None and header[2]:
            found.unread.append(node)
    elif kind == K.RANGE_FOR and len(node.children) > 1:
        found.ranges.append(types.canonical(types.referred(node.children[-2].type)))
    elif kind == K.UNEXPOSED_DECL and node.name.startswith("["):
        found.bindings.append(types.canonical(types.referred(node.type)))
        _hold(found, node.type)
    elif kind in (K.ASM, K.MS_ASM):
        found.does("inline assembly")
        text = data[node.start : node.end].decode("utf-8", "replace")
        for word in dict.fromkeys(_ASM.findall(text)):
            found.uses.extend((name, node, True, f"%{word}") for name in _meant(word))
    elif kind in (K.NEW, K.DELETE):
        found.does("it allocates or frees memory")
        _hold(found, types.pointee(node.type) if types.is_pointer(node.type) else node.type)
        for child in node.children:
            if types.is_pointer(child.type):
                _hold(found, types.pointee(child.type))
    elif _is_access(node):
        found.does("it reads or writes memory")
    if kind in _OPERATORS and types.is_dependent(node.type):
        found.depends = True
    if _is_assignment(node) and not is_own(node.children[0]):
        found.does("it writes to what is not its own")


def _is_access(node: Node) -> bool:
    """Whether an expression goes through a pointer that may lead anywhere."""
    if node.kind == K.SUBSCRIPT:
        return not _is_own_array(node)
    is_indirect = node.kind == K.UNARY and node.op == "*" and bool(node.children)
    return is_indirect and _bare(node.children[0]).kind != K.THIS


def _is_assignment(node: Node) -> bool:
    if node.kind == K.UNARY:
        return node.op in _STEPS and bool(node.children)
    return node.kind == K.COMPOUND_ASSIGN or (node.kind == K.BINARY and node.op == "=")


def _meant(register: str) -> tuple[str, ...]:
    """The built-in variables that a special register tells of."""
    known = dict(_REGISTERS).get(register)
    if known is not None:
        return (known,)
    return _OTHER.get(register, ("threadIdx",) if register.startswith("lanemask") else ("blockIdx", "gridDim"))


def meant_by(name: str) -> tuple[str, ...]:
    """The built-in variables that a library function's result depends on, by its name."""
    register = _SREG.match(name)
    if register is not None:
        return _meant(register.group(1))
    if _CLUSTER.match(name):
        return ("blockIdx", "gridDim")
    if name in intrinsics.GROUP_MAKERS:
        return tuple(sorted(BUILTINS))
    return _GROUP.get(name, ())


def _hold(found: Fragment, type_: Type) -> None:
    """Note a class of which an object is there."""
    canonical = types.canonical(type_)
    many = False
    while types.is_array(canonical):
        canonical, many = types.element(canonical), True
    if types.is_record(canonical):
        found.held.append((canonical, many))


def _capture(node: Node, found: Fragment) -> None:
    """What the initialisers of a lambda's captures make and call."""
    for child in node.children:
        if child.kind == K.VARIABLE_REF and types.is_record(types.canonical(child.type)):
            found.held.append((types.canonical(child.type), True))
        if 100 <= child.kind < 200:
            references = [part.reference for part in child.walk() if part.kind == K.DECL_REF]
            found.captured.extend(one for one in references if one is not None and one.kind in FUNCTIONS)


def _declare(node: Node, found: Fragment) -> None:
    if node.kind == K.VAR_DECL and constants.is_initialised_once(node):
        found.does("it has static variables")
    if any(child.kind == K.SHARED_ATTR for child in node.children):
        found.does("it has shared memory of its own")


def _name(node: Node, found: Fragment, callees: set[int]) -> None:
    reference = node.reference
    if reference is None:
        return
    if reference.kind in FUNCTIONS or reference.kind in TEMPLATES:
        if id(node) not in callees:
            found.mentions.append(reference)
        return
    if node.kind == K.MEMBER_EXPR:
        inner = [child for child in node.children if 100 <= child.kind < 200]
        if inner and types.is_pointer(inner[0].type) and _bare(inner[0]).kind != K.THIS:
            found.does("it reads or writes memory")
        return
    if reference.kind != K.VAR_DECL:
        return
    if node.name in BUILTINS:
        if _is_global(reference):
            found.uses.append((node.name, node, is_qualified(node), node.name))
    elif _is_global(reference) and node.name != "warpSize":
        found.variables.append(reference)
        if not types.is_const(types.canonical(libclang.library().clang_getCursorType(reference))):
            found.does(f"it uses the variable {node.name}")


def _is_global(reference: Cursor) -> bool:
    """Whether a variable is no local one."""
    parent: Cursor = libclang.library().clang_getCursorSemanticParent(reference)
    return parent.kind not in FUNCTIONS and parent.kind not in (K.FUNCTION_TEMPLATE, K.LAMBDA)


def is_qualified(node: Node) -> bool:
    """Whether a name is written `::name`, in a macro or not: then no local variable hides what it means."""
    lib = libclang.library()
    name: int = lib.clang_getCursorLocation(node.cursor).raw
    begin: int = lib.clang_getCursorExtent(node.cursor).begin
    return begin != name


def _call(node: Node, found: Fragment, callees: set[int]) -> None:
    reference = node.reference
    for part in node.children[:2]:
        callees.update(id(one) for one in _heads(part))
    if reference is None:
        first = node.children[0] if node.children else None
        if first is not None and first.kind not in (K.TYPE_REF, K.TEMPLATE_REF):
            found.does("it calls what depends on template arguments")
    elif reference.kind in FUNCTIONS or reference.kind == K.FUNCTION_TEMPLATE:
        found.calls.append((reference, node))
        if reference.kind == K.CXX_METHOD and libclang.library().clang_CXXMethod_isVirtual(reference):
            found.does(f"it calls {libclang.spelling(reference)}, which is virtual")
    elif reference.kind != K.CONSTRUCTOR:
        found.does(f"it calls through {libclang.spelling(reference)}")


def _heads(node: Node) -> Iterator[Node]:
    """A callee's name below its conversions."""
    while True:
        if node.kind in (K.DECL_REF, K.MEMBER_EXPR):
            yield node
        if node.kind not in (K.UNEXPOSED_EXPR, K.PAREN, K.MEMBER_EXPR) or not node.children:
            return
        node = node.children[0]


def _bare(node: Node) -> Node:
    """An expression without conversions and parentheses."""
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN) and len(node.children) == 1:
        node = node.children[0]
    return node


def named(node: Node) -> Cursor | None:
    """What an expression that is just a name, or the address of one, refers to."""
    one = _bare(node)
    if one.kind == K.UNARY and one.op == "&" and one.children:
        one = _bare(one.children[0])
    return one.reference if one.kind == K.DECL_REF else None


def _is_own_array(node: Node) -> bool:
    """Whether a subscript is one of an array that belongs to the object or the function itself."""
    base = _bare(node.children[0]) if node.children else node
    return types.is_array(base.type) and is_own(base)


def is_own(node: Node) -> bool:
    """Whether an lvalue is part of the object itself or of a local variable."""
    one = _bare(node)
    lib = libclang.library()
    if one.kind == K.THIS:
        return True
    if one.kind == K.SUBSCRIPT:
        return _is_own_array(one)
    if one.kind == K.UNARY and one.op == "*" and one.children:
        return _bare(one.children[0]).kind == K.THIS
    reference = one.reference
    if reference is None:
        return False
    if types.is_reference(types.canonical(lib.clang_getCursorType(reference))):
        return False
    if one.kind == K.MEMBER_EXPR:
        inner = [child for child in one.children if 100 <= child.kind < 200]
        return not inner or is_own(inner[0])
    return one.kind == K.DECL_REF and reference.kind in (K.VAR_DECL, K.PARM_DECL) and not _is_global(reference)
