"""A build for an architecture that no GPU file stands for: nvcc's own object, no word, and a note in the report."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from tests.driver.support import ROOT, command_line, run


def test_nothing_is_decided_and_the_report_says_why(tmp_path: Path, real_nvcc: str) -> None:
    for name in ("gesummv.cu", "example.h"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    line, env = command_line("-arch=sm_110", "-c", "gesummv.cu", "-o", "a.o", "--gpuopt-report=report.json")
    done = run(line, tmp_path, {**env, "GPUOPT_NVCC": real_nvcc})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (unit,) = json.loads((tmp_path / "report.json").read_text())["units"]
    assert (unit["gpu"], unit["patched_files"]) == ("none", [])
    assert [one["message"].partition(":")[0] for one in unit["problems"]] == ["no GPU file stands for sm_110"]
    assert {one["code"] for one in unit["decisions"]} == {"GPUOPT013"}
    subprocess.run([real_nvcc, "-arch=sm_110", "-c", "gesummv.cu", "-o", "b.o"], cwd=tmp_path, check=True)
    ours, nvccs = (re.sub(rb"tmpxft_\w+", b"", (tmp_path / name).read_bytes()) for name in ("a.o", "b.o"))
    assert ours == nvccs
