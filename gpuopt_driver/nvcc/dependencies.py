"""Files that a result depends on beyond its sources, told to whoever reads nvcc's dependency files and line markers.

nvcc makes dependency files from the line markers of the preprocessed text, and ccache finds in them what to check. So a
`#line` naming the file, behind the last line of the main source, tells both; no text follows that it could speak of.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuopt_driver.nvcc.command import NvccCommand, Phase

_BLANKS = b" \t\v\f\r\n"
_OF_SOURCE = rb"^[^\n]*:\s(?:\\\n|\s)*%b(?=\s|$)(?:[^\\\n]|\\.|\\\n)*"
_RULE = re.compile(rb"\A(?:[^\\\n]|\\.|\\\n)+", re.DOTALL)  # the first rule, over continued lines


def are_asked_for(command: NvccCommand) -> bool:
    """Whether the command tells anybody what its results depend on: a dependency file, or preprocessed text."""
    return command.writes_depfile or command.phase in (Phase.DEPENDENCIES, Phase.PREPROCESS)


def ccache_reads(command: NvccCommand, env: Mapping[str, str]) -> bool:
    """Whether ccache will look at the preprocessed text: it sets this variable for the compilers that it starts."""
    return command.phase is Phase.PREPROCESS and bool(env.get("CCACHE_DISABLE"))


def spelled(path: str, command: NvccCommand, source: str) -> str:
    """A file's name as a dependency of `source`: absolute where the source is named so, else relative to the cwd."""
    if os.path.isabs(source):  # noqa: PTH117
        return command.path(path)
    return os.path.relpath(os.path.realpath(command.path(path)), os.path.realpath(command.cwd))


def can_be_named(name: str, source: str, compiler: str) -> bool:
    """Whether dependency files can hold a name. clang's markers, and so nvcc's files, are wrong beyond ASCII.

    Where the source's own name is of that kind, no build tool relies on them.
    """
    return name.isascii() or not source.isascii() or "clang" not in Path(os.path.realpath(compiler)).name


def with_dependencies(data: bytes, names: Sequence[str]) -> bytes:
    """The text of a main source that names further files as dependencies; a name that no line can hold is left out."""
    lines = []
    for name in names:
        text = os.fsencode(name)
        if b"\n" not in text and b"\r" not in text:
            escaped = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
            lines.append(b'#line 1 "%s"\n' % escaped)
    if not lines:
        return data
    end = b"" if data.endswith(b"\n") or not data else b"\n"
    if data.rstrip(_BLANKS).endswith((b"\\", b"??/")):  # it would join the first of our lines to its own
        end += b"\n"
    return b"".join((data, end, *lines))


def with_prerequisite(depfile: bytes, name: str, source: str = "") -> bytes:
    """The text of a dependency file whose first rule has a prerequisite, which it may have already.

    With a source it is the rule whose first prerequisite this is: there may be others, and other text in front.
    """
    text = _escaped(name)
    of_source = re.compile(_OF_SOURCE % re.escape(_escaped(source)), re.DOTALL | re.MULTILINE)
    rule = (of_source if source else _RULE).search(depfile)
    if rule is None or b"\n" in text or _is_named(text, rule.group(0)):
        return depfile
    return b"".join((depfile[: rule.end()], b" \\\n ", text, depfile[rule.end() :]))


def with_empty_rule(depfile: bytes, name: str) -> bytes:
    """The text with a rule that lets a prerequisite, if it is one, be missing, as -MP has one for every header."""
    text = _escaped(name)
    if not _is_named(text, depfile) or b"\n" in text or re.search(rb"^%b:" % re.escape(text), depfile, re.MULTILINE):
        return depfile
    return b"%b\n%b:\n" % (depfile, text)


def _is_named(text: bytes, rules: bytes) -> bool:
    return re.search(rb"\s%b\s" % re.escape(text), rules + b"\n") is not None


def _escaped(name: str) -> bytes:
    text = os.fsencode(name)
    return text.replace(b"$", b"$$").replace(b"#", b"\\#").replace(b" ", b"\\ ")
