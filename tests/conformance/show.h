// What the conformance programs share: arrays that both sides see, and printing that waits for the kernel.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <cuda_runtime.h>

template <class T> T *array(size_t count) {
  T *data = nullptr;
  if (cudaMallocManaged(&data, count * sizeof(T)) != cudaSuccess) {
    printf("no memory\n");
    exit(1);
  }
  memset((void *)data, 0, count * sizeof(T));
  return data;
}

// Rounded, whatever it is added to: some processors' compilers would round it with the sum.
template <class T> T rounded_product(T a, T b) {
  volatile T rounded = a * b;
  return rounded;
}

inline void finish(const char *name) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorName(error));
}

inline void print(double v) { printf(" %.9g", v); }
inline void print(float v) { printf(" %.9g", (double)v); }
template <class T> void print(T v) { printf(" %lld", (long long)v); }

template <class T> void show(const char *name, const T *data, int count) {
  finish(name);
  printf("%s:", name);
  for (int i = 0; i < count; ++i) print(data[i]);
  printf("\n");
}

// A number for many values, so that a line tells of all of them.
template <class T> void digest(const char *name, const T *data, int count) {
  finish(name);
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &data[i], sizeof(T));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  }
  printf("%s: %d values, %016llx\n", name, count, hash);
}
