"""Where lambdas stand that cannot capture one more variable: one that a version adds has no meaning there, or shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from gpuopt_driver.frontend import lexing, libclang
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.source.text import Span

_WORD = re.compile(rb"[A-Za-z_]\w*")
_NUMBER = re.compile(  # the operand of a `sizeof` that is no closure
    rb"(?:sizeof|alignof|__alignof__|__alignof|_Alignof)\s*\(\s*(?:(?:unsigned|signed|const|bool|char|short|int|long|float|double"
    rb"|u?int(?:8|16|32|64)_t|(?:u?char|u?short|u?int|u?long|u?longlong|float|double)[1-4]|dim3|half2?|__half2?)\b[\s*&]*)+\)"
)
_TRAITS = re.compile(rb"\b(?:__)?is_(?:empty|trivial|standard_layout|pod|aggregate|default_constructible|final)\w*")
_CONSTEXPR = re.compile(rb"\bconstexpr\b")


def closed_bodies(translation: Translation, root: Node, lambdas: Iterable[Node], place: Place) -> list[Span]:
    """The bodies of those lambdas below a root that have no `[&]` or `[=]`, or that a constexpr variable keeps.

    What their captures initialise is outside of them.
    """
    kept = _kept(root, place) if lambdas else frozenset()
    return bodies((one for one in lambdas if id(one) in kept or not _captures_all(translation, one, place)), place)


def asks_size(root: Node, place: Place) -> bool:
    """Whether a function may ask how large a closure is, or what kind of class: one more capture would show."""
    data = place.source.data
    if _TRAITS.search(data, root.start, root.end):
        return True
    return any(
        node.kind == K.SIZEOF and (node.macro or not _NUMBER.match(data, node.start, node.end)) for node in root.walk()
    )


def bodies(lambdas: Iterable[Node], place: Place) -> list[Span]:
    """The bodies of lambdas."""
    inner = (next((child for child in node.children if child.kind == K.COMPOUND), node) for node in lambdas)
    return [place.span(body.start, body.end, editable=False) for body in inner]


def _kept(root: Node, place: Place) -> frozenset[int]:
    """The lambdas in initialisers that must be constant, which nothing captured is."""
    found: set[int] = set()
    for node in root.walk():
        if node.kind == K.VAR_DECL:
            inner = [one for one in node.walk() if one.kind == K.LAMBDA]
            if inner and _CONSTEXPR.search(place.source.data, node.start, inner[0].start):
                found.update(map(id, inner))
    return frozenset(found)


def _captures_all(translation: Translation, node: Node, place: Place) -> bool:
    if not node.macro:
        return _is_default(place.source.data, node.start)
    begin = translation.lib.clang_getRangeStart(translation.lib.clang_getCursorExtent(node.cursor))
    file, start = libclang.file_location(begin)  # of an argument, where it is written; else where the macro is invoked
    source = translation.source(file)
    if source is None:
        return False
    if source.data[start : start + 1] == b"[":
        return _is_default(source.data, start)
    return _macro_captures(translation, source.data, start)


def _macro_captures(translation: Translation, data: bytes, start: int) -> bool:
    """Whether all brackets that a macro's only definition writes are `[&]`, `[=]` or the like."""
    word = _WORD.match(data, start)
    if word is None:
        return False
    define = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+%s\b((?:\\\r?\n|[^\n])*)" % word[0], re.MULTILINE)
    texts = [found[1] for one in translation.files.values() for found in define.finditer(one.data)]
    brackets = [found.start() for found in re.finditer(rb"\[", texts[0])] if len(texts) == 1 else []
    return bool(brackets) and all(_is_default(texts[0], at) for at in brackets)


def _is_default(data: bytes, start: int) -> bool:
    """Whether a lambda's introducer begins with a default capture."""
    words = [text for _kind, text, _offset in islice(lexing.tokens(data, start, len(data)), 3)]
    opened, first, second = [*words, b"", b"", b""][:3]
    return opened == b"[" and (first == b"=" or (first == b"&" and second in (b",", b"]")))
