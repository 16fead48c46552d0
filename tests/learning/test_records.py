"""The format of choices: round trips, damage, pooling."""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuopt_driver.learning.records import LONGEST, MAGIC, ORIGINAL, Arm, lines_of, parse, pooled, read
from gpuopt_driver.learning.samples import MOST, NONE, Sample
from tests.learning.making import arm, record, records, sample, spread

GOLDEN = (
    b"gpuopt-choices-1\t%CRC\t0123456789abcdef\tns::gesummv<4>\tNVIDIA H100 80GB HBM3;132 SMs;driver 13000\t"
    b"grid 1056,1,1 block 256,1,1 shared 0 args 1f3a5c77\tfedcba9876543210\t1764000000\t120\t5000\t90000\t"
    b"original:0::3:11.5129:0.0008:1:11.9:0\tcache_bypass+catt:77:n=4,1,1,1 shared=0 carveout=-1:3:0.25:0.0002:0:0:0\n"
)


def line(body: bytes) -> bytes:
    """A line with the right CRC, without its end."""
    return MAGIC + b"%08x\t" % zlib.crc32(body) + body


def body_of(made) -> bytes:
    return next(lines_of(made))[len(MAGIC) + 9 : -1]


def close(one, other) -> bool:
    """Whether two lists of records say the same but for rounding to six digits."""

    def figures(several):
        return [
            (a.pairs.count, a.pairs.mean, a.pairs.m2, a.firsts.count, a.firsts.mean) for r in several for a in r.arms
        ]

    def rest(several):
        return [replace(r, arms=tuple(replace(a, pairs=NONE, firsts=NONE) for a in r.arms)) for r in several]

    near = (
        math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-6)
        for a, b in zip(figures(one), figures(other), strict=True)
        for x, y in zip(a, b, strict=True)
    )
    return rest(one) == rest(other) and all(near)


class TestTheForm:
    def test_it_is_what_the_runtime_writes(self):
        crc = zlib.crc32(GOLDEN.partition(b"%CRC\t")[2][:-1])
        golden = GOLDEN.replace(b"%CRC", b"%08x" % crc)
        made = parse(golden[:-1])
        assert (made.kernel, made.key, made.launches, made.saved_ns) == (
            "ns::gesummv<4>",
            "fedcba9876543210",
            120,
            90000,
        )
        assert made.arms[1] == Arm("cache_bypass+catt", 77, "n=4,1,1,1 shared=0 carveout=-1", Sample(3, 0.25, 0.0002))
        assert made.arms[0].firsts == Sample(1, 11.9, 0)
        assert list(lines_of(made)) == [golden]

    @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a loaded machine
    @given(records())
    def test_a_record_comes_back(self, made):
        lines = list(lines_of(made))
        assert all(len(one) <= LONGEST and one.count(b"\n") == 1 for one in lines)
        assert [parse(one[:-1]) for one in lines] == [made]

    @given(records(), st.text(max_size=30), st.text(max_size=30))
    def test_no_name_ends_a_field_or_a_line(self, made, kernel, numbers):
        odd = replace(made, kernel=f"a\t\r\n\x85{kernel}", arms=(*made.arms, arm("x\t:y", 5, numbers=numbers)))
        (back,) = read(b"".join(lines_of(odd))).records
        assert back.kernel.startswith("a    ")
        assert len(back.arms) == len(odd.arms)
        assert back.arms[-1].version == "x  y"

    def test_names_of_any_length_and_any_number_of_arms_fit(self):
        arms = [arm(f"version{number}", number, spread(number, 0.1, 0.1), "n" * 300) for number in range(200)]
        made = record("é" * 9000, arms, launch="l" * 9000, launches=7)
        lines = list(lines_of(made))
        assert len(lines) > 10
        assert max(map(len, lines)) <= LONGEST
        (back,) = pooled(read(b"".join(lines)).records)
        assert (back.launches, back.lost_ns, back.saved_ns) == (7, made.lost_ns, made.saved_ns)
        assert back.arms[0].pairs.count == made.arms[0].pairs.count
        counts = {one.version: one.pairs.count for one in back.arms[1:]}
        assert counts == {one.version: one.pairs.count for one in arms}
        assert "..." in back.kernel

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b"0123456789abcdef", b"0123456789ABCDEF"),
            (b"0123456789abcdef", b"0123456789abcde"),
            (b"\t100\t5000", b"\t-1\t5000"),
            (b"\t100\t5000", b"\t18446744073709551616\t5000"),
            (b"\t100\t5000", b"\t1 00\t5000"),
            (b"\t5000\t", b"\t5e3\t"),
            (b"\t5000\t", b"\t"),
            (b"original:", b"first:"),
            (b"catt:1:", b"catt:4294967296:"),
            (b"catt:1:", b":1:"),
            (b"catt:1:", b"original:1:"),
            (b"n=4,1,1,1", b"n:4"),
            (b":3:0.25:", b":3:nan:"),
            (b":3:0.25:", b":3:inf:"),
            (b":3:0.25:", b":3:100:"),
            (b":3:0.25:", b":1000000000:0.25:"),
            (b":3:0.25:0.0002", b":3:0.25:1e12"),
            (b":3:0.25:", b":3:0x1p3:"),
            (b":3:0.25:", b":3:0_1:"),
            (b":3:0.25:0.0002", b":3:0.25:-1"),
            (b"gesummv", b"ges\xffummv"),
        ],
    )
    def test_what_has_not_the_form_is_no_record(self, old, new):
        good = body_of(record(arms=[arm(pairs=Sample(3, 0.25, 0.0002))]))
        assert parse(line(good)) is not None
        assert good.count(old) == 1
        assert parse(line(good.replace(old, new))) is None
        assert parse(line(good) + b"x") is None

    def test_an_arm_that_stands_twice_is_no_record(self):
        assert parse(line(body_of(record(arms=[arm("a", 1), arm("a", 1)])))) is None
        assert parse(line(body_of(record(arms=[arm("a", 1), arm("a", 2)])))) is not None

    def test_a_line_that_is_too_long_is_no_record(self):
        good = body_of(record(arms=[arm()]))
        longest = good.replace(b"gesummv", b"g" * (7 + LONGEST - 1 - len(line(good))))
        assert len(line(longest)) == LONGEST - 1
        assert parse(line(longest)) is not None
        assert parse(line(longest.replace(b"ggg", b"gggg", 1))) is None

    def test_figures_that_nobody_measured_are_not_written(self):
        made = record(arms=[arm(pairs=Sample(3, math.inf, 1.0)), arm("b", 2, Sample(3, 0.1, math.nan))])
        assert [one.pairs for one in parse(next(lines_of(made))[:-1]).arms[1:]] == [NONE, NONE]


