"""Inline functions that several objects have, the host compiler's own among them, beside code for check mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

_TIMER = """#pragma once
#include <stdexcept>
struct Timer {
  virtual ~Timer() {}
  virtual void start() = 0;
};
struct Watch : Timer {
  int starts;
  Watch() : starts(0) {}
  void start() override;
};
inline void Watch::start() {
  static int all = 0;
  if (++all > 1000) throw std::runtime_error("too often");
  starts = all;
}
inline int starts(Timer *timer) {
  try {
    timer->start();
  } catch (const std::runtime_error &) {
    return -1;
  }
  return static_cast<Watch *>(timer)->starts;
}
"""
_HOST = """#include "timer.h"
int of_host() { Watch watch; Timer *timer = &watch; return starts(timer); }
"""
_DEVICE = """#include <cstdio>
#include "timer.h"
int of_host();
__global__ void late(int *p) { p[threadIdx.x] = p[blockDim.x]; }
int main() {
  int *p, before = of_host();
  cudaMalloc(&p, 32 * sizeof *p);
  late<<<1, 32>>>(p);
  Watch *watch = new Watch;
  printf("%d %d %s\\n", before, starts(watch), cudaGetErrorString(cudaDeviceSynchronize()));
  delete watch;
  cudaFree(p);
}
"""


@pytest.mark.parametrize("sources", [("host.cpp", "device.cu"), ("device.cu", "host.cpp")])
@pytest.mark.parametrize("option", ["-O0", "-O3"])
def test_a_host_source_has_the_same_inline_functions(sources: tuple[str, str], option: str, tmp_path: Path) -> None:
    """The linker keeps one object's copy of each: what the others have beside it must not be lost with theirs."""
    for name, text in (("timer.h", _TIMER), ("host.cpp", _HOST), ("device.cu", _DEVICE)):
        (tmp_path / name).write_text(text)
    assert compile_with(option, *sources, "-o", "app", cwd=tmp_path, check=True) == 0
    assert run(tmp_path / "app", GPUOPT_EMU_MODE="fast").stdout.startswith("1 2 ")
    done = run(tmp_path / "app", GPUOPT_EMU_MODE="check")
    assert done.stdout.startswith("1 2 ")
    assert "late" in done.stderr
    assert "out of bounds" in done.stderr
