// gpu: h200; learn: on
// What threads tell others than those of their block, or ask of the hardware, keeps them in their blocks.
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
    active<<<300, 64>>>(u);
    fence<<<300, 64>>>(i);
    waits<<<300, 64>>>(i);
    locks<<<300, 64>>>(i, i);
    loops<<<300, 64>>>(d, d);
    floats<<<300, 64>>>(x, x);
    members<<<300, 64>>>(b, x);
}
