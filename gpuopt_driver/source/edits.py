"""Edits as byte ranges that commute or raise a conflict naming both authors.

The rule is that of clang's `Replacements`: a set is accepted only if every order of application gives the same
bytes. Edits that depend on each other belong to different phases, on re-parsed source. One exception: pairs of
insertions that put something around statements (`Edit.around`) nest, whoever makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import EditConflict
from gpuopt_driver.source.text import SourceFile, Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace bytes [start, end) of `file` by `text`; `author` is the plugin (or core service) that asks for it.

    `partner`: of one half of a pair that is put around something, where the other half stands; else -1.
    """

    file: str
    start: int
    end: int
    text: bytes
    author: str = ""
    partner: int = -1

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"edit range [{self.start}, {self.end}) is not a range")

    @property
    def is_insertion(self) -> bool:
        """Whether the edit replaces nothing."""
        return self.start == self.end

    @classmethod
    def insert_before(cls, span: Span, text: str, author: str = "") -> Edit:
        """Insert text in front of a span."""
        return cls(span.file, span.start, span.start, text.encode(), author)

    @classmethod
    def insert_after(cls, span: Span, text: str, author: str = "") -> Edit:
        """Insert text behind a span."""
        return cls(span.file, span.end, span.end, text.encode(), author)

    @classmethod
    def around(cls, file: str, place: tuple[int, int], texts: tuple[str, str], author: str = "") -> tuple[Edit, Edit]:
        """Put two texts around the bytes of a place, `{` and `}` say; pairs nest where they meet."""
        (start, end), (before, after) = place, (text.encode("utf-8", "surrogateescape") for text in texts)
        return cls(file, start, start, before, author, end), cls(file, end, end, after, author, start)

    @classmethod
    def replace(cls, span: Span, text: str, author: str = "") -> Edit:
        """Replace the bytes of a span."""
        return cls(span.file, span.start, span.end, text.encode(), author)


@dataclass(frozen=True, slots=True)
class EditSet:
    """Edits that commute, sorted by file and position; made only by `merge`."""

    edits: tuple[Edit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that these edits touch, in order."""
        return tuple(dict.fromkeys(edit.file for edit in self.edits))

    def of_file(self, file: str) -> tuple[Edit, ...]:
        """The edits of one file in ascending order."""
        return tuple(edit for edit in self.edits if edit.file == file)


def _commute(first: Edit, second: Edit) -> bool:
    """Whether two edits of one file, `first` sorted before `second`, give the same bytes in either order."""
    if first.is_insertion and second.is_insertion:
        if first.start != second.start or min(first.partner, second.partner) >= 0:
            return True
        return first.text + second.text == second.text + first.text
    if first.is_insertion or second.is_insertion:
        inner, outer = (first, second) if first.is_insertion else (second, first)
        return not outer.start < inner.start < outer.end
    if first.end <= second.start:
        return True
    return not first.text and not second.text


def _order(edit: Edit, group: int) -> tuple[object, ...]:
    """Where an edit stands among others: at one place the ends of inner pairs first, the beginnings of outer ones.

    Of pairs around the same bytes, that of the later author is the outer one.
    """
    if edit.partner < 0:
        return edit.file, edit.start, edit.end, 1, 0, 0, edit
    side, turn = (0, group) if edit.partner < edit.start else (2, -group)
    return edit.file, edit.start, edit.end, side, -edit.partner, turn, edit


def merge(*groups: Iterable[Edit]) -> EditSet:
    """One set of edits from several authors, or EditConflict naming the two that do not commute."""
    unique: dict[tuple[str, int, int, bytes, int], tuple[Edit, int]] = {}
    for number, group in enumerate(groups):
        for edit in group:
            unique.setdefault((edit.file, edit.start, edit.end, edit.text, edit.partner), (edit, number))
    ordered = [edit for edit, _ in sorted(unique.values(), key=lambda pair: _order(*pair))]
    reach: list[Edit] = []
    for edit in ordered:
        reach = [other for other in reach if other.file == edit.file and other.end >= edit.start]
        for other in reach:
            if not _commute(other, edit):
                where = f"{edit.file}: bytes {edit.start}-{edit.end}"
                raise EditConflict(other.author, edit.author, where)
        reach.append(edit)
    return EditSet(tuple(ordered))


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes of one file after its edits; overlapping deletions delete their union."""
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.end > len(data):
            raise ValueError(f"edit [{edit.start}, {edit.end}) reaches past the end of the file ({len(data)} bytes)")
        if edit.start > at:
            pieces.append(data[at : edit.start])
        pieces.append(edit.text)
        at = max(at, edit.end)
    pieces.append(data[at:])
    return b"".join(pieces)


def apply_all(files: Mapping[str, SourceFile], edits: EditSet) -> dict[str, bytes]:
    """The new bytes of every file that the edits touch."""
    return {name: apply(files[name].data, edits.of_file(name)) for name in edits.files}
