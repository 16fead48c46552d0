"""Texture and surface references, as before CUDA 12: `texture<float, 2> t;` at file scope.

CUDA 12 gave the names `texture` and `surface` back to programs, so they are not ours: declarations are found here.
"""

from __future__ import annotations

from gpuopt_driver.emulator.lexer import Tokens

_NAMES = {b"texture": b"::gpuopt_emu::texture_reference", b"surface": b"::gpuopt_emu::surface_reference"}
_DECLARES = frozenset({b"class", b"struct", b"union", b"enum", b"using", b"typename"})
_BEFORE = frozenset({b"", b";", b"}", b"{", b"static", b"extern", b"const", b"typedef", b"__device__", b"inline"})


def _is_users(tokens: Tokens, name: bytes) -> bool:
    """Whether the program has a type of its own with that name."""
    return any(tokens.at(index - 1) in _DECLARES for index in tokens.places(name))


def _closing(tokens: Tokens, opened: int) -> int:
    """The `>` that ends the template argument list opened at a `<`, -1 where a statement ends first."""
    depth = 0
    for index in range(opened, len(tokens)):
        text = tokens.at(index)
        depth += (text == b"<") - (text == b">")
        if depth == 0:
            return index
        if text in (b";", b"{", b"}", b"(", b")"):
            return -1
    return -1


def rewrite_references(tokens: Tokens) -> None:
    """Give the types of texture and surface references their names."""
    for name, ours in _NAMES.items():
        if name not in tokens.original or _is_users(tokens, name):
            continue
        for index in tokens.places(name):
            if tokens.at(index + 1) != b"<":
                continue
            closed = _closing(tokens, index + 1)
            if closed < 0:
                continue
            before, after = tokens.at(index - 1), tokens.at(closed + 1)
            refers = after in (b"&", b"*") and tokens.is_word(
                closed + 2
            )  # texture<float> &f(void), f(texture<float> &t)
            if (before in _BEFORE and (refers or tokens.is_word(closed + 1))) or (before in (b"(", b",") and refers):
                tokens.text[index] = ours
