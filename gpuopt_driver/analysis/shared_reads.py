"""What statements read of shared memory before it is written: the question behind access regions (`shared_regions`).

Bytes that are certainly written are kept per block shape; what is read is looked up among them (`shared_points`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuopt_driver.analysis.shared_points import Points, size_of
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Stmt, StmtKind

_LARGEST = 1 << 18  # bytes of a shared array


def memory_of(access: Access) -> str:
    """The memory that an access is about: all `extern __shared__` arrays begin at the same byte."""
    return "" if access.array.dynamic else access.array.name


class _Written:
    """Bytes of the shared arrays that have certainly been written, per block shape."""

    def __init__(self, count: int) -> None:
        self.bytes: list[dict[str, bytearray]] = [{} for _ in range(count)]

    def copy(self) -> _Written:
        made = _Written(0)
        made.bytes = [{name: bytearray(data) for name, data in one.items()} for one in self.bytes]
        return made

    def add(self, at: int, access: Access, points: Iterable[int]) -> None:
        held = self.bytes[at].setdefault(memory_of(access), bytearray())
        for point in points:
            end = point + access.bytes
            if point < 0 or end > _LARGEST:
                continue
            if len(held) < end:
                held.extend(bytes(end - len(held)))
            held[point:end] = b"\1" * access.bytes

    def holds(self, at: int, access: Access, points: Iterable[int] | None) -> bool:
        held = self.bytes[at].get(memory_of(access), bytearray())
        if points is None:
            size = size_of(access)
            return size is not None and len(held) >= size and 0 not in held[:size]
        return all(
            point >= 0 and point + access.bytes <= len(held) and 0 not in held[point : point + access.bytes]
            for point in set(points)
        )


class Reads:
    """The shared accesses `uses` of a kernel, statement by statement, for blocks of the shapes of `points`."""

    def __init__(self, kernel: Kernel, uses: Sequence[Access], points: Sequence[Points]) -> None:
        self.kernel = kernel
        self.points = points
        self.at: dict[int, list[Access]] = {}
        for access in uses:
            self.at.setdefault(access.stmt, []).append(access)

    def uses(self, stmt: int) -> list[Access]:
        """The shared accesses of a statement and of those in it, in source order."""
        return [access for inner in self.kernel.descendants(stmt) for access in self.at.get(inner.id, ())]

    def exposed(self, children: Sequence[int]) -> bool:
        """Whether these statements may read something that was written before them."""
        if not self.points:
            return any(access.is_read for child in children for access in self.uses(child))
        written = _Written(len(self.points))
        return any(self._reads_old(child, child, written, frozenset()) for child in children)

    def _reads_old(self, stmt: int, top: int, written: _Written, still: frozenset[int]) -> bool:
        """Whether a statement reads what is not in `written`; adds what it certainly writes."""
        for access in self.at.get(stmt, ()):
            if access.is_read and not self._held(access, top, written):
                return True
            if access.is_write:
                self._note(access, top, written, still)
        node = self.kernel.stmt(stmt)
        if node.kind in LOOP_KINDS:
            return self._loop_reads_old(node, top, written, still)
        if node.kind is StmtKind.IF and node.uniform:
            # What a branch writes is there for the branch; for what follows, `_note` decides by the condition.
            for child in node.children:
                branch = written.copy()
                if self._reads_old(child, child, branch, still):
                    return True
                self._note_all(child, top, written, still)
            return False
        return any(self._reads_old(child, top, written, still) for child in node.children)

    def _loop_reads_old(self, node: Stmt, top: int, written: _Written, still: frozenset[int]) -> bool:
        """One iteration sees what it wrote itself; what follows the loop sees what all iterations wrote.

        Where threads make different numbers of iterations, none sees what another one wrote in the loop.
        """
        if not node.uniform and any(
            access.is_read and not self._held(access, top, written) for access in self.uses(node.id)
        ):
            return True
        inner = written.copy()
        for child in node.children:
            if self._reads_old(child, top, inner, still | {node.id}):
                return True
        self._note_all(node.id, top, written, still)
        return False

    def _note_all(self, stmt: int, top: int, written: _Written, still: frozenset[int]) -> None:
        for access in self.uses(stmt):
            if access.is_write:
                self._note(access, top, written, still)

    def _note(self, access: Access, top: int, written: _Written, still: frozenset[int]) -> None:
        for at, points in enumerate(self.points):
            found = points.written(access, top, still)
            if found is not None:
                written.add(at, access, found)

    def _held(self, access: Access, top: int, written: _Written) -> bool:
        return all(written.holds(at, access, points.read(access, top)) for at, points in enumerate(self.points))
