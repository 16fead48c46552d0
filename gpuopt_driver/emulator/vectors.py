"""Calls of mathematical functions that loops over threads make in every turn: by the names of their vector forms.

A host compiler makes vectors over threads only of what each thread does; there a call for eight threads costs less than
eight calls, while elsewhere the function itself, in line, is quicker (include/gpuopt_emu/vector_maths.h).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gpuopt_driver.emulator import guards
from gpuopt_driver.emulator.fission.tree import Statement, holds_barrier, statements
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role, Structure

_ALSO_FAST = tuple(name + b"f" for name in (b"exp", b"exp10", b"log", b"log2", b"log10", b"pow", b"sin", b"cos"))
_BASE = (b"exp", b"exp2", b"exp10", b"log", b"log2", b"log10", b"pow", b"rsqrt", b"sqrt", b"tanh", b"sin", b"cos")
_NAMES = (*_BASE, *(name + b"f" for name in _BASE), *(b"fast_" + name for name in _ALSO_FAST))
# What other rewriting made of calls and divisions (device_maths.py, quotients.py), and what stands for it here.
_FORMS = {b"gpuopt_emu_" + name: b"gpuopt_emu_abreast_" + name for name in _NAMES} | {
    b"__fdividef": b"gpuopt_emu_abreast_fdividef",
    b"/ ::gpuopt_emu::quick /": b"/ ::gpuopt_emu::quick_abreast /",
}
_ARITHMETIC = frozenset({b"+", b"-", b"*", b"/", b"+=", b"-=", b"*=", b"/=", b"++", b"--"})
_PERHAPS = frozenset({b"?", b"&&", b"||", b"and", b"or"})


def _simple(item: Statement) -> bool:
    """Whether loops inside, if any, do nothing but compute."""
    return item.kind == "simple" or (item.kind in ("{", "for") and all(_simple(part) for part in item.parts))


def _computes(tokens: Tokens, start: int, end: int) -> bool:
    """Whether there is arithmetic, but of indices."""
    while start < end:
        if tokens.at(start) in _ARITHMETIC:
            return True
        start = tokens.match[start] if tokens.at(start) == b"[" else start + 1
    return False


def _without_branches(tokens: Tokens, item: Statement) -> bool:
    """Whether a compiler can do without its branches: they choose numbers. What is computed in them alone may trap."""
    if item.kind == "{":
        return all(_without_branches(tokens, part) for part in item.parts)
    if item.kind == "if":
        return all(_simple(part) and not _computes(tokens, part.start, part.end) for part in item.parts)
    asked = next((at for at in range(item.start, item.end) if tokens.at(at) == b"?"), item.end)
    return (_simple(item) or item.kind == "return") and not _computes(tokens, asked, item.end)


def _always(items: Iterable[Statement], entered: Collection[int]) -> Iterator[Statement]:
    """The simple statements that are run in every turn; branches at `entered` are taken."""
    for item in items:
        if item.kind in ("simple", "return"):
            yield item
        elif item.kind == "{" or item.start in entered or (item.kind == "for" and _simple(item)):
            yield from _always(item.parts, entered)


def _reached(tokens: Tokens, structure: Structure) -> list[Function]:
    """Kernels, and the device functions that are named in them, or in such functions."""
    waiting = [f for f in structure.functions if f.role is Role.DEVICE]
    found = [f for f in structure.functions if f.role is Role.KERNEL]
    for function in found:  # which grows meanwhile
        words = set(tokens.original[function.body : tokens.match[function.body]])
        found += (named := [f for f in waiting if name_of(tokens, f) in words])
        waiting = [f for f in waiting if f not in named]
    return found


class _Calls:
    """Who is called where, in device code."""

    def __init__(self, tokens: Tokens, structure: Structure) -> None:
        self.tokens = tokens
        self.functions = _reached(tokens, structure)
        self.sure: set[int] = set()  # where calls stand that loops over threads make in every turn

    def note(self, items: Iterable[Statement], entered: Collection[int] = ()) -> None:
        """Take note of what is called or divided in these statements of such a loop."""
        for item in _always(items, entered):
            for at in range(item.start, item.end):
                if self.tokens.at(at) in _PERHAPS:
                    break
                if self.tokens.at(at + 1) == b"(" or self.tokens.at(at) == b"/":
                    self.sure.add(at)

    def everywhere(self, name: bytes) -> bool:
        """Whether device code names a function in such places alone."""
        bodies = [(f.body, self.tokens.match[f.body]) for f in self.functions]
        found = [at for at in self.tokens.places(name) if any(start < at < end for start, end in bodies)]
        return bool(found) and self.sure.issuperset(found)


def _regions(tokens: Tokens, items: Iterable[Statement]) -> Iterator[Statement]:
    """Of a kernel that is split at its barriers, what lies between them."""
    for item in items:
        if item.kind in ("{", "for") and holds_barrier(tokens, item):
            yield from _regions(tokens, item.parts)
        else:
            yield item


def name_vector_calls(
    tokens: Tokens, structure: Structure, memory: set[bytes], plain: Iterable[Function], split: Iterable[Function]
) -> bool:
    """Rename such calls, from what device_maths.py made of them; whether there are any.

    They are looked for in `plain` kernels, in those that are `split` at their barriers, and in functions that only they
    call.
    """
    calls = _Calls(tokens, structure)
    for function in plain:
        items = list(statements(tokens, function.body + 1, tokens.match[function.body]))
        asked = [guard.item for guard in guards.guards_of(tokens, function, memory)]
        inside = [part for item in asked for part in item.parts]
        entered = {item.start for item in asked}
        if all(_without_branches(tokens, item) for item in [*items, *inside] if item.start not in entered):
            calls.note(items, entered)
    for function in split:
        calls.note(_regions(tokens, statements(tokens, function.body + 1, tokens.match[function.body])))
    waiting = [f for f in calls.functions if f.role is Role.DEVICE]
    while found := [f for f in waiting if calls.everywhere(name_of(tokens, f))]:
        waiting = [f for f in waiting if f not in found]
        for function in found:
            items = list(statements(tokens, function.body + 1, tokens.match[function.body]))
            if all(_without_branches(tokens, item) for item in items):
                calls.note(items)
    named = [at for at in calls.sure if tokens.text[at] in _FORMS]
    for at in named:
        tokens.text[at] = _FORMS[tokens.text[at]]
    return bool(named)
