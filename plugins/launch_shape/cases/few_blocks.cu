// gpu: h200; learn: on
// run: grid=3 block=1024 x=3*1024 hits=64
// Three blocks leave most multiprocessors idle: they are split down to single warps. Atomics of integers may come in any order.
static __global__ void count(const int *x, unsigned *hits)
{
    unsigned bin = x[blockIdx.x * blockDim.x + threadIdx.x] & 63;
    asm("xor.b32 %0, %0, %1;" : "+r"(bin) : "r"(5));
    atomicAdd(&hits[bin], threadIdx.x + 1);
}

void all(const int *x, unsigned *hits)
{
    count<<<3, 1024>>>(x, hits);
}
