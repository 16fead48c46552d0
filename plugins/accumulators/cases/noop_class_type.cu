// What += does is the class's own business.
struct Pair {
    float a, b;
    __device__ Pair &operator+=(float v) { a += v; b -= v; return *this; }
};
__global__ void k(int n, const float *x, Pair *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        y[i] += x[j];
}
void all(int n, const float *x, Pair *y) { k<<<1, 64>>>(n, x, y); }
