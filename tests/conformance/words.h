// Numbers from a generator that starts at `seed`, in arrays that both sides see, and results printed as words.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

static unsigned seed;

static float *floats()
{
    float *found = nullptr;
    cudaMallocManaged(&found, 16 * sizeof(float));
    for (int i = 0; i < 16; ++i) found[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 4194304.0f - 2.0f;
    return found;
}
static void show(const char *name, const void *data, int words)
{
    if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
    printf("%s", name);
    for (int i = 0; i < words; ++i) printf(" %08x", ((const unsigned *)data)[i]);
    printf("\n");
}
