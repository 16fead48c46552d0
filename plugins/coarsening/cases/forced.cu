// gpu: h200; policy: factors=[3], forced=true
// run: kernel=count grid=5,2,2 block=48 x=20*48 hits=16
// As the policy asks: five blocks become two, of which the second one lacks one. Atomics of integers may come in any order.
static __global__ void count(const int *x, unsigned *hits)
{
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned bin = x[b * blockDim.x + threadIdx.x] & 15;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
}

void all(const int *x, unsigned *hits)
{
    count<<<dim3(5, 2, 2), 48>>>(x, hits);
}
