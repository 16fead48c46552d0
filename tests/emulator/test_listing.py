"""Assembly text with debug information is read in time that grows as it does."""

from __future__ import annotations

import time

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


def test_many_inlined_calls() -> None:
    """Eight times as many take about eight times as long: copies of what is left would make it sixty-four times."""

    def seconds(calls: int) -> float:
        """The least of three: other processes take caches away, never give time back."""
        text, spent = _listing(calls), []
        for _ in range(3):
            start = time.process_time()
            assert len(read_listing(text).calls) == calls
            spent.append(time.process_time() - start)
        return min(spent)

    assert seconds(24000) < 24 * max(seconds(3000), 0.01)
