"""Which forms of kernels the host compiler does not take: it is asked once more, each in a file of its own name."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.emulator.toolchain import Toolchain

_MARKER = re.compile(rb'^# \d+ "(?:[^"\\\n]|\\.)*"[^\n]*', re.MULTILINE)
_NAMED = re.compile(rb"<gpuopt split (\d+)>")


def _told_apart(text: bytes, forms: Mapping[int, bytes]) -> bytes:
    """The rewritten text with files of these forms' own."""
    for number, form in forms.items():
        named = b'# 1 "<gpuopt split %d>"' % number
        text = text.replace(form, b"\n%s\n%s" % (named, _MARKER.sub(named, form)))
    return text


def refused(toolchain: Toolchain, text: bytes, forms: Mapping[int, bytes], scratch: Path) -> frozenset[int]:
    """The numbers of the forms that the host compiler's errors are about; `forms`: texts of them, in `text`."""
    asked = scratch / "forms.ii"
    asked.write_bytes(_told_apart(text, forms))
    language = ("-x", toolchain.compiler.preprocessed_language)
    with tempfile.TemporaryFile() as messages:
        quiet = replace(toolchain, messages=messages.fileno(), verbose=False)
        options = (*toolchain.generation, "-w", "-fsyntax-only")
        if quiet.run(toolchain.compiler.path, *language, *options, str(asked)) == 0:
            return frozenset()
        messages.seek(0)
        return frozenset(int(number) for number in _NAMED.findall(messages.read()))
