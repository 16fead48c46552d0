// Kernels in all the places where a kernel can stand, and launches in all the ways in which one can be launched.
#include <cstdio>
#include "included.cuh"

namespace a { namespace b {
__global__ void nested(int *x)
{
    x[blockIdx.x] += /*step*/1;
}
} }

namespace {
__global__ void hidden(int *x)
{
    x[blockIdx.x] += /*step*/1;
}
}

extern "C" __global__ void plain_c(int *x) { x[blockIdx.x] += /*step*/1; }

extern "C" {
__global__ void block_c(int *x)
{
    x[blockIdx.x] += /*step*/1;
}
}

template <class T, int N = 1>
__global__ void generic(T *x)   // a template with a default argument
{
    x[blockIdx.x] += N * /*step*/1;
}

static __global__ void
__launch_bounds__(64)
local(int *x)
{
    x[blockIdx.x] += /*step*/1;
}

__global__ void with_default(int *x, int by = 1)
{
    x[blockIdx.x] += by * /*step*/1;
}

__device__ int counter[2];
__global__ void no_parameters() { counter[blockIdx.x] += /*step*/1; }

__global__ void pointers(int *x, void (*unused)(int), const int (*rows)[2])
{
    x[blockIdx.x] += /*step*/1 + (rows ? 0 : 0);
}

__global__ void over(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ void over(float *x) { x[blockIdx.x] += /*step*/1; }

#define MAKE(name) __global__ void name(int *x) { x[blockIdx.x] += /*step*/1; }
MAKE(made)

__global__ void early(int *x);
void before(int *x) { early<<<2, 1>>>(x); }
__global__ void early(int *x)
{
    x[blockIdx.x] += /*step*/1;
}

__global__ void dynamic(int *x, int last)
{
    extern __shared__ char space[];
    space[last] = 1;
    x[blockIdx.x] += space[last] * /*step*/1;
}

__global__ void in_macro(int *x) { x[blockIdx.x] += /*step*/1; }
#define LAUNCH(kernel, grid, x) kernel<<<grid, 1>>>(x)

template <class T> void launch_generic(T *x) { generic<T, 2><<<2, 1>>>(x); }

static int *x;

static void show(const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %d %s\n", what, x[0], error == cudaSuccess ? "" : cudaGetErrorString(error));
    x[0] = x[1] = 0;
}

int main()
{
    cudaMallocManaged(&x, 2 * sizeof(int));
    x[0] = x[1] = 0;
    included<<<2, 1>>>(x); show("included");
    a::b::nested<<<2, 1>>>(x); show("nested");
    ::a::b::nested<<<1, 1>>>(x); show("nested grid 1");
    { using namespace a::b; nested<<<2, 1>>>(x); show("nested by using"); }
    hidden<<<2, 1>>>(x); show("hidden");
    plain_c<<<2, 1>>>(x); show("plain_c");
    block_c<<<dim3(2), dim3(1)>>>(x); show("block_c");
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    generic<int><<<2, 1, 0, stream>>>(x); show("generic<int>");
    generic<int, 3><<<2, 1>>>(x); show("generic<int, 3>");
    generic<<<2, 1>>>(x); show("generic deduced");
    launch_generic(x); show("generic from a template");
    local<<<2, 1>>>(x); show("local");
    with_default<<<2, 1>>>(x); show("with_default");
    with_default<<<2, 1>>>(x, 3); show("with_default 3");
    no_parameters<<<2, 1>>>(); cudaMemcpyFromSymbol(x, counter, 4); show("no_parameters");
    pointers<<<2, 1>>>(x, nullptr, nullptr); show("pointers");
    over<<<2, 1>>>(x); show("over");
    made<<<2, 1>>>(x); show("made");
    before(x); show("early, before its definition");
    early<<<2, 1>>>(x); show("early");
    LAUNCH(in_macro, 2, x); show("in_macro by macro");
    in_macro<<<2, 1>>>(x); show("in_macro");
    void (*pointer)(int *) = plain_c;
    pointer<<<2, 1>>>(x); show("plain_c by pointer");
    void *arguments[] = { &x };
    cudaLaunchKernel((const void *)plain_c, dim3(2), dim3(1), arguments, 0, 0); show("plain_c by cudaLaunchKernel");
    dynamic<<<2, 1, 60000>>>(x, 59999);
    printf("too much shared memory %d\n", cudaGetLastError() != cudaSuccess); show("dynamic refused");
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    dynamic<<<2, 1, 60000>>>(x, 59999); show("dynamic");
    for (int i = 0; i < 3; ++i) plain_c<<<2, 1>>>(x);
    show("three times");
    return 0;
}
