"""CUDA's qualifiers: removed, or turned into what they mean to the host compiler."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Role, Structure

_REMOVED = frozenset({b"__global__", b"__device__", b"__host__", b"__constant__", b"__managed__", b"__grid_constant__"})
_REMOVED_WITH_ARGUMENTS = frozenset({b"__launch_bounds__", b"__cluster_dims__", b"__maxnreg__"})
_RESTRICT = frozenset({b"__restrict__", b"__restrict", b"restrict"})
_INLINE = frozenset({b"inline", b"__inline__", b"__inline"})
_CUDA = frozenset({b"__device__", b"__global__", b"__host__", b"static", b"inline", b"typedef", b"="})
_VARIABLE = frozenset({b"__device__", b"__constant__", b"__managed__"})
_NOT_TARGETED = frozenset({b"__host__", b"friend", b"always_inline", b"__always_inline__", b"typedef", b"using"})
_NOT_STATIC = frozenset({b"static", b"extern", b"template", b"friend", b"constexpr", b"typedef", b"using"}) | _INLINE


def _make_internal(tokens: Tokens, structure: Structure) -> None:
    """Give device functions and variables internal linkage, as they have without relocatable device code."""
    kept = (
        {  # names that something in the unit needs to be external
            tokens.at(index - 1)
            for item in structure.declarations
            if item.in_class or b"extern" in tokens.original[item.head : item.end]
            for index in range(item.head, item.end + 1)
            if tokens.at(index) in (b"(", b"[", b";", b"=")
        }
        | _prototypes(tokens, structure)
    )
    for function in structure.functions:
        words = tokens.original[function.head : function.body]
        name = tokens.at(function.params - 1)
        if (
            function.role is Role.DEVICE
            and b"__host__" not in words
            and function.head not in structure.in_class
            and not _NOT_STATIC.intersection(words)
            and b"__forceinline__" not in words
            and tokens.at(function.params - 2) != b"::"
            and name not in kept
        ):
            tokens.text[words.index(b"__device__") + function.head] = b"static __attribute__((unused))"
    for item in structure.declarations:
        words = tokens.original[item.head : item.end]
        if item.in_class or _NOT_STATIC.intersection(words) or b"__shared__" in words or b"__host__" in words:
            continue
        if item.params >= 0:
            if b"__device__" in words and tokens.at(item.params - 1) not in kept and b"__forceinline__" not in words:
                tokens.text[words.index(b"__device__") + item.head] = b"static __attribute__((unused))"
        elif not _declared_names(tokens, item.head, item.end) & kept:
            at = next((index for index in range(item.head, item.end) if tokens.at(index) in _VARIABLE), -1)
            if at >= 0:
                tokens.text[at] = b"static __attribute__((unused))"


def target_device_functions(tokens: Tokens, structure: Structure, attribute: bytes) -> None:
    """Put an attribute on functions for the device alone. One for both is compiled as what calls it, where inlined."""
    functions = [(f.head, f.params) for f in structure.functions if f.role is Role.DEVICE]
    functions += [(item.head, item.params) for item in structure.declarations if item.params >= 0]
    for head, params in functions if attribute else ():
        words = tokens.original[head : tokens.match[params]]
        if b"__device__" not in tokens.original[head:params] or _NOT_TARGETED.intersection(words):
            continue
        at = head + words.index(b"__device__")
        tokens.text[at] = b" ".join(filter(None, (tokens.text[at], attribute)))


def _prototypes(tokens: Tokens, structure: Structure) -> set[bytes]:
    """Names declared outside functions without a word of CUDA's: such functions are external from there on."""
    bodies = {function.body: tokens.match[function.body] for function in structure.functions}
    names: set[bytes] = set()
    index = start = 0
    while index < len(tokens):
        text = tokens.at(index)
        opened = tokens.match[index] if text == b")" and tokens.at(index + 1) == b";" else -1
        if opened > start + 1 and tokens.is_word(opened - 1) and not _CUDA.intersection(tokens.original[start:opened]):
            names.add(tokens.at(opened - 1))
        index = bodies.get(index, index)
        if text in (b";", b"{", b"}"):
            start = index + 1
        index += 1
    return names


