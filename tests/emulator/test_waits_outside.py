"""Launches under the model, or traced, that wait for what the program does after them: they do not hang."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

WAITS = "void wait_for(volatile int*, int*): it seems to wait for the program, which goes on: its figures contain"
BESIDE = "void set(volatile int*): it runs as in fast mode beside void wait_for(volatile int*, int*), which is modelled"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("waits")
    assert compile_with(PROGRAMS / "waits_outside.cu", "-o", "program", cwd=scratch, check=True) == 0
    return scratch / "program"


@pytest.mark.parametrize("argument", [(), ("late",)])
def test_in_model_mode(program: Path, argument: tuple[str, ...]) -> None:
    report = program.with_name("report.json")
    done = run(program, *argument, GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU="h200", GPUOPT_EMU_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert done.stderr.count(WAITS) == 1
    assert BESIDE in done.stderr
    launches = json.loads(report.read_text("utf-8"))["launches"]
    assert [launch["kernel"] for launch in launches] == ["works", "wait_for", "wait_for"]


@pytest.mark.parametrize("mode", ["fast", "model", "check"])
def test_in_clusters(program: Path, mode: str) -> None:
    done = run(program, "clusters", GPUOPT_EMU_MODE=mode, GPUOPT_EMU_GPU="h200")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert ("clusters of blocks are not modelled" in done.stderr) == (mode == "model")


def test_traced(program: Path) -> None:
    to = program.with_name("traces")
    settings = {"GPUOPT_EMU_TRACE": str(to), "GPUOPT_EMU_TRACE_FORMAT": "gpuopt", "GPUOPT_EMU_GPU": "h200"}
    done = run(program, **settings)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert WAITS in done.stderr
    assert sum(1 for _ in to.iterdir()) == 3
