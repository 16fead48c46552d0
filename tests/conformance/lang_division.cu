// Whole numbers divided by what the program does not foresee: by 0, and the least one by -1. Nothing of it is an error on a GPU.
#include "show.h"
#include <climits>

template <class T> __global__ void divide(const T *a, const T *b, T *quotients, T *rests, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  quotients[i] = a[i] / b[i];
  rests[i] = a[i] % b[i];
}
// In a function, in a loop and in an operator with an assignment.
__device__ int mean(const int *values, int count) {
  int sum = values[count & 1];
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum / count;
}
__global__ void means(const int *values, const int *counts, int *out) {
  int mine = mean(values, counts[threadIdx.x]);
  __syncthreads();
  for (int i = 0; i < 3; ++i) mine += i + mine % (counts[(threadIdx.x + i) % 4] - 2);
  out[threadIdx.x] = mine;
}

template <class T> void of(const char *name, const T (&a)[8], const T (&b)[8]) {
  T *from = array<T>(8), *by = array<T>(8), *quotients = array<T>(8), *rests = array<T>(8);
  memcpy(from, a, sizeof a);
  memcpy(by, b, sizeof b);
  divide<<<1, 32>>>(from, by, quotients, rests, 8);
  show(name, quotients, 8);
  show("rests", rests, 8);
}

int main() {
  of<int>("int", {7, -7, 0, INT_MAX, INT_MIN, INT_MIN, 9, 1}, {0, 0, 0, 0, 0, -1, 2, -1});
  of<unsigned>("unsigned", {7, 0, UINT_MAX, 1u << 31, 12345, 10, 9, 1}, {0, 0, 0, 0, 0, 3, 2, UINT_MAX});
  of<long long>("long long", {7, -7, 0, LLONG_MAX, LLONG_MIN, LLONG_MIN, 9, 1ll << 40}, {0, 0, 0, 0, 0, -1, 2, 0});
  of<unsigned long long>("unsigned long long", {7, 0, ULLONG_MAX, 1ull << 63, 12345, 10, 9, 1}, {0, 0, 0, 0, 0, 3, 2, ULLONG_MAX});
  of<short>("short", {7, -7, 0, SHRT_MAX, SHRT_MIN, SHRT_MIN, 9, 1}, {0, 0, 0, 0, 0, -1, 2, -1});
  of<unsigned char>("unsigned char", {7, 0, 255, 128, 123, 10, 9, 1}, {0, 0, 0, 0, 0, 3, 2, 255});
  int *values = array<int>(8), *counts = array<int>(4), *out = array<int>(4);
  for (int i = 0; i < 8; ++i) values[i] = 10 * i + 1;
  for (int i = 0; i < 4; ++i) counts[i] = 2 * i;
  means<<<1, 4>>>(values, counts, out);
  show("means", out, 4);
}
