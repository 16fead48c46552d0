"""Dynamic shared memory in the model: __syncthreads(op, &base, bytes), thresholds, own and taken parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    scratch = tmp_path_factory.mktemp("smm")
    assert compile_with(PROGRAMS / "smm.cu", "-o", "program", cwd=scratch, check=True) == 0
    return scratch / "program"


def modelled(program: Path, *arguments: object, more: int = 2) -> dict[str, Any]:
    """The launch on a GTX 480 with 16 KB of shared memory, whose results are those of fast mode."""
    report = program.with_name("report.json")
    settings = {"GPUOPT_EMU_GPU": "gtx480", "GPUOPT_EMU_CARVEOUT": "30", "GPUOPT_EMU_SMM": str(more)}
    done = run(program, *arguments, GPUOPT_EMU_MODE="model", GPUOPT_EMU_REPORT=str(report), **settings)
    assert done.stdout == run(program).stdout
    launch: dict[str, Any] = json.loads(report.read_text("utf-8"))["launches"][0]
    return launch


def test_blocks_beyond_the_static_ones_take_turns_on_shared_memory(program: Path) -> None:
    static = modelled(program)
    assert (static["resident_blocks"], static["occupancy_limiter"]) == (1, "shared")
    managed = [modelled(program, 0, 9216, more=more) for more in range(4)]
    assert [item["resident_blocks"] for item in managed] == [1, 2, 3, 4]
    assert [item["occupancy_limiter"] for item in managed] == ["shared", "threshold", "threshold", "threshold"]
    cycles = [item["cycles"] for item in managed]
    assert cycles[0] == static["cycles"]
    assert cycles[1] < 0.9 * cycles[0]
    assert cycles[2] < cycles[1]


def test_own_parts_leave_room_for_one_that_is_taken(program: Path) -> None:
    assert modelled(program, 6144, 3072)["resident_blocks"] == 2  # 2 x 6144 + 3072 of 16384 bytes
    assert modelled(program, 4096, 5120)["resident_blocks"] == 2
    assert modelled(program, 2048, 7168)["resident_blocks"] == 3
    assert modelled(program, 12288, 3072)["resident_blocks"] == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (1, "__syncthreads(-1, ...): the block holds no shared memory at 7"),
        (2, "__syncthreads(1, ..., 10000): the kernel takes 9216 bytes at most"),
        (3, "__syncthreads(1, ...): the block holds shared memory already"),
    ],
)
def test_wrong_use_ends_the_launch_with_a_reason(program: Path, wrong: int, message: str) -> None:
    done = run(program, 0, 9216, wrong, GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU="gtx480", GPUOPT_EMU_CARVEOUT="30")
    assert message in done.stderr
    assert "invalid argument" in done.stdout


def test_elsewhere_it_is_a_barrier(program: Path) -> None:
    assert run(program, 0, 9216, 1).stdout == run(program).stdout
    checked = run(program, 0, 9216, GPUOPT_EMU_MODE="check")
    assert (checked.stdout, "0 errors" in checked.stderr) == (run(program).stdout, True)
