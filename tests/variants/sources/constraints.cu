// Kernels of C++20 with constraints: each adds one to its block's number, and its versions a hundred.
#include <concepts>
#include <cstdio>

template <class T> requires (sizeof(T) == 4) __global__ void parenthesised(T *x) { x[blockIdx.x] += /*step*/1; }
template <class T> requires std::integral<T> && (sizeof(T) > 1) or false __global__ void bare(T *x)
{
    x[blockIdx.x] += /*step*/1;
}
template <class T> requires requires (T t) { t + 1; } __global__ void expression(T *x) { x[blockIdx.x] += /*step*/1; }
template <class T, int N = 3> requires (N > 1 && N < 4) [[maybe_unused]] __global__ void with_default(T *x)
{
    x[blockIdx.x] += /*step*/1;
}
template <std::integral T> __global__ void concept_first(T *x) { x[blockIdx.x] += /*step*/1; }
namespace m::inline n {
template <std::integral> __global__ void unnamed(int *x) { x[blockIdx.x] += /*step*/1; }
} // namespace m::inline n

int main()
{
    int *x;
    cudaMallocManaged(&x, 64);
    x[0] = x[1] = 0;
    parenthesised<<<2, 1>>>(x);
    bare<int><<<2, 1>>>(x);
    expression<<<2, 1>>>(x);
    with_default<<<2, 1>>>(x);
    concept_first<<<2, 1>>>(x);
    m::unnamed<int><<<2, 1>>>(x);
    cudaDeviceSynchronize();
    std::printf("%d\n", x[0]);
}
