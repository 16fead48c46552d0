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


@pytest.mark.parametrize("lines", [10, 300])
def test_diff_does_not_show_lines_as_changed_that_stand_in_many_places(lines: int) -> None:
    body = b"{\n    x[0] += 1;\n}\n"
    old = b"first\n" + body + b"last\n"
    diff = unified_diff("f.cu", old, b"changed\n" + body + b"more\n" + b"copy\n" * lines + body * lines)
    assert [line for line in diff.splitlines()[2:] if line.startswith("-")] == ["-first", "-last"]
    assert " {" in diff.splitlines()


def test_diff_numbers_hunks_as_patch_reads_them() -> None:
    old = b"".join(b"%d\n" % number for number in range(40))
    new = old.replace(b"3\n", b"", 1).replace(b"30\n", b"30\nmore\n")
    heads = [line for line in unified_diff("f", old, new).splitlines() if line.startswith("@@")]
    assert heads == ["@@ -1,7 +1,6 @@", "@@ -29,6 +28,7 @@"]
    assert "@@ -0,0 +1 @@" in unified_diff("f", b"", b"one\n")
    assert "@@ -1,2 +0,0 @@" in unified_diff("f", b"one\ntwo\n", b"")
