// What the ten programs share: inputs, timing, checksum, and the words on the command line.
//   PROGRAM [--time] [--blocks N]
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#ifndef PLACES  // of tables that are read at random places, as a power of two: 2^24 words do not lie in an H200's L2
#define PLACES 24
#endif
#ifdef PAPER  // what is read in a row need not be made for an H200
#define SPREAD(blocks) 23
#else
#define SPREAD(blocks) ((blocks) > 1000 ? PLACES : 14)
#endif

static int blocks_wanted = 0;
static bool timed = false;

static void read_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--time")) timed = true;
    else if (!strcmp(argv[i], "--blocks") && i + 1 < argc) blocks_wanted = atoi(argv[++i]);
    else { fprintf(stderr, "usage: %s [--time] [--blocks N]\n", argv[0]); exit(2); }
  }
}
static int blocks_or(int usual) { return blocks_wanted ? blocks_wanted : usual; }

static unsigned mixed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ x >> 16;
}
template <class T, class F> static T *filled(size_t n, F value) {
  std::vector<T> host(n);
  const size_t workers = n < (1u << 20) ? 1 : 16, each = (n + workers - 1) / workers;
  auto part = [&](size_t w) {
    for (size_t i = w * each; i < n && i < (w + 1) * each; ++i) host[i] = value((unsigned)i);
  };
  std::vector<std::thread> others;
  for (size_t w = 1; w < workers; ++w) others.emplace_back(part, w);
  part(0);
  for (std::thread &one : others) one.join();
  T *device = nullptr;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}
static float small(unsigned i) { return (mixed(i) & 1023) / 1024.0f - 0.5f; }

static void must(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "WRONG: %s\n", what);
  exit(1);
}

// Runs, times and hands back what the kernel wrote; prints name, checksum and (with --time) the best of nine in ms.
template <class T, class L> static std::vector<T> measured(const char *name, T *device, size_t n, L launch) {
  cudaMemset(device, 0, n * sizeof(T));
  launch();
  must(cudaDeviceSynchronize() == cudaSuccess, cudaGetErrorString(cudaGetLastError()));
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  unsigned long long sum = 14695981039346656037ULL;
  const unsigned *words = reinterpret_cast<const unsigned *>(host.data());
  for (size_t i = 0; i < n * sizeof(T) / 4; ++i) sum = (sum ^ words[i]) * 1099511628211ULL;
  printf("%s %016llx", name, sum);
  if (timed) {
    cudaEvent_t from, to;
    cudaEventCreate(&from); cudaEventCreate(&to);
    float best = 1e30f;
    for (int i = 0; i < 11; ++i) {
      float ms = 0;
      cudaEventRecord(from); launch(); cudaEventRecord(to); cudaEventSynchronize(to);
      cudaEventElapsedTime(&ms, from, to);
      if (i > 1 && ms < best) best = ms;
    }
    printf(" %.5f", best);
  }
  printf("\n");
  return host;
}
