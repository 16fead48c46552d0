// gpu: h200; learn: on
// run: main
// Instances of a template share a version's text: what one loads at once is a class without a default constructor in the other.
#include <cstdio>
struct Half {
    unsigned short bits;
    __host__ __device__ Half(float v) : bits((unsigned short)v) {}
    __host__ __device__ operator float() const { return bits; }
};
template <class T> __global__ void twice(T *y, const T *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * T(2) + T(1);
}
template <class T> float run(int n)
{
    T *x, *y;
    cudaMallocManaged(&x, n * sizeof(T));
    cudaMallocManaged(&y, n * sizeof(T));
    for (int i = 0; i < n; ++i) x[i] = T(i % 100);
    twice<<<(n + 127) / 128, 128>>>(y, x, n);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += y[i];
    return sum;
}
int main() { std::printf("%g %g\n", run<float>(40001), run<Half>(40001)); }
