"""What threads of a block do together, and the words for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.cooperation import Together, cooperation
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("float", "an atomic of float: sums are rounded in the order in which threads come"),
        ("double", "an atomic of double: sums are rounded in the order in which threads come"),
        ("__half", "an atomic is not known to be one of integers, whose sums have no rounding"),
        ("int", ""),
        ("unsigned long long", ""),
    ],
)
def test_whether_sums_of_an_atomic_are_rounded(tmp_path: Path, type_: str, said: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"#include <cuda_fp16.h>\n__global__ void k({type_} *a) {{ atomicAdd(&a[1], ({type_})3); }}\n")
    unit = parse_unit(path, ParseOptions())
    found = cooperation(unit.kernels[0], unit.files[str(path)])
    assert (found is not None) is bool(said)
    if found is not None:
        assert found.kind is Together.FLOAT_ATOMICS
        assert found.reason.partition(" (")[0] == said


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("while (atomicAdd(x, 0) == 0) ;", True),
        ("again: if (atomicCAS(x, 0, 1)) goto again;", True),
        ("lock(x);", True),
        ("bool done = false; while (!done) { atomicExch(x, 1) ? (done = true) : done; }", True),
        ("bool done = false; while (!done) atomicAdd(x, 0), done = x[1];", True),
        ("while (__ldcg(x) == 0) ;", True),
        ("while (__ldcv(x) == 0) ;", True),
        ("while (__ldlu(x) == 0) ;", True),
        ("int v; do { v = ::__ldca(x); } while (v == 0);", True),
        ("again: if (__ldcs(x) == 0) goto again;", True),
        ("while (n > 1) { n /= 2; atomicAdd(x + n, 1); }", False),
        ("for (int j = 0; j < n; ++j) x[1] += atomicAdd(x, 0) + __ldcg(x + j);", False),
        ("x[0] = __ldcg(x + 1);", False),
        ("while (n > 1) { n /= 2; x[1] += __ldg(x + n); }", False),
    ],
)
def test_what_a_loop_may_wait_for(tmp_path: Path, body: str, *, waits: bool) -> None:
    path = tmp_path / "k.cu"
    lock = "__device__ void lock(int *x) { again: if (atomicCAS(x, 0, 1)) goto again; }"
    path.write_text(f"{lock}\n__global__ void k(int *x, int n) {{ {body} }}\n")
    unit = parse_unit(path, ParseOptions())
    found = cooperation(unit.kernels[0], unit.files[str(path)])
    assert (found.kind if found else None) is (Together.COMMUNICATES if waits else None)
