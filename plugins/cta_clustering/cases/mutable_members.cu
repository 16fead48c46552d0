// gpu: h200; policy: form="agents", order="row"
// run: main
// Members that may change although the parameter is const: the next block finds them as they were, too.
#include <cstdio>
struct Counter {
    int step;
    mutable int calls;
    __device__ int operator()(int x) const { return x * step + ++calls; }
};
template <class T> struct Held {
    mutable T last[2];
    __device__ T next(T x) const { return last[x & 1] += x; }
};
template <class T> struct Derived : Held<T> {
    T scale;
};
struct Outer {
    Counter inner[2];
};
__global__ void counted(const Counter f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f(j);
}
__global__ void inherited(const Derived<int> f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.next(j) * f.scale;
}
__global__ void nested(const Outer f, int *y)
{
    for (int j = 0; j < 3; ++j) y[blockIdx.x * blockDim.x + threadIdx.x] += f.inner[j & 1](j);
}
int main()
{
    int *y;
    cudaMallocManaged(&y, 700 * 32 * sizeof(int));
    cudaMemset(y, 0, 700 * 32 * sizeof(int));
    Derived<int> derived;
    derived.last[0] = derived.last[1] = 1;
    derived.scale = 3;
    counted<<<700, 32>>>(Counter{2, 0}, y);
    inherited<<<700, 32>>>(derived, y);
    nested<<<700, 32>>>(Outer{{{2, 0}, {3, 5}}}, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 700 * 32; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
}
