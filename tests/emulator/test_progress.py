"""What a terminal shows while a launch is modelled."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.emulator.support import compile_with

# One block that takes as long as it is told.
SOURCE = """
#include <cstdlib>
__global__ void slow(volatile float *x, int turns) {
  for (int i = 0; i < turns; ++i) x[threadIdx.x] = x[(threadIdx.x + i) % 32] + 1;
}
int main(int, char **argv) {
  float *x;
  cudaMalloc(&x, 32 * sizeof(float));
  slow<<<1, 32>>>(x, atoi(argv[1]));
  return cudaDeviceSynchronize();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    scratch = tmp_path_factory.mktemp("progress")
    (scratch / "slow.cu").write_text(SOURCE)
    assert compile_with("slow.cu", "-o", "slow", cwd=scratch, check=True) == 0
    return scratch / "slow"


def on_a_terminal(program: Path, turns: int, term: str) -> str:
    """What is written to standard error by a process that is stopped again and again: time passes, which costs none."""
    env = {
        **os.environ,
        "TERM": term,
        "GPUOPT_EMU_MODE": "model",
        "GPUOPT_EMU_REPORT": str(program.with_name("r.json")),
    }
    terminal, end = pty.openpty()
    with subprocess.Popen([program, str(turns)], stderr=end, env=env) as running:
        os.close(end)
        said = b""
        while True:
            if not select.select([terminal], [], [], 0.05)[0]:
                running.send_signal(signal.SIGSTOP)
                time.sleep(0.25)
                running.send_signal(signal.SIGCONT)
                continue
            try:
                part = os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
            said += part
        os.close(terminal)
    assert running.returncode == 0
    return said.decode()


def test_a_launch_that_takes_long_has_a_line_that_goes(program: Path) -> None:
    turns = 100_000
    said = ""
    while not said and turns < 1e8:  # until it takes more than a second here
        said = on_a_terminal(program, turns, "xterm")
        turns *= 10
    assert re.match(r"\r\x1b\[Kgpuopt model: slow: cycle \d+, 0 of 1 blocks done", said)
    assert said.endswith("\r\x1b[K")
    assert "\n" not in said
    assert on_a_terminal(program, turns // 10, "dumb") == ""
