"""Where accesses go at a launch: never less than where they went, and no more where conditions limit an index."""

from __future__ import annotations

import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from gpuopt_driver.analysis.extents import extent
from gpuopt_driver.analysis.guard_terms import Unwritable
from gpuopt_driver.frontend.model import Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.variants.pasted import AS_TEXT

# Kernels over one array, and whether the extent of a full launch is exactly what is touched; None: it is never known.
KERNELS: dict[str, tuple[str, bool | None]] = {
    "bounded": ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = m;", True),
    "returned": ("unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; x[i] = m;", True),
    "size_t": ("size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[3 * i + 2] = m;", True),
    "row": (
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (int j = 0; j < m; ++j) x[i * m + j] = 1;",
        True,
    ),
    "column": (
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (int j = 0; j < m; ++j) x[j * n + i] = 1;",
        True,
    ),
    "strided": (
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = 1;",
        True,
    ),
    "backwards": ("for (int i = n - 1 - (int)threadIdx.x; i >= 0; i -= blockDim.x) x[i] = 1;", True),
    "last": ("int i = threadIdx.x; if (i <= n - 2) x[i + 1] = 1;", True),
    "either": ("int i = threadIdx.x; if (i >= n || m < 0) return; if (i > 2) { x[i] = 1; x[i + 7] = 2; }", True),
    "plane": (
        "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;"
        "if (i < n && j < m) x[j * n + i] = 1;",
        True,
    ),
    "otherwise": ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) { } else { x[i] = 1; }", True),
    "continued": ("for (int i = 0; i < 100; ++i) { if (i >= n) continue; x[i] = 1; }", True),
    "triangle": ("int i = threadIdx.x; if (i < n) for (int j = i; j < n; ++j) x[i * n + j] = 1;", True),
    "wrapped": ("unsigned i = threadIdx.x; if (i - 1 < n) x[i - 1] = 1;", None),
    "below": ("int i = threadIdx.x; x[i + n / 2] = 1; x[(i * 7) % 13] = 1; x[i >> 1] = 1; x[i & 3] = 1;", False),
    "chosen": ("int i = threadIdx.x; x[i < n ? i : n] = 1; x[min(i, n)] = 1;", False),
    "doubled": ("int i = 2 * threadIdx.x; if (i < n) x[i] = 1;", False),
    "product": ("int i = threadIdx.x; if (i * m < n) x[i * m] = 1;", False),
    "differences": ("int i = threadIdx.x, j = blockIdx.x; if (i - j >= 0 && i - j < n) x[i - j] = 1;", False),
    "while": ("int i = threadIdx.x; while (i < n) { x[i] = 1; i += blockDim.x; }", True),
    "do": ("int i = 0; do { x[i] = 1; ++i; } while (i < m);", True),
    "nested": ("for (int i = 0; i < m; ++i) for (int j = 0; j <= i; ++j) x[i + j] = 1;", True),
    "negative": ("int i = threadIdx.x; if ((size_t)i < n) x[i] = 1;", True),
}
UNKNOWN = {
    "data": "int i = threadIdx.x; x[(int)x[i]] = 1;",
    "counted_by_data": "int n2 = x[0]; for (int j = 0; j < n2; ++j) x[j] = 1;",
    "left_to_chance": "int i = 0; while (x[i] < n) ++i; x[i] = 2;",
}
HARNESS = """
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#define GPUOPT_RT_VERSION v
struct dim3 { unsigned x, y, z; };
%(reach)s
namespace gpuopt_rt { struct config { dim3 grid, block; }; }
using std::min;
static dim3 threadIdx, blockIdx, blockDim, gridDim;
static long long low, high;
struct Array {
  float spare;
  float &operator[](long long i) { low = min(low, i); high = std::max(high, i); return spare = 0; }
};
%(kernels)s
static bool failed = false;
template <class Kernel, class Extent>
static void check(const char *name, bool exact, bool never, Kernel kernel, Extent extent) {
  const unsigned sizes[][4] = { { 1, 1, 32, 1 }, { 3, 2, 32, 2 }, { 4, 1, 7, 3 }, { 1, 5, 64, 1 } };
  const int counts[] = { -70000, -3, -1, 0, 1, 2, 5, 31, 32, 33, 64, 90 };
  unsigned known = 0;
  for (const auto &s : sizes) for (int n : counts) for (int m : counts) {
    if (m > 9) continue;
    gridDim = { s[0], s[1], 1 }; blockDim = { s[2], s[3], 1 };
    low = 1LL << 60; high = -low;
    Array x;
    for (unsigned b = 0; b < s[0] * s[1]; ++b) for (unsigned t = 0; t < s[2] * s[3]; ++t) {
      blockIdx = { b %% s[0], b / s[0], 0 }; threadIdx = { t %% s[2], t / s[2], 0 };
      if (low >= -(1LL << 40)) kernel(n, m, x);
    }
    const gpuopt_rt::reach r = extent(gpuopt_rt::config{ gridDim, blockDim }, n, m);
    if (!r.known) continue;
    ++known;
    if (low > high) continue;
    const bool covers = r.low <= 4 * low && 4 * high <= r.high;
    const bool full = s[0] * s[2] >= 90 && s[1] * s[3] >= 9;
    const bool tight = r.low == 4 * low && r.high == 4 * high;
    if (covers && (tight || !exact || !full)) continue;
    std::printf("%%s n=%%d m=%%d: %%lld to %%lld, told %%lld to %%lld\\n", name, n, m, 4 * low, 4 * high, r.low,
                r.high);
    failed = true;
  }
  if (!known != never) { std::printf("%%s: %%s\\n", name, never ? "known" : "never known"); failed = true; }
}
int main() {
%(checks)s
  return failed;
}
"""


