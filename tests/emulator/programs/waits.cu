// Blocks that wait for blocks that start later: by volatile loads, and by plain loads that nothing but a signal interrupts.
#include "check.h"

typedef int (*Get)(const int *);
__device__ int look(const int *p) { return *p; }
__device__ Get getter = look;
__device__ volatile int flags[64];
__device__ int plain[64];

__global__ void by_volatile(int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (flags[blockIdx.x + 1] == 0) {}
        flags[blockIdx.x] = 1;
        atomicAdd(out, 1);
    }
}

__global__ void by_plain_loads(int *out, Get get)
{
    if (threadIdx.x == 5) {
        int x = blockIdx.x + 1 == gridDim.x;
        while (x == 0) x = get(&plain[blockIdx.x + 1]);
        plain[blockIdx.x] = 1;
        atomicAdd(out, 1);
    }
}

// A thread waits for one of its own block that has not started yet.
__global__ void in_the_block(int *out, Get get)
{
    __shared__ int there;
    if (threadIdx.x == 0) there = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int x = 0;
        while (x == 0) x = get(&there);
        atomicAdd(out, x);
    }
    if (threadIdx.x == 63) there = 9;
}

// Each thread waits for the next one in a loop that does something: one signal's time for each would take minutes.
__global__ void in_a_row(volatile unsigned char *state, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int missing;
    do {
        missing = 0;
        const unsigned char mine = state[i];
        if (mine & 1) {
            if (state[i + 1] & 1) missing = 1;
            else state[i] = mine + 1;
        }
    } while (missing != 0);
    while (const int later = state[i + 1] & 1) { atomicAdd(out, later); }
    atomicAdd(out, 1);
}

// Blocks wait for the one after them, and all threads of a block meet in every turn of the loop that waits.
__global__ void meeting(volatile int *done, int *out)
{
    int v = done[blockIdx.x + 1];
    int turns = 0;
    while (turns < 1) {
        if (v) ++turns;
        else v = done[blockIdx.x + 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        done[blockIdx.x] = 1;
        atomicAdd(out, 1);
    }
}

// A bare loop that has let others run, and then gets signals.
__global__ void bare(int *there, unsigned *out, int turns)
{
    if (blockIdx.x + 1 < gridDim.x)
        while (there[blockIdx.x + 1] == 0);
    unsigned x = threadIdx.x;
    for (int i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
    there[blockIdx.x] = 1;
}

static void test_bare()
{
    const int turns = 15000000;
    int *there = device_array<int>(3);
    unsigned *out = device_array<unsigned>(6), expected[2] = {0, 1};
    bare<<<3, 2>>>(there, out, turns);
    finish();
    for (unsigned &x : expected)
        for (int i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u;
    for (int i = 0; i < 6; ++i) EXPECT(out[i], expected[i % 2]);
}

int main()
{
    test_bare();
    int *out = device_array<int>(1);
    by_volatile<<<64, 32>>>(out);
    finish();
    EXPECT(*out, 64);
    Get get;
    EXPECT_STATUS(cudaMemcpyFromSymbol(&get, getter, sizeof get), cudaSuccess);
    *out = 0;
    by_plain_loads<<<6, 32>>>(out, get);
    finish();
    EXPECT(*out, 6);
    *out = 0;
    in_the_block<<<1, 64>>>(out, get);
    finish();
    EXPECT(*out, 9);
    unsigned char *state = device_array<unsigned char>(401);
    for (int i = 0; i < 400; ++i) state[i] = 1;
    state[400] = 2;
    *out = 0;
    in_a_row<<<4, 100>>>(state, out);
    finish();
    EXPECT(*out, 400);
    int *done = device_array<int>(7);
    done[6] = 1;
    *out = 0;
    meeting<<<6, 64>>>(done, out);
    finish();
    EXPECT(*out, 6);
    return verdict();
}
