"""The device functions that a kernel reaches, with the places that a copy of them has to change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from gpuopt_driver.frontend import constants, lexing, libclang
from gpuopt_driver.frontend.declarations import template_of
from gpuopt_driver.frontend.effects import Body, qualified_name
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.later import Later
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import CallSite, Function, FunctionProblem
from gpuopt_driver.frontend.repeating import Words
from gpuopt_driver.frontend.signatures import before_attributes, declared_of, first_token, namespaces
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.source.text import Span

_OF_WORDS = {"func": FunctionProblem.OWN_NAME, "counter": FunctionProblem.COUNTER, "known": FunctionProblem.KNOWN}
_FUNCTIONS = (int(K.FUNCTION_DECL), int(K.CXX_METHOD))


Made = dict[tuple[int, frozenset[str]], Function]


def functions_of(
    translation: Translation, bodies: Iterable[Body], known: Made, words: Words, later: Later
) -> tuple[Function, ...]:
    """The functions with these bodies, callees first; one per function or template, named by its first body.

    `known`, for all kernels of a unit: what was made of a body among functions with these USRs.
    """
    found: dict[str, tuple[Body, Function]] = {}
    kept = [body for body in bodies if body.root.kind != K.LAMBDA and body.block is not None]
    usrs = frozenset(_usr(body.root.cursor) for body in kept)
    for body in sorted(kept, key=lambda one: (one.place.source.path, one.root.start)):
        usr = _usr(body.root.cursor)
        key = (id(body), usrs)
        if key not in known:
            known[key] = _function(translation, body, usr, usrs, words, later)
        made = known[key]
        if usr in found:  # another instantiation: whatever one of them calls or names
            first = found[usr][1]
            sites = tuple(dict.fromkeys((*first.call_sites, *made.call_sites)))
            made = replace(first, call_sites=sites, builtins=first.builtins | made.builtins)
        found[usr] = (body, made)
    return tuple(_callees_first({usr: function for usr, (_body, function) in found.items()}))


def _function(
    translation: Translation, body: Body, usr: str, usrs: frozenset[str], words: Words, later: Later
) -> Function:
    cursor, place = body.root.cursor, body.place
    assert body.block is not None, "only functions with a body are read"
    pattern = template_of(cursor)
    start = before_attributes(place.source.data, min(body.root.start, first_token(place, pattern or cursor, cursor)))
    name = libclang.spelling(cursor)
    file, at = libclang.file_location(translation.lib.clang_getCursorLocation(cursor))
    at = lexing.skip_gap(place.source.data, at) if file == place.file else 0
    end = at + len(name.encode())
    in_macro = _in_macro(translation, body)
    written = [child for child in body.root.children if child.kind != K.PARM_DECL]  # member initialisers too
    sites = tuple(site for part in written for site in call_sites(translation, part, place, usrs))
    problems = list(_problems(translation, body, pattern))
    declared = declared_of(pattern or cursor, place, body.block)
    if "weak" in declared.attributes and pattern is None:
        problems.append(FunctionProblem.WEAK)
    problems += [_OF_WORDS[one] for one in sorted(words.in_text(place.source.data, body.block.start, body.block.end))]
    if later.change(place, start, body.block.end, body.root):
        problems.append(FunctionProblem.CHANGED)
    if place.source.data[at:end] != name.encode():
        problems.append(FunctionProblem.UNUSUAL_NAME)
    return Function(
        usr=usr,
        name=name,
        qualified=qualified_name(cursor),
        span=place.span(start, body.block.end, editable=not in_macro),
        body=place.span(body.block.start, body.block.end, editable=not in_macro),
        name_span=place.span(at, end, editable=not in_macro),
        params_span=params_span(place, end, body.block.start),
        namespace=namespaces(translation.lib.clang_getCursorSemanticParent(cursor), lexical=False),
        is_template=pattern is not None,
        builtins=frozenset().union(*map(builtins_in, written)),
        call_sites=sites,
        problems=tuple(dict.fromkeys(problems)),
        declared=declared,
    )


def _problems(translation: Translation, body: Body, pattern: Cursor | None) -> Iterator[FunctionProblem]:
    cursor = body.root.cursor
    if _in_macro(translation, body):
        yield FunctionProblem.IN_MACRO
    if cursor.kind != K.FUNCTION_DECL:
        yield FunctionProblem.MEMBER
    elif libclang.spelling(cursor).startswith("operator"):
        yield FunctionProblem.OPERATOR
    parent = translation.lib.clang_getCursorSemanticParent(cursor)
    if parent.kind in (K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.CLASS_PARTIAL):
        yield FunctionProblem.MEMBER
    if body.place.source.path not in translation.files:
        yield FunctionProblem.SYSTEM
    special = not translation.lib.clang_Cursor_isNull(translation.lib.clang_getSpecializedCursorTemplate(cursor))
    if special and pattern is None:
        yield FunctionProblem.SPECIALISED
    if any(node.kind == K.VAR_DECL and constants.keeps_state(node) for node in body.root.walk()):
        yield FunctionProblem.STATIC_VARIABLES


def _in_macro(translation: Translation, body: Body) -> bool:
    location = translation.lib.clang_getCursorLocation(body.root.cursor)
    return bool(location.raw & libclang.MACRO_BIT) or (body.block is not None and body.block.macro)


def call_sites(translation: Translation, root: Node, place: Place, usrs: Collection[str]) -> tuple[CallSite, ...]:
    """The uses, anywhere below a node, of the functions with these USRs; in source order.

    Where the name stands for anything but a call, its site cannot be edited.
    """
    found: dict[tuple[int, str], CallSite] = {}
    called: set[int] = set()
    for node in root.walk():
        if node.kind == K.DECL_REF and id(node) not in called and _target(node) in usrs:
            nowhere = place.span(node.start, node.start, editable=False)
            found.setdefault((node.start, _target(node)), CallSite(_target(node), nowhere, nowhere, False))
        if node.kind != K.CALL or _target(node) not in usrs or not node.children:
            continue
        callee = next((part for part in node.children[0].walk() if part.kind in (K.DECL_REF, K.OVERLOADED_REF)), None)
        if callee is not None:
            called.add(id(callee))
            site = _site(translation, node, callee, place)
            found.setdefault((site.name.start, site.usr), site)
    return tuple(found[key] for key in sorted(found))


def _target(node: Node) -> str:
    """The USR of the function that a node refers to, "" for anything else."""
    reference = node.reference
    return "" if reference is None or reference.kind not in _FUNCTIONS else _defined_usr(reference)


@libclang.once
def _defined_usr(reference: Cursor) -> str:
    return _usr(libclang.definition(reference) or reference)


def _site(translation: Translation, call: Node, callee: Node, place: Place) -> CallSite:
    assert call.reference is not None, "a call of a function refers to it"
    name = libclang.spelling(call.reference)
    file, start = libclang.file_location(translation.lib.clang_getCursorLocation(callee.cursor))
    end = start + len(name.encode())
    opened = -1
    if file == place.file and not call.macro and place.source.data[start:end] == name.encode():
        opened = _opening(place.source.data, end, call.end)
    if opened < 0:
        nowhere = place.span(call.start, call.start, editable=False)
        return CallSite(_target(call), nowhere, nowhere, False)
    inside = lexing.skip_gap(place.source.data, opened + 1)
    return CallSite(_target(call), place.span(start, end), place.span(opened, opened + 1), inside != call.end - 1)


def _opening(data: bytes, at: int, end: int) -> int:
    """The parenthesis that the last byte of a call closes, -1 if there is none."""
    for _kind, text, offset in lexing.tokens(data, at, end):
        if text == b"(" and lexing.closing(data, offset, end) == end - 1:
            return offset
    return -1


def builtins_in(root: Node) -> frozenset[str]:
    """CUDA's built-in variables that are named anywhere below a node."""
    return frozenset(node.name for node in root.walk() if node.kind == K.DECL_REF and node.name in BUILTINS)


