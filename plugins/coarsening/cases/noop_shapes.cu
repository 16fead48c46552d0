// gpu: h200; learn: on
// One block along x, too few for an H200's multiprocessors, blocks that all do the same, and a kernel that nothing launches here.
__global__ void one(float *x) { x[blockIdx.x] += 1; }
__global__ void few(float *x) { x[blockIdx.x] += 1; }
__global__ void same(float *x) { x[threadIdx.x] = 1; }
__global__ void elsewhere(float *x) { x[blockIdx.x] += 1; }

void all(float *x)
{
    one<<<dim3(1, 300), 32>>>(x);
    few<<<dim3(21, 4, 3), 32>>>(x);
    same<<<300, 64>>>(x);
}
