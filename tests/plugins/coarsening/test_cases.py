"""What coarsening makes of every case, and that the patched kernels compute what the originals compute."""

from __future__ import annotations

from pathlib import Path

import gpuopt_plugins.coarsening as coarsening
import pytest

from gpuopt_driver.testing import Case, cases, check_case, check_execution, check_share_of_noops

CASES = cases(Path(__file__).parents[3] / "plugins" / "coarsening" / "cases")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, update_golden: bool) -> None:
    check_case(case, coarsening, update=update_golden)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_noop], ids=str)
def test_patched_kernels_compute_the_same(case: Case, host_compiler: str) -> None:
    picks = check_execution(case, coarsening)
    assert any(pick.version.startswith("coarsening") for pick in picks)


def test_at_least_a_third_of_the_cases_must_not_be_touched() -> None:
    check_share_of_noops(CASES)
