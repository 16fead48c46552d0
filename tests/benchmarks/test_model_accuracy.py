"""How the model is held against hardware counters: correlations, effects, and which launches belong together."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpuopt_driver.report.emulated import read_emulated

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def accuracy():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        spec = importlib.util.spec_from_file_location("model_accuracy", ROOT / "benchmarks/model_accuracy.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["model_accuracy"] = module  # its dataclasses look themselves up
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
        sys.modules.pop("model_accuracy", None)


LAUNCH = read_emulated(str(ROOT / "tests/report/emulated/plain.json")).launches[0]


def row(accuracy, build="plain", carveout="", *, measured, modelled, cycles=(1.0, 1.0), hits=0.875):
    case = accuracy.Case("atax", build, "512 192", carveout)
    kernel = "rows" if build == "plain" else "rows__gpuopt_catt"
    numbers = {"l1_load_requests": 6144, "l1_load_sectors": 101376, "l1_load_hits": 101376 * hits}
    numbers |= {"l2_tex_read_sectors": measured, "sm_cycles": cycles[0]}
    launch = replace(LAUNCH, figures={**LAUNCH.figures, "l2_read_sectors": modelled, "cycles": cycles[1]})
    return accuracy.Row(case, kernel, "(2, 1, 1)", numbers, launch)


def test_the_committed_counters_can_be_read(accuracy):
    cases = accuracy.read_rows(ROOT / "benchmarks/ground_truth/h200.csv")
    assert len(cases) == 95
    assert sum(map(len, cases.values())) == 227
    wanted = set(cases)
    assert wanted == set(sys.modules["ground_truth"].cases())


def test_launches_are_paired_in_order_and_by_grid(accuracy):
    case = accuracy.Case("atax", "plain", "512 192", "")
    measured = {"kernel": "multiply_rows", "grid": "(2, 1, 1)", "l1_load_sectors": "101376", "time_ms": ""}
    (pair,) = accuracy.paired(case, [measured], [LAUNCH])
    assert pair.measured == {"l1_load_sectors": 101376}
    with pytest.raises(SystemExit, match=r"multiply_rows has grid \(3, 1, 1\), multiply_rows<<<2, 256>>> was modelled"):
        list(accuracy.paired(case, [{**measured, "grid": "(3, 1, 1)"}], [LAUNCH]))
    with pytest.raises(SystemExit, match="1 kernels measured, 0 modelled"):
        list(accuracy.paired(case, [measured], []))


def test_signs_of_effects_are_those_of_builds_and_carve_outs_against_the_plain_launch(accuracy):
    rows = [
        row(accuracy, measured=10000, modelled=9000),
        row(accuracy, "catt", measured=5000, modelled=8000),  # less, and less
        row(accuracy, "2x8", measured=5000, modelled=9500),  # less, but more
        row(accuracy, carveout="100", measured=20000, modelled=9001),  # more, and more
        row(accuracy, carveout="0", measured=10500, modelled=1),  # within what runs differ by
    ]
    assert accuracy.effects(rows) == [True, False, True]


def test_the_summary_says_which_goals_are_missed(accuracy):
    good = [row(accuracy, measured=10000 + n, modelled=10400, cycles=(n, n * n)) for n in range(1, 5)]
    named = {goal.name: goal for goal in accuracy.goals(good)}
    assert all(goal.reached for goal in named.values() if not goal.name.startswith("sign"))
    assert named["rank correlation of cycles"].value == 1
    bad = [row(accuracy, measured=10000, modelled=12000, hits=0.5, cycles=(n, -n)) for n in range(1, 5)]
    missed = {goal.name for goal in accuracy.goals(bad) if not goal.reached}
    assert {"L1 hit rate: mean absolute error", "L2 reads: mean absolute error", "rank correlation of cycles"} <= missed


def test_rank_correlation(accuracy):
    assert accuracy.ranks([10, 30, 10, 20]) == [0.5, 3, 0.5, 2]
    assert accuracy.spearman([(1, 5), (2, 6), (3, 7)]) == pytest.approx(1)
    assert accuracy.spearman([(1, 7), (2, 6), (3, 5)]) == pytest.approx(-1)
    # Spearman's own formula, 1 - 6 sum d^2 / n (n^2 - 1), with d = 0, 1, 1, 0
    assert accuracy.spearman([(1, 1), (2, 3), (3, 2), (4, 4)]) == pytest.approx(1 - 6 * 2 / (4 * 15))
