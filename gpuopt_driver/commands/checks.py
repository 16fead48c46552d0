"""What a check of `gpuopt doctor` is, and running a program to look at what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.dataclass import dataclass

_SECONDS = 20  # a program that needs longer to say its version does not work


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for. `detail` says what was found, or why it does not serve."""

    name: str
    found: bool
    detail: str
    needed_for: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a check looks for, before it is known whether it is there."""

    name: str
    needed_for: str = ""
    remedy: str = ""

    def found(self, detail: str) -> Check:
        """It is there."""
        return Check(self.name, found=True, detail=detail, needed_for=self.needed_for, remedy=self.remedy)

    def missing(self, why: str, remedy: str = "") -> Check:
        """It is not there, or does not serve; `remedy`: a better way out than the usual one."""
        return Check(self.name, found=False, detail=why, needed_for=self.needed_for, remedy=remedy or self.remedy)


def first_line(argv: Sequence[str]) -> str | None:
    """The first line that a program prints, None where it cannot be run or fails."""
    try:
        done = ask(argv, _SECONDS)
    except Unanswered:
        return None
    text = done.stdout.decode("utf-8", "replace").strip()
    return text.splitlines()[0] if done.returncode == 0 and text else None


def complaint(argv: Sequence[str], env: Mapping[str, str], cwd: str, seconds: float) -> str:
    """Why a program does not do its work: its first line about an error, "" if it does it."""
    try:
        done = ask(argv, seconds, env, cwd)
    except Unanswered as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = (done.stderr + done.stdout).decode("utf-8", "replace").strip().splitlines()
    telling = (
        line for line in lines if any(word in line.lower() for word in ("error", "fatal", "cannot", "not found"))
    )
    return next(telling, lines[0] if lines else f"exit status {done.returncode}").strip()
