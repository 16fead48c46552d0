"""What is known when the source is compiled: constant variables, parts of them, and results of constexpr functions."""

from __future__ import annotations

import math

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.tree import Node

_STATIC = 3
_MEMORY = (K.SHARED_ATTR, K.CONSTANT_ATTR, K.DEVICE_ATTR)  # the host may write these, whatever their type says
_WRAPPERS = (K.PAREN, K.UNEXPOSED_EXPR)


def keeps_state(node: Node) -> bool:
    """Whether a variable's declaration in device code makes something that outlives a call and may change.

    A static variable of device code is initialised when it is compiled, nvcc allows nothing else. One of a constant
    number, or an array of these, is the same in every copy of its function.
    """
    if libclang.library().clang_Cursor_getStorageClass(node.cursor) != _STATIC:
        return False
    return not _is_fixed(node)


def is_static_constant(node: Node) -> bool:
    """Whether a declaration in device code is that of a static number or array that never changes."""
    return libclang.library().clang_Cursor_getStorageClass(node.cursor) == _STATIC and _is_fixed(node)


def _is_fixed(node: Node) -> bool:
    if any(child.kind in _MEMORY for child in node.children):
        return False
    if not any(100 <= child.kind < 200 for child in node.children):
        return False
    type_ = types.canonical(libclang.library().clang_getCursorType(node.cursor))
    if not types.never_changes(type_) or "volatile" in types.spelled(type_):
        return False
    scalar, _extents = types.innermost(type_)
    return types.is_integer(scalar) or types.is_float(scalar) or types.is_pointer(scalar)


def is_initialised_once(node: Node) -> bool:
    """Whether a declaration, maybe of host code, makes a static variable that changes, or for which something runs."""
    if libclang.library().clang_Cursor_getStorageClass(node.cursor) != _STATIC:
        return False
    initialisers = [child for child in node.children if 100 <= child.kind < 200]
    return not _is_fixed(node) or not all(map(_is_constant, initialisers[-1:]))


def _is_constant(node: Node) -> bool:
    if node.kind == K.INIT_LIST:
        return all(map(_is_constant, node.children))
    return node.constant is not None


def part(node: Node) -> int | None:
    """The number that an element or member of a constant variable is, where the compiler knows it."""
    if node.part is None:
        node.part = (_part(node),)
    return node.part[0]


def _part(node: Node) -> int | None:
    base = node
    while base.kind in (K.MEMBER_EXPR, K.SUBSCRIPT, *_WRAPPERS) and base.children:
        if base.kind == K.MEMBER_EXPR and types.is_pointer(base.children[0].type):
            return None
        base = base.children[0]
    if base.kind != K.DECL_REF or base.reference is None or base.reference.kind != K.VAR_DECL:
        return None
    return whole(node) if _is_constant_variable(base.reference) else None


@libclang.once
def _is_constant_variable(reference: Cursor) -> bool:
    if not types.never_changes(types.canonical(libclang.library().clang_getCursorType(reference))):
        return False
    return not any(child.kind in _MEMORY for child in libclang.children(reference))


def whole(node: Node) -> int | None:
    """The value of an expression of an integer type that the compiler folds; nothing that runs is folded."""
    if not types.is_integer(types.referred(node.type)):
        return None
    value = node.constant
    return value if isinstance(value, int) else None


def truncated(node: Node, target: Type) -> int | None:
    """A constant floating-point expression as an integer of a type that holds it."""
    value = node.constant
    if isinstance(value, int):
        return value
    if value is None or not math.isfinite(value):
        return None
    number, bits = int(value), 8 * types.size_of(target)
    low, high = (0, 1 << bits) if types.is_unsigned(target) else (-(1 << (bits - 1)), 1 << (bits - 1))
    return number if low <= number < high else None
