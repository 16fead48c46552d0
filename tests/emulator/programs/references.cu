// Kernels with a barrier that change their pointer parameters through references, each thread its own.
#include "check.h"

__device__ void exchange(const unsigned *&a, const unsigned *&b) {
  const unsigned *c = a;
  a = b;
  b = c;
}
__device__ void advance(const unsigned *(&from), int by) { from += by; }
__device__ void next(unsigned const *const *&rows) { ++rows; }
struct Hundred {};
__device__ const unsigned *operator%(const unsigned *&from, Hundred) { return from += 100; }

#define KERNEL(name, change)                                                    \
  __global__ void name(const unsigned *A, const unsigned *B, unsigned *U) {     \
    __shared__ unsigned s[64];                                                  \
    int t = threadIdx.x;                                                        \
    s[t] = A[t];                                                                \
    __syncthreads();                                                            \
    unsigned v = s[t ^ 1];                                                      \
    change;                                                                     \
    U[t] = v * 1000u + A[t];                                                    \
  }
KERNEL(exchanged, exchange(A, B))
KERNEL(advanced, advance(A, 60); A += 40)
KERNEL(by_operator, A % Hundred())

__global__ void by_rows(const unsigned *const *A, unsigned *U) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  s[t] = A[0][t];
  __syncthreads();
  unsigned v = s[t ^ 1];
  next(A);
  U[t] = v * 1000u + A[0][t];
}

static void expect(unsigned *U) {
    finish();
    for (unsigned i = 0; i < 64; i++) {
        EXPECT(U[i], (i ^ 1) * 1000u + 100 + i);
        U[i] = 0;
    }
}

int main() {
    unsigned *A = device_array<unsigned>(256), *U = device_array<unsigned>(64);
    const unsigned **rows = device_array<const unsigned *>(2);
    for (int i = 0; i < 256; i++) A[i] = i;
    rows[0] = A, rows[1] = A + 100;
    exchanged<<<1, 64>>>(A, A + 100, U);
    expect(U);
    advanced<<<1, 64>>>(A, A, U);
    expect(U);
    by_operator<<<1, 64>>>(A, A, U);
    expect(U);
    by_rows<<<1, 64>>>(rows, U);
    expect(U);
    return verdict();
}
