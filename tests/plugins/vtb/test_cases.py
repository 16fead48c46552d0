"""What VTB makes of every case, and that the patched kernels compute what the originals compute."""

from __future__ import annotations

from pathlib import Path

import gpuopt_plugins.vtb as vtb
import pytest
from gpuopt_plugins.vtb import codes

from gpuopt_driver.testing import Case, cases, check_case, check_execution, check_share_of_noops

CASES = cases(Path(__file__).parents[3] / "plugins" / "vtb" / "cases")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, update_golden: bool) -> None:
    check_case(case, vtb, update=update_golden)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_noop], ids=str)
def test_patched_kernels_compute_the_same(case: Case, host_compiler: str) -> None:
    picks = check_execution(case, vtb)
    unasked = {"original"} if case.learn == "on" else set()
    assert {pick.version for pick in picks} - unasked <= {"vtb", "vtb_co"}
    assert picks


def test_every_code_is_explained_with_an_example() -> None:
    for code, text in codes.EXPLANATIONS.items():
        lines = text.splitlines()
        assert lines[0].endswith("."), code
        assert any(line.startswith("Example: ") for line in lines), code


def test_at_least_a_third_of_the_cases_must_not_be_touched() -> None:
    check_share_of_noops(CASES)
