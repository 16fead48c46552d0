"""Constants of the architecture: a branch that this pass never takes may be another pass's."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.conditionals import arch_macros, varying
from gpuopt_driver.frontend.model import Kernel

_MEET = "__device__ void meet(float &v) { __syncthreads(); v += 1; }\n"
VARIES = {
    "itself": ("", "if (__CUDA_ARCH__ < 900) meet(v);"),
    "directly": ("", "if (__CUDA_ARCH__ < 900) { __syncthreads(); }"),
    "a macro": ("#define OLD (__CUDA_ARCH__ < 900)\n", "if (OLD) meet(v);"),
    "a macro under a condition": (
        "#if __CUDA_ARCH__ < 900\n#define OLD 1\n#else\n#define OLD 0\n#endif\n",
        "if (OLD) meet(v);",
    ),
    "a constant": ("constexpr bool old = __CUDA_ARCH__ < 900;\n", "if (old) meet(v);"),
    "a constant of a constant": (
        "constexpr int arch = __CUDA_ARCH__;\nconstexpr bool old = arch < 900;\n",
        "if (old) meet(v);",
    ),
    "a constant under a condition": (
        "#if __CUDA_ARCH__ < 900\nconstexpr int wide = 1;\n#else\nconstexpr int wide = 0;\n#endif\n",
        "if (wide) meet(v);",
    ),
    "a local constant": ("", "const int arch = __CUDA_ARCH__; if (arch < 900) meet(v);"),
    "a function": (
        "__device__ constexpr bool old() { return __CUDA_ARCH__ < 900; }\n",
        "if (old()) meet(v);",
    ),
    "a callee": ("__device__ void f(float &v) { if (__CUDA_ARCH__ < 900) meet(v); }\n", "f(v);"),
    "a return": ("", "if (__CUDA_ARCH__ >= 900) { a[0] = v; return; } meet(v);"),
}


@pytest.mark.parametrize("way", VARIES.values(), ids=VARIES.keys())
def test_what_another_pass_runs_counts(kernel, way) -> None:
    before, body = way
    found: Kernel = kernel(
        f"{_MEET}{before}__global__ void k(float *a) {{ float v = a[threadIdx.x]; {body} a[1] = v; }}"
    )
    assert found.syncs


@pytest.mark.parametrize(
    "before",
    [
        "",
        "#if __CUDA_ARCH__ < 600\n__device__ double add(double *a, double v) { return *a + v; }\n#endif\n",
        "constexpr bool old = __CUDA_ARCH__ < 900;\n",
    ],
)
def test_other_constants_do_not(kernel, before: str) -> None:
    body = "{ float v = a[0]; if (M == 2) meet(v); a[1] = v; }\nvoid run(float *a) { k<1><<<9, 64>>>(a); }"
    found: Kernel = kernel(f"{_MEET}{before}template <int M> __global__ void k(float *a) {body}")
    assert found.syncs == ()


def test_which_names_vary() -> None:
    source = (
        b"#if __CUDA_ARCH__ >= 800\nconstexpr int lanes = 4;\nusing type = int;\n#endif\n"
        b"constexpr int both = lanes * 2;\nconstexpr int other = 3;\n#define WIDE (__CUDA_ARCH__ > 800)\n"
        b"const int wide = WIDE ? 1 : 2;\n"
    )
    found = varying([source], arch_macros([source]))
    assert {b"lanes", b"type", b"both", b"WIDE", b"wide"} <= found.names
    assert b"other" not in found.names
    assert not found.anything
    assert varying([b"int f() { return __CUDA_ARCH__; }"], frozenset()).anything
