"""Questions to other programs: run to the end, nothing on standard input, a time limit, all output kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import CompletedProcess


class Unanswered(Exception):
    """A program could not be run, or was not done in time; the text says which."""


def ask(
    argv: Sequence[str], seconds: float, env: Mapping[str, str] | None = None, cwd: str | None = None
) -> CompletedProcess[bytes]:
    """What a program says, whatever its exit status; Unanswered if it cannot be run or takes more than `seconds`."""
    import subprocess  # noqa: PLC0415 - most builds ask nothing

    try:
        return subprocess.run(
            argv,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unanswered(f"does not end within {seconds:g} s") from error
    except OSError as error:
        raise Unanswered(f"cannot be run: {error.strerror or error}") from error
