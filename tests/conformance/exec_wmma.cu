// nvcuda::wmma: types, shapes and layouts; sums of whole numbers, which every order of adding gives exactly.
#include "show.h"
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

template <class T> __device__ T value(int v) { return (T)v; }
template <> __device__ __half value<__half>(int v) { return __float2half((float)v); }
template <> __device__ __nv_bfloat16 value<__nv_bfloat16>(int v) { return __float2bfloat16((float)v); }
template <class T> __device__ double number(T v) { return (double)v; }
template <> __device__ double number<__half>(__half v) { return __half2float(v); }
template <> __device__ double number<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }

// Two products; the elements of one are scaled on the way, and stored by columns.
template <int M, int N, int K, class T, class Stored, class Sum, class LayoutA, class LayoutB>
__global__ void multiply(double *out) {
  __shared__ __align__(32) Stored a[M * K];
  __shared__ __align__(32) Stored b[K * N];
  __shared__ __align__(32) Sum c[M * N];
  for (int i = threadIdx.x; i < M * K; i += 32) a[i] = value<Stored>((i * 7 + i / K) % 5);
  for (int i = threadIdx.x; i < K * N; i += 32) b[i] = value<Stored>((i * 3 + i / N * 2) % 4);
  for (int i = threadIdx.x; i < M * N; i += 32) c[i] = value<Sum>(i % 3);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sums, more;
  wmma::fill_fragment(more, value<Sum>(2));
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
template <int M, int N, int K, class T, class Stored, class Sum, class LayoutA, class LayoutB> void test(const char *name) {
  double *out = array<double>(M * N);
  multiply<M, N, K, T, Stored, Sum, LayoutA, LayoutB><<<1, 32>>>(out);
  show(name, out, 6); digest(name, out, M * N);
}
int main() {
  typedef wmma::row_major row;
  typedef wmma::col_major col;
  test<16, 16, 16, __half, __half, float, row, col>("half, float");
  test<16, 16, 16, __half, __half, __half, col, row>("half, half");
  test<32, 8, 16, __half, __half, float, row, row>("half, 32x8");
  test<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, col, col>("bfloat16, 8x32");
  test<16, 16, 16, signed char, signed char, int, row, col>("s8");
  test<16, 16, 16, unsigned char, unsigned char, int, row, row>("u8");
  test<32, 8, 16, signed char, signed char, int, col, col>("s8, 32x8");
  test<16, 16, 8, wmma::precision::tf32, float, float, row, col>("tf32");
  test<8, 8, 4, double, double, double, row, col>("double");
}
