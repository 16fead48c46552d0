"""Questions about C++ types, asked of libclang once per type spelling."""

from __future__ import annotations

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.expr import Const, Expr, Sym, SymKind
from gpuopt_driver.frontend.kinds import ARRAY_TYPES, FLOAT_TYPES, INTEGER_TYPES, REFERENCE_TYPES, K, T
from gpuopt_driver.frontend.libclang import Cursor, Type

_UNSIGNED = frozenset({3, 4, 5, 6, 7, 8, 9, 10, 11, 12})


def canonical(type_: Type) -> Type:
    """The type without typedefs."""
    return libclang.library().clang_getCanonicalType(type_)  # type: ignore[no-any-return]


def spelled(type_: Type) -> str:
    """The type as C++ writes it."""
    return libclang.text_of(libclang.library().clang_getTypeSpelling(type_))


def size_of(type_: Type) -> int:
    """The size in bytes, 0 where it is not known (incomplete or dependent)."""
    size: int = libclang.library().clang_Type_getSizeOf(type_)
    return max(0, size)


def is_integer(type_: Type) -> bool:
    """Whether this is an integer, character, truth value or enumeration."""
    return type_.kind in INTEGER_TYPES


def is_unsigned(type_: Type) -> bool:
    """Whether this is an unsigned integer."""
    return type_.kind in _UNSIGNED


def enumerator(cursor: Cursor) -> int:
    """The value of an enumerator: of an enumeration of `unsigned char`, 251 and not -5."""
    lib = libclang.library()
    type_ = canonical(lib.clang_getEnumDeclIntegerType(lib.clang_getCursorSemanticParent(cursor)))
    value = lib.clang_getEnumConstantDeclUnsignedValue if is_unsigned(type_) else lib.clang_getEnumConstantDeclValue
    found: int = value(cursor)
    return found


def limits(type_: Type) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    bits = 8 * size_of(type_)
    return (0, (1 << bits) - 1) if is_unsigned(type_) else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def is_float(type_: Type) -> bool:
    """Whether this is a built-in floating-point type."""
    return type_.kind in FLOAT_TYPES


def is_pointer(type_: Type) -> bool:
    """Whether this is a data pointer."""
    return type_.kind == T.POINTER


def is_reference(type_: Type) -> bool:
    """Whether this is a reference."""
    return type_.kind in REFERENCE_TYPES


def is_array(type_: Type) -> bool:
    """Whether this is an array."""
    return type_.kind in ARRAY_TYPES


def points(type_: Type) -> bool:
    """Whether a value of this type points to data: parameters may be written as arrays."""
    return is_pointer(type_) or is_array(type_)


def is_record(type_: Type) -> bool:
    """Whether this is a structure or class."""
    return type_.kind == T.RECORD


def is_dependent(type_: Type) -> bool:
    """Whether the type depends on template parameters."""
    return type_.kind in (T.UNEXPOSED, T.INVALID, 26)


def pointee(type_: Type) -> Type:
    """What a pointer or reference refers to, canonical."""
    return canonical(libclang.library().clang_getPointeeType(type_))


def pointed(type_: Type) -> Type:
    """What a value of a type that `points` points to, canonical."""
    return element(type_) if is_array(type_) else pointee(type_)


def referred(type_: Type) -> Type:
    """The type behind a reference, or the type itself."""
    return pointee(type_) if is_reference(type_) else type_


def element(type_: Type) -> Type:
    """The element type of one array level, canonical."""
    return canonical(libclang.library().clang_getArrayElementType(type_))


def innermost(type_: Type) -> tuple[Type, tuple[Expr, ...]]:
    """The scalar (or structure) that an array consists of, and its extents, outermost first."""
    lib = libclang.library()
    extents: list[Expr] = []
    while is_array(type_):
        count = lib.clang_getArraySize(type_) if type_.kind == T.CONSTANT_ARRAY else -1
        extents.append(Const(count) if count >= 0 else Sym("?extent", SymKind.UNKNOWN, uniform=True))
        type_ = element(type_)
    return type_, tuple(extents)


def is_const(type_: Type) -> bool:
    """Whether the type itself is const."""
    return bool(libclang.library().clang_isConstQualifiedType(type_))


def never_changes(type_: Type) -> bool:
    """Whether an object of the type is const, or each element of an array, and has no members that change all the same.

    libclang names `const` at any level.
    """
    while is_array(type_) and not is_const(type_):
        type_ = element(type_)
    return is_const(type_) and not has_mutable(type_)


def has_mutable(type_: Type) -> bool:
    """Whether objects of the type have members that change where the object is const; of what is not shown: true."""
    type_ = innermost(canonical(type_))[0]
    if not is_record(type_):
        return False
    lib = libclang.library()
    fields = libclang.fields(type_)
    if any(lib.clang_CXXField_isMutable(one) or has_mutable(lib.clang_getCursorType(one)) for one in fields):
        return True
    declared = libclang.definition(lib.clang_getTypeDeclaration(type_))
    pattern = None if declared is None else lib.clang_getSpecializedCursorTemplate(declared)
    if declared is None or pattern is None:
        return True
    is_plain = lib.clang_Cursor_isNull(pattern)  # an instantiation shows no bases, its template does, of any type
    bases = [one for one in libclang.children(declared if is_plain else pattern) if one.kind == K.BASE_SPECIFIER]
    return any(not is_plain or has_mutable(lib.clang_getCursorType(one)) for one in bases)


def is_volatile(type_: Type) -> bool:
    """Whether the type itself is volatile."""
    return bool(libclang.library().clang_isVolatileQualifiedType(type_))


def is_restrict(type_: Type) -> bool:
    """Whether this pointer is `__restrict__`."""
    return bool(libclang.library().clang_isRestrictQualifiedType(type_))


def plain_name(type_: Type) -> str:
    """The type's spelling without const and volatile in front."""
    name = spelled(canonical(type_))
    for word in ("const ", "volatile ", "restrict "):
        name = name.replace(word, "") if name.startswith(word) else name
    for word in ("const ", "volatile "):
        name = name.removeprefix(word)
    return name
