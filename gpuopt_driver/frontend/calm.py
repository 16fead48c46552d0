"""Library functions that compute with their arguments and do nothing else, which their bodies show.

`std::tanh(float)` calls a builtin, `std::hypot` of three a few of its own kind: no list has them all. A body is calm if
it has no assembly, keeps nothing, names no thread and no variable of the program that changes, and calls only what is
calm: declared functions whose effects are known, builtins, and bodies that are looked at in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuopt_driver.frontend import constants, libclang, types
from gpuopt_driver.frontend.effects import Body, qualified_name
from gpuopt_driver.frontend.foreign_effects import foreign
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.tree import Node

BodyOf = Callable[[Cursor], Body | None]
_FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.CONVERSION, K.FUNCTION_TEMPLATE)
_NEVER = (K.ASM, K.MS_ASM, K.NEW, K.DELETE, K.LAMBDA, K.GOTO, K.INDIRECT_GOTO, K.TRY, K.THIS)
_NOT_CALM = re.compile(
    r"(__builtin_(debug)?trap|__builtin_alloca|__builtin_(set|long)jmp|__builtin_nontemporal|__builtin_amdgcn"
    r"|__nvvm_|__sync_|__(c11_|scoped_)?atomic_|__nv_)"
)


def is_calm(reference: Cursor, body_of: BodyOf) -> bool:
    """Whether a call gives a value, or changes what its own arguments point or refer to, and that is all.

    The arguments are numbers, or lead to numbers: nothing else can be reached through them.
    """
    lib = libclang.library()
    count = lib.clang_Cursor_getNumArguments(reference)
    taken = [lib.clang_getCursorType(lib.clang_Cursor_getArgument(reference, at)) for at in range(count)]
    is_static = reference.kind == K.CXX_METHOD and bool(lib.clang_CXXMethod_isStatic(reference))
    if reference.kind != K.FUNCTION_DECL and not is_static:
        return False
    if not all(_leads_to_numbers(types.canonical(one)) for one in taken):
        return False
    returned = types.canonical(lib.clang_getResultType(lib.clang_getCursorType(reference)))
    if types.is_pointer(returned) or (types.is_reference(returned) and not types.is_const(types.pointee(returned))):
        return False
    body = body_of(reference)
    return body is not None and _has_calm_body(body, body_of)


def _has_calm_body(body: Body, body_of: BodyOf) -> bool:
    if body.calm is None:
        body.calm = False  # while it is looked at: what calls itself is not calm
        body.calm = body.block is not None and all(_is_calm_node(node, body_of) for node in body.root.walk())
    return body.calm


def _is_calm_node(node: Node, body_of: BodyOf) -> bool:
    if node.kind in _NEVER:
        return False
    if node.kind == K.VAR_DECL:
        return not constants.keeps_state(node) and not any(child.kind == K.SHARED_ATTR for child in node.children)
    if node.kind == K.CALL:
        return node.reference is not None and _is_calm_call(node.reference, node, body_of)
    if node.kind == K.DECL_REF and node.reference is not None:
        return _is_calm_name(node, node.reference)
    return True


def _is_calm_name(node: Node, reference: Cursor) -> bool:
    if node.name in BUILTINS:
        return False
    if reference.kind != K.VAR_DECL:
        return True
    lib = libclang.library()
    if lib.clang_getCursorSemanticParent(reference).kind in _FUNCTIONS:
        return True
    return types.never_changes(types.canonical(lib.clang_getCursorType(reference)))


def _is_calm_call(reference: Cursor, node: Node, body_of: BodyOf) -> bool:
    name = libclang.spelling(reference)
    if reference.kind not in _FUNCTIONS or _NOT_CALM.match(name):
        return False
    lib = libclang.library()
    if reference.kind == K.CXX_METHOD and lib.clang_CXXMethod_isVirtual(reference):
        return False
    body = body_of(reference)
    if body is not None and body.block is not None:
        return _has_calm_body(body, body_of)
    if reference.kind == K.CONSTRUCTOR:
        return _holds_numbers(types.canonical(node.type))
    known = foreign(reference, name, qualified_name(reference))
    return not known.unknown and not known.meets


def _leads_to_numbers(type_: Type) -> bool:
    if types.is_pointer(type_) or types.is_reference(type_):
        return _holds_numbers(types.canonical(types.pointee(type_)))
    return _holds_numbers(type_)


def _holds_numbers(type_: Type) -> bool:
    """A number, or a structure of numbers (`float2`, `__half`)."""
    if types.is_volatile(type_):
        return False
    if types.is_integer(type_) or types.is_float(type_):
        return True
    parts = libclang.fields(type_) if types.is_record(type_) else []
    lib = libclang.library()
    return bool(parts) and all(_holds_numbers(types.canonical(lib.clang_getCursorType(one))) for one in parts)


def changed_arguments(reference: Cursor) -> frozenset[int]:
    """The arguments (by number) that a function takes by a reference through which it may change them."""
    lib = libclang.library()
    found = set()
    for at in range(lib.clang_Cursor_getNumArguments(reference)):
        type_ = types.canonical(lib.clang_getCursorType(lib.clang_Cursor_getArgument(reference, at)))
        if types.is_reference(type_) and not types.is_const(types.pointee(type_)):
            found.add(at)
    return frozenset(found)
