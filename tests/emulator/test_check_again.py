"""Check mode looks once at what a thread does again, and at races that all blocks have alike: it finds the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")
looks_at_one_program = pytest.mark.xdist_group("check_again")

# case of check_again.cu -> kinds of findings, and blocks that are run in their fast form
_CASES: dict[int, tuple[set[str], int]] = {
    0: ({"race-global"}, 0),
    1: ({"race-global"}, 0),
    2: ({"race-global"}, 0),
    3: ({"race-global"}, 0),
    4: ({"race-global"}, 0),
    5: ({"race-global"}, 0),
    6: ({"race-global"}, 0),
    7: (set(), 0),
    8: ({"race-global", "race-same-value"}, 15 + 16),  # the first block shows what all have
    9: ({"race-same-value"}, 0),
    10: ({"race-global", "race-same-value"}, 10),  # block 5 is the first that stores another value
    11: ({"race-global", "race-same-value"}, 0),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    binary = tmp_path_factory.mktemp("again") / "program"
    assert compile_with(PROGRAMS / "check_again.cu", "-o", binary, cwd=binary.parent, check=True) == 0
    return binary


def _marked(case: int, mark: str) -> set[int]:
    """The lines of the case's kernel that carry the mark."""
    lines = list(enumerate((PROGRAMS / "check_again.cu").read_text().splitlines(), 1))
    starts = [number for number, line in lines if line.startswith(("__global__", "int main"))]
    return {number for number, line in lines if starts[case] < number < starts[case + 1] and mark in line}


@looks_at_one_program
@pytest.mark.parametrize("case", _CASES)
def test_findings_are_those_of_a_look_at_each_access(case: int, program: Path, tmp_path: Path) -> None:
    kinds, surveyed = _CASES[case]
    report = tmp_path / "report.json"
    for surveys in "01":
        done = run(
            program, case, GPUOPT_EMU_MODE="check", GPUOPT_EMU_REPORT=str(report), GPUOPT_EMU_THREADS="1",
            GPUOPT_EMU_SURVEYS=surveys,
        )  # fmt: skip
        told: dict[str, Any] = json.loads(report.read_text())
        assert {item["kind"] for item in told["findings"]} == kinds, done.stderr
        for item in told["findings"]:
            assert item["place"]["line"] in _marked(case, "found"), done.stderr
            assert item["other"]["place"]["line"] in _marked(case, "other"), done.stderr
        assert told["surveyed"] == (surveyed if surveys == "1" else 0)
        assert done.stdout.startswith(f"{case} cudaSuccess")


@looks_at_one_program
def test_races_that_are_found_in_each_turn_are_all_counted(program: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run(program, 11, GPUOPT_EMU_MODE="check", GPUOPT_EMU_REPORT=str(report), GPUOPT_EMU_THREADS="1")
    read, store = sorted(_marked(11, "found"))
    found = {
        (item["kind"], item["place"]["line"], item["other"]["place"]["line"]): item["count"]
        for item in json.loads(report.read_text())["findings"]
    }
    threads, turns, changing = 3 * 32, 8, 2  # those of the first warp come first, and race with nobody
    assert found == {
        ("race-global", read, store): threads,
        ("race-same-value", store, store): threads,  # in the first turn, which adds 0
        ("race-global", store, read): threads * changing,
        ("race-same-value", store, read): threads * (turns - 1 - changing),
    }


_FORTIFIED = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void sums(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto some = cg::binary_partition(tile, in[threadIdx.x] & 1);
  const int sum = cg::reduce(some, in[threadIdx.x], cg::plus<int>());
  if (some.thread_rank() == 0) atomicAdd(&out[in[threadIdx.x] & 1], sum);
}
int main() {
  int numbers[64], *in, *out, sum[2] = {0, 0};
  for (int i = 0; i < 64; i++) numbers[i] = i * i % 11;
  cudaMalloc(&in, sizeof numbers); cudaMalloc(&out, sizeof sum);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice); cudaMemset(out, 0, sizeof sum);
  sums<<<1, 64>>>(in, out);
  cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%d %d\\n", sum[0], sum[1]);
  cudaFree(in); cudaFree(out);
}
"""


def test_the_c_librarys_checked_copies_are_their_callers(tmp_path: Path) -> None:
    """-D_FORTIFY_SOURCE, which some systems' compilers bring along, makes functions of memcpy and its like."""
    (tmp_path / "sums.cu").write_text(_FORTIFIED)
    flags = ("-std=c++17", "-D_FORTIFY_SOURCE=2", "-Xcompiler", "-O2")
    assert compile_with(*flags, "sums.cu", "-o", "sums", cwd=tmp_path, check=True) == 0
    done = run(tmp_path / "sums", GPUOPT_EMU_MODE="check")
    assert done.stdout.split() == ["44", "215"], done.stderr
    assert "0 errors at 0 places" in done.stderr
