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
