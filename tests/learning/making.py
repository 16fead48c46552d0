"""Records for tests."""

from __future__ import annotations

import hashlib
import math

from hypothesis import strategies as st

from gpuopt_driver.learning.records import ORIGINAL, Arm, Record
from gpuopt_driver.learning.samples import NONE, Sample

DEVICE = "NVIDIA H100 80GB HBM3;132 SMs;driver 13000"


def sample(values) -> Sample:
    made = NONE
    for value in values:
        made = made.plus(value)
    return made


def spread(count: int, mean: float, deviation: float) -> Sample:
    """So many values with this mean and standard deviation, to six digits: as a file keeps them."""
    return Sample(count, float(f"{mean:.6g}"), float(f"{deviation**2 * (count - 1):.6g}")) if count else NONE


def record(kernel="gesummv", arms=(), *, key="", digest="0123456789abcdef", original=None, **more) -> Record:
    """A record with an original that takes 100 us; `arms` beside it."""
    first = Arm(ORIGINAL, 0, "", original or spread(20, math.log(1e5), 0.02))
    launch = more.pop("launch", "grid 1056,1,1 block 256,1,1 shared 0 args 1f3a5c77")
    made_key = key or hashlib.sha256(f"{kernel} {launch}".encode()).hexdigest()[:16]
    more = {"time": 1_764_000_000, "launches": 100, "lost_ns": 5000, "saved_ns": 90000, **more}
    return Record(digest, kernel, DEVICE, launch, made_key, arms=(first, *arms), **more)


def arm(version="catt", id=1, pairs=NONE, numbers="n=4,1,1,1 shared=0", firsts=NONE) -> Arm:
    return Arm(version, id, numbers, pairs, firsts)


# What has six digits comes back as it was.
_figures = st.builds(
    lambda mantissa, power: float(f"{mantissa}e{power}"), st.integers(-99999, 99999), st.integers(-9, -4)
)
_samples = st.builds(
    lambda count, mean, m2: Sample(count, mean, abs(m2)) if count else NONE, st.integers(0, 10**6), _figures, _figures
)
_hex = st.text("0123456789abcdef", min_size=16, max_size=16)
_names = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=40)
_words = _names.map(lambda text: text.replace(":", " "))
_arms = st.builds(
    Arm, _words.filter(lambda text: text not in ("", ORIGINAL)), st.integers(0, 2**32 - 1), _words, _samples, _samples
)


@st.composite
def records(draw, keys=_hex) -> Record:
    first = Arm(ORIGINAL, 0, draw(_words), draw(_samples), draw(_samples))
    others = draw(st.lists(_arms, max_size=4, unique_by=lambda one: (one.version, one.id)))
    counts = [draw(st.integers(0, 10**12)) for _ in range(2)]
    signed = [draw(st.integers(-(10**12), 10**12)) for _ in range(2)]
    names = [draw(_names) for _ in range(3)]
    return Record(draw(_hex), *names, draw(keys), *counts, *signed, (first, *others))
