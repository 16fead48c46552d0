"""Table 3 of the CATT paper comes out as printed where it follows from the equations."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def table3() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "table3.py"
    spec = importlib.util.spec_from_file_location("table3", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["table3"] = module
    spec.loader.exec_module(module)
    return module


def test_rows_that_follow_from_the_equations_are_exact(table3: ModuleType) -> None:
    rows = table3.table()
    assert len(rows) == 26
    assert table3.problems(rows) == []
    atax = next(largest for row, _, largest in rows if row.name == "atax_kernel1")
    assert (atax.requests_per_warp, atax.footprint_bytes, atax.code) == (34, 139264, "CATT002")
    corr = next(largest for row, _, largest in rows if row.name == "corr_kernel")
    assert corr.code == "CATT013"


def test_a_row_that_differs_is_reported(table3: ModuleType) -> None:
    rows = table3.table()
    row, small, largest = rows[0]
    wrong = table3.problems([(table3.Row(**{**row.__dict__, "largest": (2, 4)}), small, largest)])
    assert wrong == ["ATAX#1: (1,4) and (4,4), the paper has (1,4) and (2,4)"]
