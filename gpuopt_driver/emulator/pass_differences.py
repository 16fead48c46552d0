"""Declarations that `__CUDA_ARCH__` makes other ones for the device, which joined passes (device_pass.py) cannot have.

One text has one type, constant or member of a name: the host's. Whoever writes two is told where.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import outline

_Scope = tuple[str, int] | None  # where the brace around it stands
_Declared = dict[tuple[_Scope, bytes], dict[tuple[bytes, ...], tuple[str, int]]]
_ENDS = frozenset({b";", b"=", b"[", b",", b"}"})
_NO_DECLARATION = frozenset({b"return", b"friend", b"template", b"extern", b"__device__", b"__host__", b"__global__"})


def _enumerators(tokens: Tokens, brace: int) -> Iterator[list[int]]:
    """Those of an enumeration, each with what ends it; they belong to the scope around it."""
    one: list[int] = []
    for index in range(brace + 1, tokens.match[brace] + 1):
        one.append(index)
        if tokens.at(index) == b"," or index == tokens.match[brace]:
            yield one
            one = []


def _statements(tokens: Tokens) -> Iterator[tuple[_Scope, list[int]]]:
    """The tokens of each statement outside of functions in the user's own files, with the scope around it."""
    functions = {function.body: function for function in outline(tokens).functions}
    opened: list[int] = []
    for start, end in tokens.owned():
        statement: list[int] = []
        index = start
        while index < end:
            text = tokens.at(index)
            if index in functions:
                statement, index = [], tokens.match[index] + 1
                continue
            if text in (b"{", b"}", b";"):
                scope = tokens.where(opened[-1]) if opened else None
                if text == b"{" and b"enum" in [tokens.at(word) for word in statement]:
                    yield from ((scope, one) for one in _enumerators(tokens, index))
                    statement, index = [], tokens.match[index] + 1
                    continue
                yield scope, [*statement, index]
                statement = []
                if text == b"{" and tokens.match[index] > index:
                    opened.append(index)
                elif text == b"}" and opened and tokens.match[index] == opened[-1]:
                    opened.pop()
            else:
                statement.append(index)
            index += 1


def _declared(tokens: Tokens) -> _Declared:
    """What is declared outside of functions: by scope and name the texts, each with its place."""
    found: _Declared = {}
    for scope, statement in _statements(tokens):
        words = tuple(tokens.original[index] for index in statement[:-1])
        if b"(" in words or _NO_DECLARATION.intersection(words) or tokens.at(statement[-1]) == b"{":
            continue  # functions, and what a brace opens: looked at inside
        for at, index in enumerate(statement[:-1]):
            if tokens.is_word(index) and tokens.at(statement[at + 1]) in _ENDS:
                found.setdefault((scope, words[at]), {}).setdefault(words, tokens.where(index))
    return found


def differing_declarations(host_pass: Tokens, device_pass: Tokens) -> list[str]:
    """A warning for each type, constant or member that the device's pass has otherwise than the host's."""
    host, device = _declared(host_pass), _declared(device_pass)
    told: dict[tuple[str, int], bytes] = {}
    for key, texts in device.items():
        others = host.get(key)
        if others is None or not texts.keys() - others.keys() or not others.keys() - texts.keys():
            continue
        for text in texts.keys() - others.keys():
            told.setdefault(texts[text], key[1])
    return [
        f"gpuopt: warning: {file}:{line}: '{name.decode('utf-8', 'replace')}' differs where __CUDA_ARCH__ is defined:"
        " the emulator compiles both sides from one text, kernels get the host's"
        for (file, line), name in told.items()
    ]
