// gpu: h200; learn: on
// Nothing to be split or joined: one warp alone, fewer blocks than twice the multiprocessors, blocks that are no whole warps, and threads that all do the same.
__global__ void one(float *x) { x[threadIdx.x] += 1; }
__global__ void odd(float *x) { x[blockIdx.x * 100 + threadIdx.x] += 1; }
__global__ void few(float *x) { x[threadIdx.x] += 1; }
__global__ void same(float *x) { x[0] = 1; }
__global__ void elsewhere(float *x) { x[threadIdx.x] += 1; }

void all(float *x)
{
    one<<<1, 32>>>(x);
    odd<<<300, 100>>>(x);
    few<<<dim3(65, 4), 32>>>(x);
    same<<<300, 64>>>(x);
}
