"""The part of libclang 18's C interface that the frontend uses, bound with ctypes.

`clang.cindex` lacks operators' kinds, constant values of literals, raw source offsets and byte-exact unsaved files, and
costs a Python object per cursor; the shared library offers all of it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_longlong, c_uint, c_ulong, c_ulonglong, c_void_p
from pathlib import Path
from typing import Any, TypeVar

from gpuopt_driver.errors import ToolchainError

CRASHED = 2  # CXError_Crashed
KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: report the errors after a missing include too
INCOMPLETE = 0x2
FOR_SERIALIZATION = 0x10
SEVERITY_ERROR = 3
Answer = TypeVar("Answer")
MACRO_BIT = 1 << 31  # set in a raw location that comes out of a macro


class Cursor(ctypes.Structure):
    """CXCursor."""

    _fields_ = [("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3)]
    kind: int

    @property
    def key(self) -> tuple[int, int]:
        """Identity: equal for two cursors of the same node."""
        return (self.data[0] or 0, self.data[1] or 0)


class Type(ctypes.Structure):
    """CXType."""

    _fields_ = [("kind", c_int), ("data", c_void_p * 2)]
    kind: int


class Location(ctypes.Structure):
    """CXSourceLocation."""

    _fields_ = [("ptr", c_void_p * 2), ("raw", c_uint)]
    raw: int


class Range(ctypes.Structure):
    """CXSourceRange; `begin` and `end` are raw locations."""

    _fields_ = [("ptr", c_void_p * 2), ("begin", c_uint), ("end", c_uint)]
    begin: int
    end: int


class _String(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("flags", c_uint)]


class _Unsaved(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("contents", c_char_p), ("length", c_ulong)]


VISITOR = ctypes.CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
FIELD_VISITOR = ctypes.CFUNCTYPE(c_int, Cursor, c_void_p)
INCLUSION = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Location), c_uint, c_void_p)

_FUNCTIONS: dict[str, tuple[list[Any], Any]] = {
    "createIndex": ([c_int, c_int], c_void_p),
    "disposeIndex": ([c_void_p], None),
    "parseTranslationUnit2": (
        [c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(_Unsaved), c_uint, c_uint, POINTER(c_void_p)],
        c_int,
    ),
    "disposeTranslationUnit": ([c_void_p], None),
    "saveTranslationUnit": ([c_void_p, c_char_p, c_uint], c_int),
    "getTranslationUnitCursor": ([c_void_p], Cursor),
    "visitChildren": ([Cursor, VISITOR, c_void_p], c_uint),
    "getCursorExtent": ([Cursor], Range),
    "getCursorLocation": ([Cursor], Location),
    "getCursorBinaryOperatorKind": ([Cursor], c_int),
    "getCursorUnaryOperatorKind": ([Cursor], c_int),
    "getCursorSpelling": ([Cursor], _String),
    "getCursorDisplayName": ([Cursor], _String),
    "getCursorUSR": ([Cursor], _String),
    "getCursorType": ([Cursor], Type),
    "getCursorReferenced": ([Cursor], Cursor),
    "getNumOverloadedDecls": ([Cursor], c_uint),
    "getOverloadedDecl": ([Cursor, c_uint], Cursor),
    "getCursorDefinition": ([Cursor], Cursor),
    "getCanonicalCursor": ([Cursor], Cursor),
    "getCursorSemanticParent": ([Cursor], Cursor),
    "getSpecializedCursorTemplate": ([Cursor], Cursor),
    "getCursorLexicalParent": ([Cursor], Cursor),
    "getCursorLinkage": ([Cursor], c_int),
    "Cursor_getStorageClass": ([Cursor], c_int),
    "Cursor_getNumTemplateArguments": ([Cursor], c_int),
    "Cursor_getTemplateArgumentKind": ([Cursor, c_uint], c_int),
    "Cursor_getTemplateArgumentType": ([Cursor, c_uint], Type),
    "Cursor_getTemplateArgumentValue": ([Cursor, c_uint], c_longlong),
    "Cursor_getTemplateArgumentUnsignedValue": ([Cursor, c_uint], c_ulonglong),
    "Cursor_getNumArguments": ([Cursor], c_int),
    "Cursor_getArgument": ([Cursor, c_uint], Cursor),
    "Cursor_isNull": ([Cursor], c_int),
    "Cursor_getOffsetOfField": ([Cursor], c_longlong),
    "Cursor_isBitField": ([Cursor], c_uint),
    "Cursor_isVariadic": ([Cursor], c_uint),
    "CXXMethod_isStatic": ([Cursor], c_uint),
    "CXXField_isMutable": ([Cursor], c_uint),
    "CXXMethod_isVirtual": ([Cursor], c_uint),
    "CXXMethod_isDefaulted": ([Cursor], c_uint),
    "CXXConstructor_isCopyConstructor": ([Cursor], c_uint),
    "CXXConstructor_isMoveConstructor": ([Cursor], c_uint),
    "Cursor_Evaluate": ([Cursor], c_void_p),
    "EvalResult_getKind": ([c_void_p], c_int),
    "EvalResult_getAsLongLong": ([c_void_p], c_longlong),
    "EvalResult_isUnsignedInt": ([c_void_p], c_uint),
    "EvalResult_getAsUnsigned": ([c_void_p], c_ulonglong),
    "EvalResult_getAsDouble": ([c_void_p], ctypes.c_double),
    "EvalResult_dispose": ([c_void_p], None),
    "getEnumConstantDeclValue": ([Cursor], c_longlong),
    "getEnumConstantDeclUnsignedValue": ([Cursor], c_ulonglong),
    "getEnumDeclIntegerType": ([Cursor], Type),
    "getCanonicalType": ([Type], Type),
    "getTypeSpelling": ([Type], _String),
    "getPointeeType": ([Type], Type),
    "getArrayElementType": ([Type], Type),
    "getArraySize": ([Type], c_longlong),
    "getResultType": ([Type], Type),
    "getTypeDeclaration": ([Type], Cursor),
    "Type_getNumTemplateArguments": ([Type], c_int),
    "Type_getTemplateArgumentAsType": ([Type, c_uint], Type),
    "Type_visitFields": ([Type, FIELD_VISITOR, c_void_p], c_uint),
    "Type_getSizeOf": ([Type], c_longlong),
    "Type_getAlignOf": ([Type], c_longlong),
    "isConstQualifiedType": ([Type], c_uint),
    "isVolatileQualifiedType": ([Type], c_uint),
    "isRestrictQualifiedType": ([Type], c_uint),
    "getFileLocation": ([Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None),
    "getExpansionLocation": ([Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None),
    "getLocationForOffset": ([c_void_p, c_void_p, c_uint], Location),
    "getRangeStart": ([Range], Location),
    "getRangeEnd": ([Range], Location),
    "Location_isInSystemHeader": ([Location], c_int),
    "getFileName": ([c_void_p], _String),
    "getFile": ([c_void_p, c_char_p], c_void_p),
    "getFileContents": ([c_void_p, c_void_p, POINTER(ctypes.c_size_t)], c_void_p),
    "getNumDiagnostics": ([c_void_p], c_uint),
    "getDiagnostic": ([c_void_p, c_uint], c_void_p),
    "disposeDiagnostic": ([c_void_p], None),
    "getDiagnosticSeverity": ([c_void_p], c_int),
    "getDiagnosticLocation": ([c_void_p], Location),
    "getDiagnosticSpelling": ([c_void_p], _String),
    "getChildDiagnostics": ([c_void_p], c_void_p),
    "getNumDiagnosticsInSet": ([c_void_p], c_uint),
    "getDiagnosticInSet": ([c_void_p, c_uint], c_void_p),
    "getCursorPrintingPolicy": ([Cursor], c_void_p),
    "PrintingPolicy_setProperty": ([c_void_p, c_int, c_uint], None),
    "PrintingPolicy_dispose": ([c_void_p], None),
    "getCursorPrettyPrinted": ([Cursor, c_void_p], _String),
    "getInclusions": ([c_void_p, INCLUSION, c_void_p], None),
    "getCString": ([_String], c_char_p),
    "disposeString": ([_String], None),
    "getClangVersion": ([], _String),
}


_SIGNED = {8: "@F@", 30: "@FT@"}  # functions and function templates (CXCursorKind), and how their USRs begin
_POSITION = re.compile(r":\d+(?=\))")  # the column of a class without a name
_TERSE = 17  # CXPrintingPolicy_TerseOutput


def library_path() -> Path:
    """Where the libclang wheel put its shared library; ToolchainError when it is not installed."""
    spec = importlib.util.find_spec("clang")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(root) / "native" / "libclang.so"
        if path.is_file():
            return path
    raise ToolchainError(
        "libclang is not installed: no clang/native/libclang.so; run: pip install 'libclang>=18.1,<19'"
    )


@functools.lru_cache(maxsize=1)
def library() -> Any:
    """The loaded shared library, its functions typed."""
    path = library_path()
    try:
        lib = ctypes.CDLL(str(path))
        for name, (arguments, result) in _FUNCTIONS.items():
            function = getattr(lib, f"clang_{name}")
            function.argtypes = arguments
            function.restype = result
    except (OSError, AttributeError) as error:
        raise ToolchainError(f"{path}: libclang 18 cannot be loaded: {error}") from error
    return lib


def text_of(string: _String) -> str:
    """The text of a CXString, which is released."""
    lib = library()
    raw: bytes | None = lib.clang_getCString(string)
    text = raw.decode("utf-8", "replace") if raw else ""
    lib.clang_disposeString(string)
    return text


def version() -> str:
    """libclang's version line."""
    return text_of(library().clang_getClangVersion())


