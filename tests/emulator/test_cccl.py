"""Releases of CCCL: what calls the driver by addresses (since 3.1) finds the emulator's; the driver API by name."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from gpuopt_driver.emulator.libraries import find_cccl
from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

BY_NAME = r"""
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
static void CUDART_CB called(CUstream, CUresult status, void *data) { *(int *)data = 10 + status; }
template <class F> static bool find(const char *name, F *&function, int version = 12080) {
  CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  const CUresult status = cuGetProcAddress(name, (void **)&function, version, CU_GET_PROC_ADDRESS_DEFAULT, &result);
  if (status || result) printf("%s: %d %d\n", name, status, result);
  return function;
}
int main() {
  decltype(cuGetProcAddress) *again;
  decltype(cuStreamGetCtx) *context_of;
  decltype(cuStreamGetCtx_v2) *both_of;
  decltype(cuMemPoolCreate) *make;
  decltype(cuMemAllocFromPoolAsync) *allocate;
  decltype(cuLaunchKernelEx) *launch;
  decltype(cuLibraryUnload) *unload;
  cudaFree(0);
  printf("%d", find("cuGetProcAddress", again) && again == cuGetProcAddress);
  printf("%d", find("cuStreamGetCtx", context_of, 9020) && context_of == cuStreamGetCtx);
  printf("%d\n", find("cuStreamGetCtx", both_of) && both_of == cuStreamGetCtx_v2);
  find("cuLibraryUnload", unload);
  void *none;
  printf("%d ", cuGetProcAddress("cuNoSuch", &none, 12080, 0, nullptr));
  printf("%d\n", cuGetProcAddress(nullptr, &none, 12080, 0, nullptr));
  CUstream stream;
  CUcontext context, current;
  CUgreenCtx green = (CUgreenCtx)1;
  CUdevice device = 9;
  unsigned long long number = 0;
  cuStreamCreate(&stream, 0);
  cuCtxGetCurrent(&current);
  printf("%d ", both_of(stream, &context, &green));
  printf("%d %d\n", context == current, green == nullptr);
  printf("%d ", cuStreamGetDevice(stream, &device));
  printf("%d %d\n", device, cuStreamGetId(stream, &number));
  find("cuMemPoolCreate", make);
  find("cuMemAllocFromPoolAsync", allocate);
  find("cuLaunchKernelEx", launch);
  CUmemPoolProps of = {};
  of.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  of.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool;
  unsigned long long threshold = 1 << 20, kept = 0;
  printf("%d ", make(&pool, &of));
  printf("%d ", cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  printf("%d ", cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
  printf("%d\n", kept == threshold);
  CUdeviceptr at;
  int values[4] = {1, 2, 3, 4}, told = 0;
  printf("%d ", allocate(&at, sizeof values, pool, stream));
  CUmemcpyAttributes copy = {};
  copy.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CUdeviceptr to[] = {at}, from[] = {(CUdeviceptr)values};
  size_t bytes[] = {sizeof values}, first[] = {0};
  printf("%d ", cuMemcpyBatchAsync(to, from, bytes, 1, &copy, first, 1, nullptr, stream));
  CUfunction function;
  cudaGetFuncBySymbol((cudaFunction_t *)&function, (const void *)twice);
  CUlaunchAttribute priority = {};
  priority.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig config = {1, 1, 1, 4, 1, 1, 0, stream, &priority, 1};
  void *arguments[] = {&at};
  printf("%d ", cuFuncLoad(function));
  printf("%d ", launch(&config, function, arguments, nullptr));
  printf("%d ", cuStreamAddCallback(stream, called, &told, 0));
  cuMemcpyDtoHAsync(values, at, sizeof values, stream);
  cuStreamSynchronize(stream);
  printf("%d: %d %d %d %d\n", told, values[0], values[1], values[2], values[3]);
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  unsigned kind = 9;
  int ordinal = 9;
  bool managed = true;
  void *answers[] = {&kind, &ordinal, &managed};
  printf("%d ", cuPointerGetAttributes(3, asked, answers, at));
  printf("%u %d %d ", kind, ordinal, managed);
  printf("%d ", cuPointerGetAttributes(3, asked, answers, (CUdeviceptr)values));
  printf("%u %d %d\n", kind, ordinal, managed);
  printf("%d ", cuMemFreeAsync(at, stream));
  printf("%d\n", cuMemPoolDestroy(pool));
}
"""
TOLD = """111
cuLibraryUnload: 0 1
500 1
0 1 1
0 0 0
0 0 0 1
0 0 0 0 0 10: 2 4 6 8
0 2 0 0 0 0 -2 0
0 0
"""
LATER = r"""
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <cuda/devices>
#include <cuda/functional>
#include <cuda/memory_resource>
#include <cuda/std/span>
#include <cuda/stream>
#if __has_include(<cuda/memory_pool>)
#include <cuda/memory>
#include <cuda/memory_pool>
#endif
#include <string>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
int main() {
  cudaStream_t raw;
  cudaStreamCreate(&raw);
  cuda::stream_ref stream{raw};
  thrust::device_vector<int> v(128, 3), r(1);
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, v.begin(), r.begin(), 128, raw);
  thrust::device_vector<char> room(bytes);
  cub::DeviceReduce::Sum(thrust::raw_pointer_cast(room.data()), bytes, v.begin(), r.begin(), 128, raw);
  stream.sync();
  thrust::sort(v.begin(), v.end());
  printf("%d %d %d\n", (int)r[0], thrust::reduce(v.begin(), v.end()), (int)stream.is_done());
  const int warp = cuda::device_attributes::warp_size(cuda::devices[0]);
  printf("%d devices, warps of %d\n", (int)cuda::devices.size(), warp);
  cuda::stream own{cuda::devices[0]};
  own.sync();
  printf("on device %d\n", own.device().get());
#if __has_include(<cuda/memory_pool>)
  auto pool = cuda::device_default_memory_pool(cuda::devices[0]);
  void *p = pool.allocate(own, 256, 16);
  printf("%d%d\n", (int)cuda::is_device_accessible(p, cuda::devices[0]), (int)cuda::is_host_accessible(p));
  pool.deallocate(own, p, 256, 16);
  own.sync();
#else
  puts("10");
#endif
}
"""


def _releases() -> dict[str, Path]:
    """Every CCCL since 3.1 that is at hand: of the nvcc that is found, and of wheels."""
    places = [find_cccl({}), *(path for site in sys.path for path in Path(site).glob("nvidia/cu*/include/cccl"))]
    found: dict[str, Path] = {}
    for place in filter(None, places):
        header = place / "cuda/std/__cccl/version.h"
        version = re.search(r"CCCL_VERSION (\d+)", header.read_text() if header.is_file() else "")
        number = int(version.group(1)) // 1000 if version else 0
        if number >= 3001:
            found.setdefault(f"{number // 1000}.{number % 1000}", place)
    return found


RELEASES = _releases()


def test_functions_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(BY_NAME)
    assert compile_with("-std=c++17", "a.cu", "-o", "a", cwd=tmp_path, gpu="h200") == 0
    assert run(tmp_path / "a").stdout == TOLD


@pytest.mark.skipif(not RELEASES, reason="needs CCCL 3.1 or later (pip install nvidia-cuda-cccl)")
@pytest.mark.parametrize("release", RELEASES or ["none"])
def test_what_calls_the_driver_runs(release: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(LATER)
    env = {"GPUOPT_CCCL": str(RELEASES[release]), "GPUOPT_EMU_MODE": "fast"}
    assert compile_with("-std=c++17", "-O0", "a.cu", "-o", "a", cwd=tmp_path, gpu="h200", env=env) == 0
    assert run(tmp_path / "a").stdout == "384 384 1\n1 devices, warps of 32\non device 0\n10\n"
