"""Roots in kernels are computed for several threads at once; sources that look at `errno` keep it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.roots import WITHOUT_ERRNO, root_options
from tests.emulator.support import compile_with, run

_KERNEL = "__global__ void k(float *p) { p[threadIdx.x] = sqrtf(p[threadIdx.x]); }\n"


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ('# 1 "a.cu"\n' + _KERNEL, True),
        ('# 1 "a.cu"\n__global__ void k(float *p) { p[0] += p[1]; }\n', False),  # as it is
        ('# 1 "a.cu"\nint f() { return (*__errno_location ()); }\n' + _KERNEL, False),
        ('# 1 "a.cu"\n# 1 "own.h" 1\nint f() { return errno; }\n# 2 "a.cu" 2\n' + _KERNEL, False),
        ('# 1 "a.cu"\n# 1 "/x.h" 1 3\nextern int *__errno_location (void);\n# 2 "a.cu" 2\n' + _KERNEL, True),
        ('# 1 "a.cu"\nint serrno;\n' + _KERNEL, True),
    ],
)
def test_the_users_text_decides(text: str, free: bool) -> None:
    assert root_options(text.encode()) == (WITHOUT_ERRNO if free else ())


_ASKING = """
#include <cerrno>
#include <cmath>
#include <cstdio>
__global__ void roots(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] >= 0 ? sqrtf(p[i]) : -1;
}
int main(int argc, char **) {
  errno = 0;
  double root = sqrt(-argc * 1.0);
  printf("%d %d\\n", errno == EDOM, root != root);
  float *p;
  cudaMallocManaged(&p, 3 * sizeof(float));
  p[0] = 9, p[1] = -4, p[2] = 2.25f;
  roots<<<1, 4>>>(p, 3);
  cudaDeviceSynchronize();
  printf("%g %g %g\\n", p[0], p[1], p[2]);
}
"""


@pytest.mark.usefixtures("host_compiler")
def test_a_host_that_asks_is_answered(tmp_path: Path) -> None:
    Path(tmp_path, "asks.cu").write_text(_ASKING)
    assert compile_with("asks.cu", "-o", "asks", cwd=tmp_path, soon=False) == 0
    assert run(tmp_path / "asks").stdout == "1 1\n3 -1 1.5\n"


@pytest.mark.usefixtures("host_compiler")
def test_roots_become_vectors(tmp_path: Path) -> None:
    Path(tmp_path, "k.cu").write_text(_KERNEL)
    assert compile_with("k.cu", "-c", "-Xcompiler", "-save-temps=obj", "-o", "k.o", cwd=tmp_path, soon=False) == 0
    listing = "".join(path.read_text() for path in tmp_path.glob("*.s"))
    assert "sqrtps" in listing or "fsqrt\tv" in listing
