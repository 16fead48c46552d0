// gpu: h200; learn: on
// What threads do together keeps them in their blocks.
__global__ void shared(float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    x[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}
__global__ void dynamic(float *x)
{
    extern __shared__ float tiles[];
    tiles[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tiles[threadIdx.x];
}
__device__ void meet() { __syncthreads(); }
__global__ void barrier(float *x)
{
    x[threadIdx.x] += 1;
    meet();
    x[threadIdx.x ^ 1] += 1;
}
__global__ void shuffle(int *x) { x[threadIdx.x] += __shfl_xor_sync(~0u, x[threadIdx.x], 1); }
__global__ void vote(unsigned *x) { x[threadIdx.x] = __ballot_sync(~0u, x[threadIdx.x] & 1); }
__global__ void active(unsigned *x) { x[threadIdx.x] = __activemask(); }
__global__ void fence(int *x) { x[threadIdx.x] = 1; __threadfence(); x[threadIdx.x + 64] = 1; }
__global__ void waits(volatile int *x) { while (x[threadIdx.x] == 0) ; x[threadIdx.x] = 2; }
__global__ void locks(int *lock, int *x) { while (atomicCAS(lock, 0, threadIdx.x)) ; x[0] += 1; atomicExch(lock, 0); }
__device__ double sum(double *to, double value)
{
    unsigned long long *at = (unsigned long long *)to, old = *at, assumed;
    do {
        assumed = old;
        old = atomicCAS(at, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void loops(double *total, const double *x) { sum(total, x[threadIdx.x]); }
__global__ void floats(float *total, const float *x) { atomicAdd(total, x[threadIdx.x]); }
struct Body { float mass; int hits; };
__global__ void members(Body *bodies, const float *x) { atomicAdd(&bodies[0].mass, x[threadIdx.x]); }
__global__ void again(int *lock, int *x) { once: if (atomicCAS(lock, 0, threadIdx.x)) goto once; x[0] += 1; atomicExch(lock, 0); }
__global__ void asks(const int *flag, int *x) { while (__ldcg(flag) == 0) ; x[threadIdx.x] = 2; }

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
    again<<<300, 64>>>(i, i);
    asks<<<300, 64>>>(i, i);
}
