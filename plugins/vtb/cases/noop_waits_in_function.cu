// policy: factor=2, form="turns"
// A function waits in a loop for what another block may do: blocks that became one could wait for themselves.
__device__ void take(int *lock)
{
    int free;
    do {
        free = atomicCAS(lock, 0, 1);
    } while (free != 0);
}
__global__ void kernel(int *lock, const float *x, float *y)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        take(lock);
    y[threadIdx.x] += s[63 - threadIdx.x];
    if (threadIdx.x == 0)
        atomicExch(lock, 0);
}
void run(int *lock, const float *x, float *y) { kernel<<<4, 64>>>(lock, x, y); }
