// What every group of cases uses: how a case is listed, and the memory, streams and kernels of each process.
#pragma once
#include <cooperative_groups.h>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <unistd.h>
#include <vector>

struct Case {
    const char *name;
    cudaError_t (*run)();
};

inline std::vector<Case> &cases()
{
    static std::vector<Case> all;
    return all;
}

struct Listed {
    Listed(const char *name, cudaError_t (*run)()) { cases().push_back(Case{name, run}); }
};

// CASE(name) { ... return what the call returned; }     CALL(name, the call)
#define CASE(name)                                   \
    static cudaError_t case_##name();                \
    static const Listed listed_##name(#name, case_##name); \
    static cudaError_t case_##name()
#define CALL(name, ...) \
    CASE(name) { return __VA_ARGS__; }

const size_t SMALL = 1000;        // bytes of `device`, `other`, `host`, `pinned` and `managed`
const size_t LARGE = 4 << 20;     // bytes of `large`, more than what the driver takes at a time
const size_t HUGE_SIZE = (size_t)1 << 50;

inline char *device, *other, *large, *pinned, *managed;
inline char *host, *host_other;   // of which CUDA knows nothing
inline char host_data[SMALL];     // the same, in the program's static data
inline cudaStream_t stream;
inline std::string note;          // what a case tells beside its results

inline void tell(const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note += note.empty() ? text : std::string(" ") + text;
}

// One more call of the same case: its name and its result.
inline cudaError_t then(const char *what, cudaError_t status)
{
    tell("%s=%s", what, cudaGetErrorName(status));
    return status;
}

static __global__ void fill(int *p) { p[threadIdx.x % 32] = 1; }
static __global__ void nothing() {}
static __global__ void mark(int *p, int value) { *p = value; }
__device__ int symbol[16];
__constant__ float table[8];

// Keeps a stream busy for a while, on the host's side.
inline void CUDART_CB sleep_a_while(void *) { usleep(60000); }
inline void CUDART_CB do_nothing(void *) {}

inline cudaStream_t destroyed_stream()
{
    cudaStream_t made = nullptr;
    cudaStreamCreate(&made);
    cudaStreamDestroy(made);
    return made;
}
