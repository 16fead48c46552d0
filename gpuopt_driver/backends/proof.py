"""The PTX that a build makes of versions of kernels, and whether it lets them be used (`ptx/check.py`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gpuopt_driver.answers import Unanswered
from gpuopt_driver.cache import Cache
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.overlay import Overlay, OverlayUnavailable
from gpuopt_driver.nvcc.preload import KEEP_VARIABLE, PATH_BREAKERS, Preload, kept_list
from gpuopt_driver.store import make_directories
from gpuopt_driver.variants.emitted import Emitted, Refused

_KIND = "kept-ptx"

if TYPE_CHECKING:
    from gpuopt_driver.backends.judge import Judge, SameCode


@dataclass
class Proof:
    """Whether the versions of a patched build may be used, asked once it is there.

    `kept` is what the names of the copies begin with that ptxas leaves of its input, "" where it leaves none. `asks`:
    ptxas waits until it is told which versions are refused, and these get no body. `refused` tells, after `holds`, the
    versions that must not be used, `emptied` the lines about those that have no body, or another one, in what there is.
    """

    versions: Sequence[Emitted] = ()
    kept: str = ""
    is_final: bool = True
    any_rounding: bool = False
    is_optimized: bool = True
    asks: bool = False
    refused: Refused = field(default_factory=dict)
    emptied: tuple[str, ...] = ()
    cache: Cache | None = None
    _judge: Judge | None = None

    def variables(self) -> dict[str, str]:
        """The environment variables with which nvcc is to build."""
        return {KEEP_VARIABLE: self.kept} if self.kept else {}

    @contextmanager
    def judging(self, same_code: SameCode) -> Iterator[Judge | None]:
        """Who answers while nvcc runs, if anybody is to be asked; `same_code`: of two PTX texts."""
        if not (self.asks and self.kept and self.versions) or self.cache is None:
            yield None
            return
        from gpuopt_driver.backends.judge import Judge  # noqa: PLC0415 - only for sources with versions

        self._judge = Judge(
            self.versions,
            is_final=self.is_final,
            any_rounding=self.any_rounding,
            cache=self.cache,
            same_code=same_code,
        )
        try:
            yield self._judge
        finally:
            self._judge.close()

    def has_ended_it(self) -> bool:
        """Whether a build was ended as its versions must not be used."""
        return self._judge is not None and self._judge.ended_it

    def holds(self, again: Callable[[], Sequence[str]]) -> bool:
        """Whether nothing speaks against any version; `again` compiles the sources to PTX."""
        if not self.versions:
            return True
        if self._judge is not None and self._judge.was_asked():
            self._copies()
            self.refused = {**self._judge.refused, **self._judge.unseen}
            self.emptied = self._judge.rows
            is_worth_it = any((one.kernel, one.clone) not in self.refused for one in self.versions)
            return is_worth_it and not self._judge.has_stopped
        from gpuopt_driver.ptx.check import Terms, refusals  # noqa: PLC0415 - only for sources with versions

        found = refusals(self._texts(again), self.versions, Terms(self.is_final, self.any_rounding, self.is_optimized))
        self.refused = {(one.version.kernel, one.version.clone): (one.code, one.reason) for one in found}
        return not found

    def _texts(self, again: Callable[[], Sequence[str]]) -> Sequence[str]:
        """What ptxas got; else (the library does not reach it, or it was not asked) what nvcc makes once more."""
        try:
            return self._copies() or again()
        except (Unanswered, OSError):
            return ()  # then no version was seen, and none is used

    def _copies(self) -> Sequence[str]:
        """What ptxas left of its input, which is removed."""
        texts: list[str] = []
        if self.kept:
            place = Path(self.kept)
            for path in sorted(place.parent.glob(f"{place.name}-*.ptx")):
                texts.append(path.read_text("utf-8", "surrogateescape"))
                path.unlink()
        return texts


def with_emptied(overlay: Overlay, rows: Sequence[str], env: Mapping[str, str]) -> Overlay:
    """The overlay in which versions that are known to be refused have no body, and others that of an earlier build."""
    if not isinstance(overlay, Preload):
        raise OverlayUnavailable(f"the overlay by {overlay.mechanism} does not reach ptxas")
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    if cache is None:
        raise OverlayUnavailable("no directory to keep other instructions in")
    from gpuopt_driver.backends.judge import listed  # noqa: PLC0415 - only where versions have other bodies

    return replace(overlay, ptx_map=kept_list(listed(rows, cache), env))


def proof_of(
    command: NvccCommand,
    overlay: Overlay,
    versions: Sequence[Emitted],
    env: Mapping[str, str],
    *,
    any_rounding: bool,
    asks: bool = True,
) -> Proof:
    """What a build with an overlay is to be asked about its versions; `asks`: while it is made, if that can be done."""
    kept = ""
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    if versions and cache is not None and isinstance(overlay, Preload):
        path = cache.path(_KIND, os.urandom(16).hex())
        make_directories(str(path.parent))
        kept = str(path)
    linked = command.has("dlink-time-opt", "lto", "gen-opt-lto")
    linked |= any("lto_" in value for value in command.values("generate-code"))
    later = command.dryrun or command.phase is Phase.RUN  # then others run nvcc's steps once more
    asks = asks and bool(kept) and not later and not command.device_debug  # whose sections name places in functions
    if asks:
        from gpuopt_driver.backends.judge import can_be_asked  # noqa: PLC0415 - only for sources with versions

        asks = can_be_asked()
    is_optimized = not command.device_debug or command.has("dopt")
    return Proof(versions, kept, not linked, any_rounding, is_optimized, asks, cache=cache)
