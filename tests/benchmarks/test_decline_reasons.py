"""Reasons are counted by kernels, whatever names, places and numbers their messages have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


def _decision(kernel: str, message: str, decision: str = "declined", code: str = "CATT015") -> dict[str, object]:
    made = {"kernel": kernel, "decision": decision, "code": code, "message": message}
    return {**made, "file": "/a.cu", "line": ord(kernel[0])}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    decisions = [
        _decision("k<int>", "left alone: f() is not known (line 12 of b.h)"),
        _decision("k<float>", "left alone: f() is not known (line 12)"),
        _decision("other", "left alone: footprint 12 B, fits L1 4096 B"),
        _decision("made", "left alone: f() is not known"),
        _decision("made", "applied", "applied", "VTB001"),
    ]
    one = {"project": "p", "file": "a.cu", "status": 0, "said": "", "cpu": 1.5, "decisions": decisions}
    path = tmp_path / "record.jsonl"
    path.write_text(json.dumps(one) + "\n")
    return path


def test_kernels_without_versions_are_counted_by_reason(record: Path) -> None:
    script = [sys.executable, str(HERE / "decline_reasons.py")]
    argv = [*script, "--read", str(record), "--before", str(record), "--least", "1"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0].startswith("1 files of 1 projects, 3 kernels, 1 with versions (1 before)")
    assert [line.split(maxsplit=2) for line in said[1:]] == [
        ["1", "1", "CATT015 left alone: f() is not known"],
        ["1", "1", "CATT015 left alone: footprint N B, fits L1 N B"],
    ]
