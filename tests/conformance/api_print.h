// What the programs about the runtime API share: every answer is printed, so that two machines can be compared.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

// The call, and the name of what it returned. The error does not stay.
#define SHOW(call)                                                                \
    do {                                                                          \
        const cudaError_t status_ = (call);                                       \
        printf("%s: %s\n", #call, cudaGetErrorName(status_));                     \
        if (status_ != cudaSuccess) cudaGetLastError();                           \
    } while (0)

// Calls whose failure is a fault of the program itself.
#define MUST(call)                                                                \
    do {                                                                          \
        const cudaError_t status_ = (call);                                       \
        if (status_ != cudaSuccess) {                                             \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(status_)); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
