"""What copies of a kernel or device function declare otherwise than it: they are `static`, and in its namespaces.

Attributes that need external linkage are taken out, from the text or, where a macro writes them, by macros of their
names that stand around the copy's declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.declarators import head_end, named_head
from gpuopt_driver.frontend.model import UNSPELLABLE, Function, Kernel, Unit
from gpuopt_driver.frontend.signatures import UNNAMED
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.lexical import macros_of, one_line

_NEED_LINKAGE = ("visibility", "weak", "externally_visible")
_WARNED_OF = ("deprecated", "unavailable", "warning", "error", "diagnose_if", "enable_if")
_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')', re.DOTALL)
_ATTRIBUTES = re.compile(rb"\b__attribute(?:__)?\s*\(")
_ONE = rb"(?:__)?(%s)(?:__)?\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?"
_ITEM = re.compile(rb"(?<!\w)" + _ONE % "|".join(_NEED_LINKAGE).encode() + rb"(?=[,)\]])")
_QUALIFIER = re.compile(rb"(?:::\s*)?(?:\w+\s*::\s*)+\Z")
# What may stand in front of `[[...]]`: attributes, and macros that give them.
_ATTRIBUTE = re.compile(
    rb"\[\[|(?!(?:void|auto|static|inline|extern|const|constexpr|volatile|typename|decltype)\b)"
    rb"(?:__\w+|[A-Z][A-Z0-9_]*)\b(?!\s*(?:::|<))"
)
_EXTERN = re.compile(rb'\bextern\s*"C(?:\+\+)?"|\bextern\b')


def _of_parameters(kernel: Kernel) -> str:
    """Why a kernel's parameters could not be those of another function, "" where they could."""
    if any(re.search(r"\bauto\b", param.text) for param in kernel.params):
        return "a parameter is written as auto"
    if any(param.name == kernel.name for param in kernel.params):
        return "a parameter has the kernel's own name, which the functions that launch it could not use"
    if any("::*" in param.type for param in kernel.params):
        return "nvcc does not compile a static kernel with a pointer to a member as its parameter"
    return ""


def why_not_copied(unit: Unit, kernel: Kernel) -> str | None:
    """Why a copy of the kernel under another name would not do what the kernel does, by how it is declared."""
    attributes = kernel.declared.attributes
    if kernel.declared.adrift:
        return kernel.declared.adrift
    if "weak" in attributes and not kernel.template_params:
        return "the kernel is weak: another file's definition may take its place"
    warned = next((name for name in _WARNED_OF if name in attributes), None)
    if warned:
        return f"the compilers have to see every launch of the kernel: it is declared {warned}"
    data = unit.files[kernel.span.file].data
    if kernel.facts_of is not None and not kernel.facts_of.spellable:
        return UNSPELLABLE
    named = _of_parameters(kernel)
    if named:
        return named
    if kernel.template_params and not kernel.template_head:
        return "the kernel's template parameters come out of a macro"
    written = re.search(rb'\bextern\s*"C', data[kernel.span.start : kernel.name_span.start])
    if kernel.links_c_alone and not written:
        return 'the kernel\'s extern "C" comes out of a macro'
    words = _hidden(kernel, data)
    if not words:
        return None
    inside = data[kernel.params_span.start : kernel.span.end]
    taken = macros_of(unit).union(word.decode() for word in re.findall(rb"\b\w+\b", inside))
    clash = next((word for word in words if word in taken), None)
    return f"a macro declares the kernel {clash}, which a version cannot be" if clash else None


def storage_edits(data: bytes, kernel: Kernel | Function, file: str, author: str) -> list[Edit]:
    """Edits on a kernel's (or device function's) own text (offsets from its start) that make a clone of it `static`."""
    head = _plain(data[: kernel.name_span.start - kernel.span.start])
    edits = [_blank(file, found.start(), found.end(), author) for found in _EXTERN.finditer(head)]
    front, late = _front(head)
    linked = dict(_needing_linkage(head))
    inside = {at for at in linked if any(start <= at < end for start, end in late)}
    edits += [Edit(file, at, end, b"unused", author) for at, end in linked.items() if at not in inside]
    edits += [_blank(file, start, end, author) for start, end in late]
    first = b"".join(_ITEM.sub(b"unused", head[start:end]) + b" " for start, end in late)
    qualifier = _QUALIFIER.search(head)
    if kernel.declared.outside and qualifier:
        edits.append(_blank(file, qualifier.start(), qualifier.end(), author))
    anonymous = "" in kernel.namespace
    if not anonymous and not kernel.declared.is_static and not re.search(rb"\bstatic\b", head):
        first += b"static "
    return [*edits, Edit(file, front, front, first, author)] if first else edits


