"""How many launches go by undecided where their arguments change all the time."""

from __future__ import annotations

import re
import subprocess
from importlib import resources
from pathlib import Path

HARNESS = """
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct dim3 { unsigned x, y, z; };
struct config { dim3 grid, block; size_t shared; };
struct entry {
  bool known, again; unsigned left, skip, passed; void *tried;
  dim3 grid, block; size_t shared; unsigned long long key, context;
  void reset(const config &) {}
};
static int mode() { return 0; }
static void gpuopt_io_free(void *) {}
static void *gpuopt_io_take(size_t size) { return malloc(size); }
static double clock_ns;
static double now_ns() { return clock_ns; }
%s
// Launches, each with arguments of its own and 10 us long: how many are decided.
static unsigned decided(int pick, double took, bool worth, unsigned configurations) {
  static memo fresh;
  memo m = fresh;
  const config c = { { 8, 1, 1 }, { 64, 1, 1 }, 0 };
  unsigned count = 0;
  for (unsigned launch = 0; launch < 10000; ++launch) {
    const unsigned key = launch %% configurations;
    clock_ns += 10000;
    if (m.find(c, key, 1) || m.rests(c)) continue;
    m.take(0, c, key, 1)->known = true;
    clock_ns += took;
    m.note(pick, took, worth);
    ++count;
  }
  return count;
}
int main() {
  const unsigned many = 10000;
  std::printf("%%u %%u ", decided(1, 0, false, many), decided(1, 100e3, false, many));
  std::printf("%%u ", decided(1, 100e3, true, many));
  std::printf("%%u %%u ", decided(0, 0, false, many), decided(0, 100e3, false, many));
  std::printf("%%u\\n", decided(1, 10e3, false, 30));
}
"""


def test_decisions_are_taken_as_seldom_as_they_are_dear(tmp_path: Path, host_compiler: str) -> None:
    """Of 10,000 launches of 10 us: one of 100 us that is not known to gain that takes a hundredth of the time."""
    headers = resources.files("gpuopt_driver.variants")
    declared = re.search(r"^struct memo \{.*?^\};", headers.joinpath("launch.h").read_text(), re.DOTALL | re.MULTILINE)
    members = re.search(
        r"^static inline unsigned set_of.*^GPUOPT_RT_MEMBER void memo::note.*?^\}",
        headers.joinpath("remembered.h").read_text(),
        re.DOTALL | re.MULTILINE,
    )
    assert declared is not None
    assert members is not None
    memo = f"{declared.group()}\n#define GPUOPT_RT_MEMBER inline\n{members.group()}\n"
    (tmp_path / "a.cpp").write_text(HARNESS % memo)
    subprocess.run([host_compiler, "-w", "a.cpp", "-o", "a"], cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True, timeout=60)
    always, dear, worth, original, dear_original, few = map(int, done.stdout.split())
    assert always == worth == 10000
    assert 15 <= dear <= 22  # a millisecond at once, then one in each 10 ms
    assert 50 < original < 200
    assert dear_original <= dear
    assert few == 30  # as many configurations are remembered
