"""Check mode of kernels that are split at their barriers: their loops are looked at, and tell what each thread does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")
looks_at_one_program = pytest.mark.xdist_group("check_loops")

_SOUND = {0: 24, 1: 1, 2: 16, 3: 16, 4: 16}  # case of check_loops.cu -> blocks
_MISTAKEN = {
    10: {"race-global", "race-same-value"},
    11: {"race-global"},
    12: {"barrier-exited"},
    13: {"invalid-access"},
    14: {"uninitialized-read"},
    15: {"race-shared"},
    16: {"race-global", "race-same-value", "uninitialized-read"},
    17: {"use-after-free"},
}
_ONE_BY_ONE = {17}  # it allocates memory


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    binary = tmp_path_factory.mktemp("loops") / "program"
    assert compile_with(PROGRAMS / "check_loops.cu", "-o", binary, cwd=binary.parent, check=True) == 0
    return binary


def _line(item: dict[str, Any] | None) -> int | None:
    return item and item["place"]["line"]


def _checked(program: Path, case: int, tmp_path: Path, surveys: str) -> tuple[dict[str, Any], str]:
    report = tmp_path / "report.json"
    done = run(
        program, case, GPUOPT_EMU_MODE="check", GPUOPT_EMU_REPORT=str(report), GPUOPT_EMU_THREADS="1",
        GPUOPT_EMU_SURVEYS=surveys,
    )  # fmt: skip
    return json.loads(report.read_text()), done.stdout


@looks_at_one_program
@pytest.mark.parametrize("case", [*_SOUND, *_MISTAKEN])
def test_loops_find_what_a_look_at_each_thread_finds(case: int, program: Path, tmp_path: Path) -> None:
    """Kinds, places and counts are those of threads one by one, and so is what the kernel computes."""
    runs = []
    for surveys in "01":
        report, printed = _checked(program, case, tmp_path, surveys)
        assert (report["in_loops"] > 0) == (surveys == "1" and case not in _ONE_BY_ONE)
        found = [
            (*(item[key] for key in ("kind", "count", "block", "thread")), _line(item), _line(item.get("other")))
            for item in report["findings"]
        ]
        runs.append((sorted(found, key=str), printed))
    assert runs[0] == runs[1]
    assert {one[0] for one in runs[0][0]} == _MISTAKEN.get(case, set())
    if case in _SOUND:
        assert report["in_loops"] == _SOUND[case]
        assert runs[0][1] == run(program, case).stdout
        assert runs[0][1].startswith("cudaSuccess")
