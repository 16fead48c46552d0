"""Launches under the model, or traced, that wait for what the program does after them: they do not hang."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

WAITS = "void wait_for(volatile int*, int*): it seems to wait for the program, which goes on: its figures contain"
BESIDE = "void set(volatile int*): it runs as in fast mode beside void wait_for(volatile int*, int*), which is modelled"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
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


_BARE = """
#include <cstdio>
__global__ void k(unsigned *x) {
  atomicOr(&x[1], 0u);  // now and then lets others go on: signals come through from there on
  atomicAdd(&x[0], 1u);
}
int main() {
  unsigned *x;
  cudaMallocManaged(&x, 64);
  for (int i = 0; i < 12; i++) k<<<4096, 256>>>(x), cudaDeviceSynchronize();
  printf("%u %s\\n", x[0], cudaGetErrorString(cudaGetLastError()));
}
"""


@pytest.mark.usefixtures("host_compiler")
def test_signals_that_come_one_upon_the_other(tmp_path: Path) -> None:
    """They took the loader's lock while threads were switched; those that waited for it filled their stacks."""
    (tmp_path / "bare.cu").write_text(_BARE)
    assert compile_with("bare.cu", "-o", "bare", cwd=tmp_path) == 0
    with subprocess.Popen([tmp_path / "bare"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        while process.poll() is None:
            for _ in range(50):
                process.send_signal(signal.SIGURG)
            time.sleep(0.0005)
        assert process.stdout
        assert process.stdout.read() == f"{12 * 4096 * 256} no error\n"
