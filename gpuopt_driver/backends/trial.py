"""Whether a patched source compiles, for command lines that only print nvcc's steps: who runs them has no way back.

sccache asks twice for the same steps, so a verdict is kept for some minutes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path

from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.overlaid import Overlay
from gpuopt_driver.nvcc.selftest import moment_of
from gpuopt_driver.nvcc.tokens import FLAGS, expand, with_environment

_VALID_SECONDS = 300


class Verdict(Enum):
    """What became of a trial; REFUSED: it compiles, but its versions must not be used."""

    COMPILES = b"ok"
    FAILS = b"no"
    REFUSED = b"refused"


_FLAGS = frozenset(
    {
        *("-dryrun", "--dryrun", "-keep", "--keep", "-save-temps", "--save-temps", "-run", "--run", "-v", "--verbose"),
        *("-MD", "--generate-dependencies-with-compile", "-MMD", "--generate-nonsystem-dependencies-with-compile"),
        *("-MP", "--generate-dependency-targets"),
    }
)
_VALUED = frozenset(
    {
        *("-keep-dir", "--keep-dir", "-MF", "--dependency-output", "-MT", "--dependency-target-name"),
        *("-o", "--output-file", "-odir", "--output-directory", "-run-args", "--run-args", "-time", "--time"),
        *("-fdevice-time-trace", "--fdevice-time-trace"),
    }
)


def traceless(command: NvccCommand, env: Mapping[str, str], directory: str) -> list[str]:
    """The arguments of a command that does the same work without its traces, all spelled out."""
    kept: list[str] = []
    arguments = iter(expand(with_environment(command.argv_for_nvcc, env), command.cwd))
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if name in _VALUED:
            if not equals:
                next(arguments, "")
        elif argument not in _FLAGS:
            kept.append(argument)
    several = len(command.inputs) > 1 and not command.links
    return [*kept, "-odir", directory] if several else [*kept, "-o", str(Path(directory, "result"))]


def compiles(
    command: NvccCommand,
    nvcc: str,
    overlay: Overlay,
    env: Mapping[str, str],
    run: Callable[[list[str], Mapping[str, str]], Verdict],
) -> Verdict:
    """What `run`, given arguments and environment for nvcc under the overlay, makes of all of the command's work."""
    cache = Cache.find(env)
    status = Path(nvcc).stat()
    key = digest(
        *(nvcc, f"{status.st_size} {status.st_mtime_ns}", command.cwd, env.get("PATH", "")),
        *(f"{file.original}\0{file.copy}" for file in overlay.files),
        *traceless(command, env, ""),
    )
    verdict, _, moment = ((cache.get("trial", key) if cache else None) or b"").partition(b"\0")
    known = next((one for one in Verdict if one.value == verdict), None)
    if known is None or not 0 <= time.time() - moment_of(moment) < _VALID_SECONDS:
        plain = {name: text for name, text in env.items() if name not in FLAGS}
        with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
            known = run(traceless(command, env, scratch), plain)
        if cache and known is not Verdict.REFUSED:  # who is told why makes other patches
            cache.put("trial", key, known.value + b"\0%d" % time.time())
    return known
