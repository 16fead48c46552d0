"""The rule: which arm of a launch is the best so far, which are out, and whether anything is left to try.

An arm's gain is ln(time of the original / time of the arm). Its mean is known up to `half`, half the width of a
confidence interval that holds at all 14 looks at once: an arm that is not faster is accepted with a probability of at
most 0.005 (Bonferroni). The runtime decides by the same rule (gpuopt_driver/learning/learner.h).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import inf, log, sqrt

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.learning.records import Arm, Record
from gpuopt_driver.learning.samples import Sample
from gpuopt_driver.learning.student import LOOKS, STUDENT

LEAST_DEVIATION = 0.003  # few values that happen to agree do not mean that there is no noise
ACCEPTED = log(1.02)  # what the gain of an accepted arm is above
SLOW = -log(1.5)  # an arm that is so slow is out at once
TIED = log(1.01)  # what could be gained over the leader and is not worth trying
LAST_LOOK = 64  # values after which an arm that does not lead is out
MOST_COUNTED = 256  # values that count at most: what was measured long ago must not outvote what is

SETTLED, LEARNING, ORIGINAL_IS_BEST = "settled", "learning", "original is best"


@dataclass(frozen=True, slots=True)
class Gain:
    """What is known of an arm's gain after `count` values (0: nothing): `mean`, plus or minus `half`."""

    count: int = 0
    mean: float = 0.0
    half: float = inf

    @property
    def is_accepted(self) -> bool:
        """Whether the arm is faster, as far as figures can tell."""
        return self.mean - self.half > ACCEPTED


@dataclass(frozen=True, slots=True)
class Verdict:
    """An arm and what the rule says of it; `dropped` is the reason, "" while it is in."""

    arm: Arm
    gain: Gain
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A launch: verdicts on all arms but the original, in their order. `leader` is None where the original leads."""

    verdicts: tuple[Verdict, ...]
    leader: Verdict | None
    is_settled: bool

    @property
    def state(self) -> str:
        """In words: settled, learning, or the original is best."""
        if not self.is_settled:
            return LEARNING
        return SETTLED if self.leader else ORIGINAL_IS_BEST


def quantile(count: int) -> float:
    """The factor of the standard error for so many values; infinite for fewer than three."""
    at = bisect_right(LOOKS, count)
    return STUDENT[at - 1] if at else inf


def gain(arm: Arm, original: Arm) -> Gain:
    """An arm's gain: from its pairs, or where these are too few, from first launches of processes (Welch)."""
    pairs = arm.pairs.capped(MOST_COUNTED)
    firsts = arm.firsts.capped(MOST_COUNTED), original.firsts.capped(MOST_COUNTED)
    count = min(one.count for one in firsts)
    if pairs.count >= LOOKS[0] or (pairs.count and count < LOOKS[0]):
        return Gain(arm.pairs.count, pairs.mean, _half(pairs.count, _deviation(pairs) / sqrt(pairs.count)))
    if not count:
        return Gain()
    error = sqrt(sum(_deviation(one) ** 2 / one.count for one in firsts))
    return Gain(count, original.firsts.mean - arm.firsts.mean, _half(count, error))


def _half(count: int, error: float) -> float:
    """Half the width of the interval around a mean with this standard error."""
    return quantile(count) * error


def _deviation(sample: Sample) -> float:
    return max(sample.deviation, LEAST_DEVIATION)


def standing(record: Record) -> Standing:
    """What the pooled figures of a launch say."""
    original, *others = record.arms
    gains = [gain(arm, original) for arm in others]
    leader = _leader(gains)
    lead = None if leader is None else gains[leader]
    verdicts = tuple(
        Verdict(arm, one, "" if number == leader else _why_dropped(one, lead, max(arm.pairs.count, arm.firsts.count)))
        for number, (arm, one) in enumerate(zip(others, gains, strict=True))
    )
    is_open = any(not verdict.dropped for number, verdict in enumerate(verdicts) if number != leader)
    is_known = bool(others) and original.pairs.count + original.firsts.count > 0
    return Standing(verdicts, None if leader is None else verdicts[leader], is_known and not is_open)


def _leader(gains: Sequence[Gain]) -> int | None:
    """The accepted arm with the highest mean; the first of several."""
    accepted = [number for number, one in enumerate(gains) if one.is_accepted]
    return max(accepted, key=lambda number: gains[number].mean, default=None)


def _why_dropped(one: Gain, leader: Gain | None, count: int) -> str:
    """Why an arm of which there are `count` values is out; "" while it is in."""
    if not one.count:
        return ""
    if one.mean < SLOW:
        return "more than 1.5 times as slow as the original"
    if one.mean + one.half < ACCEPTED:
        return "gains less than 2 %"
    if leader is not None and one.mean - leader.mean + sqrt(one.half**2 + leader.half**2) < TIED:
        return "gains less than 1 % over what leads"
    if count >= LAST_LOOK and not one.is_accepted:
        return f"no gain of 2 % shown by {count} values"
    if count >= LAST_LOOK and leader is not None:
        return f"not better than what leads, by {count} values"
    return ""
