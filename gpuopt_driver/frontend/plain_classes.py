"""Whether objects of a class are made, copied and destroyed without running code that no call in the text shows."""

from __future__ import annotations

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.translation import Translation
from gpuopt_driver.frontend.tree import UNARY_NAMES

_BASE = 44  # CXCursor_CXXBaseSpecifier
_QUIET = frozenset(  # in a default constructor: what does nothing but give members their values
    {int(one) for one in (K.INTEGER, K.FLOATING, K.CHARACTER, K.BOOL, K.NULLPTR, K.UNEXPOSED_EXPR, K.PAREN)}
    | {int(one) for one in (K.COMPOUND, K.MEMBER_REF, K.TYPE_REF, K.PARM_DECL)}
)
_TEMPLATES = frozenset({int(K.CLASS_TEMPLATE), int(K.CLASS_PARTIAL)})


class PlainClasses:
    """The classes of one unit, asked about once each."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.lib = translation.lib
        self._known: dict[tuple[str, bool], bool] = {}

    def ends_plainly(self, type_: Type) -> bool:
        """Whether values of a type are copied and destroyed without code of their own."""
        return self._is_plain(type_, starts=False)

    def starts_plainly(self, type_: Type) -> bool:
        """Whether they are made without arguments, too, without code that changes anything else."""
        return self._is_plain(type_, starts=True)

    def parts_start_plainly(self, type_: Type) -> bool:
        """Whether the bases and members of a class are, and their initialisers give values."""
        type_ = types.canonical(types.referred(type_))
        if not types.is_record(type_) or self._is_value(type_):
            return True
        members = self._members(type_)
        bases = (one for one in members if one.kind == _BASE)
        parts = [self.lib.clang_getCursorType(one) for one in (*bases, *libclang.fields(type_))]
        values = all(_quiet(one) for one in members if one.kind == K.FIELD_DECL)
        return values and all(map(self.starts_plainly, parts))

    def _is_plain(self, type_: Type, *, starts: bool) -> bool:
        type_ = types.canonical(types.referred(type_))
        while types.is_array(type_):
            type_ = types.element(type_)
        if not types.is_record(type_):
            return not types.is_dependent(type_)
        key = (types.plain_name(type_), starts)
        if key not in self._known:
            self._known[key] = True  # of a class within itself, through a static member
            self._known[key] = self._is_value(type_) or self._looks_plain(type_, starts=starts)
        return self._known[key]

    def _is_value(self, type_: Type) -> bool:
        """CUDA's and the system's own classes are values; a lambda's captures are expressions where it is made."""
        declaration = self.lib.clang_getTypeDeclaration(type_)
        file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(declaration))
        return not file or self.translation.is_system(file) or "(lambda at" in types.spelled(type_)

    def _members(self, type_: Type) -> list[Cursor]:
        """What the class declares; an instantiation shows nothing, its template does."""
        definition = libclang.definition(self.lib.clang_getTypeDeclaration(type_))
        if definition is None:
            return []
        pattern = self.lib.clang_getSpecializedCursorTemplate(definition)
        return libclang.children(pattern if pattern.kind in _TEMPLATES else definition)

    def _looks_plain(self, type_: Type, *, starts: bool) -> bool:
        members = self._members(type_)
        if not members and types.size_of(type_) > 1:
            return False  # not shown
        parts = [self.lib.clang_getCursorType(one) for one in libclang.fields(type_)]
        parts += [self.lib.clang_getCursorType(one) for one in members if one.kind == _BASE]
        return all(self._is_plain_member(one, starts=starts) for one in members) and all(
            self._is_plain(part, starts=starts) for part in parts
        )

    def _is_plain_member(self, child: Cursor, *, starts: bool) -> bool:
        kind, lib = child.kind, self.lib
        if kind == K.DESTRUCTOR:
            return bool(lib.clang_CXXMethod_isDefaulted(child))
        if kind == K.CONSTRUCTOR:
            if lib.clang_CXXConstructor_isCopyConstructor(child) or lib.clang_CXXConstructor_isMoveConstructor(child):
                return bool(lib.clang_CXXMethod_isDefaulted(child))
            return not starts or bool(lib.clang_CXXMethod_isDefaulted(child)) or not _is_default(child) or _quiet(child)
        if kind == K.CXX_METHOD:
            is_own = libclang.spelling(child) == "operator=" and not lib.clang_CXXMethod_isDefaulted(child)
            return not is_own and not lib.clang_CXXMethod_isVirtual(child)
        if kind == K.FIELD_DECL and starts:
            return _quiet(child)
        return True


def _is_default(constructor: Cursor) -> bool:
    """Whether a constructor can be called without arguments."""
    parameters = [child for child in libclang.children(constructor) if child.kind == K.PARM_DECL]
    return not parameters or any(100 <= part.kind < 200 for part in libclang.children(parameters[0]))


def _quiet(cursor: Cursor) -> bool:
    """Whether nothing below a declaration is an expression that could do more than give a value."""
    for child in libclang.children(cursor):
        named = child.kind == K.DECL_REF and (libclang.referenced(child) or child).kind == K.PARM_DECL
        sign = child.kind == K.UNARY and _operator(child) in ("-", "~", "!")
        if not (child.kind >= 400 or child.kind in _QUIET or named or sign) or not _quiet(child):
            return False
    return True


def _operator(cursor: Cursor) -> str:
    return UNARY_NAMES[libclang.library().clang_getCursorUnaryOperatorKind(cursor)]
