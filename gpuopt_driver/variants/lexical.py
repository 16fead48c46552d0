"""Small questions about C++ text that the variants service asks: comments, defaults, storage classes."""

from __future__ import annotations

import hashlib
import re

from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.edits import Edit

_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')', re.DOTALL)


def strip_comments(data: bytes) -> bytes:
    """The text with comments blanked to one space each; strings are kept."""
    return _COMMENT.sub(lambda match: match.group(1) or b" ", data)


def one_line(text: str) -> str:
    """The text without comments and line breaks."""
    plain = strip_comments(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return re.sub(r"\s+", " ", plain.replace("\\\n", " "))


def digest(*texts: str) -> str:
    """A short stable name for some texts."""
    joined = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(joined).hexdigest()[:16].upper()


def without_defaults(head: str) -> str:
    """A template head without default arguments."""
    out: list[str] = []
    depth = 0
    skipping = False
    text = one_line(head)
    for index, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "<":
            depth += 1
        elif char == ">" and text[index - 1] != "-":
            depth -= 1
        if depth == 1 and char == "=" and not skipping:
            skipping = True
        elif skipping and ((depth == 1 and char == ",") or depth == 0):
            skipping = False
        if not skipping:
            out.append(char)
    return "".join(out).strip()


def declare(type: str, name: str) -> str:
    """A declaration of `name` with a spelled type; arrays and function pointers take the name inside."""
    match = re.search(r"\(\*(?:const)?\)", type)
    if match:
        return f"{type[: match.end() - 1]}{name}{type[match.end() - 1 :]}"
    if "[" in type:
        at = type.index("[")
        return f"{type[:at]} {name}{type[at:]}"
    return f"{type} {name}"


def storage_edits(data: bytes, kernel: Kernel, file: str, author: str) -> list[Edit]:
    """Edits on a kernel's own text (offsets from its start) that make a clone of it `static`."""
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
        depth, index = 1, match.end()
        while depth and index < len(plain):
            char = plain[index : index + 1]
            if char in b"<(":
                depth += 1
            elif char in b")" or (char == b">" and plain[index - 1 : index] != b"-"):
                depth -= 1
            index += 1
        at = index
    return at + len(plain[at:]) - len(plain[at:].lstrip())
