"""Random kernels with throttling forced compute what they computed; all threads meet at every inserted barrier."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.report.model import Decision

from .forced import FIXED, MODEL, force
from .programs import program


@pytest.mark.parametrize(("seed", "options"), [(1000, FIXED), (1008, FIXED), (1007, MODEL)])
def test_random_kernels_compute_the_same(seed: int, options: str, tmp_path: Path, host_compiler: str) -> None:
    outcome = force(program(seed, 6), tmp_path, options)
    assert outcome.wrong() == ""
    assert outcome.throttled > 0
    assert all(finding.decision is not Decision.APPLIED or finding.line > 0 for finding in outcome.findings)


def test_a_program_depends_on_its_seed_alone() -> None:
    assert program(5, 3) == program(5, 3)
    assert program(5, 3) != program(6, 3)
