// What a thread does again, and races that all blocks have alike. Argument: the case.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define AGAIN for (int k = 0; k < n; ++k)
// Thread 0 runs first; thread 40 is of another warp. `n` is 5: what is done again is not looked at again.
__global__ void last_place(int *p, int n) {
  if (threadIdx.x == 0) {
    AGAIN *(p + k / 9) = k;
    AGAIN *(p + k / 9) = 2 * k;  // other
    p[64] = p[0];
  }
  if (threadIdx.x == 40) p[65] = p[0];  // found
}
__global__ void first_place_again(int *p, int n) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2 * n; ++k) {
      if (k != n) p[k / 32] = k;  // other
      else p[k / 16] = 77;
    }
  }
  if (threadIdx.x == 40) p[65] = p[0];  // found
}
__global__ void update_between(int *p, int n) {
  if (threadIdx.x == 0) {
    AGAIN p[64 + k] = p[k / 9];
    AGAIN p[k / 9] += k;
    atomicAdd(p, 1);  // other
    AGAIN p[72 + k] = p[k / 9];
  }
  if (threadIdx.x == 40) p[0] = 3;  // found
}
__global__ void store_after_update(int *p, int n) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2 * n; ++k) {
      if (k == n) atomicAdd(p, 1);
      else p[k / 32] = k;  // other
    }
  }
  if (threadIdx.x == 40) atomicAdd(p, 1);  // found
}
__global__ void bytes_between(int *p, int n) {
  char *bytes = (char *)p;
  if (threadIdx.x == 0) {
    AGAIN p[k / 9] = k;  // other
    AGAIN bytes[1 + k / 9] = (char)k;  // other
  }
  if (threadIdx.x == 40) bytes[1] = 1;  // found
}
__global__ void read_by_a_warp(int *p, int n) {
  if (threadIdx.x < 32) AGAIN p[64 + threadIdx.x] = p[k / 9];  // other
  if (threadIdx.x == 40) p[0] = 3;  // found
}
__global__ void read_by_all(long long *p, int n) {
  AGAIN p[64 + threadIdx.x] = p[k / 9];  // other
  if (threadIdx.x == 63) ((int *)p)[1] = 3;  // found
}
__global__ void behind_barriers(int *p, int n) {
  __shared__ int s[64];
  int own[4] = {1, 2, 3, 4};
  s[threadIdx.x] = 0;
  for (int turn = 0; turn < 4; ++turn) {
    AGAIN { s[threadIdx.x] += own[k % 4]; own[(k + turn) % 4] += s[threadIdx.x]; }
    __syncthreads();
    AGAIN p[threadIdx.x] += s[(threadIdx.x + k) % 64];
    __syncthreads();
  }
}
// Races of all threads of a block that differ in y, as in PolyBench's MVT; of neighbouring blocks; of blocks with other values.
__global__ void alike(const int *a, int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) p[i] += a[i * n + k] & 1;  // found other
}
__global__ void between_blocks(const int *a, int *p, int n) {
  const int i = (blockIdx.x + threadIdx.y) * blockDim.x + threadIdx.x;
  p[i] = a[i];  // found other
}
__global__ void of_one_block(const int *a, int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = a[threadIdx.y * n + i];  // found other
}
// Stores, in each turn, where other warps have read.
__global__ void in_each_turn(const int *a, int *p, int n) {
  for (int k = 0; k < n; ++k) {
    const int before = p[threadIdx.x];  // found other
    p[threadIdx.x] = before + a[k];     // found other
  }
}

int main(int argc, char **argv) {
  const int which = argc > 1 ? atoi(argv[1]) : 0, threads = 64, elements = 1 << 14;
  int *p, *a, host[1 << 10] = {};
  cudaMalloc(&p, elements * 4);
  cudaMalloc(&a, elements * 4);
  cudaMemset(p, 0, elements * 4);
  cudaMemset(a, 0, elements * 4);
  const int differs = 1;  // in the row of thread y = 1, element of block 5
  cudaMemcpy(a + 512 + 5 * 16 + 3, &differs, 4, cudaMemcpyHostToDevice);
  if (which == 11) cudaMemcpy(a + 2, &differs, 4, cudaMemcpyHostToDevice), cudaMemcpy(a + 5, &differs, 4, cudaMemcpyHostToDevice);
  switch (which) {
    case 0: last_place<<<1, threads>>>(p, 5); break;
    case 1: first_place_again<<<1, threads>>>(p, 5); break;
    case 2: update_between<<<1, threads>>>(p, 5); break;
    case 3: store_after_update<<<1, threads>>>(p, 5); break;
    case 4: bytes_between<<<1, threads>>>(p, 5); break;
    case 5: read_by_a_warp<<<1, threads>>>(p, 5); break;
    case 6: read_by_all<<<1, threads>>>((long long *)p, 5); break;
    case 7: behind_barriers<<<1, threads>>>(p, 5); break;
    case 8: for (int k = 0; k < 2; ++k) alike<<<16, dim3(16, 4)>>>(a, p, 32); break;
    case 9: between_blocks<<<16, dim3(16, 2)>>>(a, p, 0); break;
    case 11: in_each_turn<<<1, dim3(32, 4)>>>(a, p, 8); break;
    case 10: of_one_block<<<16, dim3(16, 2)>>>(a, p, 512); break;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (int i = 0; i < 1 << 10; ++i) sum += (long long)host[i] * (i % 13);
  printf("%d %s %lld\n", which, cudaGetErrorName(error), sum);
  cudaFree(p), cudaFree(a);
}
