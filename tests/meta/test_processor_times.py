"""What tests cost is added up by test and by directory, and printed with the dearest first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.processor_times import ProcessorTimes, seconds


class Terminal:
    def __init__(self):
        self.lines = []
        self.section = self.write_line = self.lines.append


def test_the_dearest_come_first():
    times, terminal = ProcessorTimes(2), Terminal()
    for name, when, cost in (
        ("tests/a/test_x.py::test_one", "setup", 1.0),
        ("tests/a/test_x.py::test_one", "call", 2.0),
        ("tests/b/test_y.py::test_two[a/b::c]", "call", 4.0),
        ("tests/a/test_z.py::test_three", "call", 0.5),
    ):
        times.pytest_runtest_logreport(SimpleNamespace(nodeid=name, when=when, processor_seconds=cost))
    times.pytest_terminal_summary(terminal)
    assert terminal.lines == [
        "processor seconds: 8",
        "     4.0     1 tests/b",
        "     3.5     2 tests/a",
        "dearest 2 tests (setup, call, teardown)",
        "    4.00 (  0.00   4.00   0.00) tests/b/test_y.py::test_two[a/b::c]",
        "    3.00 (  1.00   2.00   0.00) tests/a/test_x.py::test_one",
    ]


def test_a_report_has_what_was_used_since_the_last():
    times = ProcessorTimes(1)
    begin = seconds()
    while seconds() - begin < 0.02:
        Path(__file__).read_bytes()
    made = times.pytest_runtest_makereport()
    next(made)
    with pytest.raises(StopIteration) as end:
        made.send(SimpleNamespace())
    assert end.value.value.processor_seconds >= 0.02
