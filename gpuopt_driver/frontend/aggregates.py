"""Members of structures: which of them the parts of `{a, b, c}` initialise, and whether a name means one of them.

Braces may be left out of a list, and members be named in it. A class and its base may both have a member `i`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.tree import Node, decl_key


@dataclass(frozen=True, slots=True)
class Parts:
    """What is known of a structure's members: each with its initialiser, and the parts of which nobody knows whose they
    are.

    `alike`: whether the members without an initialiser are the same for all threads (zeros, numbers).
    """

    members: tuple[tuple[Cursor, Node], ...]
    others: tuple[Node, ...]
    alike: bool


def parts(type_: Type, children: Sequence[Node]) -> Parts:
    """The members of a structure type that a list initialises."""
    fields = [one for one in libclang.fields(type_) if not _is_padding(one)]
    if _bases(libclang.library().clang_getTypeDeclaration(type_)) != []:
        return Parts((), tuple(children), False)  # bases come first
    found: dict[int, tuple[Cursor, Node]] = {}
    at = 0
    for child in children:
        value, name = child, None
        if child.children and child.children[0].kind == K.MEMBER_REF:  # `.b = 2`
            value, name = child.children[-1], child.children[0].reference
        if name is not None:
            keys = [decl_key(one) for one in fields]
            at = keys.index(decl_key(name)) if len(child.children) == 2 and decl_key(name) in keys else len(fields)
        if at >= len(fields) or not _is_whole(fields[at], value):
            return Parts((), tuple(children), False)
        found[at] = (fields[at], value)
        at += 1
    alike = all(_is_number(one) for number, one in enumerate(fields) if number not in found)
    return Parts(tuple(found.values()), (), alike)


def repeats_names(type_: Type) -> bool:
    """Whether an object of a type has two members of one name: in a class and its base, or in two bases."""
    type_ = types.canonical(type_)
    return types.is_record(type_) and _repeats(libclang.library().clang_getTypeDeclaration(type_))


@libclang.once
def _repeats(declared: Cursor) -> bool:
    names = _names(declared)
    lib = libclang.library()
    inner = (
        types.canonical(lib.clang_getCursorType(one)) for one in libclang.fields(lib.clang_getCursorType(declared))
    )
    return names is None or len(set(names)) < len(names) or any(map(repeats_names, inner))


def _names(declared: Cursor) -> list[str] | None:
    """The names of a class's members and its bases'; None where not all bases are shown."""
    lib = libclang.library()
    own = [libclang.spelling(one) for one in libclang.fields(lib.clang_getCursorType(declared))]
    found = [name for name in own if name.isidentifier()]
    bases = _bases(declared)
    for base in bases or ():
        type_ = types.canonical(lib.clang_getCursorType(base))
        names = _names(lib.clang_getTypeDeclaration(type_)) if types.is_record(type_) else None
        if names is None:
            return None
        found += names
    return None if bases is None else found


def may_refer(type_: Type) -> bool:
    """Whether an object of a type, or an array of such, may have members that are references."""
    type_ = types.canonical(type_)
    while types.is_array(type_):
        type_ = types.canonical(types.element(type_))
    return types.is_reference(type_) or (
        types.is_record(type_) and _may_refer(libclang.library().clang_getTypeDeclaration(type_))
    )


@libclang.once
def _may_refer(declared: Cursor) -> bool:
    lib = libclang.library()
    fields = libclang.fields(lib.clang_getCursorType(declared))
    bases = _bases(declared)
    return bases is None or any(may_refer(lib.clang_getCursorType(one)) for one in (*bases, *fields))


def _bases(declared: Cursor) -> list[Cursor] | None:
    """The bases of a class as it names them; None where a template's instantiation does not show which they are."""
    pattern = libclang.library().clang_getSpecializedCursorTemplate(declared)
    is_made = pattern.kind in (K.CLASS_TEMPLATE, K.CLASS_PARTIAL)
    shown = libclang.children(pattern if is_made else libclang.definition(declared) or declared)
    bases = [one for one in shown if one.kind == K.BASE_SPECIFIER]
    return None if is_made and bases else bases


def _is_padding(field: Cursor) -> bool:
    """Whether this is a bit-field without a name, which no part of a list is for."""
    return bool(libclang.library().clang_Cursor_isBitField(field)) and not libclang.spelling(field).isidentifier()


def _is_whole(field: Cursor, value: Node) -> bool:
    """Whether one part of a list is all of a member: not the first of those that stand there without braces."""
    type_ = types.canonical(libclang.library().clang_getCursorType(field))
    if value.kind == K.INIT_LIST or not (types.is_array(type_) or types.is_record(type_)):
        return True
    return types.is_record(type_) and types.plain_name(types.canonical(types.referred(value.type))) == types.plain_name(
        type_
    )


def _is_number(field: Cursor) -> bool:
    """Whether a member without initialiser in the list is a number that needs no code."""
    type_ = types.canonical(libclang.library().clang_getCursorType(field))
    plain = not (types.is_array(type_) or types.is_record(type_) or types.is_reference(type_))
    given = [one for one in libclang.children(field) if 100 <= one.kind < 200]
    return plain and all(one.kind in (K.INTEGER, K.FLOATING, K.BOOL, K.NULLPTR) for one in given)
