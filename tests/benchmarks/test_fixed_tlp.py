"""The settings that the search for the best fixed throttling goes through."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def fixed_tlp() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "fixed_tlp.py"
    spec = importlib.util.spec_from_file_location("fixed_tlp", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_groups_are_powers_of_two_that_divide_the_warps(fixed_tlp: ModuleType) -> None:
    assert fixed_tlp.divisors(8) == [8, 4, 2, 1]
    assert fixed_tlp.divisors(6) == [6, 3]


def test_every_combination_is_tried_once(fixed_tlp: ModuleType) -> None:
    names = [name for name, _ in fixed_tlp.settings(4, 2)]
    assert names == ["plain", "catt", "(4,2)", "(4,1)", "(2,2)", "(2,1)", "(1,2)", "(1,1)"]
    assert "fixed_tlp = [2, 1]" in dict(fixed_tlp.settings(4, 2))["(2,1)"]
