"""Launches by the driver, which is told the function and where the arguments are: they do what `<<<>>>` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.variants.test_emit import examine, run_program
from tests.variants.test_memo import counting

SOURCE = """\
#include <cstdio>
static int asked = 0;
struct Own {
    int n;
    Own *operator&() { std::printf("not asked for\\n"); return nullptr; }
    const Own *operator&() const { std::printf("not asked for\\n"); return nullptr; }
};
struct Counted {
    int n;
    Counted(int n) : n(n) {}
    Counted(const Counted &other) : n(other.n) { ++copies; }
    static int copies;
};
int Counted::copies = 0;
struct Big { double v[100]; };
typedef void (*Function)(int);
template <class T> __global__ void step(int *out, const char c, T *const __restrict__ p, const Own own, Counted counted,
                                        Big big, const bool b, const float f, int (*rows)[3], Function function)
{
    const bool good = c == 'c' && p == nullptr && big.v[99] == 7.5 && b && f == 0.25f && rows == nullptr;
    if (good && function == nullptr) out[0] += /*step*/1 * own.n * counted.n;
}
int main()
{
    int *out, sum = 0;
    const Own own = {3};
    const Counted counted(5);
    Big big = {};
    big.v[99] = 7.5;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    auto launch = [&](int blocks, int threads) {
        step<const float><<<blocks, threads>>>(out, 'c', nullptr, own, counted, big, true, 0.25f, nullptr, nullptr);
        std::printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
    };
    for (int i = 0; i < 4; ++i) launch(1, 1);
    for (int i = 0; i < 2; ++i) launch(0, 1);
    for (int i = 0; i < 2; ++i) launch(1, 1025);
    cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", sum);
    out = nullptr;
    launch(1, 1);
    std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    launch(1, 1);
}
"""


@pytest.mark.parametrize(("guard", "sum_"), [("return true;", 6000), ("return false;", 60)])
def test_arguments_and_errors(tmp_path: Path, host_compiler: str, guard: str, sum_: int) -> None:
    """Versions and originals alike: what kernels get, what fails, and what the program is told of it."""
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    result = examine(source, counting(guard))
    assert "gpuopt_rt::launched(" in result.patched[str(source)].decode()
    good, bad, broken = "cudaSuccess", "cudaErrorInvalidValue", "cudaErrorIllegalAddress"
    lines = run_program(tmp_path, dict(result.patched)).stdout.splitlines()
    assert lines[:-3] == [*[good] * 4, *[bad] * 4, str(sum_)]
    assert lines[-2:] == [broken, broken]
