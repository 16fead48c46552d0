// The device language: how kernels may be written and launched, variables, functions, intrinsics, inline PTX.
#include "check.h"

#define LAUNCH(kernel, blocks, threads, ...)        \
    do {                                            \
        kernel<<<blocks, threads>>>(__VA_ARGS__);   \
        finish();                                   \
    } while (0)
#define CONFIGURATION(blocks, threads) <<<blocks, threads>>>
#define KERNEL(name) __global__ void name##_kernel
#define DEFINE_ADD(T) \
    __global__ void add_##T(T *p, T v) { atomicAdd(p, v); }
DEFINE_ADD(int)
DEFINE_ADD(double)
KERNEL(from_macro)(int *p) { p[threadIdx.x] = 3; }

__global__ void overloaded(int *p, int) { *p = 1; }
__global__ void overloaded(int *p, float) { *p = 2; }
__global__ void overloaded(int *p) { *p = 3; }

namespace outer { namespace inner {
__global__ void add_size(int *p)
{
    if (threadIdx.x == 0) atomicAdd(p, (int)blockDim.x);
}
template <class T, int N = 2> struct Box {
    T v[N];
};
template <class T, int N = 2> __global__ void fill(Box<T, N> *out, T value)
{
    for (int i = 0; i < N; ++i) out->v[i] = value + (T)threadIdx.x;
}
} }
using outer::inner::Box;

