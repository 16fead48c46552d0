"""A source file as bytes: offsets are libclang's, nothing is ever decoded to be edited."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ParseError


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open byte range [start, end) of one file; `line` and `column` (1-based) are those of `start`.

    `editable` is False where the text comes out of a macro body: such a range may be reported, never edited.
    """

    file: str
    start: int
    end: int
    line: int
    column: int
    editable: bool = True

    def contains(self, other: Span) -> bool:
        """Whether `other` lies inside this range of the same file."""
        return self.file == other.file and self.start <= other.start and other.end <= self.end

    def line_in(self, file: str) -> str:
        """`line 12`; `line 12 of other.h` where it stands in another file than `file`."""
        return f"line {self.line}" if self.file == file else f"line {self.line} of {Path(self.file).name}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as it was read: absolute `path`, `data`, and the byte offsets at which its lines start."""

    path: str
    data: bytes
    line_starts: tuple[int, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, path: str, data: bytes) -> SourceFile:
        """A source file from bytes already in hand."""
        starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = data.find(b"\n", at + 1)
        return cls(path, data, tuple(starts))

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """A source file from disk; ParseError names the path when it cannot be read."""
        try:
            return cls.of(str(path), Path(path).read_bytes())
        except OSError as error:
            raise ParseError(f"{path}: cannot read source: {error.strerror}") from error

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based (line, byte column) of a byte offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def span(self, start: int, end: int, *, editable: bool = True) -> Span:
        """The span [start, end) of this file."""
        line, column = self.position(start)
        return Span(self.path, start, end, line, column, editable)

    def text(self, span: Span) -> str:
        """The text of a span for people to read (undecodable bytes are replaced); never for editing."""
        return self.data[span.start : span.end].decode("utf-8", "replace")
