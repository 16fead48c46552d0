"""The rule: its table of quantiles, and what it says of figures."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuopt_driver.learning.rule import LEARNING, ORIGINAL_IS_BEST, SETTLED, gain, quantile, standing
from gpuopt_driver.learning.samples import NONE, Sample
from gpuopt_driver.learning.student import ERROR, LOOKS, STUDENT
from tests.learning.making import arm, record, sample, spread


def upper_tail(t: float, freedom: int) -> float:
    """P(T > t) by Simpson's rule: the density, with t = sqrt(freedom) * tan(angle), is a power of a cosine."""
    steps = 2000
    begin, end = math.atan(t / math.sqrt(freedom)), math.pi / 2
    width = (end - begin) / steps
    values = [math.cos(begin + number * width) ** (freedom - 1) for number in range(steps + 1)]
    area = width / 3 * (values[0] + values[-1] + 4 * math.fsum(values[1:-1:2]) + 2 * math.fsum(values[2:-1:2]))
    return area * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)


def test_the_tail_is_students():
    assert upper_tail(0.0, 7) == pytest.approx(0.5, rel=1e-9)
    assert upper_tail(1.0, 1) == pytest.approx(0.25, rel=1e-9)  # Cauchy
    assert upper_tail(2.0, 2) == pytest.approx(0.5 - 2 / (2 * math.sqrt(2 + 4)), rel=1e-9)


@pytest.mark.parametrize(("count", "value"), list(zip(LOOKS, STUDENT, strict=True)))
def test_the_table_is_students_quantile(count, value):
    assert upper_tail(value, count - 1) == pytest.approx(ERROR / len(LOOKS), rel=5e-4)  # it has four digits
    assert quantile(count) == value


def test_between_two_looks_the_smaller_one_counts():
    assert quantile(2) == quantile(0) == math.inf
    assert quantile(7) == quantile(6)
    assert quantile(10**9) == quantile(128)


class TestGain:
    def test_the_interval_is_that_of_the_mean(self):
        made = gain(arm(pairs=spread(16, 0.1, 0.02)), arm())
        assert (made.count, made.mean) == (16, 0.1)
        assert made.half == pytest.approx(4.2391 * 0.02 / 4)

    def test_values_that_agree_are_not_taken_as_noiseless(self):
        assert gain(arm(pairs=spread(4, 0.1, 0.0)), arm()).half == pytest.approx(14.4787 * 0.003 / 2)

    def test_two_pairs_say_nothing(self):
        assert gain(arm(pairs=spread(2, 0.3, 0.0)), arm()).half == math.inf

    def test_first_launches_count_where_pairs_are_few(self):
        original = arm("original", 0, firsts=spread(5, 12.0, 0.01))
        one = gain(arm(pairs=spread(2, 9.0, 0.0), firsts=spread(4, 11.5, 0.03)), original)
        assert (one.count, one.mean) == (4, pytest.approx(0.5))
        assert one.half == pytest.approx(14.4787 * math.sqrt(0.01**2 / 5 + 0.03**2 / 4))

    @pytest.mark.parametrize(("firsts", "originals"), [(2, 9), (9, 2), (0, 0)])
    def test_fewer_than_three_first_launches_tell_no_interval(self, firsts, originals):
        original = arm("original", 0, firsts=spread(originals, 12.0, 0.01))
        one = gain(arm(pairs=spread(1, 0.2, 0.0), firsts=spread(firsts, 11.0, 0.01)), original)
        assert (one.count, one.mean, one.half) == (1, 0.2, math.inf)
        one = gain(arm(firsts=spread(firsts, 11.0, 0.01)), original)
        assert (one.count, one.half) == (min(firsts, originals), math.inf)
        assert one.mean == (1.0 if one.count else 0.0)

    def test_no_more_than_256_values_count(self):
        assert gain(arm(pairs=spread(10**6, 0.1, 0.02)), arm()).half == pytest.approx(3.4689 * 0.02 / 16, rel=0.01)

    def test_pairs_go_before_first_launches(self):
        original = arm("original", 0, firsts=spread(9, 12.0, 0.01))
        assert gain(arm(pairs=spread(3, 0.2, 0.01), firsts=spread(9, 11.0, 0.01)), original).mean == 0.2


