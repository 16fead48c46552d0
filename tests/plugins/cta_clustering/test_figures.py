"""What `gpuopt explain` says of a band that was chosen: bytes from memory, bytes that L1s ask L2 for, cycles waited."""

from __future__ import annotations

from pathlib import Path

from gpuopt_plugins.cta_clustering import guard

from gpuopt_driver.arch import load_all, load_arch
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
from tests.ours import switched_off

SOURCE = """#define N 4096
__global__ void product(const float *A, const float *B, float *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < N; k++)
        s += A[i * N + k] * B[k * N + j];
    C[i * N + j] = s;
}
void run(float *A, float *B, float *C)
{
    product<<<dim3(N / X, N / Y), dim3(X, Y)>>>(A, B, C);
}
"""


def _figures(folder: Path, x: int, y: int, *options: str) -> dict[str, object]:
    source, policy = folder / f"product{x}.cu", folder / "toolchain.toml"
    source.write_text(SOURCE)
    policy.write_text(switched_off("cta_clustering"))
    chosen = load_policy([str(source)], explicit=str(policy))
    found = examine(str(source), [f"-DX={x}", f"-DY={y}", *options], chosen, "h200")
    (finding,) = (one for one in found.report.findings if one.plugin == "cta_clustering")
    return dict(finding.figures)


def test_bands_with_their_numbers(tmp_path: Path) -> None:
    """Blocks of one row get a column for what L1 then asks less of L2; blocks of 32 x 8 a band for memory alone."""
    flat = _figures(tmp_path, 128, 1)
    assert flat["tile"] == "1xallx1"
    wide = _figures(tmp_path, 32, 8)
    assert wide["tile"] == "32xallx1"
    for one in (flat, wide):
        numbers = {name: one[name] for name in one if name.endswith(("_bytes", "_before", "_cycles"))}
        assert all(isinstance(value, int) for name, value in numbers.items() if name != "shared_with_neighbour_bytes")
        assert numbers["memory_bytes"] * 20 < numbers["memory_bytes_before"]  # type: ignore[operator]
        assert numbers["waited_cycles"] < numbers["waited_cycles_before"]  # type: ignore[operator]
    assert flat["l1_miss_bytes"] < 0.92 * flat["l1_miss_bytes_before"]  # type: ignore[operator]
    assert wide["l1_miss_bytes"] > 0.99 * wide["l1_miss_bytes_before"]  # type: ignore[operator]


def test_loads_that_l1_does_not_keep_have_no_misses_of_it(tmp_path: Path) -> None:
    figures = _figures(tmp_path, 32, 8, "-Xptxas", "-dlcm=cg")
    assert "l1_miss_bytes" not in figures
    assert figures["tile"] == "32xallx1"


def test_a_launch_is_judged_by_the_gpu_that_stands_for_its_capability() -> None:
    """A file of another GPU of the capability changes no decision; a clock that nobody knows makes none."""
    ratios, usable = (
        next(line for line in guard.support(load_all()).splitlines() if f" {name}(" in line)
        for name in ("memory_ratio", "usable_l2")
    )
    for number, name in ((75, "rtx-2080-ti"), (86, "a6000"), (89, "l40s"), (90, "h200")):
        assert f"case {number}: return {guard.memory_rate(load_arch(name))};" in ratios
        assert f"case {number}: return {load_arch(name).l2.capacity};" in usable
    assert "case 100: return 0;" in ratios
