"""Loops that the source says how often to unroll: the model lets no more of their turns' loads be under way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run

TOLD = b"::gpuopt_emu::turned<%d>()"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    scratch = tmp_path_factory.mktemp("unrolling")
    assert compile_with(PROGRAMS / "unrolling.cu", "-o", "program", cwd=scratch, check=True) == 0
    return scratch / "program"


@pytest.mark.parametrize("gpu", ["h200", "gtx480"])
def test_a_loop_that_is_not_unrolled_waits_for_every_turn(program: Path, gpu: str) -> None:
    report = program.with_name("report.json")
    settings = {"GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report), "GPUOPT_EMU_L2": "cold"}
    done = run(program, GPUOPT_EMU_MODE="model", **settings)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["128"] * 5
    cycles = {one["kernel"]: one["cycles"] for one in json.loads(report.read_text("utf-8"))["launches"]}
    assert cycles["one"] > 1.4 * cycles["two"] > 1.4 * 1.4 * cycles["as_it_likes"]
    assert cycles["one"] == pytest.approx(cycles["one_in_a_function"], rel=0.1)
    assert cycles["one"] == pytest.approx(cycles["one_at_the_end"], rel=0.1)


@pytest.mark.parametrize("mode", ["", "check"])
def test_results_stay(program: Path, mode: str) -> None:
    done = run(program, GPUOPT_EMU_MODE=mode)
    assert (done.returncode, done.stdout.split()) == (0, ["128"] * 5), done.stderr


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        (b"\n#pragma unroll 1\nfor (;;) f();", b"for (;;" + TOLD % 1 + b") f();"),
        (b"\n#pragma unroll(3)\nfor (int i = 0; i < n; ++i) f();", b"++i, " + TOLD % 3 + b") f();"),
        (b"\n#pragma nounroll\nwhile (n) f();", b"while (n) {" + TOLD % 1 + b";f();}"),
        (b"\n#pragma unroll 2\ndo { f(); } while (n);", b"do {" + TOLD % 2 + b"; f(); } while (n);"),
        (b"\n#pragma unroll 1\nfor (int i : all) f();", b"for (int i : all) {" + TOLD % 1 + b";f();}"),
    ],
)
def test_a_pragma_with_a_number_is_told_of(loop: bytes, expected: bytes) -> None:
    text = rewrite(b'# 1 "a.cu"\n__device__ void f(); __device__ void g(int n) { ' + loop + b" }\n").text
    assert expected in text


@pytest.mark.parametrize(
    "loop", [b"\n#pragma unroll\nfor (;;) f();", b"\n#pragma unroll N\nfor (;;) f();", b"for (;;) f();"]
)
def test_others_are_left_to_the_compiler(loop: bytes) -> None:
    text = rewrite(b'# 1 "a.cu"\n__device__ void f(); __device__ void g(int n) { ' + loop + b" }\n").text
    assert b"turned" not in text