def said(*pairs):
    """(state, leader's version, reasons) for arms named a, b, ... with these pairs."""
    made = standing(record(arms=[arm(chr(97 + number), number, one) for number, one in enumerate(pairs)]))
    return made.state, made.leader and made.leader.arm.version, [verdict.dropped for verdict in made.verdicts]


SLOWER, NO_GAIN = "more than 1.5 times as slow as the original", "gains less than 2 %"
BEHIND = "gains less than 1 % over what leads"


class TestStanding:
    def test_the_best_accepted_arm_leads(self):
        state, leader, reasons = said(spread(20, 0.2, 0.01), spread(20, 0.3, 0.01), spread(20, 0.0, 0.01))
        assert (state, leader, reasons) == (SETTLED, "b", [BEHIND, "", NO_GAIN])

    def test_an_arm_that_nobody_tried_is_open(self):
        assert said(spread(20, 0.2, 0.01), NONE) == (LEARNING, "a", ["", ""])

    def test_one_slow_value_is_enough(self):
        assert said(Sample(1, -0.41, 0.0)) == (ORIGINAL_IS_BEST, None, [SLOWER])
        assert said(Sample(1, -0.40, 0.0)) == (LEARNING, None, [""])

    def test_nothing_known_is_nothing_settled(self):
        assert said() == (LEARNING, None, [])

    def test_an_arm_as_fast_as_the_leader_is_out_when_that_is_sure(self):
        assert said(spread(128, 0.2, 0.01), spread(128, 0.199, 0.01)) == (SETTLED, "a", ["", BEHIND])
        assert said(spread(12, 0.2, 0.01), spread(12, 0.199, 0.01)) == (LEARNING, "a", ["", ""])

    def test_nothing_is_settled_while_nobody_knows_what_the_original_takes(self):
        made = record(arms=[arm(pairs=spread(20, 0.2, 0.01))])
        assert standing(made).is_settled
        original = replace(made.arms[0], pairs=NONE)
        assert not standing(replace(made, arms=(original, *made.arms[1:]))).is_settled

    def test_after_many_pairs_an_arm_leads_or_is_out(self):
        equal = spread(64, 0.2, 0.06), spread(64, 0.199, 0.06)
        assert said(*equal) == (SETTLED, "a", ["", "not better than what leads, by 64 values"])
        assert said(spread(63, 0.05, 0.2))[0] == LEARNING
        assert said(spread(64, 0.05, 0.2)) == (ORIGINAL_IS_BEST, None, ["no gain of 2 % shown by 64 values"])

    @given(st.lists(st.builds(spread, st.integers(0, 200), st.floats(-1, 1), st.floats(0, 0.5)), max_size=6))
    def test_a_leader_is_never_dropped_and_nothing_open_is_settled(self, pairs):
        made = standing(record(arms=[arm("v", number, one) for number, one in enumerate(pairs)]))
        assert made.leader is None or not made.leader.dropped
        left = [one for one in made.verdicts if not one.dropped and one != made.leader]
        assert made.is_settled == (bool(made.verdicts) and not left)


def test_arms_that_gain_nothing_are_hardly_ever_accepted():
    """Looked at 14 times: at most 0.005 of them, and far fewer as 0.02 lies between."""
    numbers = random.Random(7)
    accepted = 0
    for _ in range(400):
        values = [numbers.gauss(math.log(1.02), 0.02) for _ in range(128)]
        looks = (gain(arm(pairs=sample(values[:count])), arm()) for count in LOOKS)
        accepted += any(one.is_accepted for one in looks)
    assert accepted <= 5
