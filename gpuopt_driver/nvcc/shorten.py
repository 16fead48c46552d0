"""Finding out, once for a way of calling nvcc, what lets it read shorter headers; see `shorter.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuopt_driver import store
from gpuopt_driver.cache import in_turn
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.overlay import OverlayUnavailable, prepare
from gpuopt_driver.nvcc.preload import Preload
from gpuopt_driver.nvcc.registration import needed_names
from gpuopt_driver.nvcc.shorter import KIND, SEEN, SWITCH, Note, decoded, key_of
from gpuopt_driver.nvcc.simple import only_result
from gpuopt_driver.variables import is_on

_WHOLE = b"whole"
# What the host compiler may say otherwise of shorter headers, in any language: an error, a type of a template. What
# `file(12): ` begins is cudafe++'s, which looks at that by itself; other lines with blanks first quote sources.
_HOST_WORDS = re.compile(
    rb"^(?:\S.*:\d+:\d+: (?!(?:warning|note): )"
    rb"|(?!.*\(\d+\): )\S.*(?:<|\[with )"
    rb"|    \S.*(?:<|\[with ).*:\d+[:,]$)",
    re.MULTILINE,
)


def may_speak_of_headers(errors: bytes) -> bool:
    """Whether the host compiler has said something that could be otherwise with whole headers."""
    return _HOST_WORDS.search(errors) is not None


def learn(argv: Sequence[str], command: NvccCommand, nvcc: str, env: Mapping[str, str]) -> None:
    """After a build of sources that stay as they are: see to it that others like it can have shorter headers."""
    root = store.find_root(env) if is_on(env, SWITCH, otherwise=True) and only_result(argv) is not None else None
    if root is None:
        return
    key = key_of(argv, env, nvcc)
    known = store.get(root, KIND, key)
    if known is None:  # nobody knows whether another one comes
        store.put(root, KIND, key, SEEN)
    elif known != _WHOLE and decoded(known) is None:  # marked, or of a library or host compiler that was there before
        try:
            with in_turn(Path(root, KIND)):
                if store.get(root, KIND, key) == known:
                    store.put(root, KIND, key, _found_out(command, nvcc, env))
        except OSError:
            return


def _found_out(command: NvccCommand, nvcc: str, env: Mapping[str, str]) -> bytes:
    """The note, or what says that there is to be none."""
    compiler, names = host_compiler(command, env), needed_names(command, RealNvcc(nvcc, ""), env)
    if not compiler or not names:
        return _WHOLE
    try:
        overlay = prepare(command, {}, env, nvcc=nvcc)
    except OverlayUnavailable:
        return SEEN  # perhaps for a passing reason
    if not isinstance(overlay, Preload) or not overlay.steps:
        return _WHOLE
    return Note(overlay.library, store.digest_of_file(overlay.library), names, overlay.steps, compiler).encoded()
