"""Thrust's headers bring along on the emulator what they bring along with nvcc's backend, each by itself."""

from __future__ import annotations

import os
import sys
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
    "partition": "execution_policy extrema tuple",
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
    names.remove("thrust/system/gpuopt_host/execution_policy.h")  # a backend of our own
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


def test_check_mode_of_a_program_without_kernels_of_its_own(tmp_path: Path) -> None:
    source = "#include <thrust/device_vector.h>\n#include <thrust/find.h>\n"
    source += "int main() { thrust::device_vector<int> v(400, 5); v[300] = 7;\n"
    source += "return thrust::find(v.begin(), v.end(), 7) - v.begin() != 300; }\n"
    (tmp_path / "a.cu").write_text(source)
    assert compile_with("-std=c++17", "a.cu", "-o", "a", cwd=tmp_path, check=True) == 0
    done = run(tmp_path / "a", GPUOPT_EMU_MODE="check")
    assert (done.returncode, done.stderr) == (0, "gpuopt check: 0 errors at 0 places, 0 notes\n")


_AS_KERNELS = """
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/transform.h>
struct place {
  int count = 0;
  __host__ __device__ int operator()() {
#ifdef __CUDA_ARCH__
    const int mine = blockIdx.x * blockDim.x + threadIdx.x + count;
    count += blockDim.x * gridDim.x;  // a thread has several elements, and its own copy of this
    return mine;
#else
    return -1;
#endif
  }
};
struct where {
  __host__ __device__ int operator()(int x) const {
#ifdef __CUDA_ARCH__
    return x + 1;
#else
    return x - 1;
#endif
  }
};
void as_kernels() {
  const int n = 1300;
  thrust::device_vector<int> d(n), e(n);
  thrust::host_vector<int> h(n);
  thrust::generate(d.begin(), d.end(), place());
  thrust::generate(h.begin(), h.end(), place());
  for (int i : {0, 255, 256, 512, 1024, n - 1}) printf("%d ", (int)d[i]);
  printf("%d\\n", h[7]);
  thrust::transform(d.begin(), d.end(), e.begin(), where());
  thrust::transform(h.begin(), h.end(), h.begin(), where());
  printf("%d %d\\n", (int)e[1], h[1]);
  auto both = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin()));
  thrust::for_each_n(both, 3, [] __device__(thrust::tuple<int &, int &> t) {
    thrust::get<1>(t) = 10 * thrust::get<0>(t) + (int)threadIdx.x;
  });
  printf("%d %d %d %s\\n", (int)e[0], (int)e[2], (int)e[3], cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


# Three blocks of 256 threads, two elements for each, as CUB's DeviceFor has them: the second ones 768 later.
_OF_KERNELS = ["0 255 768 256 512 1299 -1", "2 -2", "0 22 4 cudaSuccess"]

_ALGORITHMS = """
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif
__host__ __device__ int on_device() { return ON_DEVICE; }
struct pair { int sum, device; };
struct made { __host__ __device__ pair operator()(int x) const { return {x, on_device()}; } };
struct add {
  __host__ __device__ pair operator()(pair a, pair b) const {
    return {a.sum + b.sum, a.device & b.device & on_device()};
  }
};
struct latest {  // not commutative
  __host__ __device__ int operator()(int, int b) const { return on_device() ? b : -1; }
};
struct plus { __host__ __device__ int operator()(int a, int b) const { return on_device() ? a + b : -1000000; } };
struct by_last_digit {
  int *used;
  __host__ __device__ bool operator()(int a, int b) const { return *used += 1 - on_device(), a % 10 < b % 10; }
};
struct made_int { __host__ __device__ int operator()(int x) const { return x + on_device(); } };
void algorithms() {
  const int n = 1000;
  thrust::device_vector<int> d(n), s(n);
  thrust::host_vector<int> h(n);
  for (int i = 0; i < n; ++i) h[i] = i * 7919 % 1009;
  d = h;
  const pair total = thrust::transform_reduce(d.begin(), d.end(), made(), pair{0, 1}, add());
  printf("%d %d\\n", total.sum, total.device);
  const pair host = thrust::transform_reduce(h.begin(), h.end(), made(), pair{0, 1}, add());
  printf("%d %d\\n", host.sum, host.device);
  thrust::inclusive_scan(d.begin(), d.end(), s.begin(), plus());
  printf("%d %d %d %d\\n", (int)s[0], (int)s[15], (int)s[16], (int)s[n - 1]);
  thrust::exclusive_scan(d.begin(), d.end(), s.begin(), 5, plus());
  printf("%d %d %d %d\\n", (int)s[0], (int)s[15], (int)s[16], (int)s[n - 1]);
  int *raw = thrust::raw_pointer_cast(d.data());
  printf("%d %d\\n", thrust::reduce(thrust::device, raw, raw + n, 0, plus()),
         thrust::reduce(d.begin(), d.end(), 0, latest()) - h[n - 1]);
  thrust::exclusive_scan(thrust::device, raw, raw + n, raw, 0, plus());  // in place
  printf("%d %d\\n", (int)d[17], (int)d[n - 1]);
  thrust::transform(thrust::device, raw, raw + n, raw, [] __device__(int x) { return x + (int)blockDim.x * 0 + 1; });
  printf("%d %d\\n", (int)d[0], (int)d[17]);
  thrust::transform(thrust::host, h.data(), h.data() + n, h.data(), made_int());
  int *used;
  cudaMallocManaged(&used, sizeof *used);
  *used = 0;
  d = h;
  thrust::stable_sort(d.begin(), d.end(), by_last_digit{used});
  bool stable = true;
  for (int i = 1; i < n; ++i) stable &= d[i - 1] % 10 <= d[i] % 10;
  printf("%d %d\\n", stable, *used);
  thrust::sort(thrust::device, raw, raw + n);
  printf("%d %d %d\\n", (int)d[0], (int)d[n - 1], thrust::reduce(thrust::device, raw, raw, 9));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::sort(thrust::cuda::par.on(stream), d.begin(), d.end(), thrust::greater<int>());
  printf("%d %d\\n", (int)d[0], thrust::reduce(thrust::cuda::par_nosync.on(stream), raw, raw + n, 0, plus()));
}
"""


def _check_algorithms(lines: list[str], errors: str) -> None:
    numbers = [i * 7919 % 1009 for i in range(1000)]
    total = sum(numbers)
    before = [sum(numbers[:i]) for i in range(1001)]
    assert lines == [
        f"{total} 1",
        f"{total} 0",
        f"{before[1]} {before[16]} {before[17]} {total}",
        f"5 {5 + before[15]} {5 + before[16]} {5 + before[999]}",
        f"{total} 0",
        f"{before[17]} {before[999]}",
        f"1 {before[17] + 1}",
        "1 0",
        f"{min(numbers)} {max(numbers)} 9",
        f"{max(numbers)} {total}",
    ], errors


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """A program of both texts, with code for both modes: reading the headers takes most of the time."""
    root = tmp_path_factory.mktemp("thrust")
    (root / "a.cu").write_text(f"{_AS_KERNELS}{_ALGORITHMS}int main() {{ as_kernels(), algorithms(); }}\n")
    assert compile_with("-std=c++17", "--extended-lambda", "a.cu", "-o", "a", cwd=root, check=True) == 0
    return root / "a"


@pytest.mark.parametrize("mode", ["fast", "check"])
def test_functors_over_device_memory_reductions_scans_and_orders_are_device_code(mode: str, both: Path) -> None:
    done = run(both, GPUOPT_EMU_MODE=mode)
    lines = done.stdout.splitlines()
    assert lines[: len(_OF_KERNELS)] == _OF_KERNELS, done.stderr
    _check_algorithms(lines[len(_OF_KERNELS) :], done.stderr)
    assert mode == "fast" or "0 errors" in done.stderr


# Of CUDA 12.8 (a wheel in [test]), and of the toolkit here: headers and names differ from version to version.
@pytest.mark.parametrize("where", ["cuda_cccl/include", "toolkit"])
def test_with_the_cccl_of_other_toolkits(where: str, tmp_path: Path) -> None:
    roots = [Path("/usr/local")] if where == "toolkit" else [Path(name, "nvidia") for name in sys.path]
    places = [path for root in roots for path in root.glob("cuda*/include/cccl" if where == "toolkit" else where)]
    if not places:
        pytest.skip("not here")
    if find_cccl(os.environ) in places:
        pytest.skip("of the other tests")
    (tmp_path / "a.cu").write_text(f"{_ALGORITHMS}int main() {{ algorithms(); }}\n")
    env = {"GPUOPT_CCCL": str(places[0])}
    assert compile_with("-std=c++17", "--extended-lambda", "a.cu", "-o", "a", cwd=tmp_path, env=env) == 0
    done = run(tmp_path / "a")
    _check_algorithms(done.stdout.splitlines(), done.stderr)
