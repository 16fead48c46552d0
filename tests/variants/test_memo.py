"""Which launches share a decision, and how often guards are asked where arguments change with every launch."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpuopt_driver.hooks import Proposal
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin
from tests.variants.test_emit import examine, run_program

SOURCE = """\
#include <cstdio>
static int asked = 0;
__global__ void step(int *out, int n, int k) { out[0] += /*step*/1; }
int main()
{
    int *out, host = 0;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    for (int k = 0; k < 1000; ++k) step<<<1, 1>>>(out, 7, k);
    std::printf("%d of one n: ", asked);
    for (int n = 0; n < 1000; ++n) step<<<1, 1>>>(out, 10 + n, 0);
    std::printf("%d of many: ", asked);
    for (int n = 0; n < 64; ++n) step << <4, 1 >> > (out, -1, n);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", host);
}
"""


def counting(guard: str) -> ModuleType:
    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.index(b"/*step*/1") + 8
        edit = Edit(kernel.span.file, at, at + 1, b"100")
        variant = Variant(kernel.usr, "n", (edit,), f"++::asked; {guard}")
        return Proposal((finding("count", kernel, Decision.APPLIED),), (), (variant,))

    return plugin("count", propose)


@pytest.mark.parametrize(
    ("guard", "printed"),
    [
        ("return n < 0;", "1 of one n: {few} of many: 27600"),  # `k` is not in the guard, so it does not matter
        ("return n >= 0;", "1 of one n: 1001 of many: 200256"),  # a version is never picked without being asked for
    ],
)
def test_arguments_that_change_with_every_launch(tmp_path: Path, host_compiler: str, guard: str, printed: str) -> None:
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    output = run_program(tmp_path, dict(examine(source, counting(guard)).patched)).stdout.strip()
    few = int(output.split(" of one n: ")[1].split()[0])
    assert output == printed.format(few=few)
    assert few < 100 or "{few}" not in printed


WATCHED = """\
#include <cstdio>
static int asked = 0;
struct __attribute__((packed)) Odd { unsigned char bytes[13]; };
__global__ void step(int *out, Odd odd) { out[0] += /*step*/1; }
int main()
{
    int *out;
    Odd odd = {};
    auto launch = [&](const char *after, size_t shared = 0) {
        out = 0;
        cudaMalloc(&out, 4);
        for (int i = 0; i < 3; ++i) step<<<1, 1, shared>>>(out, odd);
        int sum = 0;
        cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);
        std::printf("%s: %d asked, %d\\n", after, asked, sum);
    };
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    launch("first");
    cudaFuncSetAttribute(step, cudaFuncAttributePreferredSharedMemoryCarveout, 30);
    launch("preference");
    cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    launch("limit, nothing dynamic");
    launch("dynamic", 50000);
    cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, 55000);
    launch("limit", 50000);
    cudaDeviceReset();
    launch("reset");
    cudaSetDevice(99);
    for (int i = 0; i < 3; ++i) step<<<1, 1>>>(out, odd);
    std::printf("%d asked, %s\\n", asked, cudaGetErrorName(cudaGetLastError()));
    cudaSetDevice(99);
    for (int i = 0; i < 3; ++i) step<<<2, 1>>>(out, odd);
    std::printf("%d asked, %s\\n", asked, cudaGetErrorName(cudaGetLastError()));
    for (int i = 0; i < 13; ++i) {
        odd.bytes[i] ^= 128;
        step<<<1, 1>>>(out, odd);
    }
    std::printf("%d asked\\n", asked);
    std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


def test_decisions_hold_as_long_as_what_they_were_made_for(tmp_path: Path, host_compiler: str) -> None:
    """Until the program sets an attribute that matters, or resets the device; a pending error stays the program's."""
    source = tmp_path / "combined.cu"
    source.write_text(WATCHED)
    patched = dict(examine(source, counting("return odd.bytes[0] < 200;")).patched)
    assert run_program(tmp_path, patched, GPUOPT_EMU_GPU="h200").stdout.splitlines() == [
        "first: 1 asked, 300",
        "preference: 2 asked, 300",
        "limit, nothing dynamic: 2 asked, 300",
        "dynamic: 3 asked, 300",
        "limit: 4 asked, 300",
        "reset: 5 asked, 300",
        "5 asked, cudaErrorInvalidDevice",
        "5 asked, cudaErrorInvalidDevice",  # one that was not decided on is the original's
        "18 asked",
        "cudaSuccess",
    ]


THREADS = """\
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
static int asked = 0;
__global__ void step(int *out, int n) { atomicAdd(out, /*step*/1); }
static void told(const char *what, int *out)
{
    int sum = 0;
    cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);
    std::printf("%s: %d asked, %d\\n", what, asked, sum);
    std::fflush(stdout);
}
int main()
{
    int *out;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    for (int k = 0; k < 50; ++k) std::thread([=] { step<<<1, 1>>>(out, 7); }).join();
    told("one after the other", out);
    std::vector<std::thread> all;
    int waiting = 0;
    for (int k = 0; k < 4; ++k)
        all.emplace_back([&] {
            static int lock = 0;  // the count of questions is not atomic
            while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
            step<<<1, 1>>>(out, 7);
            __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
            __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
            while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) < 4) usleep(100);
        });
    for (auto &one : all) one.join();
    told("four at once", out);
    for (int k = 0; k < 50; ++k) std::thread([=] { step<<<1, 1>>>(out, 7); }).join();
    told("later", out);
}
"""


def test_a_thread_goes_on_with_the_decisions_of_one_that_has_ended(tmp_path: Path, host_compiler: str) -> None:
    source = tmp_path / "combined.cu"
    source.write_text(THREADS)
    patched = dict(examine(source, counting("return n == 7;")).patched)
    assert run_program(tmp_path, patched).stdout.splitlines() == [
        "one after the other: 1 asked, 5000",
        "four at once: 4 asked, 5400",
        "later: 4 asked, 10400",
    ]
