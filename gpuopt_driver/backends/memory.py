"""How much memory nvcc takes for what is compiled, which is what an analysis of the same sources may take, too.

Imports nothing heavy: what runs beside nvcc starts with this.
"""

# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import _signal as signal  # without the enumerations, which cost milliseconds
import os

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuopt_driver.nvcc.command import NvccCommand

LEAST = 230_000_000  # bytes that nvcc 13 takes for a kernel with nothing in it
WITHOUT_NVCC = 1_000_000_000  # bytes, where there is no nvcc to be compared with
_USUAL_TEXT = 4_500_000  # bytes that nvcc 13 reads for it, headers included
_PER_BYTE = 20  # that it takes for text beyond that, at least: 36 to 65 in seven files of public projects
_UNIT = 1024  # bytes, of ru_maxrss and /proc


def taken_for(text: int) -> int:
    """The bytes that nvcc takes at least for a source that has so many, headers included."""
    return LEAST + _PER_BYTE * max(text - _USUAL_TEXT, 0)


def _family(process: int) -> Iterator[int]:
    """A process and all below it."""
    yield process
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as file:
                children = file.read().split()
            for child in children:
                yield from _family(int(child))
    except OSError:
        pass  # it has just ended


def _peak_of(process: int) -> int:
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * _UNIT
    except OSError:
        pass
    return 0


class Peak:
    """The memory in bytes of the largest process of a running program; `status` is how it ended, None until then.

    Whether it has ended is looked for by waiting for it, so that nobody else must wait for a program whose status is
    known: only then does the system tell what its steps took that have ended before.
    """

    __slots__ = ("_program", "_so_far", "status")

    def __init__(self, program: int) -> None:
        self._program = program
        self._so_far = 0
        self.status: int | None = None

    def look(self) -> tuple[int, bool]:
        """The peak so far, and whether that is all."""
        if self.status is None:
            ended, status, usage = os.wait4(self._program, os.WNOHANG)
            if ended:
                self._so_far, self.status = usage.ru_maxrss * _UNIT, status
            else:
                self._so_far = max(self._so_far, *map(_peak_of, _family(self._program)))
        return self._so_far, self.status is not None


class Rehearsal:
    """The peak of an nvcc that compiles the sources of a command as they are, started when somebody asks first.

    For where none runs beside the analysis: `gpuopt explain`, a build on a terminal, options that name files, a source
    that is likely to be patched. It goes no further than it has to: once it has taken as much as is needed it is held.
    """

    def __init__(self, command: NvccCommand, nvcc: str, env: Mapping[str, str]) -> None:
        self._command, self._nvcc, self._env = command, nvcc, env
        self._scratch = ""
        self._program = 0
        self._peak: Peak | None = None
        self._is_held = False

    def look(self, needed: int) -> tuple[int, bool]:
        """The peak so far, and whether that is all; `needed`: what is asked for."""
        if self._peak is None:
            self._peak = Peak(self._start())
        so_far, is_all = self._peak.look()
        if self._peak.status:
            return max(so_far, WITHOUT_NVCC), True
        if not is_all and (so_far >= needed) != self._is_held:
            self._is_held = not self._is_held
            os.killpg(self._program, signal.SIGSTOP if self._is_held else signal.SIGCONT)
        return so_far, is_all

    def _start(self) -> int:
        import tempfile  # noqa: PLC0415 - rarely needed

        from gpuopt_driver.backends.trial import traceless  # noqa: PLC0415
        from gpuopt_driver.nvcc.find import guarded  # noqa: PLC0415
        from gpuopt_driver.nvcc.tokens import FLAGS  # noqa: PLC0415

        self._scratch = tempfile.mkdtemp(prefix="gpuopt-")
        plain = {name: text for name, text in self._env.items() if name not in FLAGS}
        words = [self._nvcc, *traceless(self._command, self._env, self._scratch)]
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        self._program = os.posix_spawn(self._nvcc, words, guarded(plain, self._nvcc), file_actions=actions, setpgroup=0)
        return self._program

    def close(self) -> None:
        """End it, if it still runs, and remove what it made."""
        import shutil  # noqa: PLC0415

        if self._peak is not None and self._peak.status is None:
            os.killpg(self._program, signal.SIGKILL)
            os.waitpid(self._program, 0)
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
