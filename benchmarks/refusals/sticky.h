// Errors of kernels, which end the context: what the calls behind them answer. Each has a process of its own, as it cannot be used then.
#pragma once
#include <cassert>

#include "cases.h"

__global__ void write_to(int *p) { *p = 1; }
__global__ void traps() { __trap(); }
__global__ void asserts(int zero) { assert(zero); }
__global__ void breaks() { __brkpt(); }
__global__ void reads_shared_beyond(int *p, int at)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    p[0] = *(volatile int *)((char *)s + at);
}
__global__ void recurses(int *p, int depth)
{
    volatile int room[256];
    room[depth & 255] = depth;
    if (depth > 0 && p) *p += room[depth & 255];
}

static cudaError_t after(void (*launch)())
{
    void *p, *mine;
    cudaMalloc(&mine, 16);
    launch();
    then("launched", cudaPeekAtLastError());
    const cudaError_t status = cudaDeviceSynchronize();
    then("malloc", cudaMalloc(&p, 16));
    then("free", cudaFree(mine));
    then("query", cudaStreamQuery(stream));
    then("event", cudaEventCreate((cudaEvent_t *)&p));
    int count;
    then("count", cudaGetDeviceCount(&count));
    nothing<<<1, 1>>>();
    then("launch", cudaPeekAtLastError());
    return status;
}
CALL(sticky_address_null, after([] { write_to<<<1, 1>>>(nullptr); }))
CALL(sticky_address_far, after([] { write_to<<<1, 1>>>((int *)0x7000000000000); }))
CALL(sticky_address_not_canonical, after([] { write_to<<<1, 1>>>((int *)((uintptr_t)1 << 62)); }))
CALL(sticky_misaligned, after([] { write_to<<<1, 1>>>((int *)(device + 1)); }))
CALL(sticky_shared_misaligned, after([] { reads_shared_beyond<<<1, 32>>>((int *)device, 1); }))
CALL(sticky_shared_far, after([] { reads_shared_beyond<<<1, 32>>>((int *)device, 1 << 20); }))
CALL(sticky_trap, after([] { traps<<<1, 1>>>(); }))
CALL(sticky_assert, after([] { asserts<<<1, 1>>>(0); }))
CALL(sticky_stack_is_kept, after([] { recurses<<<1, 1>>>((int *)device, 3); }))
CASE(sticky_seen_by_copy)
{
    traps<<<1, 1>>>();
    return cudaMemcpy(host, device, 16, cudaMemcpyDeviceToHost);
}
CASE(sticky_seen_by_event)
{
    cudaEvent_t event;
    cudaEventCreate(&event);
    traps<<<1, 1>>>();
    then("record", cudaEventRecord(event));
    return cudaEventSynchronize(event);
}
CASE(sticky_seen_by_free)
{
    traps<<<1, 1>>>();
    return cudaFree(device);
}
CASE(sticky_seen_by_stream)
{
    traps<<<1, 1, 0, stream>>>();
    return cudaStreamSynchronize(stream);
}
CASE(sticky_graph)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    traps<<<1, 1, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    then("launch", cudaGraphLaunch(exec, stream));
    return cudaStreamSynchronize(stream);
}
CASE(sticky_get_twice)
{
    traps<<<1, 1>>>();
    cudaDeviceSynchronize();
    then("get", cudaGetLastError());
    then("again", cudaGetLastError());
    return cudaPeekAtLastError();
}
CASE(sticky_reset)
{
    traps<<<1, 1>>>();
    then("synchronize", cudaDeviceSynchronize());
    const cudaError_t status = cudaDeviceReset();
    void *p;
    then("malloc", cudaMalloc(&p, 16));
    return status;
}
CASE(reset_then_free)  // memory of before
{
    const cudaError_t status = cudaDeviceReset();
    then("free", cudaFree(device));
    return status;
}