def _declared_names(tokens: Tokens, head: int, end: int) -> set[bytes]:
    return {
        tokens.at(index)
        for index in range(head, end)
        if tokens.is_word(index) and tokens.at(index + 1) in (b"[", b";", b"=", b",", b"{")
    }


def _note_managed(tokens: Tokens, structure: Structure) -> None:
    """Tell the runtime of managed variables behind their declarations: programs give it their addresses."""
    for item in structure.declarations:
        words = tokens.original[item.head : item.end]
        if b"__managed__" not in words or item.in_class or item.params >= 0:
            continue
        if {b"extern", b"template", b"<"}.intersection(words):
            continue
        for name in _variables(tokens, item.head, item.end):
            note = b" static const ::gpuopt_emu::ManagedVariable gpuopt_emu_managed_%b(&%b, sizeof %b);"
            tokens.text[item.end] += note % (name, name, name)


def _variables(tokens: Tokens, head: int, end: int) -> Iterator[bytes]:
    """What a declaration without template arguments declares, initializers left out."""
    index, initializer = head, False
    while index < end:
        text, after = tokens.at(index), tokens.at(index + 1)
        if text == b",":
            initializer = False
        elif text == b"=":
            initializer = True
        elif not initializer and tokens.is_word(index) and after in (b"[", b";", b"=", b",", b"{"):
            yield text
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1


def _drop_restrict(tokens: Tokens, structure: Structure) -> None:
    """Drop `__restrict__` from device code where the unit has references to pointers (`T *const &p`): host compilers do
    not bind one to a pointer that is restricted, nor to what is computed from it; nvcc's does."""
    refers = any(
        text in (b"&", b"&&") and tokens.at(index - 1) in (b"*", b"const") and _ends_pointer(tokens, index - 1)
        for index, text in enumerate(tokens.original)
    )
    for function in structure.device() if refers else ():
        for index in range(function.head, tokens.match[function.body]):
            if tokens.at(index) in _RESTRICT:
                tokens.text[index] = b""


def _ends_pointer(tokens: Tokens, index: int) -> bool:
    """Whether the type that ends there is a pointer's."""
    while tokens.at(index) == b"const":
        index -= 1
    return tokens.at(index) == b"*"


def _inline(tokens: Tokens, index: int) -> bytes:
    """What `__forceinline__` at `index` becomes: `inline`, unless the declaration says so already."""
    before, after = index - 1, index + 1
    while before >= 0 and (tokens.is_word(before) or tokens.at(before) in (b"*", b"&")):
        if tokens.at(before) in _INLINE or tokens.text[before] == b"inline":
            return b""
        before -= 1
    if tokens.at(before) == b"]" and tokens.at(before + 1) != b"__attribute__":
        return b""  # a lambda
    while after < len(tokens) and (tokens.is_word(after) or tokens.at(after) in (b"*", b"&", b"::", b"<", b">", b",")):
        if tokens.at(after) in _INLINE:
            return b""
        after += 1
    return b"inline"


def rewrite_qualifiers(tokens: Tokens, structure: Structure, *, internal: bool) -> None:
    """Rewrite all qualifiers; `internal`: device functions and variables are this unit's own (no -rdc)."""
    if internal:
        _make_internal(tokens, structure)
    _note_managed(tokens, structure)
    _drop_restrict(tokens, structure)
    for index, text in enumerate(tokens.original):
        if tokens.text[index] != text or not text.startswith(b"__"):
            continue
        if text in _REMOVED:
            tokens.text[index] = b""
        elif text in _REMOVED_WITH_ARGUMENTS and tokens.at(index + 1) == b"(":
            tokens.clear(index, tokens.match[index + 1] + 1)
        elif text == b"__forceinline__":
            tokens.text[index] = _inline(tokens, index)
        elif text == b"__noinline__" and tokens.at(index - 1) not in (b"(", b","):
            tokens.text[index] = b"__attribute__((noinline))"
