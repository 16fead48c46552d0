"""Positions are byte positions, whatever the encoding and the line ends."""

from pathlib import Path

import pytest

from gpuopt_driver.errors import ParseError
from gpuopt_driver.source.diff import unified_diff
from gpuopt_driver.source.text import SourceFile


def test_positions_count_bytes() -> None:
    source = SourceFile.of("f.cu", b"// \xe9\xff\r\nint a;\nint b;")
    assert source.position(0) == (1, 1)
    assert source.position(source.data.index(b"a;")) == (2, 5)
    assert source.position(len(source.data)) == (3, 7)
    span = source.span(source.data.index(b"int b"), len(source.data))
    assert (span.line, span.column, source.text(span)) == (3, 1, "int b;")
    assert str(span) == "f.cu:3:1"


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"none\.cu: cannot read source: No such file"):
        SourceFile.read(tmp_path / "none.cu")


def test_diff_shows_bytes_that_are_no_text_and_a_missing_last_newline() -> None:
    diff = unified_diff("/p/f.cu", b"a\n\xe9 b", b"a\n\xe9 c")
    assert diff.splitlines()[:2] == ["--- a/p/f.cu", "+++ b/p/f.cu"]
    assert "+\udce9 c" in diff
    assert diff.count("No newline at end of file") == 2
    assert unified_diff("f", b"x", b"x") == ""
