"""Building with the real nvcc, which gets the user's own arguments: by becoming it, or supervised with patches.

A patched compilation that fails says nothing to the user: the original one takes its place, with one warning if that
one succeeds, and with nothing but nvcc's own words if the fault is the user's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from gpuopt_driver.backends.process import Attempt, Capture, execute, supervise
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.find import RealNvcc, guarded
from gpuopt_driver.nvcc.overlay import Overlay
from gpuopt_driver.nvcc.tokens import FLAGS, expand, with_environment

_RUN = ("-run", "--run")
_RUN_ARGUMENTS = ("-run-args", "--run-args")


def _environment(command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> dict[str, str]:
    """The environment for nvcc; a program that `-run` starts must not inherit the guard against loops."""
    return dict(env) if command.phase is Phase.RUN else guarded(env, nvcc.path)


def _without_run(argv: tuple[str, ...], output: str) -> list[str]:
    """A `-run` command line that only links, into `output`: to see whether it builds before the program is started."""
    rest: list[str] = []
    arguments = iter(argv)
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if name in _RUN_ARGUMENTS:
            if not equals:
                next(arguments, "")
        elif argument not in _RUN:
            rest.append(argument)
    return [*rest, "-o", output]


def _rehearsal(command: NvccCommand, env: Mapping[str, str], output: str) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment to build the program of a `-run` without running it.

    Where `-run` comes from an options file or the environment, everything is spelled out.
    """
    if not set(_RUN).isdisjoint(command.argv_for_nvcc):
        return _without_run(command.argv_for_nvcc, output), dict(env)
    words = tuple(expand(with_environment(command.argv_for_nvcc, env), command.cwd))
    return _without_run(words, output), {name: text for name, text in env.items() if name not in FLAGS}


def _trial(command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> tuple[Attempt, Capture]:
    """The patched build. For `-run` it is a rehearsal: a program's exit status must not be taken for nvcc's."""
    capture = Capture()
    if command.phase is not Phase.RUN:
        return supervise(nvcc.path, command.argv_for_nvcc, env, capture), capture
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        argv, surroundings = _rehearsal(command, env, str(Path(scratch, "program")))
        return supervise(nvcc.path, argv, surroundings, capture), capture


def build(
    command: NvccCommand,
    nvcc: RealNvcc,
    overlay: Overlay | None,
    env: Mapping[str, str],
    on_failure: Callable[[bool], None] = lambda _: None,
) -> int:
    """Run nvcc; the exit status, standard output and error are nvcc's. Without an overlay we become nvcc.

    `on_failure` is called where the patched build failed: with True if the original one succeeds.
    """
    plain = _environment(command, nvcc, env)
    if overlay is None:
        execute(nvcc.path, command.argv_for_nvcc, plain)
    with_overlay = overlay.environment(plain)
    if command.dryrun:
        os.write(2, overlay.dryrun_lines(plain))
        execute(nvcc.path, command.argv_for_nvcc, with_overlay)
    attempt, capture = _trial(command, nvcc, with_overlay)
    if attempt.succeeded and command.phase is Phase.RUN:
        execute(nvcc.path, command.argv_for_nvcc, with_overlay)
    if attempt.succeeded or attempt.interrupted:
        capture.replay()
        return attempt.finish()
    if command.phase is Phase.RUN:  # the program may want a terminal
        on_failure(True)
        execute(nvcc.path, command.argv_for_nvcc, plain)
    capture = Capture()
    attempt = supervise(nvcc.path, command.argv_for_nvcc, plain, capture)
    on_failure(attempt.succeeded)
    capture.replay()
    return attempt.finish()
