"""Parameters of device functions that are written as arrays are pointers to what they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.model import Space
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

KERNEL = """
__device__ void one(unsigned a[256]) {{ a[threadIdx.x] = 0; }}
__device__ void rows(unsigned a[24][256]) {{ a[3][threadIdx.x] = 0; }}
__device__ void cast(unsigned a[24][256]) {{ ((unsigned *)a)[threadIdx.x] = 0; }}
__device__ void row(unsigned a[][256]) {{ unsigned *p = (a)[2]; p[threadIdx.x] = 0; }}
__device__ void pointer(unsigned (*a)[256]) {{ a[4][threadIdx.x] = 0; }}
__device__ void reference(unsigned (&a)[24][256]) {{ a[5][threadIdx.x] = 0; }}
__device__ void again(unsigned a[24][256]) {{ rows(a + 1); }}
__global__ void kernel()
{{
    __shared__ unsigned shared[24][256];
    {call};
}}
void run() {{ kernel<<<1, 256>>>(); }}
"""


@pytest.mark.parametrize(
    ("call", "row"),
    [
        ("one(shared[1])", 1),
        ("rows(shared)", 3),
        ("rows(shared + 2)", 5),
        ("cast(shared)", 0),
        ("row(shared)", 2),
        ("pointer(shared)", 4),
        ("reference(shared)", 5),
        ("again(shared)", 4),
    ],
)
def test_an_access_behind_a_parameter_is_to_the_argument(tmp_path: Path, call: str, row: int) -> None:
    source = tmp_path / "arrays.cu"
    source.write_text(KERNEL.format(call=call), "utf-8")
    (kernel,) = parse_unit(str(source), ParseOptions()).kernels
    (access,) = kernel.accesses
    assert (access.array.name, access.array.space, access.is_write) == ("shared", Space.SHARED, True)
    assert access.offset is not None
    assert evaluate(access.offset, {"threadIdx.x": 7}) == 1024 * row + 28


@pytest.mark.parametrize(
    "written", ["float a[32][8]", "float a[][8]", "float (*a)[8]", "const float (*a)[8]", "const float a[5][8]"]
)
def test_so_are_those_of_kernels(tmp_path: Path, written: str) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(
        f"__global__ void kernel({written}, float b[32]) {{ b[threadIdx.x] = a[threadIdx.x + 1][2]; }}\n"
        "void run(float (*a)[8], float *b) { kernel<<<1, 32>>>(a, b); }\n",
        "utf-8",
    )
    (kernel,) = parse_unit(str(source), ParseOptions()).kernels
    read, write = kernel.accesses
    told = [(one.array.name, one.array.space, one.array.element_bytes, one.is_write) for one in (read, write)]
    assert told == [("a", Space.GLOBAL, 4, False), ("b", Space.GLOBAL, 4, True)]
    assert read.offset is not None
    assert write.offset is not None
    assert (evaluate(read.offset, {"threadIdx.x": 7}), evaluate(write.offset, {"threadIdx.x": 7})) == (264, 28)