def _callees_first(functions: dict[str, Function]) -> Iterator[Function]:
    done: dict[str, bool] = {}
    for usr in functions:
        yield from _visit(functions, usr, done)


def _visit(functions: dict[str, Function], usr: str, done: dict[str, bool]) -> Iterator[Function]:
    if usr in done or usr not in functions:
        return
    done[usr] = False
    for site in functions[usr].call_sites:
        yield from _visit(functions, site.usr, done)
    done[usr] = True
    yield functions[usr]


@libclang.once
def _usr(cursor: Cursor) -> str:
    return libclang.usr(template_of(cursor) or cursor)


def params_span(place: Place, at: int, limit: int) -> Span:
    """The parameter list of a function whose name ends at `at`, parentheses included."""
    data = place.source.data
    opened = data.find(b"(", at, limit)
    if opened < 0:
        return place.span(at, at, editable=False)
    explicit = lexing.skip_gap(data, at)
    if data[explicit : explicit + 1] == b"<":  # arguments of an explicit specialisation
        depth = 0
        for _kind, text, offset in lexing.tokens(data, explicit, limit):
            depth += {b"<": 1, b">": -1}.get(text, 0)
            if depth == 0:
                opened = data.find(b"(", offset, limit)
                break
    closed = lexing.closing(data, opened, limit)
    return place.span(opened, (closed if closed is not None else opened) + 1)
