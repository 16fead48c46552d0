"""Building with the real nvcc, which gets the user's own arguments: by becoming it, or supervised with patches.

A patched compilation that fails says nothing to the user: the original one takes its place, with one warning if that
one succeeds, and with nothing but nvcc's own words if the fault is the user's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from gpuopt_driver.backends.ahead import is_wanted
from gpuopt_driver.backends.device_ptx import first_error, ptx_texts, same_code, without_flags
from gpuopt_driver.backends.process import Attempt, Capture, execute, supervise
from gpuopt_driver.backends.proof import Proof
from gpuopt_driver.backends.trial import Verdict, compiles
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import RealNvcc, guarded
from gpuopt_driver.nvcc.host_words import is_in_doubt, may_speak_of_headers, note_doubt
from gpuopt_driver.nvcc.overlay import Overlay
from gpuopt_driver.nvcc.preload import ASK_VARIABLE
from gpuopt_driver.nvcc.registration import needed
from gpuopt_driver.nvcc.rehearsal import rehearsal
from gpuopt_driver.nvcc.shorter import has_crashed, variables
from gpuopt_driver.nvcc.stdin import Source, feed

NOTHING = Proof()  # of builds without versions


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
    proof: Proof

    def become(self) -> NoReturn:
        """Become nvcc with the patches."""
        overlay = self.overlay
        self._feed()
        if overlay.needs_entering:
            overlay.enter()
        execute(self.nvcc.path, overlay.arguments(self.command.argv_for_nvcc), overlay.environment(self.env))

    def run(self, argv: Sequence[str], capture: Capture) -> Attempt:
        """Run nvcc with the patches and these arguments. It fails where not all patches can have been seen.

        Where the host compiler misses something, or speaks of types, once more with whole headers of the system.
        """
        overlay = self.overlay
        kept = overlay.kept()
        line = argv, self.env, self.command.cwd
        shorter = needed(self.command, self.nvcc, self.env) if kept and not is_in_doubt(*line) else {}
        attempt = self._run(argv, capture, {**kept, **shorter})
        if shorter and not attempt.interrupted and may_speak_of_headers(capture.errors()):
            note_doubt(*line)
            capture.forget()
            attempt = self._run(argv, capture, kept)
        return attempt.failed() if attempt.succeeded and overlay.was_evaded(capture.errors()) else attempt

    def _run(self, argv: Sequence[str], capture: Capture, kept: Mapping[str, str]) -> Attempt:
        overlay = self.overlay
        self._feed()
        before = overlay.enter_or_end if overlay.needs_entering else None
        surroundings = {**overlay.environment(self.env), **kept, **self.proof.variables()}
        with self.proof.judging(self._same_code) as judge:
            asked = {ASK_VARIABLE: judge.name} if judge is not None else {}
            return supervise(self.nvcc.path, overlay.arguments(argv), {**surroundings, **asked}, capture, before, judge)

    def compiles(self) -> Verdict:
        """Whether it does, and whether the result holds, found out without a trace."""

        def run(argv: list[str], env: Mapping[str, str]) -> Verdict:
            if not replace(self, env=env).run(argv, Capture()).succeeded:
                return Verdict.FAILS
            return Verdict.COMPILES if replace(self, env=env).holds() else Verdict.REFUSED

        return compiles(self.command, self.nvcc.path, self.overlay, self.env, run)

    def holds(self) -> bool:
        """Whether the versions in what was built may be used."""
        plain = replace(self, env=without_flags(self.env), proof=NOTHING)

        def run(arguments: list[str]) -> str:
            capture = Capture()
            return "" if plain.run(arguments, capture).succeeded else first_error(capture.errors())

        return self.proof.holds(lambda: ptx_texts(self.command, run))

    def _same_code(self, module: str, bodies: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[int]]:
        """Which other bodies of a PTX module's kernels have the same machine code on all GPUs of the command."""
        import subprocess  # noqa: PLC0415 - few builds ask

        plain = without_flags(self.env)

        def run(arguments: list[str]) -> bool:
            argv = [self.nvcc.path, *arguments]
            return (
                subprocess.run(argv, env=plain, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
                == 0
            )

        return same_code(self.command, module, bodies, run)

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


@dataclass(frozen=True, slots=True)
class Shown:
    """What nvcc is to see: an overlay and its standard input (None: what is there). `is_patched`: it may not compile.

    `unpatched` makes the overlay for a build without patches, None where nothing of ours is left then.
    """

    overlay: Overlay
    source: Source | None = None
    is_patched: bool = True
    unpatched: Callable[[], Overlay | None] = lambda: None


Accept = Callable[[], Callable[[bytes], bytes] | None]
Alternatives = Iterable[tuple[Shown, Callable[[], object]]]


def build(
    command: NvccCommand,
    nvcc: RealNvcc,
    shown: Shown | None,
    env: Mapping[str, str],
    on_failure: Callable[[bool], None] = lambda _: None,
    proof: Proof = NOTHING,
    on_success: Accept | None = None,
    alternatives: Alternatives = (),
) -> int | None:
    """Run nvcc; the exit status, standard output and error are nvcc's. With nothing to show we become nvcc.

    `on_failure` is called where the patched build failed: with True if the original one succeeds. Before that, what
    else could be shown is tried: fewer patches, each with what is to be called where they compile. None is returned,
    and nothing said, where these, or other patches, are to be built instead: where `proof` does not hold once a patched
    build is there, what is built must not be used. `on_success` is called before anything is said of a build that
    nvcc accepts, and gives what makes our standard output of nvcc's.
    """
    plain = _environment(command, nvcc, env)
    if shown is None:
        shorter = variables(command.argv_for_nvcc, plain, nvcc.path) if is_wanted(env) else {}
        if command.phase is not Phase.RUN and (on_success is not None or shorter):
            return _supervised(nvcc, command, plain, on_success or _nothing, shorter)
        (on_success or _nothing)()
        execute(nvcc.path, command.argv_for_nvcc, plain)
    patched = _Patched(command, nvcc, shown.overlay, plain, shown.source, proof)
    if command.dryrun:
        _print_steps(patched, shown, on_failure, on_success or _nothing)
        return None
    capture = Capture()
    try:
        attempt = patched.try_out(capture)
        if (attempt.succeeded or proof.has_ended_it()) and not patched.holds():
            return None
    finally:
        shown.overlay.close()
    completed = (on_success or _nothing)() if attempt.succeeded else None
    if attempt.succeeded and command.phase is Phase.RUN:
        patched.become()
    if attempt.succeeded or attempt.interrupted:
        capture.replay(lambda output: _as_without(shown.overlay, output), completed)
        return attempt.finish()
    return _original(patched, shown, on_failure, alternatives)


def _original(
    patched: _Patched, shown: Shown, on_failure: Callable[[bool], None], alternatives: Alternatives
) -> int | None:
    """The build without patches, after one with them has failed; None where fewer patches compile."""
    nvcc, argv, env = patched.nvcc.path, patched.command.argv_for_nvcc, patched.env

    def plain() -> tuple[Attempt, Capture]:
        if shown.source is not None:
            feed(shown.source.original)
        capture = Capture()
        return supervise(nvcc, argv, env, capture), capture

    if patched.command.phase is Phase.RUN:  # the program may want a terminal
        on_failure(True)
        if shown.source is not None:
            feed(shown.source.original)
        execute(nvcc, argv, env)
    attempt, capture = plain()
    if attempt.succeeded and shown.is_patched:
        tried = False
        for other, accept in alternatives:
            tried = True
            if _alternative(replace(patched, overlay=other.overlay, source=other.source, proof=NOTHING), other):
                accept()
                return None
        if tried:  # what they left behind is not the original's
            attempt, capture = plain()
    on_failure(attempt.succeeded)
    if attempt.succeeded and shown.is_patched:
        _name_dependencies(patched, shown)
    capture.replay()
    return attempt.finish()


def _as_without(overlay: Overlay, output: bytes) -> bytes:
    """nvcc's output with neither the overlay's traces nor the patches' in it."""
    output = overlay.as_without(output)
    if b"gpuopt_" not in output:
        return output
    from gpuopt_driver.nvcc.quoted import as_written  # noqa: PLC0415 - rarely needed

    return as_written(output, overlay.files)


def _nothing() -> None:
    """Nothing is to be said, and what nvcc prints is printed."""


def _supervised(
    nvcc: RealNvcc, command: NvccCommand, env: Mapping[str, str], on_success: Accept, shorter: Mapping[str, str]
) -> int:
    """Run nvcc on the sources as they are, its output kept back until it is known how it ends.

    `shorter`: variables with which cicc reads shorter headers.
    """
    capture = Capture()
    attempt = supervise(nvcc.path, command.argv_for_nvcc, {**env, **shorter}, capture)
    if shorter and not attempt.interrupted and not attempt.succeeded and has_crashed(attempt.code, capture.errors()):
        capture.forget()
        attempt = supervise(nvcc.path, command.argv_for_nvcc, env, capture)
    completed = on_success() if attempt.succeeded else None
    capture.replay(completed=completed)
    return attempt.finish()


def _alternative(patched: _Patched, shown: Shown) -> bool:
    """Whether other patches compile."""
    try:
        return patched.run(patched.command.argv_for_nvcc, Capture()).succeeded
    finally:
        shown.overlay.close()


def _print_steps(patched: _Patched, shown: Shown, on_failure: Callable[[bool], None], on_success: Accept) -> None:
    """Become an nvcc that prints its steps, for patches that are known to compile; return where they do not hold."""
    verdict = patched.compiles() if shown.is_patched else Verdict.COMPILES
    if verdict is Verdict.REFUSED:
        return
    if verdict is Verdict.FAILS:
        on_failure(True)
        if shown.source is not None:
            feed(shown.source.original)
        overlay = shown.unpatched()
        if overlay is None:
            execute(patched.nvcc.path, patched.command.argv_for_nvcc, patched.env)
        patched = replace(patched, overlay=overlay, source=None)
    else:
        on_success()
    os.write(2, patched.overlay.dryrun_lines(patched.env))
    patched.become()


def _name_dependencies(patched: _Patched, shown: Shown) -> None:
    """After a build without patches: once more, with what it depends on in its dependency file.

    What would be wrong with the policy is then corrected by building again. Where this fails, the plain build is done
    again: nothing of ours is left behind.
    """
    overlay = shown.unpatched()
    if overlay is None:
        return
    try:
        if shown.source is not None:
            feed(shown.source.original)
        again = replace(patched, overlay=overlay, source=None)
        if not again.run(patched.command.argv_for_nvcc, Capture()).succeeded:
            supervise(patched.nvcc.path, patched.command.argv_for_nvcc, patched.env, Capture())
    finally:
        overlay.close()
