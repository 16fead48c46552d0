// nvcuda::wmma: sums of floats to the last bit in all shapes and types; strides; saturation of whole numbers.
// flags: -std=c++17
#include "show.h"
#include <mma.h>
#include "mma_terms.h"
using namespace nvcuda;
template <class T> struct Coded { typedef T stored; };
template <> struct Coded<wmma::precision::tf32> { typedef float stored; };
__device__ __half made(__half *, int test, int which, int line, int k, int K) { return __ushort_as_half((unsigned short)term(5, 10, test, which, line, k, K)); }
__device__ __nv_bfloat16 made(__nv_bfloat16 *, int test, int which, int line, int k, int K) { return __ushort_as_bfloat16((unsigned short)term(8, 7, test, which, line, k, K)); }
__device__ float made(float *, int test, int which, int line, int k, int K) { return __uint_as_float(which == 2 ? term(8, 23, test, which, line, k, K) : term(8, 10, test, which, line, k, K) << 13); }
__device__ double made(double *, int test, int which, int line, int k, int K) { return (double)__uint_as_float(term(8, 23, test, which, line, k, K) & (test % 8 == 5 ? 0xbfffffff : 0xffffffff)) * (1 + 0x1p-40); }
__device__ signed char made(signed char *, int test, int which, int line, int k, int K) { return (signed char)term(5, 10, test, which, line, k, K); }
__device__ unsigned char made(unsigned char *, int test, int which, int line, int k, int K) { return (unsigned char)term(5, 10, test, which, line, k, K); }
__device__ int made(int *, int test, int which, int line, int k, int K) { const int v = (int)term(8, 23, test, which, line, k, K); return v % 2 ? v : (v >> 16) ^ (v & 2 ? 0x7fffffff : (int)0x80000000); }
template <class T> __device__ unsigned long long bits(T v) { unsigned long long w = 0; memcpy(&w, &v, sizeof v); return w; }

template <int M, int N, int K, class T, class Cc, class Dd, class LayoutA, class LayoutB, bool satf>
__global__ void multiply(unsigned long long *out) {
  typedef typename Coded<T>::stored S;
  constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value, b_rows = std::is_same<LayoutB, wmma::row_major>::value;
  constexpr int pad = 32 / sizeof(S), lda = (a_rows ? K : M) + pad, ldb = (b_rows ? N : K) + pad, ldc = N + 16, ldd = M + 16;
  __shared__ __align__(32) S a[(a_rows ? M : K) * lda];
  __shared__ __align__(32) S b[(b_rows ? K : N) * ldb];
  __shared__ __align__(32) Cc c[M * ldc];
  __shared__ __align__(32) Dd d[N * ldd];
  const int test = blockIdx.x;
  for (int i = threadIdx.x; i < M * K; i += 32) { const int r = i / K, k = i % K; a[a_rows ? r * lda + k : k * lda + r] = made((S *)0, test, 0, r, k, K); }
  for (int i = threadIdx.x; i < K * N; i += 32) { const int k = i / N, n = i % N; b[b_rows ? k * ldb + n : n * ldb + k] = made((S *)0, test, 1, n, k, K); }
  for (int i = threadIdx.x; i < M * N; i += 32) c[i / N * ldc + i % N] = made((Cc *)0, test, 2, i, 0, K);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Cc> fc;
  wmma::fragment<wmma::accumulator, M, N, K, Dd> fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, wmma::mem_row_major);
  if constexpr (satf) wmma::mma_sync(fd, fa, fb, fc, true); else wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, ldd, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32) out[test * M * N + i] = bits(d[i % N * ldd + i / N]);
}
template <int M, int N, int K, class T, class Cc, class Dd, class LayoutA, class LayoutB, bool satf = false> void test(const char *name) {
  const int tests = 16;
  unsigned long long *o = array<unsigned long long>(M * N * tests);
  multiply<M, N, K, T, Cc, Dd, LayoutA, LayoutB, satf><<<tests, 32>>>(o);
  finish(name);
  for (int kind = 0; kind < 8; ++kind) {
    unsigned long long hash = 1469598103934665603ull;
    for (int t = kind; t < tests; t += 8)
      for (int i = 0; i < M * N; ++i) hash = (hash ^ o[t * M * N + i]) * 1099511628211ull;
    printf("%s %d: %016llx, %llx %llx %llx\n", name, kind, hash, o[kind * M * N], o[kind * M * N + 17 % (M * N)], o[(kind + 8) * M * N + 33 % (M * N)]);
  }
}
typedef wmma::row_major row;
typedef wmma::col_major col;
#define SHAPES(T, Cc, Dd, name)                                                                             \
  test<16, 16, 16, T, Cc, Dd, row, col>(name " 16x16 row col"); test<16, 16, 16, T, Cc, Dd, col, row>(name " 16x16 col row"); \
  test<32, 8, 16, T, Cc, Dd, row, row>(name " 32x8 row row"); test<8, 32, 16, T, Cc, Dd, col, col>(name " 8x32 col col");
int main() {
  SHAPES(__half, float, float, "half float")
  test<16, 16, 16, __half, __half, __half, row, col>("half half 16x16 row col");
  test<16, 16, 16, __half, __half, float, col, row>("half half float 16x16 col row");
  test<32, 8, 16, __half, float, __half, row, row>("half float half 32x8 row row");
  test<8, 32, 16, __nv_bfloat16, float, float, col, col>("bf16 8x32 col col");
  test<16, 16, 16, signed char, int, int, row, col, true>("s8 saturated");
  test<32, 8, 16, unsigned char, int, int, row, col, true>("u8 saturated");
  test<16, 16, 8, wmma::precision::tf32, float, float, row, col>("tf32 row col");
  test<8, 8, 4, double, double, double, col, row>("double col row");
}