def parsed(tmp_path: Path, kernels: dict[str, str]) -> Unit:
    source = tmp_path / "a.cu"
    source.write_text(
        "".join(f"__global__ void {name}_(int n, int m, float *x) {{ {text} }}\n" for name, text in kernels.items())
    )
    return parse_unit(source, ParseOptions())


def test_an_extent_holds_all_that_is_touched(tmp_path: Path, host_compiler: str) -> None:
    unit = parsed(tmp_path, {name: text for name, (text, _) in KERNELS.items()})
    headers = resources.files("gpuopt_driver.variants")
    reach = AS_TEXT + "".join(headers.joinpath(name).read_text() for name in ("reach.h", "ranges.h"))
    functions, checks = [], []
    for kernel in unit.kernels:
        name = kernel.name
        text, exact = KERNELS[name.removesuffix("_")]
        told = extent(kernel, [one for one in kernel.accesses if one.array.name == "x"])
        functions.append(f"static void {name}(int n, int m, Array &x) {{ {text} }}")
        functions.append(
            f"static gpuopt_rt::reach {name}e(const gpuopt_rt::config &gpuopt_l, int n, int m) "
            f"{{ (void)gpuopt_l; (void)n; (void)m; return {told.reach}; }}"
        )
        checks.append(f'  check("{name}", {int(bool(exact))}, {int(exact is None)}, {name}, {name}e);')
    assert len(checks) == len(KERNELS)
    (tmp_path / "t.cpp").write_text(
        HARNESS % {"reach": reach, "kernels": "\n".join(functions), "checks": "\n".join(checks)}
    )
    subprocess.run([host_compiler, "-O1", "-w", "t.cpp", "-o", "t"], cwd=tmp_path, check=True, timeout=120)
    done = subprocess.run([tmp_path / "t"], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_depends_on_data_is_not_told(tmp_path: Path, name: str) -> None:
    (kernel,) = parsed(tmp_path, {name: UNKNOWN[name]}).kernels
    with pytest.raises(Unwritable, match=re.escape("x[")):
        extent(kernel, [one for one in kernel.accesses if one.array.name == "x"])


def test_a_parameter_that_is_written_as_an_array_is_a_pointer(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k(int n, float x[], float (*y)[4]) { x[threadIdx.x] = y[n][0]; }\n")
    (kernel,) = parse_unit(tmp_path / "a.cu", ParseOptions()).kernels
    assert [param.is_pointer for param in kernel.params] == [False, True, True]
    assert extent(kernel, [one for one in kernel.accesses if one.array.name == "x"]).pointer == "x"
