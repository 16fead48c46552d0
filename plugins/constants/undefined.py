"""Numbers that must stay numbers: as constants they would make an operation undefined, and nvcc would leave out what it
is part of. A GPU gives a result: it shifts everything out by 32 and more, and divides by 0.

Operands are texts: what is not seen to be in range counts as out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gpuopt_driver.api import Kernel, SourceFile

from .useful import plain

_WIDTH = 32  # bits of the narrowest number that is shifted
_SHIFT = re.compile(r"(?<!<)(?:<<|>>)(?!<)=?(?!>)")
_DIVIDE = re.compile(r"[/%]=?")
_ENDS = {_SHIFT: ";,:?&|^<>=!", _DIVIDE: ";,:?&|^<>=!+-*/%"}
_ASSIGNED = re.compile(r"\b([A-Za-z_]\w*)\s*=(?!=)\s*")
_CHANGED = re.compile(r"(?:\+\+|--)\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)=)")
_CAST = re.compile(r"\(\s*(?:const\s+)?(?:(?:unsigned|signed|int|long|short|char|size_t|u?int\d+_t)\s*)+\)")
_NUMBER = re.compile(r"(\d+)(?:[uUlL]*)\b")
_WORD = re.compile(r"(?:blockDim|gridDim)\s*\.\s*[xyz]\b|(?<![\w.])[A-Za-z_]\w*")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>()]*>\s*)?\(")


def undefined(kernel: Kernel, files: Mapping[str, SourceFile], values: Mapping[str, int]) -> frozenset[str]:
    """The known numbers (by the names of index forms) that may be a divisor of 0 or shift all of a number out."""
    bodies = {one.name: plain(files[one.body.file], one.inner) for one in kernel.functions if one.body.file in files}
    text = plain(files[kernel.span.file], kernel.inner)
    found = set(_of_text(text, values))
    dimensions = {name: value for name, value in values.items() if "." in name}
    for body in bodies.values():
        found |= _of_text(body, dimensions)
    # A called function has its arguments under names of its own: any of them may be its operand.
    shifts, divides = (any(_is_open(body, kind) for body in bodies.values()) for kind in (_SHIFT, _DIVIDE))
    for name in _handed_on(text, bodies, values):
        found |= {name} if (shifts and not 0 < values[name] < _WIDTH) or (divides and values[name] == 0) else set()
    return frozenset(found)


def _of_text(text: str, values: Mapping[str, int]) -> set[str]:
    found: set[str] = set()
    known, origins = _locals(text, values)
    for kind in (_SHIFT, _DIVIDE):
        for operand in _operands(text, kind):
            value = _value(operand, known)
            good = value is not None and (0 <= value < _WIDTH if kind is _SHIFT else value != 0)
            names = set() if good else {name for word in _words(operand) for name in origins.get(word, ())}
            # Of what else is in the operand nothing is known: a product with 0 is 0, a sum may be any number.
            found |= names if kind is _SHIFT or value is not None else {name for name in names if values[name] == 0}
    return found


def _locals(text: str, values: Mapping[str, int]) -> tuple[dict[str, int], dict[str, set[str]]]:
    """What variables that are assigned once have, and which known numbers each variable is made of."""
    known, origins = dict(values), {name: {name} for name in values}
    changed = {word for found in _CHANGED.finditer(text) for word in found.groups() if word}
    assigned = [(found.group(1), _until(text, found.end(), ";,")) for found in _ASSIGNED.finditer(text)]
    names = [name for name, _ in assigned]
    for name, right in assigned:
        made_of = {one for word in _words(right) for one in origins.get(word, ())}
        if made_of:
            origins.setdefault(name, set()).update(made_of)
        value = _value(right, known)
        if name in values or name in changed or names.count(name) > 1 or value is None:
            known.pop(name, None)
        else:
            known[name] = value
            origins.setdefault(name, set())
    for name in changed:
        known.pop(name, None)
    return known, origins


def _operands(text: str, kind: re.Pattern[str]) -> Iterator[str]:
    for found in kind.finditer(text):
        yield _until(text, found.end(), _ENDS[kind])


def _is_open(text: str, kind: re.Pattern[str]) -> bool:
    """Whether some operand of a text is more than numbers."""
    return any(_value(operand, {}) is None for operand in _operands(text, kind))


def _until(text: str, start: int, ends: str) -> str:
    """An operand: as far as a character that ends it, which is not in parentheses."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        if depth < 0 or (depth == 0 and text[at] in ends and text[start:at].strip()):
            return text[start:at].strip()
    return text[start:].strip()


def _words(text: str) -> list[str]:
    return [re.sub(r"\s", "", found.group()) for found in _WORD.finditer(text)]


def _value(text: str, known: Mapping[str, int]) -> int | None:
    """The value of sums and products of known numbers; None for anything else."""
    tokens: Sequence[str] = re.findall(r"[A-Za-z_][\w.]*|\d+[uUlL]*|\S", re.sub(r"\s*\.\s*", ".", _CAST.sub("", text)))
    value, at = _sum(tokens, 0, known)
    return value if at == len(tokens) else None


def _sum(tokens: Sequence[str], at: int, known: Mapping[str, int]) -> tuple[int | None, int]:
    total, at = _product(tokens, at, known)
    while total is not None and at < len(tokens) and tokens[at] in "+-":
        term, end = _product(tokens, at + 1, known)
        total = None if term is None else total + term if tokens[at] == "+" else total - term
        at = end
    return total, at


def _product(tokens: Sequence[str], at: int, known: Mapping[str, int]) -> tuple[int | None, int]:
    total, at = _atom(tokens, at, known)
    while total is not None and at < len(tokens) and tokens[at] == "*":
        factor, at = _atom(tokens, at + 1, known)
        total = None if factor is None else total * factor
    return total, at


def _atom(tokens: Sequence[str], at: int, known: Mapping[str, int]) -> tuple[int | None, int]:
    word = tokens[at] if at < len(tokens) else ""
    if word == "(":
        inner, end = _sum(tokens, at + 1, known)
        return (inner, end + 1) if end < len(tokens) and tokens[end] == ")" else (None, end)
    if word == "-":
        negated, end = _atom(tokens, at + 1, known)
        return (None if negated is None else -negated), end
    number = _NUMBER.fullmatch(word)
    return (int(number[1]) if number else known.get(word)), at + 1


def _handed_on(text: str, bodies: Mapping[str, str], values: Mapping[str, int]) -> set[str]:
    """The known numbers that arguments of the called functions are made of."""
    _, origins = _locals(text, values)
    found: set[str] = set()
    for call in _CALL.finditer(text):
        if call.group(1) in bodies:
            for word in _words(_until(text, call.end(), "")):
                found |= origins.get(word, set())
    return found
