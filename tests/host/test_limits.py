"""How long is too long: CPU time counts, so that a loaded machine does not change what is built."""

from __future__ import annotations

import pytest

from gpuopt_driver.limits import is_over, longest


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
