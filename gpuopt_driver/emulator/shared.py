"""`__shared__` declarations become references into the block's shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.emulator.lexer import Tokens

_STORAGE = frozenset({b"extern", b"static", b"__shared__", b"__device__", b"thread_local"})
_WITH_PARENTHESES = frozenset({b"__attribute__", b"alignas", b"decltype", b"__align__", b"typeof", b"__typeof__"})


def statement_start(tokens: Tokens, index: int) -> int:
    """The first token of the declaration that the token at `index` belongs to."""
    while index > 0:
        before = tokens.at(index - 1)
        if before in (b";", b"{", b"}", b")", b":") and not _attribute_end(tokens, index - 1):
            break
        index = tokens.match[index - 1] if _attribute_end(tokens, index - 1) else index - 1
    return index


def _attribute_end(tokens: Tokens, index: int) -> bool:
    opened = tokens.match[index]
    return tokens.at(index) == b")" and opened > 0 and tokens.at(opened - 1) in _WITH_PARENTHESES


def skip_template(tokens: Tokens, index: int) -> int:
    """From the `<` of a template argument list to behind its `>`."""
    depth = 0
    while index < len(tokens):
        text = tokens.at(index)
        if text == b"<" == tokens.at(index + 1):  # a shift
            index += 2
            continue
        depth += (text == b"<") - (text == b">")
        if depth == 0 or text in (b";", b"{"):
            return index + 1
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return index


def declarators(tokens: Tokens, index: int) -> Iterator[tuple[int, int]]:
    """(name, end) of each declarator of the declaration that begins at `index`; `end` is its `,` or `;`."""
    name = -1
    named = False  # what follows belongs to the name: array bounds, an initializer
    while index < len(tokens):
        text = tokens.at(index)
        if text in (b",", b";"):
            if name >= 0:
                yield name, index
            if text == b";":
                return
            named = False
            index += 1
        elif text == b"<" and not named:
            index = skip_template(tokens, index)
        elif text == b"(" and not named and tokens.at(index - 1) not in _WITH_PARENTHESES:
            inner = [at for at in range(index, tokens.match[index]) if tokens.is_word(at)]
            name, named = (inner[-1] if inner else name), True
            index = tokens.match[index] + 1
        elif tokens.match[index] > index:
            named = named or text == b"["
            index = tokens.match[index] + 1
        else:
            if text == b"=":
                named = True
            if tokens.is_word(index) and not named and text not in _WITH_PARENTHESES:
                name = index
            index += 1


def rewrite_local(
    tokens: Tokens, index: int, kernel: bytes, number: int, head: bytes = b"", arguments: bytes = b""
) -> bytes:
    """A `__shared__` declaration in a function; `kernel` is the kernel's tag type, `void` in device functions.

    Returns the declarations of the types that stand for the variables; these are templates where they have a `head`,
    and are named with `arguments`.
    """
    start = statement_start(tokens, index)
    dynamic = b"extern" in tokens.original[start : index + 4]
    found = list(declarators(tokens, start))
    end = found[-1][1] if found else index
    for at in range(start, end):
        if tokens.at(at) in _STORAGE:
            tokens.text[at] = b""
    tags = b""
    for count, (name, stop) in enumerate(found):
        array = tokens.at(name + 1) == b"["  # elsewhere compilers warn of parentheses
        tokens.text[name] = (b"(&%s)" if array else b"&%s") % tokens.at(name)
        if dynamic:
            value = b"::gpuopt_emu::DynamicShared()"
        else:
            tag = b"gpuopt_emu_s%d_%d_%s" % (number, count, tokens.at(name))
            tags += head + b"struct " + tag + b";"
            value = b"::gpuopt_emu::Shared<" + kernel + b"," + tag + arguments + b">()"
        tokens.text[stop] = b"=" + value + tokens.at(stop)
    return tags


def _namespaces(tokens: Tokens, index: int) -> tuple[bytes, ...]:
    """What precedes each brace that is open at `index`: the namespaces that a declaration outside functions lies in."""
    opened = [at for at in range(index) if tokens.at(at) == b"{" and tokens.match[at] > index]
    return tuple(b" ".join(tokens.original[statement_start(tokens, at) : at]) for at in opened)


def rewrite_at_file(tokens: Tokens, start: int, number: int, seen: set[tuple[bytes, ...]]) -> set[bytes]:
    """A `__shared__` declaration outside functions: each name becomes an object that stands for the memory; the names.

    An `extern` one may be repeated, as several headers of a program do; the repetitions go (`seen`: those before).
    """
    found = list(declarators(tokens, start))
    if not found:
        return set()
    names = {tokens.at(name) for name, _ in found}
    end = found[-1][1]
    if b"extern" in tokens.original[start:end]:
        declared = (*_namespaces(tokens, start), *tokens.original[start:end])
        if declared in seen:
            tokens.clear(start, end + 1)
            return names
        seen.add(declared)
    for at in range(start, end):
        if tokens.at(at) in _STORAGE:
            tokens.text[at] = b""
    objects = b""
    for count, (name, _) in enumerate(found):
        tag = b"gpuopt_emu_s%d_%d_%s" % (number, count, tokens.at(name))
        view = b"::gpuopt_emu::SharedAtFile<" + tag + b"," + tag + b"_type>"
        objects += b"struct " + tag + b";static const " + view + b" " + tokens.at(name) + b"={};"
        tokens.text[name] = tag + b"_type"
    tokens.text[start] = b"typedef " + tokens.text[start]
    tokens.text[end] = b";" + objects
    return names


def name_memory(tokens: Tokens, start: int, end: int, names: set[bytes]) -> None:
    """Whole operands in device code [start, end) that are such names: the memory, whose type templates, `auto` and
    casts may ask for."""
    for at in tokens.places(*names):
        if start <= at < end and tokens.text[at] == tokens.at(at) and _is_operand(tokens, at):
            tokens.text[at] = b"::gpuopt_emu::memory_of(" + tokens.at(at) + b")"


def _is_operand(tokens: Tokens, at: int) -> bool:
    before, after = tokens.at(at - 1), tokens.at(at + 1)
    if before == b"return":
        return after == b";"
    return before in (b"(", b",", b"=") and after in (b")", b",", b";")
