// gpu: h200; policy: form="join", factor=4
// run: grid=5,2 block=64 x=10*64
// What an instantiation never runs does not hold it back: a barrier, and what writes through a reference.
__device__ void meet(int &v) { __syncthreads(); v += 1; }
__device__ void count(int &v) { v += threadIdx.x; }
template <int M> __global__ void ramp(int *x)
{
    int v = 1000 * blockDim.x;
    if (M == 0) {
        meet(v);
    } else {
        count(v);
    }
    if (M == 2) return;
    x[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += v;
}

void all(int *x)
{
    ramp<1><<<dim3(5, 2), 64>>>(x);
}