template <typename F> __global__ void apply(int n, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
struct Doubler {
    int *p;
    __device__ void operator()(int i) const { p[i] = 2 * i; }
};
template <class... A> __device__ int sum_all(A... a)
{
    int sum = 0;
    int unpack[] = {0, (sum += a, 0)...};
    (void)unpack;
    return sum;
}
template <class... A> __global__ void variadic(int *out, A... a) { *out = sum_all(a...); }
template <class T> void launch_dependent(T *p) { outer::inner::fill<T><<<1, 1>>>(reinterpret_cast<Box<T> *>(p), T(4)); }
template <int N> struct Runner {
    template <class K, class... A> static void run(K k, A... a) { k<<<dim3(1), dim3(N > 4 ? 2 : N)>>>(a...); }
};
int launch_and_return(int *p)
{
    outer::inner::add_size<<<1, 4>>>(p);
    return 10;
}
__global__ void assign(int *p, int v) { p[1] = v; }
__global__ void parent(int *p) { outer::inner::add_size<<<1, 8>>>(p); }

static void launches(int *p)
{
    LAUNCH(from_macro_kernel, 1, 4, p);
    EXPECT(p[3], 3);
    from_macro_kernel CONFIGURATION(1, 8)(p);
    EXPECT(p[7], 3);
    add_int<<<2, 5>>>(p, 2);
    EXPECT(p[0], 23);
    overloaded<<<1, 1>>>(p, 1);
    EXPECT(p[0], 1);
    overloaded<<<1, 1>>>(p, 1.0f);
    EXPECT(p[0], 2);
    void (*pointer)(int *) = overloaded;
    pointer<<<1, 1>>>(p);
    EXPECT(p[0], 3);
    (*pointer)<<<1, 1>>>(p);
    void (*list[2])(int *) = {overloaded, outer::inner::add_size};
    list[1]<<<1, 6>>>(p);
    EXPECT(p[0], 9);
    (p[0] == 9 ? list[0] : list[1])<<<1, 6>>>(p);
    EXPECT(p[0], 3);
    if (p[0] == 3) ::outer::inner::add_size<<<1, 2>>>(p); else overloaded<<<1, 1>>>(p);
    EXPECT(p[0], 5);
    outer::inner::fill<<<1, 1>>>((Box<int> *)p, 8);
    EXPECT(p[1], 8);
    launch_dependent(p);
    EXPECT(p[0], 4);
    Runner<8>::run(outer::inner::add_size, p);
    EXPECT(p[0], 6);
    apply<<<2, 8>>>(10, Doubler{p});
    EXPECT(p[9], 18);
    const int base = 100;
    apply<<<1, 16>>>(16, [=] __device__(int i) { p[i] = base + i + blockDim.x; });
    EXPECT(p[5], 121);
    variadic<<<1, 1>>>(p, 1, 2, 3);
    EXPECT(p[0], 6);
    variadic<int, short><<<1, 1>>>(p, 1, 2);
    EXPECT(p[0], 3);
    p[0] = 0;
    assign<<<1, 1>>>(p, launch_and_return(p));
    EXPECT(p[0], 4);
    EXPECT(p[1], 10);
    int value = 77;
    void *arguments[] = {&p, &value};
    EXPECT_STATUS(cudaLaunchKernel((void *)assign, dim3(1), dim3(1), arguments, 0, 0), cudaSuccess);
    EXPECT(p[1], 77);
    value = 78;
    EXPECT_STATUS(cudaLaunchKernel(outer::inner::fill<int, 2>, dim3(1), dim3(1), arguments), cudaSuccess);
    EXPECT(p[1], 78);
    p[0] = 0;
    parent<<<1, 3>>>(p);
    finish();
    EXPECT(p[0], 24);
}

__constant__ float table[4] = {1, 2, 3, 4};
__constant__ int uploaded[2][2];
__device__ int counter;
__device__ static volatile int flag = 7;
typedef int (*Operation)(int, int);
__device__ int plus_(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus_, times};
__device__ Operation chosen = times;
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static __device__ __forceinline__ int twice(int x) { return 2 * x; }
__host__ __device__ __forceinline__ int next(int x) { return x + 1; }
__device__ inline unsigned global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
struct Point {
    float x, y;
    __host__ __device__ Point(float a, float b) : x(a), y(b) {}
    __device__ float norm() const;
};
__device__ float Point::norm() const { return sqrtf(x * x + y * y); }

__global__ void functions(int *out)
{
    struct Local {
        int k;
        __device__ int index() const { return threadIdx.x + k; }
    };
    auto captures = [&](int x) { return x + (int)threadIdx.x; };
    auto plain = [](int x) { return x + (int)threadIdx.x; };
    out[0] = operations[0](3, 4) * 100 + operations[1](3, 4);
    out[1] = fibonacci(10);
    out[2] = twice(next(4));
    out[3] = global_index();
    out[4] = Local{5}.index();
    out[5] = captures(1) + plain(2);
    out[6] = table[2] + uploaded[1][0];
    out[7] = atomicAdd(&counter, 5);
    out[8] = flag;
    flag = 9;
    out[9] = (int)Point(3, 4).norm();
}
__global__ void through_pointer(int *out, Operation operation) { *out = operation(6, 7); }

static void functions_and_variables(int *p)
{
    const int rows[2][2] = {{0, 0}, {40, 0}};
    EXPECT_STATUS(cudaMemcpyToSymbol(uploaded, rows, sizeof rows), cudaSuccess);
    int count = 11;
    EXPECT_STATUS(cudaMemcpyToSymbol(counter, &count, sizeof count), cudaSuccess);
    functions<<<1, 1>>>(p);
    finish();
    const int expected[] = {712, 55, 10, 0, 5, 3, 43, 11, 7, 5};
    for (int i = 0; i < 10; ++i) EXPECT(p[i], expected[i]);
    EXPECT_STATUS(cudaMemcpyFromSymbol(&count, counter, sizeof count), cudaSuccess);
    EXPECT(count, 16);
    Operation operation;
    EXPECT_STATUS(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation), cudaSuccess);
    through_pointer<<<1, 1>>>(p, operation);
    EXPECT(p[0], 42);
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1);
    atomicSub(i + 1, 2);
    atomicMin(i + 2, (int)threadIdx.x - 7);
    atomicMax(i + 3, (int)threadIdx.x);
    atomicExch(i + 4, 5);
    atomicAnd(u, ~(1u << threadIdx.x));
    atomicOr(u + 1, 1u << threadIdx.x);
    atomicXor(u + 2, threadIdx.x);
    atomicInc(u + 3, 9);
    atomicDec(u + 4, 9);
    atomicAdd(l, 1ull << 40);
    atomicMax(l + 1, (unsigned long long)threadIdx.x);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    int old = i[5], seen;
    do {
        seen = old;
        old = atomicCAS(i + 5, seen, seen + 3);
    } while (old != seen);
}

static void all_atomics(int *i)
{
    unsigned *u = device_array<unsigned>(8);
    unsigned long long *l = device_array<unsigned long long>(2);
    float *f = device_array<float>(1);
    double *d = device_array<double>(1);
    for (int k = 0; k < 8; ++k) i[k] = 0;
    u[0] = ~0u;
    atomics<<<100, 32>>>(i, u, l, f, d);
    finish();
    const int expected[] = {3200, -6400, -7, 31, 5, 9600};
    for (int k = 0; k < 6; ++k) EXPECT(i[k], expected[k]);
    EXPECT(u[0], 0u);
    EXPECT(u[1], ~0u);
    EXPECT(u[2], 0u);
    EXPECT(u[3], 0u);
    EXPECT(u[4], 0u);
    EXPECT(l[0], 3200ull << 40);
    EXPECT(l[1], 31ull);
    EXPECT(*f, 1600.0f);
    EXPECT(*d, 800.0);
}

