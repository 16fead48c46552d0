// gpu: h200; learn: on
// What threads tell others than those of their block, or ask of the hardware, keeps them in their blocks.
__global__ void active(unsigned *x) { x[blockIdx.x * 64 + threadIdx.x] = __activemask(); }
__global__ void fence(int *x) { x[blockIdx.x * 64 + threadIdx.x] = 1; __threadfence(); x[blockIdx.x * 64 + threadIdx.x + 64] = 1; }
__global__ void step(int *x)  // as if a warp went in step
{
    __shared__ int part[64];
    part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    x[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x ^ 1];
}
__global__ void sums(int *x)
{
    __shared__ volatile int part[64];
    part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        part[threadIdx.x] += part[threadIdx.x + 32];
    if (threadIdx.x < 16)
        x[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 16];
}
__global__ void tail(int *x)
{
    __shared__ int part[64];
    part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        part[threadIdx.x] += part[threadIdx.x + 32];
    if (threadIdx.x < 16)
        x[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 16];
}
__global__ void halves(int *x)
{
    extern __shared__ int half[];
    half[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1)
        if (threadIdx.x < s)
            half[threadIdx.x] += half[threadIdx.x + s];
    __syncthreads();
    x[blockIdx.x * 64 + threadIdx.x] = half[0];
}
__global__ void scans(int *x)
{
    __shared__ int part[64];
    part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __threadfence_block();
    x[blockIdx.x * 64 + threadIdx.x] += part[threadIdx.x & ~1];
}
__global__ void waits(volatile int *x) { while (x[blockIdx.x * 64 + threadIdx.x] == 0) ; x[blockIdx.x * 64 + threadIdx.x] = 2; }
__global__ void locks(int *lock, int *x) { while (atomicCAS(lock, 0, blockIdx.x * 64 + threadIdx.x)) ; x[0] += 1; atomicExch(lock, 0); }
__device__ double sum(double *to, double value)
{
    unsigned long long *at = (unsigned long long *)to, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void loops(double *total, const double *x) { sum(total, x[blockIdx.x * 64 + threadIdx.x]); }
__global__ void floats(float *total, const float *x) { atomicAdd(total, x[blockIdx.x * 64 + threadIdx.x]); }
struct Body { float mass; int hits; };
__global__ void members(Body *bodies, const float *x) { atomicAdd(&bodies[0].mass, x[blockIdx.x * 64 + threadIdx.x]); }

void all(float *x, int *i, unsigned *u, double *d, Body *b)
{
    active<<<300, 64>>>(u);
    fence<<<300, 64>>>(i);
    step<<<300, 64>>>(i);
    sums<<<300, 64>>>(i);
    tail<<<300, 64>>>(i);
    halves<<<300, 64, 256>>>(i);
    scans<<<300, 64>>>(i);
    waits<<<300, 64>>>(i);
    locks<<<300, 64>>>(i, i);
    loops<<<300, 64>>>(d, d);
    floats<<<300, 64>>>(x, x);
    members<<<300, 64>>>(b, x);
}
