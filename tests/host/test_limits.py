"""How long is too long: CPU time counts, so that a loaded machine does not change what is built."""

from __future__ import annotations

import threading
import time

import pytest

from gpuopt_driver import isolate
from gpuopt_driver.limits import counted, is_over, longest


@pytest.mark.parametrize(
    ("wall", "cpu", "over"),
    [
        (0.5, 0.5, False),
        (1.0, 1.0, True),  # used up
        (1.0, 0.0, True),  # it waits for something
        (8.0, 0.9, False),  # a busy machine
        (20.0, 0.9, True),  # nobody waits for ever
    ],
)
def test_a_limit_of_one_second(wall: float, cpu: float, over: bool) -> None:
    assert is_over(1.0, wall, cpu) is over
    assert longest(1.0) == 20.0


@pytest.mark.parametrize(("wall", "cpu", "used"), [(1.0, 0.9, 0.9), (8.0, 0.9, 0.9), (8.0, 0.01, 8.0), (0.5, 0.6, 0.5)])
def test_what_ended_in_time_has_used_up_its_cpu_time_or_what_it_waited(wall: float, cpu: float, used: float) -> None:
    assert counted(wall, cpu) == used


def test_calls_say_what_counts() -> None:
    def works() -> None:
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass

    done = isolate.call(works, 10.0)
    assert 0.04 < done.counted <= done.seconds
    waited = isolate.call(lambda: time.sleep(0.05), 10.0)
    assert waited.counted == waited.seconds >= 0.05


def test_calls_share_a_thread_until_one_does_not_end() -> None:
    first = isolate.call(threading.get_ident, 10.0).value
    assert first == isolate.call(threading.get_ident, 10.0).value != threading.get_ident()
    assert isolate.call(lambda: 1 // 0, 10.0).failure.startswith("raised ZeroDivisionError")
    assert isolate.call(threading.get_ident, 10.0).value == first
    hangs = threading.Event()
    assert isolate.call(hangs.wait, 0.05).failure == "ran longer than 0.05 s"
    assert isolate.call(threading.get_ident, 10.0).value != first
    hangs.set()
