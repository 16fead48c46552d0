"""Preprocessor conditionals that depend on the architecture, so that passes of one compilation see different code."""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*([a-z]+)\b((?:[^\\\n]|\\\r?\n|\\.)*)", re.M)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_ARCH = b"__CUDA_ARCH"
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
