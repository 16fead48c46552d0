// One mistake per case, for check mode to find. The lines with marks are what the findings have to name.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void out_of_bounds(int *array, int n) {
  const int i = threadIdx.x;
  array[i] = n;  // MARK out_of_bounds
}
__global__ void before_array(int *array) { array[0] = array[-1]; /* MARK before_array */ }
__global__ void freed(int *array) { array[threadIdx.x] = 1; /* MARK freed */ }
__global__ void host_memory(int *array) { array[threadIdx.x] = 1; /* MARK host_memory */ }
__global__ void misaligned(char *bytes) {
  *reinterpret_cast<int *>(bytes + 2) = 1;  // MARK misaligned
}
__global__ void misaligned_vector(float *array, float4 *to) {
  *to = *reinterpret_cast<float4 *>(array + 1);  // MARK misaligned_vector
}
__global__ void uninitialized(const float *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x];  // MARK uninitialized
}
__global__ void uninitialized_shared(int *out) {
  __shared__ int tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // MARK uninitialized_shared
}
__global__ void shared_out_of_bounds(int *out, int n) {
  __shared__ int first[32];
  __shared__ int second[32];
  for (int i = threadIdx.x; i < n; i += blockDim.x) first[i] = i;  // MARK shared_out_of_bounds
  second[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
__global__ void dynamic_out_of_bounds(int *out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;  // MARK dynamic_out_of_bounds
  __syncthreads();
  out[0] = dynamic[0];
}
__device__ float at(const float *values, int i) {
  return values[i];  // MARK race_inlined
}
template <class T> __global__ void shared_race(T *out) {
  __shared__ T tile[64];
  tile[threadIdx.x] = T(threadIdx.x);  // MARK shared_race_write
  out[threadIdx.x] = at(tile, 63 - threadIdx.x);  // MARK race_caller
}
__global__ void warp_race(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;  // MARK warp_race_write
  out[threadIdx.x] = tile[31 - threadIdx.x];  // MARK warp_race_read
}
__global__ void global_race(int *sum) {
  *sum += threadIdx.x;  // MARK global_race
}
__global__ void block_race(int *array) {
  if (threadIdx.x == 0) array[0] = blockIdx.x;  // MARK block_race
}
__global__ void byte_race(unsigned char *bytes) {
  bytes[threadIdx.x / 2] = threadIdx.x;  // MARK byte_race
}
__global__ void mixed_race(int *count, int *out) {
  atomicAdd(count, 1);  // MARK mixed_race_atomic
  out[threadIdx.x] = *count;  // MARK mixed_race_read
}
__global__ void scope_race(int *count) {
  atomicAdd_block(count, 1);  // MARK scope_race
}
__global__ void divergent_barrier(int *out) {
  if (threadIdx.x % 2) {
    __syncthreads();  // MARK divergent_barrier_one
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();  // MARK divergent_barrier_two
    out[threadIdx.x] = 2;
  }
}
__global__ void masks(int *out) {
  const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u;
  out[threadIdx.x] = __shfl_sync(mask, int(threadIdx.x), 0);  // MARK masks
}
__global__ void wrong_mask(int *out) {
  out[threadIdx.x] = __ballot_sync(0xffu, 1);  // MARK wrong_mask
}
__global__ void device_heap(int **kept) {
  kept[0] = new int[4];
  kept[0][0] = 1;
  delete[] kept[0];
  kept[0][1] = 2;  // MARK device_heap
}
__device__ int table[16];
__global__ void variable(int i, int *out) {
  table[i] = 1;  // MARK variable
  out[0] = table[0];
}
typedef void (*Function)(int *);
__device__ void through_pointer(int *array) { array[64] = 1; /* MARK pointer */ }
__device__ Function function = through_pointer;
__global__ void pointer(int *array) { function(array); }

int main(int argc, char **argv) {
  const int which = argc > 1 ? std::atoi(argv[1]) : 0;
  int *array, *other;
  cudaMalloc(&array, 64 * sizeof(int));  // MARK allocation
  cudaMalloc(&other, 64 * sizeof(int));
  cudaMemset(array, 0, 64 * sizeof(int));
  float *floats;
  cudaMalloc((void **)&floats, 64 * sizeof(float));
  switch (which) {
    case 0: out_of_bounds<<<1, 65>>>(array, 1); break;
    case 1: before_array<<<1, 1>>>(array); break;
    case 2: cudaFree(other); freed<<<1, 64>>>(other); break;
    case 3: host_memory<<<1, 1>>>(static_cast<int *>(std::malloc(64))); break;
    case 4: misaligned<<<1, 1>>>(reinterpret_cast<char *>(array)); break;
    case 5: cudaMemset(floats, 0, 256); misaligned_vector<<<1, 1>>>(floats, reinterpret_cast<float4 *>(array)); break;
    case 6: uninitialized<<<1, 64>>>(floats, reinterpret_cast<float *>(array)); break;
    case 7: uninitialized_shared<<<2, 64>>>(array); break;
    case 8: shared_out_of_bounds<<<1, 32>>>(array, 33); break;
    case 9: dynamic_out_of_bounds<<<1, 33, 128>>>(array); break;
    case 10: shared_race<float><<<1, 64>>>(floats); break;
    case 11: warp_race<<<1, 32>>>(array); break;
    case 12: global_race<<<1, 2>>>(array); break;
    case 13: block_race<<<4, 32>>>(array); break;
    case 14: byte_race<<<1, 64>>>(reinterpret_cast<unsigned char *>(array)); break;
    case 15: mixed_race<<<1, 64>>>(array, other); break;
    case 16: scope_race<<<2, 32>>>(array); break;
    case 17: divergent_barrier<<<1, 64>>>(array); break;
    case 18: masks<<<1, 32>>>(array); break;
    case 19: wrong_mask<<<1, 32>>>(array); break;
    case 20: cudaFree(array); cudaFree(array); /* MARK double_free */ break;
    case 21: cudaFree(array + 1); /* MARK free_inside */ break;
    case 22: device_heap<<<1, 1>>>(reinterpret_cast<int **>(array)); break;
    case 23: variable<<<1, 1>>>(20, array); break;
    case 24: pointer<<<1, 1>>>(array); break;
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 3;
}