__global__ void ptx(unsigned *out)
{
    unsigned lane, sum;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("{\n\t.reg .u32 t;\n\tmov.u32 t, %2;\n\tadd.u32 %0, %1, t;\n\t}" : "=r"(sum) : "r"(lane), "r"(100u));
    out[threadIdx.x] = sum;
    asm volatile("membar.gl;" ::: "memory");
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1+4];" : "=f"(v) : "l"(out + 100));
    asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(out + 102), "f"(v + 1));
}

__global__ void intrinsics(int *o, float *f, const float *read_only)
{
    o[0] = __popc(0xff0f);
    o[1] = __clz(1);
    o[2] = __ffs(8);
    o[3] = __brev(1) == 0x80000000u;
    o[4] = __mulhi(1 << 30, 8);
    o[5] = __float2int_rn(2.5f);
    o[6] = __float2int_ru(2.1f);
    o[7] = __float_as_int(1.0f);
    o[8] = __byte_perm(0x33221100, 0x77665544, 0x7531);
    o[9] = max(3, 7) + min(2u, 5u);
    o[10] = __float2int_rz(1e20f);
    o[11] = __dp4a(0x01020304, 0x01010101, 5);
    f[0] = rsqrtf(4.0f);
    f[1] = __fdividef(1, 4);
    f[2] = __expf(0);
    f[3] = __fadd_ru(1.0f, 1e-10f);
    f[4] = fmaf(2, 3, 4);
    f[5] = __saturatef(3);
    f[6] = max(1.5f, 2.5f);
    f[7] = __ldg(read_only);
    f[8] = __fsqrt_rn(9);
    f[9] = make_float4(1, 2, 3, 4).w;
    f[10] = sinpif(0.5f);
    f[11] = normcdff(0.0f);
    f[12] = erfinvf(0.5f);
}

static void instructions(int *p)
{
    float *f = (float *)p;
    f[101] = 2.5f;
    ptx<<<1, 32>>>((unsigned *)p);
    finish();
    EXPECT(p[7], 107);
    EXPECT(f[102], 3.5f);
    f = device_array<float>(16);
    float *one = device_array<float>(1);
    *one = 2.5f;
    intrinsics<<<1, 1>>>(p, f, one);
    finish();
    const int integers[] = {12, 31, 4, 1, 2, 2, 3, 0x3f800000, 0x77553311, 9, 0x7fffffff, 15};
    for (int i = 0; i < 12; ++i) EXPECT(p[i], integers[i]);
    const float floats[] = {.5f, .25f, 1, 1.00000012f, 10, 1, 2.5f, 2.5f, 3, 4, 1, .5f, 0.476936276f};
    for (int i = 0; i < 13; ++i) EXPECT(f[i], floats[i]);
}

__global__ void print()
{
    if (threadIdx.x < 2) printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

// Shared memory declared outside functions, and again, as by several headers that a program includes.
extern __shared__ int declared_again[];
namespace first {
extern __shared__ int declared_again[];
__global__ void reverse(int *p)
{
    declared_again[threadIdx.x] = (int)threadIdx.x * 3;
    __syncthreads();
    p[threadIdx.x] = declared_again[31 - threadIdx.x];
}
}
extern __shared__ int declared_again[];
namespace first { extern __shared__ int declared_again[]; }
__global__ void reverse(int *p)
{
    declared_again[threadIdx.x] = (int)threadIdx.x * 5;
    __syncthreads();
    p[threadIdx.x] = declared_again[31 - threadIdx.x];
}

static void shared_outside(int *p)
{
    first::reverse<<<1, 32, 32 * sizeof(int)>>>(p);
    finish();
    EXPECT(p[0], 93);
    reverse<<<1, 32, 32 * sizeof(int)>>>(p);
    finish();
    EXPECT(p[0], 155);
}

int main()
{
    int *p = device_array<int>(1024);
    launches(p);
    shared_outside(p);
    functions_and_variables(p);
    all_atomics(p);
    instructions(p);
    print<<<1, 4>>>();
    finish();
    return verdict();
}
