"""PTX that is changed between nvcc's steps, so that versions are rounded as their kernels (`ptx/mend.py`).

nvcc builds once more with a list of texts that stand for others; what it built then is compared as before. The list is
kept, so that later builds have it from the start. It is a hint: where it does not fit any more, all is found out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.preload import Preload
from gpuopt_driver.nvcc.tokens import with_environment

if TYPE_CHECKING:
    from gpuopt_driver.ptx.check import Refusal

SameCode = Callable[[str, str], bool]
_KIND = "ptx-mended"
_JUDGED = "ptx-judged"
_CODEC = ("utf-8", "surrogateescape")


@dataclass
class Mending:
    """Changed PTX for nvcc's next run. `used` is the list that it has, "" none; `known` is where the list is kept."""

    cache: Cache
    known: str
    used: str = ""
    is_new: bool = False

    @classmethod
    def of(
        cls, command: NvccCommand, nvcc: str, overlay: Preload, cache: Cache, env: Mapping[str, str]
    ) -> Mending | None:
        """Where we start every program that reads PTX and see what comes of it, None elsewhere."""
        if command.dryrun or command.phase is Phase.RUN or overlay.ptx_map:
            return None
        arguments = with_environment(command.argv_for_nvcc, env)
        known = cache.path(_KIND, digest(overlay.map_path, command.cwd, *_compiler(nvcc), *arguments))
        return cls(cache, str(known), str(known) if known.is_file() else "")

    def judged(self, text: str) -> str:
        """A PTX module as it is to be compared: with what was found out of its machine code written down."""
        if not self.used:
            return text
        known = self.cache.get(_JUDGED, digest(text.encode(*_CODEC)))
        return text if known is None else known.decode(*_CODEC)

    def next(
        self, found: Sequence[Refusal], seen: Sequence[str], same_code: SameCode, *, has_failed: bool
    ) -> tuple[set[tuple[str, str]], bool]:
        """The versions that cannot be helped, of those found, and whether another run of nvcc may help the others."""
        was_new, was_used = self.is_new, bool(self.used)
        self.used, self.is_new = "", False
        if was_used or has_failed:  # an earlier build's list is out of date; one that was made now does not help
            Path(self.known).unlink(missing_ok=True)
            return set(), was_used and not was_new
        from gpuopt_driver.ptx.check import mends  # noqa: PLC0415 - only where versions are refused

        made = mends(seen, found)
        if made.hopeless or not made.modules:
            return {(one.kernel, one.clone) for one in made.hopeless}, False
        if not all(one.before == one.assumed or same_code(one.before, one.assumed) for one in made.modules):
            return set(), False
        try:
            for one in made.modules:
                self.cache.put(_JUDGED, digest(one.after.encode(*_CODEC)), one.judged.encode(*_CODEC))
            rows = [f"{fnv(one.before)} {fnv(one.after)} {self._written(one.after)}\n" for one in made.modules]
            write_atomic(self.known, "".join(rows).encode())
        except OSError:
            return set(), False
        self.used, self.is_new = self.known, True
        return set(), True

    def _written(self, text: str) -> str:
        data = text.encode(*_CODEC)
        path = self.cache.path(_KIND, digest(data), ".ptx")
        write_atomic(path, data)
        return str(path)


def _compiler(nvcc: str) -> Iterator[str]:
    """What a new release of the compiler changes: another ptxas may fuse other products."""
    own = Path(nvcc).resolve()
    for path in (own, own.with_name("ptxas")):
        with suppress(OSError):
            status = path.stat()
            yield f"{path} {status.st_size} {status.st_mtime_ns}"


def fnv(text: str) -> str:
    """FNV-1a of a text; `ptx.c` computes the same."""
    value = 0xCBF29CE484222325
    for byte in text.encode(*_CODEC):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"