class TestDamage:
    @settings(max_examples=200)
    @given(st.lists(records(), min_size=1, max_size=5), st.data())
    def test_a_changed_byte_loses_its_line_alone(self, several, data):
        lines = [one for made in several for one in lines_of(made)]
        whole = b"".join(lines)
        at = data.draw(st.integers(0, len(whole) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[at]))
        got = read(whole[:at] + bytes([byte]) + whole[at + 1 :]).records
        ends = [0]
        for one in lines:
            ends.append(ends[-1] + len(one))
        hit = {number for number, (start, end) in enumerate(pairwise(ends)) if start <= at < end}
        want = [parse(one[:-1]) for number, one in enumerate(lines) if number not in hit]
        # Where the end of a line was hit, the next one begins in it and is found all the same.
        assert [one for one in got if one in want] == want
        assert len(got) <= len(lines)

    @given(st.lists(records(), min_size=2, max_size=4), st.data())
    def test_a_line_that_was_cut_takes_no_other_along(self, several, data):
        lines = [one for made in several for one in lines_of(made)]
        cut = data.draw(st.integers(1, len(lines[0]) - 2))
        reading = read(lines[0][:cut] + b"".join(lines[1:]))
        assert reading.records == [parse(one[:-1]) for one in lines[1:]]
        assert reading.damaged == 1

    @given(st.lists(records(), max_size=3), st.binary(max_size=300))
    def test_what_is_no_record_is_passed_over(self, several, other):
        lines = [one for made in several for one in lines_of(made)]
        reading = read(other + b"\n" + b"".join(lines))
        assert reading.records == [parse(one[:-1]) for one in lines]
        assert reading.damaged == sum(1 for one in other.split(b"\n") if one)


KEYS = st.sampled_from(["0" * 16, "1" * 16])
SEVERAL = st.lists(records(KEYS), max_size=4)


class TestPooling:
    @given(SEVERAL, SEVERAL, SEVERAL)
    def test_order_and_grouping_do_not_count(self, a, b, c):
        want = pooled([*a, *b, *c])
        assert close(pooled([*c, *a, *b]), want)
        assert close(pooled([*pooled([*a, *b]), *c]), want)
        assert close(pooled([*a, *pooled([*c, *b])]), want)
        assert pooled(want) == want

    @given(st.lists(st.floats(-50, 50), max_size=30), st.integers(0, 30))
    def test_pooled_figures_are_those_of_all_values(self, values, at):
        made = sample(values[:at]).pooled(sample(values[at:]))
        assert made.count == len(values)
        if values:
            mean = math.fsum(values) / len(values)
            assert made.mean == pytest.approx(mean, abs=1e-9)
            assert made.m2 == pytest.approx(math.fsum((value - mean) ** 2 for value in values), abs=1e-7)

    def test_arms_are_the_same_by_version_and_number(self):
        one = record(key="a" * 16, arms=[arm("catt", 1, spread(4, 0.1, 0.01)), arm("catt", 2, spread(5, 0.2, 0.01))])
        other = record(key="a" * 16, arms=[arm("catt", 2, spread(5, 0.2, 0.01)), arm("vtb", 2, spread(1, 0.3, 0))])
        (made,) = pooled([one, other])
        counts = [(each.version, each.id, each.pairs.count) for each in made.arms]
        assert counts == [(ORIGINAL, 0, 40), ("catt", 1, 4), ("catt", 2, 10), ("vtb", 2, 1)]
        assert (made.launches, made.lost_ns, made.saved_ns) == (200, 10000, 180000)

    def test_names_are_those_of_the_newest(self):
        one, other = record("old", key="a" * 16, time=5), record("new", key="a" * 16, time=9)
        assert [(made.kernel, made.time) for made in pooled([other, one])] == [("new", 9)]

    def test_counts_stop_at_what_they_can_hold(self):
        most = (1 << 64) - 1
        one = record(key="a" * 16, launches=most, saved_ns=most >> 1, original=Sample(MOST, 1.0, 0.0))
        (made,) = pooled([one, one])
        assert parse(next(lines_of(made))[:-1]) == made
        assert (made.launches, made.saved_ns, made.arms[0].pairs.count) == (most, most >> 1, MOST)
