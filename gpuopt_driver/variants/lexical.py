"""Small questions about C++ text that the variants service asks: comments, lines, conditionals, macros."""

from __future__ import annotations

import functools
import re

from gpuopt_driver.digests import sha256
from gpuopt_driver.frontend.model import Kernel, Unit

_COMMENT = re.compile(rb'//(?:\\\r?\n|[^\n])*|/\*.*?\*/|("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')', re.DOTALL)

_CONDITIONAL = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.MULTILINE)


def strip_comments(data: bytes) -> bytes:
    """The text with comments blanked to one space each; strings are kept."""
    return _COMMENT.sub(lambda match: match.group(1) or b" ", data)


def one_line(text: str) -> str:
    """The text without comments and line breaks."""
    plain = strip_comments(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return re.sub(r"\s+", " ", re.sub(r"\\\r?\n", "", plain))  # a spliced line may end within a word


def balanced(data: bytes) -> bool:
    """Whether every preprocessor conditional that begins or ends in the text does both there."""
    depth = 0
    for word in _CONDITIONAL.findall(strip_comments(data)):
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
    return sha256(joined)[:16].upper()


_DEFINE = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


_WORD = re.compile(r"[A-Za-z_]\w*")
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)


def macros_of(unit: Unit) -> set[str]:
    """The names that the unit's files and the command line define as macros."""
    return set(unit.macros).union(*(_defined(source.data) for source in unit.files.values()))


@functools.lru_cache(maxsize=1024)
def _defined(data: bytes) -> frozenset[str]:
    """The names that one file defines; asked for every kernel."""
    return frozenset(name.decode() for name in _DEFINE.findall(data))


def without_macros(text: str, unit: Unit, theirs: str = "") -> str:
    """Text of ours in which no macro of the unit's files (`#define N 1024`) takes the place of a name.

    `theirs`: text of the unit that stands in it, whose words are what they are there.
    """
    macros = macros_of(unit)
    words = set(_WORD.findall(NO_CODE.sub(" ", text))) - set(_WORD.findall(theirs))
    taken = sorted(word for word in words & macros if not word.startswith(("GPUOPT", "__")))  # these stay CUDA's
    away = "".join(f'#pragma push_macro("{name}")\n#undef {name}\n' for name in taken)
    back = "".join(f'#pragma pop_macro("{name}")\n' for name in reversed(taken))
    return f"{away}{text}{back}"
