"""Cooperative groups of the whole block: what `this_thread_block()` says is said of the virtual block.

Tiles of at most a warp lie in the same warp of the launched block as in the virtual one, so they stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuopt_driver.api import Edit, Kernel, SourceFile

_MAKES = rb"(?:\w+\s*::\s*)*this_thread_block\s*\(\s*\)"
_DECLARED = re.compile(rb"(?:const\s+)?(?:auto|(?:\w+\s*::\s*)*thread_block)\s+(\w+)\s*=\s*" + _MAKES + rb"\s*;")
_ASIDE = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![\w'])'(?:\\.|[^'\\\n])+'", re.S)
_MEMBERS = {
    b"sync": "gpuopt_at.sync()",
    b"thread_rank": "gpuopt_at.rank()",
    b"size": "gpuopt_at.threads",
    b"num_threads": "gpuopt_at.threads",
    b"group_index": "gpuopt_at.block",
    b"thread_index": "gpuopt_at.thread",
    b"group_dim": "gpuopt_at.size",
    b"dim_threads": "gpuopt_at.size",
}


def group_edits(kernel: Kernel, source: SourceFile, author: str) -> list[Edit] | None:
    """The edits for every mention of the block's group in the kernel's body; None: one is not understood."""
    body = _code(source.data[kernel.body.start : kernel.body.end])
    made = _DECLARED.findall(body)
    if b"meta_group" in body or len(set(made)) != len(made):
        return None
    edits: list[Edit] = []
    counted = 0
    for text in [_MAKES, *(rb"\b%s\b" % re.escape(name) for name in made)]:
        counted += len(re.findall(text, body))
        for start, end, new in _uses(body, text):
            counted -= 1
            if new:
                edits.append(
                    Edit(source.path, kernel.body.start + start, kernel.body.start + end, new.encode(), author)
                )
    counted -= 2 * len(made)  # the declarations themselves: name and call
    return edits if counted == 0 else None


def _code(text: bytes) -> bytes:
    """A text with blanks for comments and literals, where a group's name means nothing; raw strings stay."""
    return text if b'R"' in text else _ASIDE.sub(lambda found: b" " * len(found.group()), text)


def _uses(body: bytes, group: bytes) -> Iterator[tuple[int, int, str]]:
    """The uses that are understood: where, and what becomes of them ("": nothing)."""
    for member, new in _MEMBERS.items():
        for found in re.finditer(group + rb"\s*\.\s*%s\s*\(\s*\)" % member, body):
            yield found.start(), found.end(), new
    for found in re.finditer(rb"\b(?:\w+\s*::\s*)*sync\s*\(\s*" + group + rb"\s*\)", body):
        yield found.start(), found.end(), "gpuopt_at.sync()"
    for found in re.finditer(rb"\btiled_partition\s*<\s*(\d+)\s*>\s*\(\s*" + group + rb"\s*\)", body):
        if int(found.group(1)) <= 32:
            yield found.start(), found.end(), ""
