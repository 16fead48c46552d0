"""What depends on the architecture, so that passes of one compilation see different code or other constants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuopt_driver.dataclass import dataclass

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*([a-z]+)\b((?:[^\\\n]|\\\r?\n|\\.)*)", re.M)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_ARCH = b"__CUDA_ARCH"
_TOLD = re.compile(
    rb"\b(?:__CUDA_ARCH|__CUDA_MINIMUM_ARCH|CUB_PTX_ARCH|NV_IF_(?:ELSE_)?TARGET|NV_IS_|NV_DISPATCH_TARGET)"
)
_GIVEN = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)?=(?!=)([^;]*)")
_DECLARES = re.compile(rb"^.*\b(?:constexpr|const|enum|using|typedef|struct|class)\b.*$", re.M)
_ENDS = b";{}"
_COMMON = frozenset(
    b"constexpr const enum using typedef struct class static inline template typename int unsigned float double void"
    b" char short long bool size_t __device__ __host__ __forceinline__ extern namespace public return auto if"
    b" else".split()
)
_OPEN = frozenset({b"if", b"ifdef", b"ifndef"})
_AGAIN = frozenset({b"elif", b"elifdef", b"elifndef", b"else"})


def arch_macros(sources: list[bytes]) -> frozenset[bytes]:
    """The macros whose definition depends on the architecture: defined under a condition on it, or from it."""
    found: set[bytes] = set()
    for _round in range(2):
        for data in sources:
            if _ARCH in data or found:
                found |= _defined_under_arch(data, found)
    return frozenset(found)


def _defined_under_arch(data: bytes, known: set[bytes]) -> set[bytes]:
    names: set[bytes] = set()
    stack: list[bool] = []
    for match in _DIRECTIVE.finditer(data):
        word, rest = match.groups()
        if word in _OPEN:
            stack.append(_depends(rest, known))
        elif word in _AGAIN and stack:
            stack[-1] = stack[-1] or _depends(rest, known)
        elif word == b"endif" and stack:
            stack.pop()
        elif word == b"define":
            name = _WORD.search(rest)
            if name and (any(stack) or _depends(rest[name.end() :], known)):
                names.add(name.group())
    return names


def _depends(text: bytes, known: set[bytes] | frozenset[bytes]) -> bool:
    return _ARCH in text or any(word in known for word in _WORD.findall(text))


def depends_on_arch(data: bytes, start: int, end: int, macros: frozenset[bytes]) -> bool:
    """Whether a conditional in [start, end) depends on the architecture."""
    for match in _DIRECTIVE.finditer(data, start, end):
        if match.group(1) in _OPEN | _AGAIN and _depends(match.group(2), macros):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Varying:
    """Names whose values depend on the architecture; `anything`: some function tells it, so any constant may."""

    names: frozenset[bytes]
    anything: bool

    def in_texts(self, texts: Iterable[bytes]) -> bool:
        """Whether constants of these texts may have other values in another pass."""
        if self.anything:
            return True
        return any(_TOLD.search(text) or not self.names.isdisjoint(_WORD.findall(text)) for text in texts)


def varying(sources: list[bytes], macros: frozenset[bytes]) -> Varying:
    """What the files of a project make of the architecture, beside macros: constants and types under conditionals."""
    names = set(macros)
    anything = False
    for data in sources:
        if _TOLD.search(data) is None and macros.isdisjoint(_WORD.findall(data)):
            continue
        names.update(_declared_under_arch(data, macros))
        for statement in _statements_of_arch(data, macros):
            given = _GIVEN.search(statement)
            names.update(given.groups()[:1] if given else ())
            anything = anything or given is None
    words = {data: frozenset(_WORD.findall(data)) for data in sources} if names else {}
    new = names
    while new:
        new = {one for data, own in words.items() if not new.isdisjoint(own) for one in _given_from(data, new)} - names
        names |= new
    return Varying(frozenset(names), anything)


def _given_from(data: bytes, names: set[bytes]) -> Iterator[bytes]:
    for match in _GIVEN.finditer(data):
        if not names.isdisjoint(_WORD.findall(match.group(2))):
            yield match.group(1)


def _declared_under_arch(data: bytes, macros: frozenset[bytes]) -> Iterator[bytes]:
    """All words of declarations of constants and types that stand under a conditional on the architecture."""
    stack: list[bool] = []
    since = 0
    for match in _DIRECTIVE.finditer(data):
        if any(stack):
            for line in _DECLARES.finditer(data, since, match.start()):
                yield from (word for word in _WORD.findall(line.group()) if len(word) > 1 and word not in _COMMON)
        word, rest = match.groups()
        if word in _OPEN:
            stack.append(_depends(rest, macros))
        elif word in _AGAIN and stack:
            stack[-1] = stack[-1] or _depends(rest, macros)
        elif word == b"endif" and stack:
            stack.pop()
        since = match.end()


def _statements_of_arch(data: bytes, macros: frozenset[bytes]) -> Iterator[bytes]:
    """The statements outside of directives that speak of the architecture."""
    code = _DIRECTIVE.sub(b"", data)
    places = [match.start() for match in _TOLD.finditer(code)]
    places += [match.start() for match in _WORD.finditer(code) if match.group() in macros] if macros else []
    for at in places:
        start = max(code.rfind(bytes((mark,)), 0, at) for mark in _ENDS) + 1
        ends = [found for mark in _ENDS if (found := code.find(bytes((mark,)), at)) >= 0]
        yield code[start : min(ends, default=len(code))]
