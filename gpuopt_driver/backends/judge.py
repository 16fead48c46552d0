"""Who is asked, while nvcc runs, which versions in the PTX that it has just made may be used.

What ptxas and fatbinary get has empty bodies in place of the versions that are refused, so that nothing need be built
again, and other bodies (`ptx/mend.py`) where that gives a version the rounding of its kernel. The library inside these
programs (`nvcc/ptx.c`) waits for the answer.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gpuopt_driver.backends.ptx import digest_of, entries
from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.variants.emitted import Emitted, Refused

if TYPE_CHECKING:
    from gpuopt_driver.ptx.check import Judged, Mends
    from gpuopt_driver.ptx.read import Function

SameCode = Callable[[str, Mapping[str, Sequence[str]]], Mapping[str, Sequence[int]]]

_SECONDS = 20.0  # in which who has connected must have said what it wants
_LONGEST = 8192  # bytes of a path
_END = b".\n"
_KIND = "ptx-body"
_MOST_ASKED = 8  # kernels for which ptxas is asked further where it does not do what is likely


def can_be_asked() -> bool:
    """Whether this system can wait for a process and for questions at once."""
    try:
        os.close(os.pidfd_open(os.getpid()))
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()
    except (AttributeError, OSError):
        return False
    return True


def listed(rows: Iterable[str], cache: Cache) -> str:
    """The list that `ptx.c` reads: other bodies are in files of their own, which are made."""
    lines: list[str] = []
    for row in rows:
        head, has_body, body = row.partition("\n")
        if has_body:
            data = body.encode("utf-8", "surrogateescape")
            path = cache.path(_KIND, digest(data), ".ptx")
            write_atomic(path, data)
            head = f"{head} {digest_of(data)} {path}"
        lines.append(f"{head}\n")
    return "".join(lines)


class Judge:
    """A socket (its `name` is in the abstract namespace) at which copies of PTX files are judged.

    `refused`: the versions that were, over all files. `rows`: what was told of them. Where that would contradict what
    was told of another file, or where no version would be left, nothing is told: the build ends (`has_stopped`), and
    other patches are needed. What goes wrong here ends it too, and is raised in the end. `cache` keeps other bodies,
    `same_code` says which of other bodies of a module's kernels have the same machine code.
    """

    def __init__(
        self,
        versions: Sequence[Emitted],
        *,
        is_final: bool,
        any_rounding: bool,
        cache: Cache,
        same_code: SameCode,
    ) -> None:
        self.name = f"gpuopt-{os.urandom(16).hex()}"
        self.refused: dict[tuple[str, str], tuple[str, str]] = {}
        self.has_stopped = False
        self._versions = tuple(versions)
        self._terms = (is_final, any_rounding)
        self._cache = cache
        self._same_code = same_code
        self._answers: dict[str, tuple[str, ...]] = {}
        self._used: set[Emitted] = set()
        self._seen: set[Emitted] = set()
        self._error: Exception | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(f"\0{self.name}")
        self._socket.listen()

    @property
    def descriptor(self) -> int:
        """What becomes readable when somebody asks."""
        return self._socket.fileno()

    @property
    def rows(self) -> tuple[str, ...]:
        """What was told: "DIGEST NAME -" of a version without a body, "DIGEST NAME =" and lines of one with another."""
        return tuple(sorted({row for answer in self._answers.values() for row in answer}))

    @property
    def unseen(self) -> Refused:
        """The versions that are in no file, as nothing that is compiled launches them; so nothing can."""
        from gpuopt_driver.ptx.check import UNSEEN  # noqa: PLC0415 - only for sources with versions

        return {(one.kernel, one.clone): UNSEEN for one in self._versions if one not in self._seen}

    @property
    def ended_it(self) -> bool:
        """Whether somebody was told nothing, which ends the build."""
        return self.has_stopped or self._error is not None

    def was_asked(self) -> bool:
        """Whether anybody asked; raises what went wrong."""
        if self._error is not None:
            raise self._error
        return self.has_stopped or bool(self._answers)

    def close(self) -> None:
        """Nobody will ask any more."""
        self._socket.close()

    def answer(self) -> None:
        """Answer who has connected; whoever is no process of ours gets nothing."""
        with suppress(OSError):
            connection, _ = self._socket.accept()
            with connection:
                connection.settimeout(_SECONDS)
                credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
                if struct.unpack("3i", credentials)[1] != os.geteuid():
                    return
                with connection.makefile("rb") as asked:
                    path = os.fsdecode(asked.readline(_LONGEST).rstrip(b"\n"))
                told = self._told(path)
                if told is not None:
                    connection.sendall(told.encode("utf-8", "surrogateescape") + _END)

    def _told(self, path: str) -> str | None:
        """The rows for a copy, None where the build is to end."""
        try:
            text = Path(path).read_text("utf-8", "surrogateescape")
            key = digest(text.encode("utf-8", "surrogateescape"))
            if key not in self._answers and not self.has_stopped:
                answer = self._judged(text)
                if answer is not None:
                    self._answers[key] = answer
            rows = self._answers.get(key)
            return None if rows is None else listed(rows, self._cache)
        except Exception as error:
            self._error = error
            return None

    def _judged(self, text: str) -> tuple[str, ...] | None:
        from gpuopt_driver.ptx.check import Terms, judged, versions_of  # noqa: PLC0415

        found, bodies = self._mended(text, judged(text, self._versions, Terms(*self._terms)))
        self._seen |= found.seen
        self.refused.update({(one.kernel, one.clone): wrong for one, wrong in found.refused.items()})
        bad = {one for one in self._versions if (one.kernel, one.clone) in self.refused}
        self._used |= found.seen - found.refused.keys()
        if self._used & bad or len(bad) == len(set(self._versions)):  # in whatever order GPUs come (--threads)
            self.has_stopped = True
            return None
        told = {name: f"=\n{body}\n" for name, body in bodies.items()}
        told.update({name: "-" for name in found.entries if bad.intersection(versions_of(name, self._versions))})
        rows = {one.name: f"{one.digest()} {one.name} {told[one.name]}" for one in entries(text) if one.name in told}
        if rows.keys() != told.keys():
            self.has_stopped = True
            return None
        return tuple(rows.values())

    def _known_mends(self, text: str, refused: Set[Emitted]) -> Mends | None:
        """Other bodies of versions, where it can be found out what ptxas makes of their kernels."""
        from gpuopt_driver.ptx.check import left_to_ptxas, mends  # noqa: PLC0415

        left = left_to_ptxas(text, refused)
        known = {name: one.whole for name, one in left.items() if one.likely() is one.whole}
        waiting = {name: one for name, one in left.items() if name not in known}
        known.update(self._first_fitting(text, {name: [one.likely()] for name, one in waiting.items()}))
        others = [name for name in waiting if name not in known][:_MOST_ASKED]
        alone = {name: waiting[name].alone() for name in others}
        fitting = self._fitting(text, {name: list(ways.values()) for name, ways in alone.items()})
        together = {name: waiting[name].together([list(alone[name])[at] for at in fitting[name]]) for name in fitting}
        known.update(self._first_fitting(text, together))
        return mends(text, refused, known, left)

    def _first_fitting(self, text: str, ways: Mapping[str, Sequence[Function]]) -> dict[str, Function]:
        """By name, the first of some forms of a kernel that has its machine code, where one has."""
        fitting = self._fitting(text, ways)
        return {name: ways[name][numbers[0]] for name, numbers in fitting.items() if numbers}

    def _fitting(self, text: str, ways: Mapping[str, Sequence[Function]]) -> Mapping[str, Sequence[int]]:
        """By name, which of some forms of a kernel have its machine code."""
        bodies = {name: ["\n".join(one.lines) for one in forms] for name, forms in ways.items() if forms}
        return self._same_code(text, bodies) if bodies else {}

    def _mended(self, text: str, found: Judged) -> tuple[Judged, Mapping[str, str]]:
        """What is found once versions have other bodies, and these by name, where that helps."""
        from gpuopt_driver.ptx.check import ROUNDING, Terms, judged  # noqa: PLC0415

        refused = {one for one, (code, _) in found.refused.items() if code == ROUNDING}
        terms = Terms(*self._terms)
        made = self._known_mends(text, refused) if refused and terms == Terms() else None
        if made is None:
            return found, {}
        again = judged(made.judged, self._versions, terms)
        # Versions that were right stay so: they have the form that their kernels have without anything written down.
        still = {one: why for one, why in found.refused.items() if one in again.refused}
        return replace(found, refused=still), made.bodies
