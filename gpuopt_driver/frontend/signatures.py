"""How kernels and device functions are declared: parameters, template head, attributes, what stands around them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpuopt_driver.frontend import lexing, libclang, types
from gpuopt_driver.frontend.declarations import template_parameters
from gpuopt_driver.frontend.declarators import declare, head_end, without_grid_constant
from gpuopt_driver.frontend.declared import Declared
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import Param
from gpuopt_driver.frontend.translation import Place
from gpuopt_driver.frontend.tree import Node

UNNAMED = "gpuopt_t"  # what the names of template parameters that have none begin with
CLASSES = (K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.CLASS_PARTIAL)
_STORAGE_STATIC = 3
_ATTRIBUTE = re.compile(r"(?:__attribute__\(\(|\[\[)(?:\w+::)?(\w+)")
_LEADING = re.compile(rb"(?:\[\[(?:(?!\[\[|\]\]|[;{}]).)*\]\](?:\s|/\*(?:(?!\*/).)*\*/)*)+\Z", re.DOTALL)
_PRAGMA_WEAK = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+weak[ \t]+(\w+)", re.MULTILINE)


def declared_of(cursor: Cursor, place: Place, body: Node, others: Iterable[Cursor] = ()) -> Declared:
    """What a definition's text does not tell alone; `others` are earlier declarations of the same function."""
    lib = libclang.library()
    declarations = (cursor, lib.clang_getCanonicalCursor(cursor), *others)
    attributes = {name for one in declarations for name in _ATTRIBUTE.findall(libclang.printed(one))}
    name = libclang.spelling(cursor)
    if any(name.encode() in _weakened(source.data) for source in place.translation.files.values()):
        attributes.add("weak")
    in_macro = False
    for child in libclang.children(cursor):
        location = lib.clang_getCursorLocation(child)
        if child.kind in (K.UNEXPOSED_ATTR, K.VISIBILITY_ATTR) and location.raw & libclang.MACRO_BIT:
            file, at = libclang.expansion_location(location)
            start, _end, _macro = place.offsets(lib.clang_getCursorExtent(cursor))
            in_macro = in_macro or (file == place.file and start <= at < body.start)
    semantic = namespaces(lib.clang_getCursorSemanticParent(cursor), lexical=False)
    around = namespaces(lib.clang_getCursorLexicalParent(cursor), lexical=True)
    return Declared(
        attributes=frozenset(attributes),
        in_macro=in_macro,
        is_static=lib.clang_Cursor_getStorageClass(cursor) == _STORAGE_STATIC,
        outside=semantic[len(around) :],
        opening=2 if place.source.data[body.start : body.start + 2] == b"<%" else 1,
        closing=2 if place.source.data[body.end - 2 : body.end] == b"%>" else 1,
        adrift=_adrift(lib.clang_getCursorLexicalParent(cursor), place),
    )


def _adrift(parent: Cursor, place: Place) -> str:
    """Why the end of a file is not behind a declaration in it and in its namespaces; empty where it is."""
    lib = libclang.library()
    while parent.kind in (K.NAMESPACE, K.LINKAGE_SPEC, *CLASSES):
        _start, end, _macro = place.offsets(lib.clang_getCursorExtent(parent))
        if parent.kind == K.NAMESPACE and end == 0:  # `namespace m {` in front of `#include "kernels.h"`
            return "a namespace around the kernel begins or ends in another file"
        parent = lib.clang_getCursorLexicalParent(parent)
    return place.ends_before()


@functools.lru_cache(maxsize=1024)
def _weakened(data: bytes) -> frozenset[bytes]:
    """The names that a file makes weak by pragmas; asked for every function."""
    return frozenset(_PRAGMA_WEAK.findall(data)) if b"weak" in data else frozenset()


def namespaces(parent: Cursor, *, lexical: bool) -> tuple[str, ...]:
    """The namespaces from the outermost one to what a declaration stands in; "" stands for an anonymous one."""
    lib = libclang.library()
    names: list[str] = []
    while parent.kind in (K.NAMESPACE, K.LINKAGE_SPEC, *CLASSES):
        if parent.kind == K.NAMESPACE:
            name = libclang.spelling(parent)
            names.append("" if name.startswith("(anonymous") else name)
        parent = (lib.clang_getCursorLexicalParent if lexical else lib.clang_getCursorSemanticParent)(parent)
    return tuple(reversed(names))


