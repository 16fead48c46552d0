"""Operations that wait for threads which only exit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.exits import missed, row_condition
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

ROWS = "gpuopt_l.block.x % 32 == 0"


def found(tmp_path: Path, body: str, block: str = "64") -> tuple[str, str]:
    """Why an operation may wait for ever, and what a launch must have."""
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(unsigned *a, int n) {\nconst int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"{body}\n}}\nvoid run(unsigned *a, int n) {{ k<<<9, {block}>>>(a, n); }}\n"
    )
    unit = parse_unit(path, ParseOptions())
    one = missed(unit.kernels[0], unit.launches)
    return "" if one is None else one.reason, row_condition(unit.kernels[0])


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("a[i] += 3;", ""),
        ("a[i] += __ballot_sync(~0u, a[i]);", ""),
        ("__syncthreads(); a[i] += __ballot_sync(~0u, a[i]); if (i >= n) return; a[i] = 0;", ""),
        ("if (threadIdx.x < 32) a[i] = __ballot_sync(~0u, a[i]);", ROWS),
        ("if (threadIdx.x / 32 >= n) return; a[i] = __ballot_sync(~0u, a[i]);", ROWS),
        ("if (n < 3) return; a[i] = __ballot_sync(~0u, a[i]);", ""),
    ],
)
def test_operations_to_which_all_come(tmp_path: Path, body: str, condition: str) -> None:
    assert found(tmp_path, body) == ("", condition)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (i < n) a[i] = __ballot_sync(~0u, a[i]);", "threads of the warp may not come to an operation that waits"),
        ("if (i < n) __syncthreads();", "threads of the block may not come to an operation that waits for all"),
        ("if (i >= n) return; a[i] = __ballot_sync(~0u, a[i]);", "threads of a warp may have returned (line 3) before"),
        (
            "for (int j = 0; j < n; ++j) { a[i] += __ballot_sync(~0u, a[i]); if (a[i] > 3) return; }",
            "threads of a warp may have returned (line 3) before the others exchange data (__ballot_sync(~0u, a[i])",
        ),
    ],
)
def test_operations_that_wait_for_an_exit(tmp_path: Path, body: str, reason: str) -> None:
    assert found(tmp_path, body)[0].startswith(reason)


BLOCKS = {"64": True, "dim3(n, 2)": True, "48": False, "dim3(16, 16)": False}


@pytest.mark.parametrize(("block", "fits"), BLOCKS.items())
def test_rows_that_are_no_whole_warps(tmp_path: Path, block: str, fits: bool) -> None:
    reason, condition = found(tmp_path, "if (threadIdx.x < 32) a[i] = __ballot_sync(~0u, a[i]);", block)
    assert condition == ROWS
    assert reason.endswith("no launch has rows of whole warps") is not fits
