"""A small part of the campaign: a handful of programs, each plugin's versions alone and together, one in check mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from .policies import forced
from .program import program
from .verdict import examine
from .workshop import Workshop


@pytest.mark.parametrize(("seed", "kernels", "check"), [(1, 5, False), (3, 2, True), (4, 5, False)])
def test_versions_compute_the_same_bits(
    seed: int, kernels: int, check: bool, tmp_path: Path, host_compiler: str
) -> None:
    made = program(seed, kernels, launches=2)
    verdict = examine(Workshop(tmp_path), made, forced(made), check=check)
    assert verdict.failures == []
    assert len(verdict.taken["together"]) >= kernels - 2
    assert sum(map(len, verdict.taken.values())) > kernels
