"""Small questions about C++ text that the variants service asks: comments, defaults, storage classes."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator

from gpuopt_driver.frontend.model import Function, Kernel, Unit
from gpuopt_driver.source.edits import Edit

_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')', re.DOTALL)


def strip_comments(data: bytes) -> bytes:
    """The text with comments blanked to one space each; strings are kept."""
    return _COMMENT.sub(lambda match: match.group(1) or b" ", data)


def one_line(text: str) -> str:
    """The text without comments and line breaks."""
    plain = strip_comments(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return re.sub(r"\s+", " ", plain.replace("\\\n", " "))


def balanced(data: bytes) -> bool:
    """Whether every preprocessor conditional that begins or ends in the text does both there."""
    depth = 0
    for word in re.findall(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", strip_comments(data), re.MULTILINE):
        depth += word.startswith(b"if")
        if depth == 0:
            return False
        depth -= word == b"endif"
    return depth == 0


def path_to(unit: Unit, kernel: Kernel, file: str, at: int) -> bytes:
    """What must stand in front of a kernel's new name where the old one was found through `using space::kernel;`."""
    named = [name for name in kernel.namespace if name]
    if not named or strip_comments(unit.files[file].data[:at][-200:]).rstrip().endswith(b"::"):
        return b""
    if not any(_uses(source.data, kernel.name.encode()) for source in unit.files.values()):
        return b""
    return "".join(f"::{name}" for name in named).encode() + b"::"


@functools.lru_cache(maxsize=1024)
def _uses(data: bytes, name: bytes) -> bool:
    """Whether a text has `using space::name;`; asked for every launch of a kernel by every plugin."""
    return re.search(rb"\busing\b[\w\s:]*::\s*" + name + rb"\s*;", data) is not None


def digest(*texts: str) -> str:
    """A short stable name for some texts."""
    joined = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(joined).hexdigest()[:16].upper()


def without_defaults(head: str) -> str:
    """A template head without default arguments."""
    text = one_line(head)
    out: list[str] = []
    skipping = False
    for index, depth in _depths(text):
        char = text[index]
        if depth == 1 and char == "=" and not skipping:
            skipping = True
        elif skipping and ((depth == 1 and char == ",") or depth == 0):
            skipping = False
        if not skipping:
            out.append(char)
    return "".join(out).strip()


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """(index, how many brackets are open behind it) of every character; a `<` or `>` in parentheses compares."""
    angles = others = 0
    for index, char in enumerate(text):
        if char in "([{":
            others += 1
        elif char in ")]}":
            others -= 1
        elif char == "<" and not others and "<<" not in (text[index : index + 2], text[index - 1 : index + 1]):
            angles += 1
        elif char == ">" and not others and text[index - 1] != "-":
            angles -= 1
        yield index, angles + others


def declare(type: str, name: str) -> str:
    """A declaration of `name` with a spelled type; arrays and function pointers take the name inside."""
    match = re.search(r"\(\*(?:const)?\)", type)
    if match:
        gap = "" if type[match.end() - 2] == "*" else " "
        return f"{type[: match.end() - 1]}{gap}{name}{type[match.end() - 1 :]}"
    if "[" in type:
        at = type.index("[")
        return f"{type[:at]} {name}{type[at:]}"
    return f"{type} {name}"


def storage_edits(data: bytes, kernel: Kernel | Function, file: str, author: str) -> list[Edit]:
    """Edits on a kernel's (or device function's) own text (offsets from its start) that make a clone of it `static`."""
    head = data[: kernel.name_span.start - kernel.span.start]
    plain = _COMMENT.sub(lambda match: b" " * len(match.group(0)) if not match.group(1) else match.group(0), head)
    edits = [
        Edit(file, match.start(), match.end(), b" " * len(match.group(0)), author)
        for match in re.finditer(rb'\bextern\s*"C(?:\+\+)?"|\bextern\b', plain)
    ]
    anonymous = "" in kernel.namespace
    if not anonymous and not re.search(rb"\bstatic\b", plain):
        at = _after_template_heads(plain)
        edits.append(Edit(file, at, at, b"static ", author))
    return edits


def _after_template_heads(plain: bytes) -> int:
    """The offset behind `template <...>` (and requires-free whitespace) at the start of a declaration."""
    at = 0
    while match := re.compile(rb"\s*template\s*<").match(plain, at):
        opened = match.end() - 1
        text = plain[opened:].decode("latin-1")
        at = next((opened + index + 1 for index, depth in _depths(text) if depth == 0), len(plain))
    return at + len(plain[at:]) - len(plain[at:].lstrip())


_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def without_macros(text: str, unit: Unit) -> str:
    """Text of ours in which no macro of the unit's files (`#define N 1024`) takes the place of a name."""
    macros = {name.decode() for source in unit.files.values() for name in _DEFINE.findall(source.data)}
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    taken = sorted(word for word in words & macros if not word.startswith(("GPUOPT", "__")))  # these stay CUDA's
    away = "".join(f'#pragma push_macro("{name}")\n#undef {name}\n' for name in taken)
    back = "".join(f'#pragma pop_macro("{name}")\n' for name in reversed(taken))
    return f"{away}{text}{back}"
