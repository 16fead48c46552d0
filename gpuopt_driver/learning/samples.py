"""Count, mean and spread of measurements, without the measurements (Welford), and such figures pooled (Chan)."""

from __future__ import annotations

import math

from gpuopt_driver.dataclass import dataclass

MOST = 999_999_999  # what a count holds at most


@dataclass(frozen=True, slots=True)
class Sample:
    """`count` values with this `mean`; `m2` is the sum of their squared distances from it."""

    count: int = 0
    mean: float = 0.0
    m2: float = 0.0

    @property
    def deviation(self) -> float:
        """The sample's standard deviation; 0 for fewer than two values."""
        return math.sqrt(self.m2 / (self.count - 1)) if self.count > 1 else 0.0

    def capped(self, most: int) -> Sample:
        """As much as so many values say at most."""
        return self if self.count <= most else Sample(most, self.mean, self.m2 * most / self.count)

    def plus(self, value: float) -> Sample:
        """With one value more."""
        count = self.count + 1
        delta = value - self.mean
        mean = self.mean + delta / count
        return Sample(count, mean, self.m2 + delta * (value - mean))

    def pooled(self, other: Sample) -> Sample:
        """Of all values of both."""
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        delta = other.mean - self.mean
        mean = (self.count * self.mean + other.count * other.mean) / count
        m2 = self.m2 + other.m2 + delta * delta * (self.count / count) * other.count
        return Sample(min(count, MOST), mean, m2)


NONE = Sample()
