// gpu: h200; learn: on
// The version would have a variable of its own.
__global__ void rows(int *x, int width)
{
    static __device__ int calls;
    const int i = blockIdx.x * 256 + threadIdx.x;
    x[i] = i / width + calls++;
}

void all(int *x)
{
    rows<<<1, 32>>>(x, 8);
}
