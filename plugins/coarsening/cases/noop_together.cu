// gpu: h200; learn: on
// What threads do together keeps them in their blocks.
__global__ void shared(float *x)
{
    __shared__ float tile[64];
    tile[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + blockIdx.x * 64 + threadIdx.x];
    x[blockIdx.x * 64 + blockIdx.x * 64 + threadIdx.x] = tile[blockIdx.x * 64 + threadIdx.x];
}
__global__ void dynamic(float *x)
{
    extern __shared__ float tiles[];
    tiles[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    x[blockIdx.x * 64 + threadIdx.x] = tiles[blockIdx.x * 64 + threadIdx.x];
}
__device__ void meet() { __syncthreads(); }
__global__ void barrier(float *x)
{
    x[blockIdx.x * 64 + threadIdx.x] += 1;
    meet();
    x[blockIdx.x * 64 + threadIdx.x ^ 1] += 1;
}
__global__ void shuffle(int *x) { x[blockIdx.x * 64 + threadIdx.x] += __shfl_xor_sync(~0u, x[blockIdx.x * 64 + threadIdx.x], 1); }
__global__ void vote(unsigned *x) { x[blockIdx.x * 64 + threadIdx.x] = __ballot_sync(~0u, x[blockIdx.x * 64 + threadIdx.x] & 1); }
__global__ void active(unsigned *x) { x[blockIdx.x * 64 + threadIdx.x] = __activemask(); }
__global__ void fence(int *x) { x[blockIdx.x * 64 + threadIdx.x] = 1; __threadfence(); x[blockIdx.x * 64 + threadIdx.x + 64] = 1; }
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
    shared<<<300, 64>>>(x);
    dynamic<<<300, 64, 256>>>(x);
    barrier<<<300, 64>>>(x);
    shuffle<<<300, 64>>>(i);
    vote<<<300, 64>>>(u);
    active<<<300, 64>>>(u);
    fence<<<300, 64>>>(i);
    waits<<<300, 64>>>(i);
    locks<<<300, 64>>>(i, i);
    loops<<<300, 64>>>(d, d);
    floats<<<300, 64>>>(x, x);
    members<<<300, 64>>>(b, x);
}
