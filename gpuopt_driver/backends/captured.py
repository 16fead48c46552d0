"""What a program prints, kept until it is known whether anybody is to see it; and ending as a program has ended.

Imports nothing heavy: nvcc is started with this before the rest of gpuopt is loaded.
"""

from __future__ import annotations

import _signal as signal  # without the enumerations, which cost milliseconds
import os
from errno import EBADF

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 1 << 16


def _same_file(first: int, second: int) -> bool:
    """Whether two descriptors lead to the same place, as after `2>&1`."""
    try:
        return os.path.sameopenfile(first, second)
    except OSError:
        return False


class Capture:
    """Standard output and error of a run, in memory: a full disk loses none of it.

    Where both lead to the same place they are kept together, so that their order stays.
    """

    __slots__ = ("_err", "_out")

    def __init__(self) -> None:
        self._out = os.memfd_create("gpuopt")
        self._err = self._out if _same_file(1, 2) else os.memfd_create("gpuopt")

    def forget(self) -> None:
        """What was printed so far was not meant for anybody."""
        for descriptor in {self._out, self._err}:
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)

    def __del__(self) -> None:
        for descriptor in {self._out, getattr(self, "_err", self._out)} if hasattr(self, "_out") else ():
            os.close(descriptor)

    @property
    def descriptors(self) -> tuple[int, int]:
        """Where the run is to write its standard output and error."""
        return self._out, self._err

    def replay(
        self, shown: Callable[[bytes], bytes] | None = None, completed: Callable[[bytes], bytes] | None = None
    ) -> None:
        """Write everything, byte for byte (or what `shown` makes of it), to our own standard output and error.

        `completed` makes what is written to standard output of what the run has written there.
        """
        out = self._content(self._out, shown)
        _write(1, completed(out) if completed else out)
        if self._err != self._out:
            _write(2, self._content(self._err, shown))

    @staticmethod
    def _content(descriptor: int, shown: Callable[[bytes], bytes] | None = None) -> bytes:
        pieces = []
        at = 0
        while piece := os.pread(descriptor, _CHUNK, at):
            pieces.append(piece)
            at += len(piece)
        data = b"".join(pieces)
        return data if shown is None else shown(data)

    def everything(self) -> bytes:
        """What was written to both so far."""
        return self._content(self._out) + (b"" if self._err == self._out else self.errors())

    def errors(self) -> bytes:
        """What was written to standard error so far."""
        return self._content(self._err)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            continue
        except BrokenPipeError:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGPIPE)
        except OSError as error:
            if error.errno != EBADF:  # the caller closed it: nobody hears
                raise
            return


def end_as(wait_status: int) -> int:
    """The exit status to end with; where the program was ended by a signal, we end by the same."""
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(wait_status)
