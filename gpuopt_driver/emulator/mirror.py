"""Patched files in place of the user's: a copy of the user's files in which includes find each other as before.

Every file that a source includes from outside the system directories is copied under a root, at its absolute path, and
starts with a `#line` that gives it its own name back. Include directories are searched under the root first.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.toolchain import Toolchain

_WORD = re.compile(rb"(?:\\.|\$\$|[^\s\\])+")
_TWO_WORDS = ("-isystem", "-include")


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The copy of a source, and the toolchain whose include directories lead to the copies."""

    source: str
    toolchain: Toolchain


def _dependencies(toolchain: Toolchain, source: str) -> list[str]:
    """The user's files that a source is made of, as the compiler names them; empty if it cannot be preprocessed."""
    command = (
        toolchain.compiler.path, "-E", "-MM", "-MT", "x", "-x", "c++", *toolchain.generation,
        *toolchain.cuda_preprocessing, source,
    )  # fmt: skip
    done = subprocess.run(
        command, cwd=toolchain.cwd, env=dict(toolchain.env), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        return []
    text = done.stdout.replace(b"\\\n", b" ").partition(b":")[2]
    words = (re.sub(rb"\\(.)|\$(\$)", rb"\1\2", word) for word in _WORD.findall(text))
    return [os.fsdecode(word) for word in words]


def _absolute(toolchain: Toolchain, path: str) -> str:
    return os.path.normpath(os.path.join(toolchain.cwd, path))  # noqa: PTH118 - symbolic links must stay


def _under(root: Path, path: str) -> str:
    return f"{root}{path}"


def _redirected(toolchain: Toolchain, root: Path, copied: set[str]) -> tuple[str, ...]:
    """The preprocessing options, with each directory searched under the root first."""
    options: list[str] = []
    words = iter(toolchain.preprocessing)
    for word in words:
        if word in _TWO_WORDS:
            value = next(words, "")
            absolute = _absolute(toolchain, value)
            if word == "-include" and absolute in copied:
                value = _under(root, absolute)
            elif word == "-isystem":
                options += [word, _under(root, absolute)]
            options += [word, value]
            continue
        if word.startswith("-I"):
            options.append(f"-I{_under(root, _absolute(toolchain, word[2:]))}")
        options.append(word)
    return tuple(options)


def mirror(toolchain: Toolchain, source: str, patched: Mapping[str, bytes], root: Path) -> Mirrored | None:
    """Copy a source and its includes under `root`; None where none of its files is patched."""
    by_path = {os.path.realpath(path): data for path, data in patched.items()}
    copied: set[str] = set()
    changed = False
    for name in _dependencies(toolchain, source):
        absolute = _absolute(toolchain, name)
        data = by_path.get(os.path.realpath(absolute))
        changed = changed or data is not None
        if data is None:
            data = Path(absolute).read_bytes()
        copy = Path(_under(root, absolute))
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(
            b"#line 1 " + os.fsencode(json.dumps(name, ensure_ascii=False)) + b"\n" + data.removeprefix(codecs.BOM_UTF8)
        )
        copied.add(absolute)
    if not changed:
        return None
    redirected = replace(toolchain, preprocessing=_redirected(toolchain, root, copied))
    return Mirrored(_under(root, _absolute(toolchain, source)), redirected)
