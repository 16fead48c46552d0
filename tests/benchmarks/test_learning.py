"""The script that measures learning on a GPU, with shell scripts for programs."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"
FIELDS = ("DIGEST", "rows", "Some GPU;1 SMs;driver 1", "LAUNCH", "KEY", "1", "2", "3", "4", "original:0::5:1:0:0:0:0")


@pytest.fixture(scope="module")
def learning() -> ModuleType:
    sys.path.insert(0, str(HERE))
    try:
        import learning as module  # noqa: PLC0415
    finally:
        sys.path.remove(str(HERE))
    return module


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def _record(*arms: str) -> str:
    told = "\t".join((*FIELDS, *arms))
    return f"gpuopt-choices-1\t{zlib.crc32(told.encode()):08x}\t{told}"


def _points(directory: Path, plain_ms: int) -> None:
    _program(directory / "nvcc", f'echo "$((${{5}} * {plain_ms})) 00ff"\n')
    record = _record("vtb:2:n=2:4:0.6931471805599453:0:0:0:0")
    choices = f'if [ -n "$GPUOPT_CHOICES" ]; then cat >"$GPUOPT_CHOICES/a.choices" <<\'END\'\n{record}\nEND\nfi\n'
    _program(directory / "gpuopt", f'{choices}echo "$((${{5}} * {plain_ms} / 2)) 00ff"\n')


def _run(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "learning.py"), words[0], str(directory), *words[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_points_are_measured_on_all_gpus_and_known_ones_left_out(learning: ModuleType, tmp_path: Path) -> None:
    _points(tmp_path, 1)
    known = tmp_path / "known.jsonl"
    stencils = [point for point in learning.points() if point[0] == "stencil"]
    known.write_text("".join(json.dumps({"point": point}) + "\n" for point in stencils[1:]))
    done = _run(tmp_path, "run", "--gpus", "0,1", "--only", "stencil", "--known", str(known))
    assert done.returncode == 0, done.stderr
    (row,) = _lines(tmp_path / "points.jsonl")
    assert tuple(row["point"]) == stencils[0]  # type: ignore[arg-type]
    assert (row["launches"], row["plain_ms"], row["same_bits"]) == (1000, 1.0, True)
    assert (row["learned"], row["best"], row["device"]) == (2.0, pytest.approx(2.0), "Some GPU;1 SMs;driver 1")
    assert "stencil 1 x 32, 2048" in _run(tmp_path / "points.jsonl", "table").stdout


def test_long_kernels_are_launched_less_often(tmp_path: Path) -> None:
    _points(tmp_path, 4)
    assert _run(tmp_path, "run", "--gpus", "0", "--only", "stencil").returncode == 0
    rows = _lines(tmp_path / "points.jsonl")
    assert [row["launches"] for row in rows] == [300] * len(rows) != []


def test_nothing_begins_when_the_time_is_up(tmp_path: Path) -> None:
    done = _run(tmp_path, "run", "--gpus", "0", "--only", "stencil", "--seconds", "0")
    assert "time is up: 4 of 4 points are left" in done.stderr


def _behaviour(directory: Path) -> None:
    _program(directory / "b-nvcc", 'echo "4.0 00ff no error"\n')
    record = f"cat >>\"$GPUOPT_CHOICES/a.choices\" <<'END'\n{_record()}\nEND\n"
    _program(
        directory / "b-gpuopt",
        f'[ -d "$GPUOPT_CHOICES" ] && {record}\n'
        'if [ "$1" = usual ] && [ "$CUDA_VISIBLE_DEVICES" = 1 ]; then echo "5.0 0bad no error"; exit; fi\n'
        'echo "2.0 00ff no error"\n',
    )


def test_modes_are_compared_with_the_plain_build(tmp_path: Path) -> None:
    _behaviour(tmp_path)
    assert _run(tmp_path, "behave", "--only", "host,crowd").returncode == 0
    host, crowd = _lines(tmp_path / "behaviour.jsonl")
    assert (host["mode"], host["same"], host["first"], host["frozen"]) == ("host", True, 2.0, 2.0)
    assert host["ns"]["nvcc"] == 40.0  # type: ignore[index]  # 4 ms of 100,000 launches
    assert (crowd["processes"], crowd["records"], crowd["whole"]) == (64, 64, 64)


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    _behaviour(tmp_path)
    assert _run(tmp_path, "behave", "--seconds", "0").returncode == 0
    assert all("left_out" in line for line in _lines(tmp_path / "behaviour.jsonl"))


def test_two_gpus_and_two_processes(tmp_path: Path) -> None:
    _behaviour(tmp_path)
    assert _run(tmp_path, "two", "--gpus", "0,1").returncode == 0
    one, same_gpu, other = _lines(tmp_path / "behaviour.jsonl")
    assert (one["two"], one["same"], one["first"], one["devices"]) == (
        "two GPUs in one process",
        True,
        [2.0],
        ["Some GPU;1 SMs;driver 1"],
    )
    assert (same_gpu["same"], same_gpu["second"], same_gpu["records"]) == (True, [2.0, 2.0], 8)
    assert (other["same"], other["first"]) == (False, [2.0, 0.8])


def test_one_gpu_is_not_taken_for_two(tmp_path: Path) -> None:
    _behaviour(tmp_path)
    assert _run(tmp_path, "two", "--gpus", "0").returncode == 0
    told = [line.get("left_out") for line in _lines(tmp_path / "behaviour.jsonl")]
    assert told == ["this machine has one GPU", None, "this machine has one GPU"]


def test_words_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    done = _run(tmp_path, "run", "--evry", "3")
    assert done.returncode == 2
    assert "unrecognized arguments: --evry 3" in done.stderr
