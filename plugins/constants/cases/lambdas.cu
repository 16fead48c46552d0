// gpu: h200; policy: pick="always"
// run: grid=2 block=32 x=64 n=3
// A lambda without a capture reads the launch's own block, which has the same size; a local class does, too.
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void kernel(int *x, int n)
{
    struct Wide {
        __device__ int of(int k) const { return k * gridDim.x; }
    };
    auto size = [] { return blockDim.x; };
    auto all = [&](int k) { return k * size() + Wide().of(n); };
    x[ME] = all(x[ME]);
}

void run(int *x)
{
    kernel<<<2, 32>>>(x, 3);
}
