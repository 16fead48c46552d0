// Groups of threads in kernels that are split at their barriers: tests/emulator/test_groups_split.py.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

#ifdef ON_FIBERS
#define MAY_STAY if (blockDim.x == 0) cg::coalesced_threads().sync();
#else
#define MAY_STAY
#endif

template <class Group> __device__ float sum(const Group &group, float v) {
  for (int i = group.size() / 2; i > 0; i /= 2) v += group.shfl_down(v, i);
  return v;
}

__device__ float sum_of_block(cg::thread_block block, float v, float *s) {
  auto tile = cg::tiled_partition<32>(block);
  v = sum(tile, v);
  if (tile.thread_rank() == 0) s[tile.meta_group_rank()] = v;
  cg::sync(block);
  if (tile.meta_group_rank() == 0) {
    v = tile.thread_rank() < tile.meta_group_size() ? s[tile.thread_rank()] : 0;
    v = cg::reduce(tile, v, cg::plus<float>());
  }
  block.sync();
  return v;
}

__global__ void sums(const float *x, float *y) {
  MAY_STAY
  __shared__ float s[32];
  cg::thread_block block = cg::this_thread_block();
  const float v = sum_of_block(block, x[block.group_index().x * block.size() + block.thread_rank()], s);
  if (block.thread_rank() == 0) y[blockIdx.x] = v;
}

template <class T> __global__ void small(const T *x, T *y, unsigned *bits) {
  MAY_STAY
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  const int i = blockIdx.x * block.num_threads() + block.thread_rank();
  T v = x[i];
  const T a = cg::reduce(tile, v, cg::plus<T>()), least = cg::reduce(tile, x[i], cg::less<T>());
  const T most = cg::reduce(warp, v, cg::greater<T>());
  bits[i] = tile.ballot(v > 3) * 4 + tile.any(v > 7) * 2 + tile.all(v > 0.5f);
  const T up = tile.shfl_up(v, 3), other = tile.shfl_xor(v, 5), sixth = tile.shfl(v, 6);
  tile.sync();
  y[i] = a + 3 * least + 5 * most + 7 * up + 11 * other + 13 * sixth;
  bits[i] += 1000 * (tile.thread_rank() + 10 * tile.meta_group_rank() + 100 * warp.meta_group_rank());
  if (tile.meta_group_rank() == 1) {  // lanes of one warp part
    T w = tile.shfl_down(v, 2);
    y[i] += w + tile.any(v > 6) + tile.thread_rank();
  }
  warp.sync();
  y[i] -= warp.shfl(v, 31);
}

__global__ void words(const int *x, unsigned *y) {
  MAY_STAY
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = cg::reduce(tile, x[i] + 2147483600, cg::plus<int>()) ^ cg::reduce(tile, (short)(x[i] * 4001), cg::plus<short>());
  y[i] += cg::reduce(tile, 1u << x[i], cg::bit_or<unsigned>()) + cg::reduce(tile, ~(1u << x[i]), cg::bit_and<unsigned>());
  y[i] ^= (unsigned)(cg::reduce(tile, x[i] * 0.1, cg::plus<double>()) * 1e9);
}

int main() {
  float *x, *y;
  int *p, *q;
  unsigned *bits;
  cudaMallocManaged(&x, 8192);
  cudaMallocManaged(&y, 8192);
  cudaMallocManaged(&p, 8192);
  cudaMallocManaged(&q, 8192);
  cudaMallocManaged(&bits, 8192);
  for (int i = 0; i < 2048; ++i) {
    p[i] = i * 7 % 31 % 10;
    x[i] = p[i] * 0.37f + i * 1e-4f;
  }
  auto show = [](const char *what, auto *values, int n) {
    printf("%s: %s", what, cudaGetErrorString(cudaDeviceSynchronize()));
    double all = 0;
    for (int i = 0; i < n; ++i) all = all * 0.75 + values[i];
    printf(" %a\n", all);
  };
  sums<<<8, 256>>>(x, y);
  show("sums", y, 8);
  small<<<4, 200>>>(x, y, bits);  // the last tile of each warp is there, the last warp is not whole
  show("small", y, 800);
  show("bits", bits, 800);
  small<<<4, dim3(4, 4, 4)>>>(p, q, bits);
  show("small", q, 256);
  words<<<8, 64>>>(p, bits);
  show("words", bits, 512);
}
