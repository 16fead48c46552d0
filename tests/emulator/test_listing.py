"""Assembly text with debug information is read in time that grows as it does."""

from __future__ import annotations

from gpuopt_driver.emulator.listing import read_listing

_CALL = """\
\t.uleb128 0x5\t# (DIE (0x{at:x}) DW_TAG_inlined_subroutine)
\t.long\t0x20\t# DW_AT_abstract_origin
\t.quad\t.LBB{block}\t# DW_AT_entry_pc
\t.byte\t0x1\t# DW_AT_call_file (1, a.cu)
\t.byte\t0x{line:x}\t# DW_AT_call_line
"""


def _listing(calls: int) -> str:
    text = "".join(_CALL.format(at=at, block=at, line=at % 200 + 1) for at in range(calls))
    return f"\t.text\n\t.section\t.debug_info\n{text}"


def test_inlined_calls() -> None:
    listing = read_listing(_listing(3))
    assert listing.calls == {0: [("a.cu", 1)], 1: [("a.cu", 2)], 2: [("a.cu", 3)]}


class _Lines(list[str]):
    """Lines that count what slices copy of them."""

    copied = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def,override]
        found = super().__getitem__(at)
        if isinstance(at, slice):
            self.copied += len(found)
        return found


class _Text(str):
    lines: _Lines

    def split(self, *how):  # type: ignore[no-untyped-def,override]
        self.lines = _Lines(super().split(*how))
        return self.lines


def test_many_inlined_calls() -> None:
    """Nothing copies what is left at each call: 24,000 of them took a minute so."""
    text = _Text(_listing(3000))
    assert len(read_listing(text).calls) == 3000
    assert text.lines.copied <= len(text.lines)
