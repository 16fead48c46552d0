"""The qualified name in a mangled symbol: as much of the Itanium C++ ABI as names of kernels need."""

from __future__ import annotations

import re

_LENGTH = re.compile(r"\d+")
# Namespaces that the compiler makes for what is local to a source file.
_LOCAL = ("_GLOBAL__N_", "_INTERNAL_")


def skip_arguments(text: str, at: int) -> int:
    """The position after template arguments `I...E` that start at `at`; -1 if they are not understood."""
    depth = 0
    while at < len(text):
        character = text[at]
        if character.isdigit():
            length = _LENGTH.match(text, at)
            assert length is not None
            at = length.end() + int(length.group())
            continue
        if character == "L":  # a literal: its type, its digits, E
            literal = re.compile(r"L(?:[a-z]|(\d+))").match(text, at)
            if literal is None:
                return -1
            at = literal.end() + int(literal.group(1) or 0)
            end = text.find("E", at)
            if end < 0:
                return -1
            at = end + 1
            continue
        if character in "INXJ":
            depth += 1
        elif character == "E":
            depth -= 1
            if depth == 0:
                return at + 1
        elif character == "S":  # a substitution: S_, S0_, St, Ss and others
            underscore = re.compile(r"S[0-9A-Z]*_").match(text, at)
            at = underscore.end() if underscore else at + 2
            continue
        at += 1
    return -1


def _identifier(text: str, at: int) -> tuple[str, int]:
    length = _LENGTH.match(text, at)
    if length is None:
        return "", at
    end = length.end() + int(length.group())
    return text[length.end() : end], end


_STATIC = re.compile(r"__nv_static_(\d+)_")


def without_file(symbol: str) -> str:
    """A symbol without what -rdc puts in front of those that are local to a file."""
    found = _STATIC.match(symbol)
    return symbol[found.end() + int(found.group(1)) + 1 :] if found is not None else symbol


# The first digest came with CUDA 11.3 or so; the length is that of the file's name.
_LOCAL_NAME = re.compile(r"_(?:GLOBAL__N|INTERNAL)_(?:_?[0-9a-f]{8})?_(\d+)_")


def behind_local_names(symbol: str, end: int) -> int:
    """Where the last name of a namespace that is local to a file ends in a symbol, of those in front of `end`; else 0.

    Such a name is made of the file's and of digests (`_GLOBAL__N__7d3d9c33_4_a_cu_63e210a8`).
    """
    at = 0
    for found in _LOCAL_NAME.finditer(symbol, 0, end):
        digest = re.compile(r"_[0-9a-f]{8}").match(symbol, found.end() + int(found.group(1)))
        at = digest.end() if digest is not None else at
    return at


def qualified_name(symbol: str) -> str:
    """`ns::kernel` for `_ZN2ns6kernelIfEEvPT_`, without template arguments and file-local namespaces.

    A symbol that is not mangled is its own name; "" for one that is not understood.
    """
    symbol = without_file(symbol)
    if not symbol.startswith("_Z"):
        return symbol
    nested = symbol.startswith("_ZN")
    at = 3 if nested else 2
    while at < len(symbol) and symbol[at] in "LKVr":  # internal linkage and qualifiers
        at += 1
    names: list[str] = []
    while at < len(symbol):
        name, end = _identifier(symbol, at)
        if not name:
            break
        if not name.startswith(_LOCAL):
            names.append(name)
        at = end
        if at < len(symbol) and symbol[at] == "I":
            at = skip_arguments(symbol, at)
            if at < 0:
                return ""
        if not nested:
            break
    complete = not nested or (at < len(symbol) and symbol[at] == "E")
    return "::".join(names) if complete else ""
