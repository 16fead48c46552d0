"""Carve-outs that the plugin chooses for recorded launches, by a regression of the other kernels: none is slower."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from gpuopt_driver.calibration import regression

HERE = Path(__file__).parents[2] / "benchmarks"


def test_no_launch_is_slower_than_with_the_drivers_division(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("bypass_divisions", HERE / "bypass_divisions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bypass_divisions"] = module
    spec.loader.exec_module(module)
    runs = regression.averaged(module.runs_of(HERE / "bypass" / "partition_h200_waves.csv"))
    module.table(runs)
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [(row[0], row[1], row[2], row[4]) for row in rows if row[0] in ("1.25", "inf")] == [
        ("1.25", "76 of 130", "1.290", "none"),
        ("inf", "52 of 130", "1.176", "none"),
    ]
    assert [row[4] == "none" for row in rows] == [False] + [True] * 6
