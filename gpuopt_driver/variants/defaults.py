"""Default arguments of kernels: which ones launch functions repeat, and which launches can count on these.

A default argument is evaluated where it is used, but means what it meant where it was written: names are looked up
there, macros are those of there, a lambda is one object. A launch function stands behind the kernel's definition.
What the definition itself says without macros and lambdas means the same there; of what another declaration says, only
numbers do.
"""

from __future__ import annotations

import re

from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel, Param, Unit
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants import lexical

_NUMBERS = frozenset(
    {
        *("true", "false", "nullptr", "sizeof", "alignof", "bool", "char", "short", "int", "long", "signed"),
        *("unsigned", "float", "double", "void"),
    }
)
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_SIMPLE = re.compile(r"[\w\s.+\-*/%<>=!&|^~?:(),{}]*")


def repeated(unit: Unit, kernel: Kernel) -> int:
    """The number of the first parameter from which on all have default arguments that mean the same elsewhere."""
    first = len(kernel.params)
    while first and _means_the_same(unit, kernel, kernel.params[first - 1]):
        first -= 1
    return first


def suffice(unit: Unit, kernel: Kernel, launch: Launch, args: bytes) -> bool:
    """Whether the arguments that a launch leaves out are among those that its launch function repeats.

    How many arguments a pack stands for is not in the text, nor are those of a template's other instantiations.
    """
    first = repeated(unit, kernel)
    if launch.in_template or b"..." in args:
        return not any(param.default for param in kernel.params[:first])
    return len(launch.arguments) >= first


def removed(kernel: Kernel, data: bytes, author: str) -> tuple[Edit, ...]:
    """Edits that take default arguments out of a definition that has one in front of a parameter without one there.

    An earlier declaration has the others. Versions are called with all arguments.
    """
    places = [_assigned(data, param) for param in kernel.params]
    if None not in places[next((at for at, place in enumerate(places) if place is not None), 0) :]:
        return ()
    return tuple(
        Edit(param.span.file, place, param.span.end, b"", author)
        for param, place in zip(kernel.params, places, strict=True)
        if place is not None and b"\n" not in data[place : param.span.end]
    )


def _means_the_same(unit: Unit, kernel: Kernel, param: Param) -> bool:
    text = lexical.one_line(param.default or "")
    if not text or not _SIMPLE.fullmatch(text):
        return False
    words = set(_WORD.findall(text))
    if words <= _NUMBERS:
        return True
    data = unit.files[kernel.span.file].data
    is_early = any(one.kernel == kernel.usr and one.span.start < kernel.span.start for one in unit.launches)
    if is_early or _assigned(data, param) is None or not words.isdisjoint(lexical.macros_of(unit)):
        return False
    return not any(word.startswith("__") for word in words)


def _assigned(data: bytes, param: Param) -> int | None:
    """Where the `=` of a default argument is that the definition itself writes."""
    depth = 0
    for _kind, part, offset in lexing.tokens(data, param.span.start, param.span.end) if param.span.editable else ():
        depth += (part in (b"(", b"[", b"{", b"<")) - (part in (b")", b"]", b"}", b">"))
        if part == b"=" and depth <= 0:
            return offset
    return None