@contextmanager
def _unheard() -> Iterator[None]:
    """Keep from the user what libclang prints where it crashes and survives: `status` says so, too."""
    try:
        descriptor = os.dup(2)
    except OSError:  # nobody listens
        yield
        return
    try:
        nowhere = os.memfd_create("libclang")
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(descriptor, 2)
        os.close(descriptor)


class Index:
    """One libclang translation unit and the index that it lives in; disposed with the object."""

    def __init__(
        self,
        main: str,
        arguments: Sequence[str],
        unsaved: Mapping[str, bytes],
        *,
        options: int = KEEP_GOING,
        exclude_precompiled: bool = True,
    ) -> None:
        lib = library()
        self._lib = lib
        self.unit: int | None = None
        self.index = lib.clang_createIndex(int(exclude_precompiled), 0)
        encoded = [os.fsencode(argument) for argument in arguments]
        argv = (c_char_p * len(encoded))(*encoded)
        files = (_Unsaved * max(1, len(unsaved)))()
        self._keep = (encoded, unsaved)
        for slot, (path, data) in zip(files, unsaved.items(), strict=False):
            slot.name, slot.contents, slot.length = os.fsencode(path), data, len(data)
        result = c_void_p()
        with _unheard():
            self.status: int = lib.clang_parseTranslationUnit2(
                self.index, os.fsencode(main), argv, len(encoded), files, len(unsaved), options, byref(result)
            )
        self.unit = result.value

    def save(self, path: str) -> bool:
        """Write the unit as a precompiled header; whether that worked."""
        return self.unit is not None and self._lib.clang_saveTranslationUnit(self.unit, os.fsencode(path), 0) == 0

    def close(self) -> None:
        """Release the memory; cursors must not be used afterwards."""
        _known.clear()  # what is known by addresses, which others may get
        if self.unit is not None:
            self._lib.clang_disposeTranslationUnit(self.unit)
            self.unit = None
        if self.index is not None:
            self._lib.clang_disposeIndex(self.index)
            self.index = None

    def root(self) -> Cursor:
        """The cursor of the unit."""
        return self._lib.clang_getTranslationUnitCursor(self.unit)  # type: ignore[no-any-return]

    def diagnostics(self, least: int = 0) -> Iterator[tuple[int, Location, str]]:
        """(severity, location, text) of every diagnostic that is at least so severe."""
        lib = self._lib
        for at in range(lib.clang_getNumDiagnostics(self.unit)):
            diagnostic = lib.clang_getDiagnostic(self.unit, at)
            severity = lib.clang_getDiagnosticSeverity(diagnostic)
            if severity >= least:
                place = lib.clang_getDiagnosticLocation(diagnostic)
                yield severity, place, text_of(lib.clang_getDiagnosticSpelling(diagnostic))
            lib.clang_disposeDiagnostic(diagnostic)

    def notes(self, most: int) -> Iterator[str]:
        """The texts of the notes that explain diagnostics; none where there are more than `most` of these."""
        lib = self._lib
        count = lib.clang_getNumDiagnostics(self.unit)
        for at in range(count if count <= most else 0):
            diagnostic = lib.clang_getDiagnostic(self.unit, at)
            notes = lib.clang_getChildDiagnostics(diagnostic)
            for number in range(lib.clang_getNumDiagnosticsInSet(notes)):
                yield text_of(lib.clang_getDiagnosticSpelling(lib.clang_getDiagnosticInSet(notes, number)))
            lib.clang_disposeDiagnostic(diagnostic)

    def size(self, file: int) -> int:
        """The bytes that a file has."""
        size = ctypes.c_size_t()
        return size.value if self._lib.clang_getFileContents(self.unit, file, byref(size)) else 0

    def contents(self, file: int) -> bytes | None:
        """The bytes of a file as libclang read them."""
        size = ctypes.c_size_t()
        start = self._lib.clang_getFileContents(self.unit, file, byref(size))
        return ctypes.string_at(start, size.value) if start else None


