"""Building with the real nvcc, which gets the user's own arguments: by becoming it, or supervised with patches.

A patched compilation that fails says nothing to the user: the original one takes its place, with one warning if that
one succeeds, and with nothing but nvcc's own words if the fault is the user's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from gpuopt_driver.backends.process import Attempt, Capture, execute, supervise
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import RealNvcc, guarded
from gpuopt_driver.nvcc.overlay import Overlay
from gpuopt_driver.nvcc.rehearsal import rehearsal
from gpuopt_driver.nvcc.stdin import Source, feed


def _environment(command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> dict[str, str]:
    """The environment for nvcc; a program that `-run` starts must not inherit the guard against loops."""
    return dict(env) if command.phase is Phase.RUN else guarded(env, nvcc.path)


@dataclass(frozen=True, slots=True)
class _Patched:
    """The patched build of a command."""

    command: NvccCommand
    nvcc: RealNvcc
    overlay: Overlay
    env: Mapping[str, str]
    source: Source | None

    def become(self) -> NoReturn:
        """Become nvcc with the patches."""
        overlay = self.overlay
        self._feed()
        if overlay.needs_entering:
            overlay.enter()
        execute(self.nvcc.path, overlay.arguments(self.command.argv_for_nvcc), overlay.environment(self.env))

    def run(self, argv: Sequence[str], capture: Capture) -> Attempt:
        """Run nvcc with the patches and these arguments. It fails where not all patches can have been seen."""
        overlay = self.overlay
        self._feed()
        before = overlay.enter_or_end if overlay.needs_entering else None
        attempt = supervise(self.nvcc.path, overlay.arguments(argv), overlay.environment(self.env), capture, before)
        return attempt.failed() if attempt.succeeded and overlay.was_evaded(capture.errors()) else attempt

    def _feed(self) -> None:
        if self.source is not None:
            feed(self.source.patched)

    def try_out(self, capture: Capture) -> Attempt:
        """The build; for `-run` a rehearsal, as a program's exit status must not be taken for nvcc's."""
        if self.command.phase is not Phase.RUN:
            return self.run(self.command.argv_for_nvcc, capture)
        with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
            argv, surroundings = rehearsal(self.command, self.env, str(Path(scratch, "program")))
            return replace(self, env=surroundings).run(argv, capture)


def build(
    command: NvccCommand,
    nvcc: RealNvcc,
    overlay: Overlay | None,
    env: Mapping[str, str],
    on_failure: Callable[[bool], None] = lambda _: None,
    source: Source | None = None,
) -> int:
    """Run nvcc; the exit status, standard output and error are nvcc's. Without an overlay we become nvcc.

    `on_failure` is called where the patched build failed: with True if the original one succeeds. `source` is what
    nvcc is to read from standard input, None for what is there.
    """
    plain = _environment(command, nvcc, env)
    if overlay is None:
        execute(nvcc.path, command.argv_for_nvcc, plain)
    patched = _Patched(command, nvcc, overlay, plain, source)
    if command.dryrun:
        os.write(2, overlay.dryrun_lines(plain))
        patched.become()
    capture = Capture()
    try:
        attempt = patched.try_out(capture)
    finally:
        overlay.close()
    if attempt.succeeded and command.phase is Phase.RUN:
        patched.become()
    if attempt.succeeded or attempt.interrupted:
        capture.replay(overlay.as_without)
        return attempt.finish()
    if source is not None:
        feed(source.original)
    if command.phase is Phase.RUN:  # the program may want a terminal
        on_failure(True)
        execute(nvcc.path, command.argv_for_nvcc, plain)
    capture = Capture()
    attempt = supervise(nvcc.path, command.argv_for_nvcc, plain, capture)
    on_failure(attempt.succeeded)
    capture.replay()
    return attempt.finish()
