"""Shorter headers for sources that stay as they are, by a note of an earlier build: before anything is loaded.

What a build needs for that (docs/overlay.md, "Headers without what is not used") takes imports and time to find. The
first build with certain options leaves a mark, the second finds it out and notes it (`shorten.py`), all others start
nvcc with it. Only cicc reads less then: what it makes is the same, byte for byte, while GCC's order of functions may
follow what it has read before.
Imports nothing heavy.
"""

# ruff: noqa: PTH100, PTH113, PTH120, SIM105

from __future__ import annotations

import os

from gpuopt_driver import __version__, store
from gpuopt_driver.memo import state_of, stated
from gpuopt_driver.nvcc.simple import manner
from gpuopt_driver.variables import is_on

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = "shorter"
SWITCH = "GPUOPT_TRIM"
SEEN = b"seen"
_OF_SIGNALS = 128  # what the exit status of a shell says of a program that a signal has ended, and more
_FORMAT = "1"
_NAMES = ("PATH", "NVCC_CCBIN", "GPUOPT_OVERLAY", "CPATH", "CPLUS_INCLUDE_PATH", "LD_LIBRARY_PATH", "GCC_EXEC_PREFIX")


def key_of(argv: Sequence[str], env: Mapping[str, str], nvcc: str) -> str:
    """The name of the note for builds by this nvcc with the options of a simple command line."""
    ours = os.path.dirname(os.path.abspath(__file__))
    surroundings = (f"{name}={env.get(name, '')}" for name in _NAMES)
    return store.digest(_FORMAT, __version__, ours, nvcc, stated(state_of(nvcc)), *surroundings, *manner(argv))


class Note:
    """The preloaded library, the names that nvcc's own text needs, where steps are kept, the host compiler; all paths.

    `library_digest` is what the library was; a host compiler that is another one now makes a note void.
    """

    __slots__ = ("compiler", "library", "library_digest", "needed", "steps")

    def __init__(self, library: str, library_digest: str, needed: str, steps: str, compiler: str) -> None:
        self.library = library
        self.library_digest = library_digest
        self.needed = needed
        self.steps = steps
        self.compiler = compiler

    def encoded(self) -> bytes:
        """The bytes of the note."""
        words = (self.library, self.library_digest, self.needed, self.steps, self.compiler)
        return "\0".join((*words, stated(state_of(self.compiler)))).encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> Note | None:
    """The note, None where it is none, or where what it speaks of has changed."""
    words = data.decode("utf-8", "surrogateescape").split("\0")
    if len(words) != len(Note.__slots__) + 1:
        return None
    *rest, state = words
    note = Note(*rest)
    if not state or stated(state_of(note.compiler)) != state or not os.path.isfile(note.needed):
        return None
    try:
        return note if store.digest_of_file(note.library) == note.library_digest else None
    except OSError:
        return None


def variables(argv: Sequence[str], env: Mapping[str, str], nvcc: str) -> dict[str, str]:
    """The variables that have nvcc read shorter headers; {} where these are to stay whole, or it is not known."""
    root = store.find_root(env) if is_on(env, SWITCH, otherwise=True) and not env.get("LD_PRELOAD") else None
    note = decoded(store.get(root, KIND, key_of(argv, env, nvcc)) or b"") if root else None
    if note is None:
        return {}
    for path in (note.library, note.needed):
        try:
            os.utime(path)  # the cache drops what nobody uses
        except OSError:
            pass
    shorter = {"GPUOPT_NEEDED": note.needed, "GPUOPT_NEEDED_BY": "cicc", "GPUOPT_KEPT_STEPS": note.steps}
    return {"LD_PRELOAD": note.library, **shorter}


def has_crashed(status: int, errors: bytes) -> bool:
    """Whether an nvcc that has failed ran a program that was ended by a signal, or does not say what is wrong.

    From its exit status and standard error. It may be the library's fault.
    """
    return status >= _OF_SIGNALS or not errors.strip() or b"died due to signal" in errors