_known: dict[tuple[object, int, int, int], Any] = {}  # answers about cursors of the units that are open


def once(question: Callable[[Cursor], Answer]) -> Callable[[Cursor], Answer]:
    """A question about a cursor that is asked of libclang once, and answered from memory until a unit is closed."""

    @functools.wraps(question)
    def asked(cursor: Cursor) -> Answer:
        data = cursor.data
        key = (question, cursor.kind, data[0] or 0, data[1] or 0)
        if key not in _known:
            _known[key] = question(cursor)
        found: Answer = _known[key]
        return found

    return asked


def children(cursor: Cursor) -> list[Cursor]:
    """The direct children of a cursor."""
    found: list[Cursor] = []

    def visit(child: Cursor, _parent: Cursor, _data: int | None) -> int:
        found.append(Cursor.from_buffer_copy(child))
        return 1

    library().clang_visitChildren(cursor, VISITOR(visit), None)
    return found


def fields(type_: Type) -> list[Cursor]:
    """The fields of a structure type, also of a template's instantiation."""
    found: list[Cursor] = []

    def visit(child: Cursor, _data: int | None) -> int:
        found.append(Cursor.from_buffer_copy(child))
        return 1

    library().clang_Type_visitFields(type_, FIELD_VISITOR(visit), None)
    return found


