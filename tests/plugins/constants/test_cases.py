"""What the plugin makes of every case, and that the patched kernels compute what the originals compute."""

from __future__ import annotations

from pathlib import Path

import gpuopt_plugins.constants as constants
import pytest

from gpuopt_driver.testing import Case, cases, check_case, check_execution, check_share_of_noops

CASES = cases(Path(__file__).parents[3] / "plugins" / "constants" / "cases")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, update_golden: bool) -> None:
    check_case(case, constants, update=update_golden)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_noop], ids=str)
def test_patched_kernels_compute_the_same(case: Case, host_compiler: str) -> None:
    picks = check_execution(case, constants)
    has_versions = case.name != "watched"
    assert any(pick.version.startswith("constants_") for pick in picks) == has_versions


def test_at_least_a_third_of_the_cases_must_not_be_touched() -> None:
    check_share_of_noops(CASES)
