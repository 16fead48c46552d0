"""Copies of device functions: versions call them, originals stay, and where none can be made a reason is given."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.copies import copied, why_not_copied
from gpuopt_driver.variants.model import FunctionCopy, Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import examine, run_program

SOURCE = """\
#include <cstdio>
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
namespace ns {
namespace {
__device__ int lane() { return threadIdx.x & 31; }
}
template <class T> __device__ T at(T *p, int i) { return p[i + GID] + lane(); }
template <class T> __device__ __forceinline__ T at(T *p) { return ns::at<T>(p, 0); }
}
extern "C" __device__ int own(void) { return 7 + threadIdx.x; }
static __device__ float both(float *a, int n) { return ns::at<float>(a, n) + ns::lane() + own(); }
__device__ float pure(float x) { return x * 2; }
template <class T> __global__ void kernel(T *a) {
    using namespace ns;
    a[32] = both(a, (1)) + pure(1) + lane() + at(a) ;
}
__global__ void second(float *a) { a[33] = ns::lane(); }
int main()
{
    float *a;
    cudaMallocManaged(&a, 4096);
    kernel<float><<<1, 1>>>(a);
    second<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    printf("%g %g\\n", a[32], a[33]);
}
"""


def moved() -> ModuleType:
    """Versions whose threads believe to be number 3, in device functions too."""

    def shadow(span: Any) -> Edit:
        text = b" const uint3 threadIdx = make_uint3(gpuopt_plan.n[0], 0, 0); (void)threadIdx; {"
        return Edit(span.file, span.start + 1, span.start + 1, text)

    def edits(item: Any) -> tuple[Edit, ...]:
        return (shadow(item.body), Edit(item.body.file, item.body.end - 1, item.body.end - 1, b"}"))

    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        functions = copied(kernel, lambda function: "threadIdx" in function.builtins)
        assert why_not_copied(kernel, functions) is None
        copies = tuple(FunctionCopy(function, edits(function)) for function in functions)
        guard = "gpuopt_c.n[0] = 3; return true;"
        variant = Variant(kernel.usr, "moved", edits(kernel), guard, functions=copies)
        return Proposal((finding("moved", kernel, Decision.APPLIED),), (), (variant,))

    return plugin("moved", propose)


def test_versions_call_copies(tmp_path: Path, host_compiler: str) -> None:
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    patched = examine(source, moved())
    assert not patched.report.problems
    files = dict(patched.patched)
    done = run_program(tmp_path, files)
    # both: at 0 + lane 3 + lane 3 + own 10; pure 2; lane 3; at: a[3] + lane 3
    assert done.stdout == "24 3\n", done.stderr
    assert run_program(tmp_path, files, GPUOPT_DISPATCH="original").stdout == "9 0\n"
    text = patched.patched[str(source)].decode()
    assert text.count("own__gpuopt_moved") == 2  # called once, defined once
    assert text.count("lane__gpuopt_moved") == 6  # the two kernels copy different sets: defined twice, called 4 times
    assert "pure__gpuopt" not in text


REFUSED = {
    "recursive": "__device__ int f(int n) { return n ? f(n - 1) : threadIdx.x; }",
    "by its address": "__device__ int g(int n) { return n + threadIdx.x; }\n"
    "__device__ int f(int n) { int (*p)(int) = g; return p(n) + g(n); }",
    "in a macro": "__device__ int g(int n) { return n + threadIdx.x; }\n#define G(x) g(x)\n"
    "__device__ int f(int n) { return G(n); }",
    "a macro": "#define F __device__ int f(int n) { return n + threadIdx.x; }\nF",
    "a member": "struct S { int n; __device__ int get() { return n + threadIdx.x; } };\n"
    "__device__ int f(int n) { S s = {n}; return s.get(); }",
    "static": "__device__ int f(int n) { static int s; return s += n + threadIdx.x; }",
    "specialised": "template <class T> __device__ int g(T n) { return n; }\n"
    "template <> __device__ int g<int>(int n) { return n + threadIdx.x; }\n__device__ int f(int n) { return g(n); }",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_copied(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source.cu"
    source.write_text(REFUSED[name] + "\n__global__ void kernel(int *a) { a[0] = f(2); }\n")
    kernel = parse_unit(str(source), ParseOptions()).kernels[0]
    functions = copied(kernel, lambda function: bool(function.builtins))
    assert functions
    assert why_not_copied(kernel, functions)
