"""How many launches go by undecided where their arguments change all the time."""

from __future__ import annotations

import re
import subprocess
from importlib import resources
from pathlib import Path

HARNESS = """
#include <cstddef>
#include <cstdio>
struct dim3 { unsigned x, y, z; };
struct config { dim3 grid, block; size_t shared; };
struct entry {
  bool known, again; unsigned left, skip, passed; void *tried;
  dim3 grid, block; size_t shared; unsigned long long key, context;
  void reset(const config &) {}
};
static int mode() { return 0; }
static void gpuopt_io_free(void *) {}
%s
// Launches, each with arguments of its own: how many are decided.
static unsigned decided(int pick, unsigned pause) {
  static memo fresh;
  memo m = fresh;
  const config c = { { 8, 1, 1 }, { 64, 1, 1 }, 0 };
  unsigned count = 0;
  for (unsigned key = 0; key < 10000; ++key) {
    if (m.find(c, key, 1) || m.rests(c)) continue;
    m.take(0, c, key, 1);
    m.note(pick, pause);
    ++count;
  }
  return count;
}
int main() { std::printf("%%u %%u %%u %%u\\n", decided(1, 0), decided(1, 499), decided(0, 0), decided(0, 1999)); }
"""


def test_decisions_are_taken_as_seldom_as_they_are_dear(tmp_path: Path, host_compiler: str) -> None:
    """Of 10,000 launches: all, where a version is picked and a decision is cheap; one in 500; few of the original's."""
    text = resources.files("gpuopt_driver.variants").joinpath("remembered.h").read_text()
    memo = re.search(r"^struct memo \{.*?^\};", text, re.DOTALL | re.MULTILINE)
    assert memo is not None
    (tmp_path / "a.cpp").write_text(HARNESS % memo.group())
    subprocess.run([host_compiler, "-w", "a.cpp", "-o", "a"], cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True, timeout=60)
    always, dear, original, dear_original = map(int, done.stdout.split())
    assert always == 10000
    assert 30 <= dear <= 40
    assert 50 < original < 200
    assert dear_original < 30
