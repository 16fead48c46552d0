"""The PTX that a build makes of versions of kernels, and whether it lets them be used (`ptx/check.py`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gpuopt_driver.answers import Unanswered
from gpuopt_driver.backends.mending import Mending, SameCode
from gpuopt_driver.cache import Cache
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.overlay import Overlay
from gpuopt_driver.nvcc.preload import KEEP_VARIABLE, MENDED_VARIABLE, PATH_BREAKERS, Preload
from gpuopt_driver.store import make_directories
from gpuopt_driver.variants.emitted import Emitted, Refused

if TYPE_CHECKING:
    from gpuopt_driver.ptx.check import Refusal

_KIND = "kept-ptx"


@dataclass
class Proof:
    """Whether the versions of a patched build may be used, asked once it is there.

    `kept` is what the names of the copies begin with that ptxas leaves of its input, "" where it leaves none. `refused`
    tells, after `holds`, the versions that must not be used.
    """

    versions: Sequence[Emitted] = ()
    kept: str = ""
    is_final: bool = True
    any_rounding: bool = False
    refused: Refused = field(default_factory=dict)
    mending: Mending | None = None
    _seen: Sequence[str] = ()
    _found: Sequence[Refusal] = ()

    @property
    def is_mended(self) -> bool:
        """Whether nvcc's PTX was changed so that versions have the rounding of their kernels."""
        return self.mending is not None and bool(self.mending.used)

    def variables(self) -> dict[str, str]:
        """The environment variables with which nvcc is to build."""
        kept = {KEEP_VARIABLE: self.kept} if self.kept else {}
        return {**kept, MENDED_VARIABLE: self.mending.used} if self.mending is not None and self.mending.used else kept

    def can_hold(self, same_code: SameCode, *, has_failed: bool = False) -> bool:
        """Whether nvcc is to build once more, with other PTX, after versions were refused, or it `has_failed` so.

        Where not, `refused` has what cannot be mended: the rest is for the next proof. `same_code` says whether two
        PTX texts have the same machine code.
        """
        if self.mending is None:
            return False
        hopeless, is_changed = self.mending.next(self._found, self._seen, same_code, has_failed=has_failed)
        if hopeless:
            self.refused = {key: told for key, told in self.refused.items() if key in hopeless}
        return is_changed

    def holds(self, again: Callable[[], Sequence[str]]) -> bool:
        """Whether nothing speaks against any version; `again` compiles the sources to PTX."""
        if not self.versions:
            return True
        from gpuopt_driver.ptx.check import Terms, refusals  # noqa: PLC0415 - only for sources with versions

        self._seen = self._texts(again)
        known = (lambda text: text) if self.mending is None else self.mending.judged
        self._found = found = refusals(self._seen, self.versions, Terms(self.is_final, self.any_rounding), known)
        self.refused = {(one.version.kernel, one.version.clone): (one.code, one.reason) for one in found}
        return not found

    def _texts(self, again: Callable[[], Sequence[str]]) -> Sequence[str]:
        """What ptxas got; else (the library does not reach it, or it was not asked) what nvcc makes once more."""
        texts: list[str] = []
        if self.kept:
            place = Path(self.kept)
            for path in sorted(place.parent.glob(f"{place.name}-*.ptx")):
                texts.append(path.read_text("utf-8", "surrogateescape"))
                path.unlink()
        try:
            return texts or again()
        except (Unanswered, OSError):
            return ()  # then no version was seen, and none is used


def proof_of(
    command: NvccCommand,
    nvcc: str,
    overlay: Overlay,
    versions: Sequence[Emitted],
    env: Mapping[str, str],
    *,
    any_rounding: bool,
) -> Proof:
    """What a build with an overlay is to be asked about its versions."""
    kept = ""
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    if versions and cache is not None and isinstance(overlay, Preload):
        path = cache.path(_KIND, os.urandom(16).hex())
        make_directories(str(path.parent))
        kept = str(path)
    linked = command.has("dlink-time-opt", "lto", "gen-opt-lto")
    linked |= any("lto_" in value for value in command.values("generate-code"))
    mending = None
    if kept and cache is not None and isinstance(overlay, Preload) and not linked and not any_rounding:
        mending = Mending.of(command, nvcc, overlay, cache, env)
    return Proof(versions, kept, not linked, any_rounding, mending=mending)
