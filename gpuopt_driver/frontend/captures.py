"""What lambdas capture: by copy or by reference, and what initialises it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.values import Value

_NAME = re.compile(rb"[A-Za-z_]\w*")
MUTABLE = re.compile(rb"\bmutable\b")
_CALLED = frozenset({int(K.FUNCTION_DECL), int(K.CXX_METHOD), int(K.CONSTRUCTOR), int(K.CONVERSION)})


def is_hidden_call(capture: Node) -> bool:
    """Whether a lambda's capture is initialised by a call, of which libclang shows no more than the operands."""
    if capture.kind == K.VARIABLE_REF:
        return types.is_record(types.referred(capture.type)) and capture.reference is not None and _has_value(capture)
    parts = capture.walk() if 100 <= capture.kind < 200 else ()
    names = [part.reference.kind for part in parts if part.reference is not None]
    return any(kind in _CALLED for kind in names)


def referred_to(node: Node, listed: bytes) -> frozenset[bytes]:
    """The names of what a lambda may change by captures with initialisers (`[&r = i]`, `[p = &i]`).

    libclang shows only part of an initialiser, so these are all names that stand in the list.
    """
    own = (child for child in node.children if child.kind == K.VARIABLE_REF and child.reference is not None)
    types_of = [types.canonical(child.type) for child in own if _has_value(child)]
    leads = any(types.is_reference(one) or types.is_pointer(one) or types.is_record(one) for one in types_of)
    return frozenset(_NAME.findall(listed)) if leads else frozenset()


def copied(node: Node, listed: bytes, data: bytes, values: Mapping[int, Value]) -> Mapping[int, Value] | None:
    """The values of the variables that a lambda captures by copy; None where it copies none."""
    if b"&" not in listed:
        return dict(values)
    named = {
        decl_key(child.reference): data[: child.start].rstrip().endswith(b"&")
        for child in node.children
        if child.kind == K.VARIABLE_REF and child.reference is not None
    }
    rest = listed.lstrip(b"[ ").startswith(b"=")
    return {key: value for key, value in values.items() if not named.get(key, not rest)} or None


def _has_value(capture: Node) -> bool:
    """Whether the variable of a capture is one of its own: it begins where the capture is written."""
    lib = libclang.library()
    assert capture.reference is not None
    mine, theirs = (lib.clang_getCursorLocation(one) for one in (capture.cursor, capture.reference))
    return libclang.file_location(mine) == libclang.file_location(theirs)
