"""The model's cache alone, beside what an H200's L1 was measured to do (tests/calibration/h200.jsonl)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS

RECORDS = Path(__file__).parents[1] / "calibration" / "h200.jsonl"
RUNTIME = Path(__file__).parents[2] / "gpuopt_driver" / "emulator" / "runtime"
CACHE = ("model_cache.cpp", "model_known.cpp", "model_pages.cpp")


@pytest.mark.usefixtures("host_compiler")
def test_rounds_through_lines_hit_as_measured(tmp_path: Path) -> None:
    sources = [str(PROGRAMS / "model_cache.cpp"), *(str(RUNTIME / name) for name in CACHE)]
    subprocess.run(("g++", "-std=c++17", "-O1", f"-I{RUNTIME}", *sources, "-o", "cache"), cwd=tmp_path, check=True)
    done = subprocess.run((tmp_path / "cache",), capture_output=True, text=True, check=True)
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    rounds = {item["lines"]: item["hits"] for item in seen if "lines" in item}
    records = [json.loads(line) for line in RECORDS.read_text("utf-8").splitlines()]
    measured = {int(1728 * item["of_capacity"]): item["hits"] for item in records if item["probe"] == "rounds"}
    assert rounds[1728][1:] == [1728] * 4  # what fits stays
    for lines, hits in measured.items():
        for modelled, truth in zip(rounds[lines], hits, strict=False):
            assert modelled / lines == pytest.approx(truth, abs=0.1)
    once, twice = (item["left"] for item in seen if "times" in item)
    assert once < 100  # an H200: none
    assert twice == pytest.approx(1024, abs=30)  # an H200: 1024
    assert seen[-4] == {"rows": [4, 16]}
    assert seen[-3] == {"first": 0, "second": 1}
    assert seen[-2] == {"free": [10, 100], "displaced": 32}
    assert seen[-1] == {"order": [1, 3, 1, 2]}  # tag 1 is line 1, and line 0


@pytest.mark.usefixtures("host_compiler")
def test_what_is_remembered_of_loads_changes_nothing(tmp_path: Path) -> None:
    sources = [str(PROGRAMS / "model_cache_again.cpp"), *(str(RUNTIME / name) for name in CACHE)]
    subprocess.run(("g++", "-std=c++17", "-O1", f"-I{RUNTIME}", *sources, "-o", "cache"), cwd=tmp_path, check=True)
    done = subprocess.run((tmp_path / "cache",), capture_output=True, text=True, check=True)
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item["differences"] for item in seen] == [0, 0, 0, 0]
    assert min(item["remembered"] for item in seen) > 10000
    assert min(item["waited"] for item in seen) > 500
