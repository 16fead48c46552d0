"""Guards at a kernel's beginning: which ones the runtime asks for whole blocks, and that the same threads go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import compile_with, run

X = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
Y = "int j = threadIdx.y + (blockDim.y * blockIdx.y);"
# What stands before the store, and what the store stands under; those of which a block's corners say enough ...
ASKED = {
    "end": (X, "if (i < n)"),
    "two": (X + Y, "if (i < n && j < m)"),
    "inner": (X + Y, "if ((i > 0) && (i < n - 1) && (m - 1 > j && j >= 1))"),
    "leaves": (X + "if (i >= n) return;", ""),
    "leaves_twice": (X + "if (i >= n || i < 3) return;" + Y + "if (j != m) { return; }", ""),
    "then_end": (X + "if (i >= n) return;" + Y, "if (j <= m)"),
    "numbers": ("const unsigned i = threadIdx.x + 8 * blockIdx.x; float f = 2.5f;", "if (i < (unsigned)n)"),
    "wide": ("size_t i = blockIdx.x * 8 + threadIdx.x; long l = n / 2 + 1;", "if (i < l)"),
    "shifted": (X, "if (i - 4 >= 0)"),
    "thread": ("", "if (threadIdx.x < 5 && threadIdx.y == 1)"),
    "equal": (X, "if (i == n)"),
    "uniform": ("int b = blockIdx.x * 3;", "if (b < n)"),
    "depth": ("unsigned k = blockIdx.z * blockDim.z + threadIdx.z;", "if (k < 3 && blockIdx.x > 0)"),
}
# ... and those of which they do not.
NOT_ASKED = {
    "wraps": ("unsigned i = blockIdx.x * blockDim.x + threadIdx.x;", "if (i - 4 < n)"),
    "wraps_there": (X, "if (i - 4 < u)"),
    "parity": (X, "if (i % 2 == 0)"),
    "one_of": (X, "if (i < 3 || i > n)"),
    "unequal": (X, "if (i != 3)"),
    "leaves_in_the_middle": (X + "if (i == n) return;", ""),
    "either": (X + Y, "if (i <= j)"),
    "product": ("unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 0x20000001;", "if (i < 64)"),
    "memory": (X, "if (i < out[0] + 4)"),
    "behind": (X + "int v = *(out + i);", "if (i < n + v * 0)"),
    "else": (X + "int w = 1;", "if (i < n) w = 2; else w = 3; if (w == 2)"),
    "narrow": ("short i = blockIdx.x * blockDim.x + threadIdx.x;", "if (i < n)"),
}
ALL = ASKED | NOT_ASKED
PARAMETERS = "int *out, int n, int m, unsigned u"
STORE = """int at = ((blockIdx.z * blockDim.z + threadIdx.z) * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
  out[(at * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += 1 + (int)threadIdx.x;"""


def _kernel(name: str) -> str:
    before, under = ALL[name]
    return f"__global__ void g_{name}({PARAMETERS}) {{ {before} {under} {{ {STORE} }} }}"


def _on_host(name: str) -> str:
    """The same for all threads, one after another, under other names."""
    text = " ".join(ALL[name]) + f"{{ {STORE} }}"
    for word, other in (("threadIdx", "T"), ("blockIdx", "B"), ("blockDim", "D"), ("gridDim", "G")):
        text = text.replace(word, other)
    one = f"static void one_{name}({PARAMETERS}, uint3 T, uint3 B, dim3 D, dim3 G) {{ {text} }}\n"
    return one + f"static void host_{name}({PARAMETERS}, dim3 G, dim3 D) {{ EACH(one_{name}) }}\n"


@pytest.mark.parametrize("name", ALL)
def test_guards_that_corners_decide(name: str) -> None:
    text = rewrite(_kernel(name).encode()).text.decode()
    kinds = (2, 6) if name in ASKED else (1, 5)  # without and with a survey for check mode
    assert any(f"launch<gpuopt_emu_kernel,{kind}>" in text for kind in kinds)


def test_indices_are_sums_that_do_not_overflow() -> None:
    text = rewrite(
        b"__global__ void k(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1 - blockIdx.x * 8 + threadIdx.x; }"
    )
    assert (
        b"p[gpuopt_emu_at.sum(blockIdx.x * blockDim.x , threadIdx.x)] = 1 - blockIdx.x * 8 + threadIdx.x" in text.text
    )


@pytest.mark.usefixtures("host_compiler")
def test_the_same_threads_go_on(tmp_path: Path) -> None:
    each = """#define EACH(one) for (unsigned b = 0; b < G.x * G.y * G.z; ++b) \\
  for (unsigned t = 0; t < D.x * D.y * D.z; ++t) \\
  one(out, n, m, u, uint3{t % D.x, t / D.x % D.y, t / D.x / D.y}, uint3{b % G.x, b / G.x % G.y, b / G.x / G.y}, D, G);
"""
    main = """int main() {
  int *out, *host = new int[4096];
  cudaMalloc(&out, 4096 * sizeof(int));
  const dim3 grids[] = {{4, 3, 2}, {3}}, blocks[] = {{8, 2, 2}, {32}, {1, 16}};
  for (int n = 0; n < 40; n += 7) for (dim3 g : grids) for (dim3 b : blocks) for (int m = 1; m < 40; m += 12) {
"""
    for name in ALL:
        main += f"""    cudaMemset(out, 0, 4096 * sizeof(int)); memset(host, 0, 4096 * sizeof(int));
    g_{name}<<<g, b>>>(out, n, m, 60u + n); host_{name}(host, n, m, 60u + n, g, b);
    if (memcmp(out, host, 4096 * sizeof(int))) return printf("{name} %d %d\\n", n, m), 1;
"""
    main += "  }\n  return 0;\n}\n"
    source = tmp_path / "guards.cu"
    source.write_text("#include <cstdio>\n#include <cstring>\n" + each + "\n".join(map(_kernel, ALL)) + "\n"
                      + "".join(map(_on_host, ALL)) + main)  # fmt: skip
    assert compile_with("guards.cu", "-o", "guards", cwd=tmp_path) == 0
    done = run(tmp_path / "guards")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