def file_location(location: Location) -> tuple[int, int]:
    """(file handle, byte offset) of a location; a macro argument's is where the argument is written."""
    file, offset = c_void_p(), c_uint()  # lines and columns, which nobody asks for, have to be counted
    library().clang_getFileLocation(location, byref(file), None, None, byref(offset))
    return file.value or 0, offset.value


def expansion_location(location: Location) -> tuple[int, int]:
    """(file handle, byte offset) of a location; that of anything in a macro is where the macro is invoked."""
    file, offset = c_void_p(), c_uint()
    library().clang_getExpansionLocation(location, byref(file), None, None, byref(offset))
    return file.value or 0, offset.value


def spelling(cursor: Cursor) -> str:
    """The name of a cursor."""
    return text_of(library().clang_getCursorSpelling(cursor))


@once
def name_of(declaration: Cursor) -> str:
    """The name of a declaration that is asked for again and again."""
    return spelling(declaration)


@once
def usr(cursor: Cursor) -> str:
    """The unified symbol resolution of a declaration: one for all declarations of a function.

    libclang's own tells `void k(int *)` from `void k(int *__restrict__)` and `void k(int *const)`, which are the same
    function: a parameter's own qualifiers are no part of its type.
    """
    text = text_of(library().clang_getCursorUSR(cursor))
    mark = _SIGNED.get(cursor.kind)
    start = text.find(mark) if mark else -1
    name = spelling(cursor)
    end = text.find(f"{name}#", start + len(mark)) if mark and start >= 0 else -1
    if end < 0:
        return text
    signature = library().clang_getCanonicalType(library().clang_getCursorType(cursor))
    told = _POSITION.sub("", text_of(library().clang_getTypeSpelling(signature)))
    return f"{text[:end]}{name}#{told}"


def printed(cursor: Cursor) -> str:
    """A declaration as libclang prints it, without its body; attributes are there, whoever wrote them."""
    lib = library()
    policy = lib.clang_getCursorPrintingPolicy(cursor)
    lib.clang_PrintingPolicy_setProperty(policy, _TERSE, 1)
    text = text_of(lib.clang_getCursorPrettyPrinted(cursor, policy))
    lib.clang_PrintingPolicy_dispose(policy)
    return text


def referenced(cursor: Cursor) -> Cursor | None:
    """The declaration that an expression names."""
    found: Cursor = library().clang_getCursorReferenced(cursor)
    return None if library().clang_Cursor_isNull(found) else found


def definition(cursor: Cursor) -> Cursor | None:
    """The definition of a declaration in this unit."""
    found: Cursor = library().clang_getCursorDefinition(cursor)
    return None if library().clang_Cursor_isNull(found) else found


def constant(cursor: Cursor) -> int | float | None:
    """The value of a constant expression or constant variable, None where it is not constant."""
    lib = library()
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    kind = lib.clang_EvalResult_getKind(result)
    value: int | float | None = None
    if kind == 1:
        unsigned = lib.clang_EvalResult_isUnsignedInt(result)
        value = (lib.clang_EvalResult_getAsUnsigned if unsigned else lib.clang_EvalResult_getAsLongLong)(result)
    elif kind == 2:
        value = lib.clang_EvalResult_getAsDouble(result)
    lib.clang_EvalResult_dispose(result)
    return value
