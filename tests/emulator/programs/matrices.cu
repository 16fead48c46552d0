// nvcuda::wmma: products of small whole numbers, which every order of summing gives exactly.
#include <mma.h>

#include <type_traits>

#include "check.h"

using namespace nvcuda;

template <class T> __device__ T value(int v) { return (T)v; }
template <> __device__ __half value<__half>(int v) { return __float2half((float)v); }
template <> __device__ __nv_bfloat16 value<__nv_bfloat16>(int v) { return __float2bfloat16((float)v); }
template <class T> __device__ double number(T v) { return (double)v; }
template <> __device__ double number<__half>(__half v) { return __half2float(v); }

__host__ __device__ int left(int row, int k) { return (row * 3 + k) % 5; }
__host__ __device__ int right(int k, int column) { return (k + column * 2) % 4; }

// The fragments' elements are doubled on the way; the sums start at 1.
template <int M, int N, int K, class T, class Stored, class Sum, class LayoutA, class LayoutB>
__global__ void multiply(double *out) {
  __shared__ Stored a[M * K], b[K * N];
  __shared__ Sum c[M * N];
  for (int i = threadIdx.x; i < M * K; i += 32) {
    const int row = i / K, k = i % K;
    a[std::is_same<LayoutA, wmma::row_major>::value ? i : k * M + row] =
        value<Stored>(left(row, k));
  }
  for (int i = threadIdx.x; i < K * N; i += 32) {
    const int k = i / N, column = i % N;
    b[std::is_same<LayoutB, wmma::row_major>::value ? i : column * K + k] = value<Stored>(right(k, column));
  }
  for (int i = threadIdx.x; i < M * N; i += 32) c[i] = value<Sum>(1);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sums, more;
  wmma::fill_fragment(more, value<Sum>(0));
  wmma::load_matrix_sync(fa, a, std::is_same<LayoutA, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(fb, b, std::is_same<LayoutB, wmma::row_major>::value ? N : K);
  wmma::load_matrix_sync(sums, c, N, wmma::mem_row_major);
  wmma::mma_sync(sums, fa, fb, sums);
  wmma::mma_sync(more, fa, fb, more);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = sums.x[i] + more.x[i];
  wmma::store_matrix_sync(c, sums, M, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32) out[i] = number(c[i]);
}

template <int M, int N, int K, class T, class Stored, class Sum, class LayoutA, class LayoutB> void test() {
  double *out = device_array<double>(M * N);
  multiply<M, N, K, T, Stored, Sum, LayoutA, LayoutB><<<1, 32>>>(out);
  finish();
  bool same = true;
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      int sum = 0;
      for (int k = 0; k < K; ++k) sum += left(row, k) * right(k, column);
      same = same && out[column * M + row] == 1 + 2 * sum;
    }
  EXPECT(same, true);
}

int main() {
  typedef wmma::row_major row;
  typedef wmma::col_major col;
  test<16, 16, 16, __half, __half, float, row, col>();
  test<16, 16, 16, __half, __half, __half, col, row>();
  test<32, 8, 16, __half, __half, float, row, row>();
  test<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, col, col>();
  test<16, 16, 16, signed char, signed char, int, row, col>();
  test<16, 16, 16, unsigned char, unsigned char, int, row, row>();
  test<16, 16, 8, wmma::precision::tf32, float, float, row, col>();
  test<8, 8, 4, double, double, double, row, col>();
  return verdict();
}
