"""Thrust's headers bring along on the emulator what they bring along with nvcc's backend, each by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuopt_driver.emulator.libraries import BEFORE_CCCL, find_cccl
from tests.emulator.support import compile_with, run

pytestmark = [
    pytest.mark.usefixtures("host_compiler"),
    pytest.mark.skipif(find_cccl(os.environ) is None, reason="needs CCCL (pip install nvidia-cuda-cccl)"),
]

# Compared with what nvcc 13.0 makes of the same lines (nvcc -M).
_BROUGHT = {
    "device_vector": "tuple system_error zip_function iterator/discard_iterator swap distance mr/host_memory_resource",
    "sort": "tuple system_error sequence extrema execution_policy transform_reduce",
    "copy": "pair system_error iterator/counting_iterator advance",
    "device_ptr": "fill for_each generate transform tuple",
    "functional": "tuple",
    "random": "pair",
    "iterator/zip_iterator": "tuple advance",
    "set_operations": "merge scan scatter iterator/permutation_iterator",
}


@pytest.mark.parametrize("header", _BROUGHT)
def test_what_a_header_brings_along(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(f"#include <thrust/{header}.h>\n")
    assert compile_with("-std=c++17", "-M", "a.cu", "-o", "a.d", cwd=tmp_path) == 0
    read = (tmp_path / "a.d").read_text()
    assert not [name for name in _BROUGHT[header].split() if f"/thrust/{name}.h" not in read]


def test_headers_that_stand_before_cccls_have_one_behind_them() -> None:
    cccl = find_cccl(os.environ)
    assert cccl is not None
    names = {str(path.relative_to(BEFORE_CCCL)) for path in BEFORE_CCCL.rglob("thrust/**/*.h")}
    assert len(names) > 40
    assert not [name for name in names if not (cccl / name).is_file()]


_PROGRAM = """
#include <thrust/device_vector.h>
struct twice {
  __host__ __device__ int operator()(thrust::tuple<int, int> both) const {
    return thrust::get<0>(both) * 2 + thrust::get<1>(both);
  }
};
__global__ void add(int *p) { atomicAdd(p + threadIdx.x, 1); }
int main() {
  try {
    thrust::device_vector<int> v(4, 5), w(4, 1);
    add<<<1, 4>>>(thrust::raw_pointer_cast(v.data()));
    cudaDeviceSynchronize();
    auto both = thrust::make_zip_iterator(thrust::make_tuple(v.begin(), w.begin()));
    std::cout << twice()(*(both + 2)) << std::endl;
  } catch (const thrust::system_error &error) {
    std::cerr << error.what();
  }
}
"""


def test_a_program_that_counts_on_it(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(_PROGRAM)
    assert compile_with("-std=c++17", "a.cu", "-o", "a", cwd=tmp_path) == 0
    done = run(tmp_path / "a")
    assert (done.returncode, done.stdout) == (0, "13\n"), done.stderr
