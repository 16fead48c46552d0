"""N first, then M, and when to leave a loop alone; the rows measured on an H200."""

from __future__ import annotations

import pytest
from gpuopt_plugins.catt.decide import Demand, Outcome, Room, Rules, Verdict, decide, group_counts

H200_L1 = 229376 * 98 // 100


def _rules(**changes: object) -> Rules:
    values: dict[str, object] = {
        "sectored": True, "margin": 1220, "line_bytes": 128, "sector_bytes": 32, "minimum_trips": 16,
        "minimum_warps": 4, "warp_level": True, "block_level": True,
    }  # fmt: skip
    return Rules(**{**values, **changes})  # type: ignore[arg-type]


def _walk(lines_per_warp: int, warps: int, *, per_sm: int = 1, strong: bool = True, trips: int | None = 4096) -> Demand:
    counts = group_counts(warps)
    per_block = tuple(lines_per_warp * warps // n for n in counts)
    kept = per_block[0] + per_sm
    return Demand(per_block, (per_sm,) * len(counts), kept, kept if strong else 0, trips)


def _room(warps: int, blocks: int, l1_bytes: int = H200_L1) -> Room:
    return Room(warps, blocks, l1_bytes, lambda _: l1_bytes)


@pytest.mark.parametrize(("warps", "counts"), [(1, (1,)), (6, (1, 2)), (8, (1, 2, 4, 8)), (12, (1, 2, 4)), (7, (1,))])
def test_groups_divide_the_warps_evenly(warps: int, counts: tuple[int, ...]) -> None:
    assert group_counts(warps) == counts


# Lines per warp, resident blocks of 256 threads, strong; plain ms, the groups with which it is fastest and their ms.
MEASURED = [
    ("two matrices, sums in memory", 66, 1, True, 1),  # 1.38; 2 groups 2.15
    ("two matrices, sums in memory", 66, 2, True, 1),  # 2.70; 2 groups 2.86
    ("two matrices, sums in memory", 66, 4, True, 1),  # 5.41; 2 groups 5.49
    ("two matrices, sums in memory", 66, 5, True, 2),  # 16.8; 2 groups 6.9
    ("two matrices, sums in memory", 66, 8, True, 4),  # 51.8; 4 groups 10.8
    ("one matrix, sums in memory", 33, 8, True, 1),  # 5.08; 2 groups 5.14
    ("three matrices, sums in memory", 99, 2, True, 1),  # 4.30; 2 groups 4.36
    ("three matrices, sums in memory", 99, 4, True, 2),  # 24.9; 2 groups 8.4
    ("two matrices, sums in registers", 64, 8, False, 1),  # 8.8; 2 groups 10.8
    ("three matrices, sums in registers", 96, 8, False, 4),  # 16.2; 4 groups 13.2
    ("one matrix of doubles, sums in memory", 34, 8, True, 2),  # 12.0; 2 groups 5.7
]


@pytest.mark.parametrize(("what", "lines", "blocks", "strong", "groups"), MEASURED)
def test_rows_measured_on_an_h200(what: str, lines: int, blocks: int, strong: bool, groups: int) -> None:
    verdict = decide(_rules(), _walk(lines, 8, strong=strong), _room(8, blocks))
    assert verdict.n == groups, what
    assert (verdict.outcome is Outcome.THROTTLE) is (groups > 1), what


def test_what_fits_and_what_is_marginal() -> None:
    rules = _rules()
    assert decide(rules, _walk(34, 8), _room(8, 1)).outcome is Outcome.FITS
    assert decide(rules, _walk(34, 8), _room(8, 8, 256000)).outcome is Outcome.MARGIN
    exact = _walk(32, 8, per_sm=0)
    assert decide(_rules(margin=1000), exact, _room(8, 1, 32768)).outcome is Outcome.FITS
    assert decide(_rules(margin=1000), exact, _room(8, 1, 32767)).outcome is Outcome.THROTTLE


def test_few_iterations_and_unknown_ones_are_left_alone() -> None:
    assert decide(_rules(), _walk(66, 8, trips=15), _room(8, 8)).outcome is Outcome.FEW_TRIPS
    assert decide(_rules(), _walk(66, 8, trips=16), _room(8, 8)).outcome is Outcome.THROTTLE
    assert decide(_rules(), _walk(66, 8, trips=None), _room(8, 8)).outcome is Outcome.NOT_MODELLED
    assert decide(_rules(sectored=False), _walk(66, 8, trips=None), _room(8, 8)).outcome is Outcome.THROTTLE


def test_reuse_must_be_worth_it_in_the_sectored_model() -> None:
    little = Demand((528, 264, 132, 66), (1,) * 4, 100, 100, 4096)
    assert decide(_rules(), little, _room(8, 8)).outcome is Outcome.NO_LOCALITY
    assert decide(_rules(sectored=False), little, _room(8, 8)).outcome is Outcome.THROTTLE
    none = Demand((528, 264, 132, 66), (1,) * 4, 0, 0, 4096)
    assert decide(_rules(sectored=False), none, _room(8, 8)).outcome is Outcome.NO_LOCALITY


def test_blocks_are_taken_away_only_after_groups_are_exhausted() -> None:
    """CATT eq. 9: N to its largest value first, then M."""
    paper = _rules(sectored=False, margin=1000)
    verdict = decide(paper, _walk(33, 8, per_sm=0), _room(8, 8, 32768))
    assert (verdict.n, verdict.m, verdict.remaining) == (8, 1, 33 * 7 * 128)
    alone = decide(paper, _walk(64, 1, per_sm=0), _room(1, 32, 131072))
    assert (alone.n, alone.m) == (1, 16)


def test_the_smaller_l1_beside_fewer_blocks_counts() -> None:
    paper = _rules(sectored=False, margin=1000)
    room = Room(1, 32, 131072, lambda blocks: 131072 - 65536 if blocks >= 8 else None)
    verdict = decide(paper, _walk(64, 1, per_sm=0), room)
    assert (verdict.m, verdict.l1_bytes) == (24, 65536)


def test_levels_can_be_switched_off() -> None:
    demand = _walk(33, 8, per_sm=0)
    room = _room(8, 8, 32768)
    assert decide(_rules(sectored=False, block_level=False), demand, room).outcome is Outcome.NEVER_FITS
    assert decide(_rules(sectored=False, warp_level=False), demand, room) == Verdict(
        Outcome.NEVER_FITS, footprint=33 * 64 * 128, remaining=33 * 64 * 128, l1_bytes=32768, margin=1220
    )


def test_some_warps_must_stay_active() -> None:
    assert decide(_rules(minimum_warps=16, block_level=False), _walk(200, 8), _room(8, 4)).outcome is Outcome.NEVER_FITS
    assert decide(_rules(), _walk(200, 8), _room(8, 4)).n == 4