def first_token(place: Place, *cursors: Cursor) -> int:
    """Where the first of these declarations of one function begins that begins anywhere in libclang.

    `void f(auto x)` is a template whose head, and whole extent, is nowhere; its instantiations begin where it does.
    """
    lib = libclang.library()
    for cursor in cursors:
        extent = lib.clang_getCursorExtent(cursor)
        if extent.begin:
            return place.offsets(extent)[0]
    file, at = libclang.file_location(lib.clang_getCursorLocation(cursors[-1]))
    return at if file == place.file else 0


def before_attributes(data: bytes, start: int) -> int:
    """Where a declaration begins, with the `[[...]]` in front of it, which libclang does not count to it."""
    first = max(0, start - 500)
    found = _LEADING.search(data, first, start) if data[:start].rstrip()[-2:] in (b"]]", b"*/") else None
    return found.start() if found else start


def template_head(data: bytes, start: int) -> str:
    """`template <...>`, a requires-clause included, that a declaration begins with; "" where it is not written so."""
    end = head_end(data, start, min(len(data), start + 8000))
    return data[start:end].decode("utf-8", "replace")


def template_names(pattern: Cursor) -> tuple[str, ...]:
    """The names of a template's parameters; those without one have one of ours."""
    return tuple(name or f"{UNNAMED}{at}" for at, name in enumerate(template_parameters(pattern)))


def params_of(nodes: Sequence[Node], pattern: Cursor, place: Place, others: Sequence[Cursor]) -> tuple[Param, ...]:
    """A kernel's parameters: `nodes` are those of the definition that is read, `pattern` is what is written.

    `others`: earlier declarations, which may hold default arguments.
    """
    written = [child for child in libclang.children(pattern) if child.kind == K.PARM_DECL]
    written = written if len(written) == len(nodes) else [node.cursor for node in nodes]
    found = [_param(node, cursor, place, at) for at, (node, cursor) in enumerate(zip(nodes, written, strict=True))]
    for other in others:
        theirs = [child for child in libclang.children(other) if child.kind == K.PARM_DECL]
        for at, cursor in enumerate(theirs[: len(found)]):
            if found[at].default is None and (default := _default_of(cursor, place)) is not None:
                found[at] = replace(found[at], default=default)
    return tuple(found)


def _param(node: Node, written: Cursor, place: Place, number: int) -> Param:
    text, default = _split(place.source.data, node.start, node.end)
    raw = libclang.library().clang_getCursorType(node.cursor)
    called = node.name or f"gpuopt_p{number}"
    repeated = without_grid_constant(text)
    hidden = repeated == text and any(child.kind == K.ANNOTATE_ATTR for child in libclang.children(written))
    if hidden or node.macro or not node.name:  # a macro brings the annotation, or several parameters
        repeated = declare(types.spelled(libclang.library().clang_getCursorType(written)), called)
    return Param(
        name=node.name,
        type=types.spelled(raw),
        text=text,
        span=place.span(node.start, node.end, editable=not node.macro),
        is_pointer=types.is_pointer(node.type) or types.is_array(node.type),
        size_bytes=types.size_of(node.type),
        default=default,
        is_pack="..." in types.spelled(raw),
        is_float=types.is_float(node.type),
        is_integer=types.is_integer(node.type),
        is_unsigned=types.is_unsigned(node.type),
        repeated=repeated,
        called=called,
        has_mutable=types.has_mutable(node.type),
    )


def _split(data: bytes, start: int, end: int) -> tuple[str, str | None]:
    """A parameter's declaration and its default argument, as written."""
    depth = 0
    for _kind, text, offset in lexing.tokens(data, start, end):
        if text in (b"(", b"[", b"{", b"<"):
            depth += 1
        elif text in (b")", b"]", b"}", b">"):
            depth -= 1
        elif text == b"=" and depth <= 0:
            default = data[offset + 1 : end].decode("utf-8", "replace").strip()
            return data[start:offset].decode("utf-8", "replace").strip(), default
    return data[start:end].decode("utf-8", "replace").strip(), None


def _default_of(cursor: Cursor, place: Place) -> str | None:
    """The default argument of a parameter of another declaration."""
    lib = libclang.library()
    there = Place(place.translation, lib.clang_getCursorLocation(cursor))
    start, end, _macro = there.offsets(lib.clang_getCursorExtent(cursor))
    return _split(there.source.data, start, end)[1]


def launch_bounds(data: bytes, start: int, end: int) -> tuple[str, ...]:
    """The texts between the parentheses of `__launch_bounds__`."""
    found = []
    for kind, text, offset in lexing.tokens(data, start, end):
        if kind == "word" and text == b"__launch_bounds__":
            opened = data.find(b"(", offset, end)
            closed = lexing.closing(data, opened, end) if opened >= 0 else None
            if closed is not None:
                found.append(data[opened + 1 : closed].decode("utf-8", "replace").strip())
    return tuple(found)
