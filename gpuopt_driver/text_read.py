"""How much text an analysis has read so far, told by the process that reads to the one that watches its memory."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from mmap import mmap

_BYTES = 8
_shared: mmap | None = None


def begin() -> None:
    """Make room for the number, for processes that are forked from now on."""
    global _shared  # noqa: PLW0603 - one per process, as it is inherited
    from mmap import mmap  # noqa: PLC0415 - not every command analyses something

    _shared = _shared or mmap(-1, _BYTES)
    _shared[:] = bytes(_BYTES)


def note(size: int) -> None:
    """A source has so many bytes with all that it includes; of several sources the largest counts."""
    if _shared is not None and size > so_far():
        _shared[:] = size.to_bytes(_BYTES, "little")


def so_far() -> int:
    """The bytes of the largest source that has been read since `begin`, headers included."""
    return 0 if _shared is None else int.from_bytes(_shared[:], "little")
