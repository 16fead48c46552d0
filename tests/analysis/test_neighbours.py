"""Which limits decide whether neighbouring threads come to a statement, and where they access memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.neighbours import beside_thread, is_multiple, leaves_for_good, reaching
from gpuopt_driver.frontend.expr import to_text
from gpuopt_driver.frontend.model import Kernel, StmtKind
from gpuopt_driver.frontend.parse import parse_unit

INDEX = "const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;"


def kernel(tmp_path: Path, body: str) -> Kernel:
    source = tmp_path / "k.cu"
    source.write_text(
        f"__global__ void k(float *x, const float *y, int n, int m, unsigned u)\n{{ {INDEX} {body} }}\n"
        "void all(float *x, int n) { k<<<n, 64>>>(x, x, n, n, n); }\n"
    )
    (found,) = parse_unit(source).kernels
    return found


@pytest.mark.parametrize(
    ("body", "limits"),
    [
        ("x[i] = 1;", []),
        ("if (i < n) x[i] = 1;", ["n - 1"]),
        ("if (i >= n || j > m) return; x[i] = 1;", ["n - 1", "m"]),
        ("if (i < n && j <= m / 2) { if (i > n - m) {} else { x[i] = 1; } }", ["n - 1", "(m / 2)", "-m + n"]),
        ("if (!(i >= n)) x[i] = 1;", ["n - 1"]),
        ("for (int k = 0; k < n; k++) y += 1; x[i] = 1;", []),
        ("if (i < n || j < m) x[i] = 1;", None),
        ("if (y[i] > 0) x[i] = 1;", None),
        ("if (y[i] > 0) return; x[i] = 1;", None),
        ("if (i == n) return; x[i] = 1;", None),
        ("if (i > n) x[i] = 1;", None),
        ("if (2 * i < n) x[i] = 1;", None),
        ("for (int k = 0; k < n; k++) x[i] = 1;", None),
        ("switch (n) { case 1: return; } x[i] = 1;", None),
        ("if (n > 3) { if (i < 5) return; } x[i] = 1;", None),
    ],
)
def test_limits_that_decide_whether_a_store_is_reached(tmp_path: Path, body: str, limits: list[str] | None) -> None:
    made = kernel(tmp_path, body)
    (store,) = [one for one in made.accesses if one.is_write]
    found = reaching(made, store.stmt)
    assert (None if found is None else {to_text(one.most) for one in found}) == (
        None if limits is None else set(limits)
    )


@pytest.mark.parametrize(
    ("index", "beside", "multiple"),
    [
        ("i", "blockDim.x*blockIdx.x", True),
        ("blockIdx.x * 256 + threadIdx.x + 4", "256*blockIdx.x + 4", True),
        ("i + 1", "blockDim.x*blockIdx.x + 1", False),
        ("j * n + i", None, False),
        ("threadIdx.x", "0", True),
        ("2 * i", None, None),
        ("i * n", None, None),
        ("i / 2", None, None),
        ("n - i", None, None),
        ("y[i]", None, None),
    ],
)
def test_what_stands_beside_the_thread(tmp_path: Path, index: str, beside: str | None, multiple: bool | None) -> None:
    made = kernel(tmp_path, f"x[(int){index}] = 1;" if index == "y[i]" else f"x[{index}] = 1;")
    (store,) = [one for one in made.accesses if one.is_write]
    assert store.offset is not None
    found = beside_thread(store.offset, 4)
    assert (found is None) == (multiple is None)
    if found is not None:
        assert beside is None or to_text(found) == beside
        assert is_multiple(found, 4) is multiple


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("if (i >= n) return; x[i] = 1;", True),
        ("const float f = y[i]; if (i >= n || threadIdx.x > m) { return; } x[i] = f;", True),
        ("if (i < n) return; x[i] = 1;", False),
        ("x[j] = 2; if (i >= n) return; x[i] = 1;", False),
        ("__syncthreads(); if (i >= n) return; x[i] = 1;", False),
        ("if (i >= n) { x[i] = 1; return; } x[i] = 2;", False),
        ("if (i >= n) return; else x[i] = 2;", False),
        ("if (m > 3) { if (i >= n) return; } x[i] = 2;", False),
        ("if (m * blockIdx.x + threadIdx.x >= u) return; x[i] = 2;", False),
        ("if (threadIdx.x - blockIdx.x >= n) return; x[i] = 2;", False),
        ("if (y[i] > 2) return; x[i] = 2;", False),
    ],
)
def test_threads_that_would_only_return_from_later_blocks(tmp_path: Path, body: str, leaves: bool) -> None:
    made = kernel(tmp_path, body)
    (stmt,) = [one for one in made.stmts if one.kind is StmtKind.RETURN]
    assert (leaves_for_good(made, stmt.id) is not None) is leaves