def opened(namespaces: Sequence[str]) -> str:
    """The text that opens namespaces; "" stands for an anonymous one."""
    return "".join(f"namespace {name} {{ " if name else "namespace { " for name in namespaces)


def around(kernel: Kernel | Function, data: bytes) -> tuple[str, str, str]:
    """What has to stand in front of a copy, in front of its body, and behind it, each on lines of its own.

    Empty but where a macro gives the original an attribute that needs external linkage: such attributes are macros
    themselves there.
    """
    words = _hidden(kernel, data)
    if not words:
        return "", "", ""
    before, inside, behind = [], [], []
    for word in words:
        given = "(...)" if word.strip("_") == "visibility" else ""
        before.append(f'#pragma push_macro("{word}")\n#undef {word}\n#define {word}{given} unused\n')
        inside.append(f"#ifdef {word}\n#undef {word}\n#endif\n")  # asked for: -Wunused-macros
        behind.append(f'#pragma pop_macro("{word}")\n')
    line = kernel.body.line
    return "".join(before), f"\n{''.join(inside)}#line {line}\n", "".join(behind)


def definition_head(kernel: Kernel) -> str:
    """A template's head as a definition behind the kernel's own has it: all parameters named, without defaults."""
    return named_head(one_line(kernel.template_head), kernel.template_params, UNNAMED, defaults=False)


def declaration_head(kernel: Kernel) -> str:
    """The same with default arguments, for the first declaration."""
    return named_head(one_line(kernel.template_head), kernel.template_params, UNNAMED, defaults=True)


def _hidden(kernel: Kernel | Function, data: bytes) -> tuple[str, ...]:
    """The attributes that need external linkage and that a macro writes, in both their spellings."""
    if not kernel.declared.in_macro:
        return ()
    head = _plain(data[kernel.span.start : kernel.name_span.start])
    written = {found.group(1).decode() for found in _ITEM.finditer(head)}
    names = [name for name in _NEED_LINKAGE if name in kernel.declared.attributes and name not in written]
    return tuple(spelled for name in names for spelled in (name, f"__{name}__"))


def _needing_linkage(head: bytes) -> Iterator[tuple[int, int]]:
    """Where the attributes that need external linkage are written."""
    lists = [(found.end() - 1, head.find(b")", found.end())) for found in _ATTRIBUTES.finditer(head)]
    lists += [(found.start(), found.end()) for found in re.finditer(rb"\[\[.*?\]\]", head, re.DOTALL)]
    for opened, _ in lists:
        closed = lexing.closing(head, opened, len(head))
        for item in _ITEM.finditer(head, opened, closed or len(head)):
            yield item.start(), item.end()


def _blank(file: str, start: int, end: int, author: str) -> Edit:
    return Edit(file, start, end, b" " * (end - start), author)


def _plain(text: bytes) -> bytes:
    """The text of the same length with blanks for comments."""
    return _COMMENT.sub(lambda found: b" " * len(found.group()) if not found.group(1) else found.group(), text)


def _front(plain: bytes) -> tuple[int, list[tuple[int, int]]]:
    """Where `static` may stand, behind template heads and `[[...]]`; the `[[...]]` behind `__global__` and its like.

    C++ allows none behind `static`, and Clang in a namespace or `extern "C++"` none behind attributes.
    """
    at = front = lexing.skip_gap(plain, head_end(plain, 0, len(plain)))
    late: list[tuple[int, int]] = []
    is_first = True
    while word := _ATTRIBUTE.match(plain, at):
        is_list = word.group() == b"[["
        opened = at if is_list else lexing.skip_gap(plain, word.end())
        at = opened
        if is_list or plain[opened : opened + 1] == b"(":
            closed = lexing.closing(plain, opened, len(plain))
            if closed is None:
                break
            at = lexing.skip_gap(plain, closed + 1)
            if is_list and not is_first:
                late.append((opened, closed + 1))
        is_first = is_first and is_list
        front = at if is_first else front
    return front, late
